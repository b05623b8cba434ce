#!/usr/bin/env bats
# The daemon as a person meets it: start, stop, crash, and clients of every kind.
load helper

teardown_test() {
  [ ! -e crowd ] || disperse
  [ -e mounted ] || return 0
  stop_daemon
  umount "$BELFRY_HOME"
}

# Its status says so, too, of one that is only starting, which a signal still ends as it ends any program.
daemon_answers() {
  belfry daemon status --json 2> /dev/null | command jq -e '.uptime_s != null' > /dev/null
}

@test "daemon start answers when it answers, again is fine, stop waits for its end" {
  run belfry daemon start
  [ "$status" -eq 0 ]
  pid=$(json .pid belfry daemon status --json)
  [ "$pid" = "$(daemon_pid)" ]
  run belfry daemon start
  [ "$status" -eq 0 ]
  [[ $output == *"$pid"* ]]
  run belfry daemon stop
  [ "$status" -eq 0 ]
  gone "$pid"
  [ ! -e "$BELFRY_HOME/belfry.sock" ]
  run belfry daemon status
  [ "$status" -eq 3 ]
}

@test "H18 the first command starts the daemon" {
  run belfry reminder add me -m hello --in 1h --json
  [ "$status" -eq 0 ]
  [ "$(jq -r .scheduler_running <<< "$output")" = true ]
  daemon_pid
}

@test "H18 K33 a daemon that an agent's client has started knows nothing of that conversation, and its TZ is nobody else's" {
  TZ=Asia/Tokyo CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=a CLAUDE_CODE_MESSAGING_TOKEN=b BELFRY_SESSION=c ANTHROPIC_BASE_URL=http://127.0.0.1:1 \
    belfry reminder add me -m hi --in 1h
  run -0 tr '\0' '\n' < "/proc/$(daemon_pid)/environ"
  has "$output" ANTHROPIC_BASE_URL=
  [[ $output != *CLAUDE* && $output != *BELFRY_SESSION* ]]
  has "$output" TZ=Asia/Tokyo
  machine=$(unset TZ && date +%Z)
  has "$(unset TZ && belfry reminder add me -m hi --at 'tomorrow 9am')" " 9:00 AM $machine ("
  has "$(TZ=America/Lima belfry reminder add me -m hi --at 'tomorrow 9am')" ' (-05:00)'
}

@test "H18 without autostart it saves, warns, and a daemon takes it up" {
  BELFRY_NO_AUTOSTART=1 run --separate-stderr belfry reminder add me -m hello --in 1s --json
  [ "$status" -eq 0 ]
  [ "$(jq -r .scheduler_running <<< "$output")" = false ]
  [[ $stderr == *"nothing will fire until one runs"* ]]
  run daemon_pid
  [ "$status" -ne 0 ]
  start_daemon
  wait_for 10 json_is 1 'arrays | length' belfry queue list me --json
}

@test "a second daemon is refused and names the first" {
  start_daemon
  first=$(daemon_pid)
  run belfry daemon run
  [ "$status" -eq 4 ]
  [[ $output == *"another daemon (pid $first) already serves '$BELFRY_HOME'"* ]]
  [[ $output == *"belfry daemon stop"* ]]
  [ "$(daemon_pid)" = "$first" ]
}

@test "kill -9 leaves a socket; the next daemon takes its place and nothing is lost" {
  belfry reminder add me -m hello --in 1s --name hello
  kill_daemon
  [ -S "$BELFRY_HOME/belfry.sock" ]
  sleep 1
  start_daemon
  wait_for 10 json_is 1 'arrays | length' belfry queue list me --json
  [ "$(json .status belfry reminder show hello --json)" = completed ]
}

@test "SIGTERM and SIGINT stop it with status 0, SIGHUP does not" {
  for signal in TERM INT; do
    # a shell starts background jobs with SIGINT ignored; a terminal does not
    env --default-signal=INT "$BELFRY_BIN" daemon run >> "$BELFRY_HOME/daemon.log" 2>&1 3>&- &
    daemon=$!
    wait_for 10 daemon_answers
    kill -HUP $daemon
    sleep 0.2
    daemon_answers
    kill -$signal $daemon
    wait $daemon
  done
}

# It has room for 256, and a slow one may see them all before it has served any.
@test "250 clients at once are all served" {
  start_daemon
  for i in $(seq 250); do
    belfry reminder add me -m "n $i" --in 1h --name "n-$i" > "out.$i" 2>&1 3>&- || echo "$i" >> failed &
  done
  wait
  [ ! -e failed ] || { cat out.*; false; }
  [ "$(json .reminders.active belfry status --json)" -eq 250 ]
}

@test "pipelined requests are answered in order" {
  start_daemon
  for i in $(seq 200); do
    echo '{"request":"status"}'
    echo "{\"request\":\"nonsense-$i\"}"
  done | talk > replies
  [ "$(wc -l < replies)" -eq 400 ]
  [ "$(sed -n 399p replies | jq -r .ok)" = true ]
  [[ $(sed -n 400p replies | jq -r .error.message) == *"'nonsense-200'"* ]]
}

@test "garbage is answered with errors and does no harm" {
  start_daemon
  head -c 1000000 /dev/urandom | talk > replies || true
  printf '\0\0\0\n{"request":\n[[[[\n\n{"request":"status"}\n' | talk > replies
  [ "$(wc -l < replies)" -eq 5 ]
  [ "$(tail -n 1 replies | jq -r .ok)" = true ]
  head -n 4 replies | jq -e '.error.code == "invalid"'
}

@test "a line of 9 MiB is refused" {
  start_daemon
  head -c 9437184 /dev/zero | tr '\0' a | talk > replies
  [ "$(jq -r .error.code < replies)" = invalid ]
  daemon_answers
}

@test "another user is denied, even one who can reach the socket" {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  start_daemon
  chmod 711 "$BELFRY_HOME"
  chmod 666 "$BELFRY_HOME/belfry.sock"
  dir=$BELFRY_HOME
  while [ "$dir" != / ] && [ "$dir" != /tmp ]; do chmod o+x "$dir"; dir=$(dirname "$dir"); done
  cp "$e2e_root/test/e2e/talk.py" "$BELFRY_HOME/talk.py"
  chmod 644 "$BELFRY_HOME/talk.py"
  echo '{"request":"status"}' | setpriv --reuid=65534 --regid=65534 --clear-groups \
    /usr/bin/python3 "$BELFRY_HOME/talk.py" "$BELFRY_HOME/belfry.sock" > replies
  [ "$(jq -r .error.code < replies)" = denied ]
  daemon_answers
}

@test "files are private" {
  umask 000
  start_daemon
  [ "$(stat -c %a "$BELFRY_HOME/belfry.sock")" = 600 ]
  [ "$(stat -c %a "$BELFRY_HOME/belfry.lock")" = 600 ]
  [ "$(stat -c %a "$BELFRY_HOME")" = 700 ]
  if [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ]; then
    [ "$(stat -c %a "$BELFRY_HOME/belfry.db")" = 600 ]
  fi
}

@test "JO9 a log that was deleted or moved away is made anew, for its owner alone" {
  start_daemon
  rm "$BELFRY_HOME/daemon.log"
  echo 'agents: [' > "$BELFRY_HOME/config.yml"
  wait_for 10 log_has 'the configuration before it stays in use'
  same 600 "$(stat -c %a "$BELFRY_HOME/daemon.log")"
  mv "$BELFRY_HOME/daemon.log" "$BELFRY_HOME/daemon.log.1"
  belfry daemon stop > out
  log_has 'stopped'
  run ! grep stopped "$BELFRY_HOME/daemon.log.1"
}

@test "a home with a long path works" {
  BELFRY_HOME=$BELFRY_HOME/$(printf 'x%.0s' {1..150})
  start_daemon
  belfry reminder add me -m hello --in 1h
  [ "$(json .reminders.active belfry status --json)" -eq 1 ]
  kill_daemon
  start_daemon
  [ "$(json .reminders.active belfry status --json)" -eq 1 ]
}

@test "K14 a TZ that names no zone is warned of when the daemon starts, and by doctor" {
  TZ=Nonsense belfry daemon start
  has "$(cat "$BELFRY_HOME/daemon.log")" "there is no zone 'Nonsense', which TZ names: times are read in "
  TZ=Nonsense run -4 belfry doctor
  has "$output" "since there is no zone 'Nonsense'"
  TZ=Nonsense run -0 --separate-stderr belfry next --in 1h
  has "$stderr" "warning: there is no zone 'Nonsense', which TZ names: times are read in "
}

@test "N55 the zone of crons is the daemon's, and not that of whoever asks; doctor warns where it is not the machine's" {
  printf '%s\n' 'agents: {sh: {command: [sh]}}' > "$BELFRY_HOME/config.yml"
  TZ=America/New_York start_daemon
  [[ $(TZ=Asia/Kolkata belfry status) == *'zone       America/New_York (TZ) of the daemon; yours is Asia/Kolkata (TZ)'* ]]
  [[ $(TZ=America/New_York belfry status) == *'zone       America/New_York (TZ)'$'\n'* ]]
  same 'America/New_York Asia/Kolkata' "$(TZ=Asia/Kolkata json '"\(.zone) \(.your_zone)"' belfry status --json)"
  run belfry doctor
  has "$output" '✓ zones    this machine is in '
  has "$output" 'the daemon was started with TZ=America/New_York'
  belfry cron add nightly --schedule '0 9 * * *' --agent sh --prompt p > /dev/null
  run -0 belfry doctor
  has "$output" '! zones    this machine is in '
  has "$output" 'TZ=America/New_York, which 1 cron without a zone goes by'
  sed -i '1i timezone: Asia/Tokyo' "$BELFRY_HOME/config.yml"
  run -0 belfry doctor
  has "$output" '✓ zones'
  has "$(TZ=Asia/Kolkata belfry status)" 'zone       Asia/Tokyo (config)'
}

@test "config.yml is followed; a broken one is told and not used" {
  start_daemon
  printf 'timezone: Asia/Tokyo\nagents:\n  builder: {}\n' > "$BELFRY_HOME/config.yml"
  [ "$(TZ= json .zone belfry status --json)" = Asia/Tokyo ]
  belfry reminder add builder -m hello --in 1h
  echo 'tiemzone: Asia/Tokyo' > "$BELFRY_HOME/config.yml"
  [[ $(json .config_error belfry status --json) == *"unknown key 'tiemzone'"* ]]
  [ "$(TZ= json .zone belfry status --json)" = Asia/Tokyo ]
  rm "$BELFRY_HOME/config.yml"
  wait_for 20 json_is null .config_error belfry status --json
}

@test "a broken config.yml keeps it from starting, and says where it is broken" {
  echo 'tiemzone: Asia/Tokyo' > "$BELFRY_HOME/config.yml"
  run belfry daemon run
  [ "$status" -eq 2 ]
  [[ $output == *"config.yml:1:1: unknown key 'tiemzone'"* ]]
}

@test "H15 H8 conditions and deliver commands run, and are not left behind by a stop" {
  cat > "$BELFRY_HOME/config.yml" <<EOF
agents:
  slow:
    directory: $BATS_TEST_TMPDIR
    deliver: {command: [sh, -c, "cat > got.tmp; sleep 0.5; mv got.tmp got"]}
EOF
  start_daemon
  belfry reminder add slow -m 'for you' --in 1s --priority normal --name n
  belfry reminder add slow -m never --in 1s --condition 'sleep 77' --name c
  wait_for 10 test -e got.tmp
  belfry daemon stop
  # the delivery was waited for, the condition killed
  [ "$(cat got)" = 'for you' ]
  wait_for 10 none_left
  start_daemon
  [ "$(json '.[0].state' belfry queue list slow --all --json)" = delivered ]
}

@test "a reminder fires within a second of its time, and not before" {
  start_daemon
  belfry reminder add me -m hello --every 1s --count 3 --name n
  wait_for 15 json_is completed .status belfry reminder show n --json
  # never early; and late is the machine now and then, but not three times
  [ "$(json '[.slots[].lateness_us] | min >= 0 and min < 1000000' belfry why n --json)" = true ]
}

wakeups() {
  awk '/^voluntary_ctxt_switches/ {print $2}' "/proc/$1/status"
}

@test "an idle daemon sleeps" {
  start_daemon
  pid=$(daemon_pid)
  belfry reminder add me -m hello --in 1h
  # On a busy machine the work of the start may reach into the first span; one that never sleeps
  # fails in all of them.
  for _ in 1 2 3; do
    sleep 0.5
    before=$(wakeups "$pid")
    sleep 3
    after=$(wakeups "$pid")
    # at most the one wake-up of this minute
    [ $((after - before)) -gt 1 ] || return 0
  done
  echo "$((after - before)) wake-ups in 3 s" >&2
  return 1
}

@test "an import whose client goes away is undone" {
  start_daemon
  echo '{"request":"import begin"}' | talk > reply
  [ "$(jq -r .ok < reply)" = true ]
  batch=$(jq -r .result.batch < reply)
  printf '{"request":"import rows","args":{"batch":%s,"first_line":1,"rows":[]}}\n' "$batch" |
    talk > reply
  [ "$(jq -r .ok < reply)" = false ]
}

@test "a disk that fails is told, and it works again when the disk does" {
  [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ] || skip "SQLite's own"
  start_daemon
  belfry reminder add me -m first --in 2s --name first
  prlimit --pid "$(daemon_pid)" --fsize=1000:unlimited
  run belfry reminder add me -m second --in 1h --name second
  [ "$status" -eq 6 ]
  sleep 2.5 # the first one is due and cannot be saved
  prlimit --pid "$(daemon_pid)" --fsize=unlimited:unlimited
  wait_for 40 json_is 1 'arrays | length' belfry queue list me --json
  belfry reminder add me -m third --in 1h --name third
  [ "$(json '[.[].name] | sort | join(",")' belfry reminder list --all --json)" = first,third ]
  wait_for 10 log_has 'the store works again'
}

@test "on a full disk reads go on, and nothing is lost when there is room again" {
  [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ] || skip "SQLite's own"
  mount -t tmpfs -o size=2m,mode=700 belfry-test "$BELFRY_HOME" 2> /dev/null || skip "cannot mount"
  touch mounted
  start_daemon
  belfry reminder add me -m first --in 3s --name first
  dd if=/dev/zero of="$BELFRY_HOME/filler" bs=4k 2> /dev/null || true
  message=$(head -c 100000 /dev/zero | tr '\0' x)
  run belfry reminder add me -m "$message" --in 1h --name second
  [ "$status" -eq 6 ]
  [[ $output == *"the disk is full"* ]]
  [ "$(json .reminders.active belfry status --json)" -eq 1 ]
  rm "$BELFRY_HOME/filler"
  wait_for 40 json_is 1 'arrays | length' belfry queue list me --json
  belfry reminder add me -m third --in 1h --name third
  [ "$(json '[.[].name] | sort | join(",")' belfry reminder list --all --json)" = first,third ]
}

@test "a database that is damaged keeps it from starting, and is left alone" {
  [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ] || skip "SQLite's own"
  head -c 8192 /dev/urandom > "$BELFRY_HOME/belfry.db"
  sum=$(sha256sum "$BELFRY_HOME/belfry.db")
  run belfry daemon run
  [ "$status" -ne 0 ]
  [[ $output == *"is not a database"* ]]
  [ "$(sha256sum "$BELFRY_HOME/belfry.db")" = "$sum" ]
}

@test "a cut connection to PostgreSQL goes unnoticed" {
  [ "${BELFRY_TEST_STORE:-sqlite}" = postgres ] || skip "PostgreSQL's own"
  start_daemon
  belfry reminder add me -m before --in 3s --name before
  for _ in 1 2; do
    psql -qXAt "$BELFRY_TEST_POSTGRES" -c "SELECT count(pg_terminate_backend(pid))
      FROM pg_stat_activity WHERE datname = '$e2e_database'"
    belfry reminder add me -m after --in 1h
  done
  wait_for 10 json_is 1 'arrays | length' belfry queue list me --json
  log_has 'the store works again'
}

# crowd PROCESSES EACH [LINE]: so many connections, which stay until `disperse`.
crowd() {
  mkfifo crowd
  python3 "$e2e_root/test/e2e/crowd.py" "$BELFRY_HOME/belfry.sock" "$@" < crowd > crowd.out &
  exec 9> crowd
  wait_for 60 grep -q ready crowd.out
}

disperse() {
  exec 9>&-
  rm -f crowd
  wait
}

# sockets_are_at_most NUMBER: of process `pid`.
sockets_are_at_most() {
  [ "$(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)" -le "$1" ]
}

# `timeout` says that there is an answer at all; how soon is the machine's.
@test "A6 silent connections lock nobody out: a process has its share, and who is silent longest gives way" {
  [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ] || skip "the store does not matter"
  start_daemon
  pid=$(daemon_pid)
  before=$(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)
  crowd 1 300
  # Connected is not yet accepted. Who asks now stands behind all of them: when it is answered, each of them was
  # let in or refused, and only its own end may still be on its way.
  timeout 60 "$BELFRY_BIN" status 9>&-
  wait_for 30 sockets_are_at_most $((before + 64))
  disperse
  crowd 300 1
  timeout 60 "$BELFRY_BIN" status 9>&-
  timeout 60 "$BELFRY_BIN" inbox list 9>&-
  disperse
}

@test "A6 who is refused hears it at once and as a refusal, and daemon stop works all the same" {
  [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ] || skip "the store does not matter"
  start_daemon
  crowd 256 1 '{"request":"import begin"}'
  run -6 timeout 60 "$BELFRY_BIN" reminder add me -m x --in 1h 9>&-
  has "$output" "256 clients with work under way are connected already: nothing was done"
  [[ $output != *"not known"* ]]
  run -6 timeout 60 env BELFRY_MISSION_ID=1 "$BELFRY_BIN" daemon stop 9>&-
  belfry daemon stop 9>&-
  disperse
}

@test "JO14 a socket that was removed is made again, by the same daemon" {
  start_daemon
  pid=$(daemon_pid)
  rm "$BELFRY_HOME/belfry.sock"
  run -0 belfry daemon status
  has "$output" "the daemon is running (pid $pid)"
  [ "$(stat -c %a "$BELFRY_HOME/belfry.sock")" = 600 ]
  grep "socket '$BELFRY_HOME/belfry.sock' was removed; it is made again" "$BELFRY_HOME/daemon.log"
  # and with another's in its place
  python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' other.sock
  mv other.sock "$BELFRY_HOME/belfry.sock"
  belfry reminder add me -m hello --in 1h
  same "$pid" "$(daemon_pid)"
  run -0 belfry daemon stop
  [ ! -e "$BELFRY_HOME/belfry.sock" ]
}

@test "JO14 the folder of the socket goes, and comes back with it" {
  unset BELFRY_HOME
  export HOME=$BATS_TEST_TMPDIR/person XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/runtime
  mkdir -m 700 "$HOME" "$XDG_RUNTIME_DIR"
  belfry reminder add me -m hello --in 1h
  pid=$(head -n 1 "$HOME/.local/state/belfry/belfry.lock")
  rm -r "$XDG_RUNTIME_DIR/belfry"
  run belfry daemon status
  run -0 belfry daemon stop
  BELFRY_HOME=$HOME/.local/state/belfry
  has "$output" "the daemon is stopped (pid $pid)"
  wait_for 10 gone "$pid"
}

@test "JO14 a daemon whose socket cannot be made again is named by every command, and stopped" {
  start_daemon
  pid=$(daemon_pid)
  rm "$BELFRY_HOME/belfry.sock"
  mkdir "$BELFRY_HOME/belfry.sock"
  SECONDS=0
  for command in 'daemon status' 'daemon start' 'reminder list' status; do
    # shellcheck disable=SC2086
    run -6 belfry $command
    has "$output" "the daemon (process $pid) runs, but cannot be asked: its socket '$BELFRY_HOME/belfry.sock' is not there"
    has "$output" 'belfry daemon stop'
  done
  BELFRY_NO_AUTOSTART=1 run -6 belfry reminder list
  has "$output" "the daemon (process $pid) runs"
  run -4 belfry doctor
  has "$output" "the daemon (process $pid) runs"
  [[ $output != *'not running'* ]]
  [ "$SECONDS" -lt 25 ]
  BELFRY_MISSION_ID=mis-aaaaaa run -6 belfry daemon stop
  same "$pid" "$(daemon_pid)"
  run -0 belfry daemon stop
  has "$output" "the daemon is stopped (pid $pid)"
  wait_for 10 gone "$pid"
  run -0 belfry daemon stop
  has "$output" 'no daemon is running'
  rmdir "$BELFRY_HOME/belfry.sock"
}

@test "JO14 a daemon that is stopping is not hurried by a second stop, and told by status" {
  cat > slow << 'Y'
trap 'until [ -e "$2" ]; do sleep 0.05; done; exit' INT TERM
touch "$1"
while :; do sleep 0.1; done
Y
  echo "agents: {slow: {command: [sh, $PWD/slow, $PWD/ready, $PWD/go]}}" > "$BELFRY_HOME/config.yml"
  belfry mission new slow go > out
  wait_for 10 test -e ready
  pid=$(daemon_pid)
  kill -TERM "$pid"
  wait_for 5 no_socket
  run -0 belfry daemon status
  has "$output" 'it is stopping'
  "$BELFRY_BIN" daemon stop > out 2>&1 3>&- &
  second=$!
  wait_for 30 waits_for_process $second
  touch go
  wait $second
  has "$(cat out)" "the daemon is stopped (pid $pid)"
  gone "$pid"
  [ "$(grep -c 'stopping at once' "$BELFRY_HOME/daemon.log")" = 0 ]
}

# waits_for_process PID: it holds another process by its descriptor.
waits_for_process() {
  [ -n "$(find "/proc/$1/fd" -lname 'anon_inode:*pidfd*')" ]
}

no_socket() {
  [ ! -e "$BELFRY_HOME/belfry.sock" ]
}

# replace_store: a backup is put in the place of the file that the daemon has open.
replace_store() {
  sqlite3 "$BELFRY_HOME/belfry.db" '.backup bak.db'
  mv bak.db "$BELFRY_HOME/belfry.db"
}

# A store that goes on changing is one that is still being put back: the daemon stays between two lives, for half a
# minute at most. Whatever the machine's speed, that is where it is until the file rests.
stay_between_lives() {
  daemon_answers
  replace_store
  (while [ ! -e rested ]; do touch "$BELFRY_HOME/belfry.db"; sleep 0.02; done) 3>&- &
  toucher=$!
  # A request makes it look at its file; whoever asks would wait for the next life, or start a daemon.
  "$BELFRY_BIN" reminder add me -m notice --in 1h > out 2>&1 3>&- &
  asker=$!
  wait_for 10 log_has 'was replaced while it was in use'
  kill -KILL $asker 2> /dev/null || true
  wait $asker || true
  wait_for 10 no_socket
}

rest_store() {
  touch rested
  wait "$toucher"
  rm rested
}

@test "JO47 a signal between two lives stops it properly, with status 0 and both lines in the log" {
  sqlite_only
  for signal in TERM INT QUIT; do
    env --default-signal=INT,QUIT "$BELFRY_BIN" daemon run > "$BELFRY_HOME/daemon.log" 2>&1 3>&- &
    daemon=$!
    wait_for 10 daemon_answers
    stay_between_lives
    kill -$signal $daemon
    wait $daemon # before the file rests: nobody waits for a store that is not used any more
    rest_store
    grep -A 9 "signal $(kill -l $signal): stopping" "$BELFRY_HOME/daemon.log" | grep -q 'stopped$'
    same 0 "$(grep -c 'begins again' "$BELFRY_HOME/daemon.log")"
  done
}

@test "JO47 daemon stop between two lives is heard" {
  sqlite_only
  start_daemon
  pid=$(daemon_pid)
  stay_between_lives
  run timeout 60 "$BELFRY_BIN" daemon stop
  rest_store
  same 0 "$status"
  has "$output" "the daemon is stopped (pid $pid)"
  wait_for 10 gone "$pid"
  log_has 'signal 15: stopping'
}

@test "JO47 a life that is stopping when its store turns out to be replaced is the last" {
  sqlite_only
  start_daemon
  pid=$(daemon_pid)
  belfry reminder add me -m r --every 1s --name r > out
  replace_store
  kill -TERM "$pid"
  wait_for 30 gone "$pid"
  log_has 'stopping'
  same 0 "$(grep -c 'begins again' "$BELFRY_HOME/daemon.log")"
  tail -n 5 "$BELFRY_HOME/daemon.log" | grep -q 'stopped$'
}
