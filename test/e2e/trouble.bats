#!/usr/bin/env bats
# The machine against us: files of others, folders that cannot be written, disks and servers that
# go away.
load helper

teardown_test() {
  [ ! -e mounted ] || { stop_daemon && umount "$BELFRY_HOME"; }
}

# start_refused STATUS TEXT: no daemon starts, by whichever door, and the database is as it was.
start_refused() {
  local sum

  sum=$(sha256sum "$BELFRY_HOME/belfry.db")
  refused "$1" "$2" daemon run
  refused 6 "the daemon did not start: " reminder list
  has "$(cat stderr)" "$2"
  BELFRY_NO_AUTOSTART=1 refused "$1" "$2" reminder add me -m x --in 1h
  same "$sum" "$(sha256sum "$BELFRY_HOME/belfry.db")"
}

@test "the database of another program is refused and left alone" {
  sqlite_only
  sqlite3 "$BELFRY_HOME/belfry.db" 'CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)'
  start_refused 2 'is the database of another program'
}

@test "a database from a newer belfry is refused and left alone" {
  sqlite_only
  BELFRY_NO_AUTOSTART=1 belfry reminder add me -m x --in 1h 2> /dev/null
  sqlite3 "$BELFRY_HOME/belfry.db" 'PRAGMA user_version = 999' > out
  start_refused 2 'the store has version 999, this belfry knows up to '
}

@test "a damaged database is refused and left alone" {
  sqlite_only
  BELFRY_NO_AUTOSTART=1 belfry reminder add me -m x --in 1h 2> /dev/null
  dd if=/dev/urandom of="$BELFRY_HOME/belfry.db" bs=4096 seek=1 count=20 conv=notrunc 2> /dev/null
  start_refused 7 "store '$BELFRY_HOME/belfry.db' is damaged"
}

@test "a newer PostgreSQL schema is refused and left alone" {
  postgres_only
  BELFRY_NO_AUTOSTART=1 belfry reminder add me -m x --in 1h 2> /dev/null
  psql -qX "$BELFRY_STORE" -c "UPDATE belfry_meta SET version = 999"
  refused 2 'version 999' daemon run
  refused 6 'version 999' reminder list
}

# as_nobody COMMAND...: an unprivileged user, in a place it can reach.
as_nobody() {
  setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

reachable() {
  local dir=$BELFRY_HOME

  while [ "$dir" != / ] && [ "$dir" != /tmp ]; do chmod o+x "$dir"; dir=$(dirname "$dir"); done
  as_nobody test -x "$BELFRY_BIN" || skip "another user cannot reach '$BELFRY_BIN'"
}

@test "a home that belongs to somebody else is refused" {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  chown 65534 "$BELFRY_HOME"
  refused 5 "folder '$BELFRY_HOME' belongs to user 65534, not to you (0)" reminder list
  refused 5 'belongs to user 65534' daemon run
  BELFRY_NO_AUTOSTART=1 refused 5 'belongs to user 65534' reminder add me -m x --in 1h
}

@test "a home that cannot be written is told, and what to do" {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  reachable
  chown 65534:65534 "$BELFRY_HOME"
  chmod 500 "$BELFRY_HOME"
  for words in 'daemon run' 'reminder list' 'reminder add me -m x --in 1h'; do
    # shellcheck disable=SC2086
    run -5 as_nobody "$BELFRY_BIN" $words
    has "$output" 'Permission denied'
    has "$output" 'hint: the folder must be writable'
  done
  [ -z "$(ls -A "$BELFRY_HOME")" ]
}

@test "a database file that is read-only is told" {
  sqlite_only
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  reachable
  BELFRY_NO_AUTOSTART=1 belfry reminder add me -m x --in 1h 2> /dev/null
  chmod 400 "$BELFRY_HOME/belfry.db"
  chown -R 65534:65534 "$BELFRY_HOME"
  run -6 as_nobody "$BELFRY_BIN" daemon run
  has "$output" "cannot write store '$BELFRY_HOME/belfry.db': "
  has "$output" 'hint: the file and its folder must be writable'
  [[ $output != *'not an error'* ]]
}

@test "a place where no home can be" {
  BELFRY_HOME=/dev/null refused 2 "'/dev/null' is not a folder" reminder list
  BELFRY_HOME=/proc/nope refused 7 "cannot create folder '/proc/nope'" reminder list
  BELFRY_STORE=mysql://x refused 6 'names no known database' reminder list
  BELFRY_STORE=postgres://belfry@127.0.0.1:1/nope refused 6 'Connection refused' daemon run
}

@test "a second daemon names the first, and a command without one waits its turn" {
  start_daemon
  refused 4 "another daemon (pid $(daemon_pid)) already serves '$BELFRY_HOME'" daemon run
  same true "$(json .running belfry daemon status --json)"
  same "$(daemon_pid)" "$(json .pid belfry daemon status --json)"
  # a daemon that does not answer still has the store
  kill -STOP "$(daemon_pid)"
  mv "$BELFRY_HOME/belfry.sock" "$BELFRY_HOME/away"
  BELFRY_NO_AUTOSTART=1 refused 4 "process $(daemon_pid) is using '$BELFRY_HOME'" reminder add me -m x --in 1h
  mv "$BELFRY_HOME/away" "$BELFRY_HOME/belfry.sock"
  kill -CONT "$(daemon_pid)"
  same 0 "$(json length belfry reminder list --json)"
}

# other_home COMMAND...: asked from a second home with the same store, in which nothing is running.
other_home() {
  BELFRY_HOME=$BATS_TEST_TMPDIR/other BELFRY_STORE=${BELFRY_STORE:-sqlite:$BATS_TEST_TMPDIR/home/belfry.db} "$@"
}

@test "K2 a second daemon on one store refuses to start, names the first, and touches nothing" {
  mkdir -m 700 other
  printf '%s\n' 'agents: {sh: {command: [sh]}}' \
    'crons: {first: {schedule: "0 9 * * *", agent: sh, prompt: hello}}' > "$BELFRY_HOME/config.yml"
  start_daemon
  first="home '$BELFRY_HOME' on '$(uname -n)' (process $(daemon_pid), since "
  for words in 'daemon run' 'reminder list' 'daemon start'; do
    # shellcheck disable=SC2086
    other_home refused 6 "the store is in use by the daemon of $first" $words
    has "$(cat stderr)" 'hint: one store has one daemon: use that home, or give '
  done
  BELFRY_NO_AUTOSTART=1 other_home refused 6 "$first" reminder add me -m x --in 1h
  # the cron is not in the other's configuration, which is no reason to end it
  same active "$(of first .status)"
  stop_daemon
  BELFRY_NO_AUTOSTART=1 other_home belfry reminder list > out
}

@test "K2 a daemon whose connection was cut has its store again, unless another took it" {
  postgres_only
  mkdir -m 700 other
  start_daemon
  psql -qXAt "$BELFRY_TEST_POSTGRES" -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = '$e2e_database'" > out
  belfry reminder add me -m x --in 1h > out
  # somebody else has it now, for longer than we may write
  psql -qXAt "$BELFRY_STORE" -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = '$e2e_database' AND pid <> pg_backend_pid()" \
    -c "SELECT pg_advisory_lock(1114400370, hashtext(current_schema()))" \
    -c "UPDATE kv SET text = '{\"host\":\"far\",\"home\":\"/there\",\"pid\":7,\"since\":0}' WHERE name = 'store.holder'" \
    -c "SELECT pg_sleep(60)" > out 2>&1 &
  other=$!
  wait_for 30 log_has "the store is in use by the daemon of home '/there' on 'far' (process 7, since "
  refused 6 "home '/there' on 'far'" reminder add me -m y --in 1h
  kill "$other"
  psql -qXAt "$BELFRY_TEST_POSTGRES" -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = '$e2e_database'" > out
  wait_for 60 belfry reminder add me -m z --in 1h
  same '["x","z"]' "$(json 'map(.message) | sort | tojson' belfry reminder list --json)"
}

@test "K4 a backup put back under a running daemon is used from then on, and nothing is swallowed" {
  sqlite_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
  belfry reminder add me -m b --in 1h --name b > out
  mv bak.db "$BELFRY_HOME/belfry.db"
  # refused while the daemon has not noticed by itself, else kept: never accepted and lost
  run "$BELFRY_BIN" reminder add me -m c --in 1h --name c
  if [ "$status" -ne 0 ]; then
    same 6 "$status"
    has "$output" 'was replaced while it was in use'
    wait_for 30 belfry reminder add me -m c --in 1h --name c
  fi
  log_has 'begins again, on the database that is there now'
  stop_daemon
  same '["a","c"]' "$(json 'map(.name) | sort | tojson' belfry reminder list --json)"
}

@test "K4 a database deleted under a running daemon ends it, and says so" {
  sqlite_only
  start_daemon
  pid=$(daemon_pid)
  belfry reminder add me -m a --in 1h > out
  rm "$BELFRY_HOME/belfry.db"
  BELFRY_NO_AUTOSTART=1 run "$BELFRY_BIN" daemon status
  wait_for 30 gone "$pid"
  log_has "store '$BELFRY_HOME/belfry.db' was deleted while it was in use"
}

@test "K21 a daemon whose lock file was removed lets no second one in, and ends" {
  start_daemon
  pid=$(daemon_pid)
  rm "$BELFRY_HOME/belfry.lock"
  refused 6 "the store is in use by the daemon of home '$BELFRY_HOME' on '$(uname -n)' (process $pid" daemon run
  BELFRY_NO_AUTOSTART=1 run "$BELFRY_BIN" daemon status
  wait_for 30 gone "$pid"
  log_has "lock '$BELFRY_HOME/belfry.lock' was removed"
  belfry reminder list > out
}

@test "K30 a role that PostgreSQL does not know gets a hint about the role" {
  postgres_only
  BELFRY_STORE=${BELFRY_STORE/belfry@/nosuchrole@} refused 6 'role "nosuchrole" does not exist' daemon run
  has "$(cat stderr)" "hint: make the role, as 'createuser NAME' does"
}

# Every second since creation is in exactly one slot, every fire in exactly one message.
whole() {
  local id fired

  id=$(of "$1" .id)
  fired=$(why "$id" '[.slots[] | select(.outcome == "fired")] | length')
  same "$fired" "$(of "$id" .fire_count)" &&
    same "$fired" "$(json "[.[] | select(.reminder == \"$id\")] | length" belfry queue list --all --json)" &&
    same true "$(why "$id" '{n: ([.slots[].occurrences] | add), first: ([.slots[].first_nominal] | min),
      last: ([.slots[].nominal] | max)} | .n - 1 ==
      ((.last | sub("(\\.[0-9]+)?\\+00:00$"; "Z") | fromdate) - (.first | sub("(\\.[0-9]+)?\\+00:00$"; "Z") | fromdate))')"
}

@test "H14 H16 a full disk: it lives, says so, and fires on when there is room; nothing lost or doubled" {
  sqlite_only
  mount -t tmpfs -o size=2m,mode=700 belfry-test "$BELFRY_HOME" 2> /dev/null || skip "cannot mount a tmpfs here"
  touch mounted
  start_daemon
  belfry reminder add me -m "$(head -c 20000 /dev/zero | tr '\0' x)" --every 1s --name tick > out
  wait_for 30 json_is true '.fire_count >= 1' belfry reminder show tick --json
  dd if=/dev/zero of="$BELFRY_HOME/filler" bs=4k 2> /dev/null || true
  before=$(of tick .fire_count)
  wait_for 30 log_has 'the disk is full'
  sleep 2
  kill -0 "$(daemon_pid)"
  rm "$BELFRY_HOME/filler"
  wait_for 90 json_is true ".fire_count > $before + 1" belfry reminder show tick --json
  belfry reminder pause tick > out
  # K3: a line when it begins, perhaps another name for it, and one when it is over
  same true "$([ "$(grep -c 'trying again' "$BELFRY_HOME/daemon.log")" -le 4 ] && echo true)"
  same 1 "$(grep -c 'the store works again' "$BELFRY_HOME/daemon.log")"
  whole tick
}

@test "H14 H16 PostgreSQL gone for a while: it comes back by itself and fires what was due, once" {
  postgres_only
  start_daemon
  belfry reminder add me -m x --every 1s --name tick > out
  belfry reminder add me -m once --in 2s --name shot > out
  wait_for 30 json_is true '.fire_count >= 1' belfry reminder show tick --json
  # nobody may connect, and nobody is
  psql -qX "$BELFRY_TEST_POSTGRES" -c "ALTER DATABASE $e2e_database ALLOW_CONNECTIONS false"
  psql -qXAt "$BELFRY_TEST_POSTGRES" -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = '$e2e_database'" > out
  wait_for 30 log_has 'trying again'
  sleep 1
  kill -0 "$(daemon_pid)"
  run -6 belfry reminder add me -m lost --in 1h --name lost
  has "$output" 'hint: '
  psql -qX "$BELFRY_TEST_POSTGRES" -c "ALTER DATABASE $e2e_database ALLOW_CONNECTIONS true"
  wait_for 90 json_is completed .status belfry reminder show shot --json
  same 1 "$(json '[.[] | select(.body | startswith("once"))] | length' belfry queue list me --all --json)"
  belfry reminder pause tick > out
  whole tick
  wait_for 30 log_has 'the store works again'
  same '["shot","tick"]' "$(json 'map(.name) | sort | tojson' belfry reminder list --all --json)"
}

@test "K19 K17: a stopped daemon is named within seconds, and the same command again tells what became of it" {
  start_daemon
  pid=$(daemon_pid)
  kill -STOP "$pid"
  SECONDS=0
  run -6 belfry reminder add me -m once --in 1h
  [ "$SECONDS" -lt 10 ]
  has "$output" "whether this was done is not known: the daemon (process $pid) does not answer: it is stopped"
  has "$output" "kill -CONT $pid"
  run -6 belfry status
  has "$output" "the daemon (process $pid) does not answer: it is stopped"
  kill -CONT "$pid"
  wait_for 10 has_reminders 1
  run -0 belfry reminder add me -m once --in 1h
  has "$output" 'this was done when it was asked before'
  has_reminders 1
  # That was the answer: from now on the same command is another one.
  run -0 belfry reminder add me -m once --in 1h
  has_reminders 2
}

has_reminders() {
  [ "$(json length belfry reminder list --json)" = "$1" ]
}
