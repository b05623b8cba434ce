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
  BELFRY_NO_AUTOSTART=1 refused 6 "the daemon (process $(daemon_pid)) runs, but cannot be asked" reminder add me -m x --in 1h
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

@test "JO24 doctor tells once of a store that another home uses, and not with every check" {
  mkdir -m 700 other
  start_daemon
  other_home run -4 belfry doctor
  same 1 "$(grep -c 'the store is in use by the daemon of home' <<< "$output")"
  same 1 "$(grep -c 'one store has one daemon' <<< "$output")"
}

# How many wait for a lock of the store.
waiting="SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"

@test "K2 a daemon whose connection was cut has its store again, unless another took it" {
  postgres_only
  mkdir -m 700 other
  start_daemon
  psql -qXAt "$BELFRY_TEST_POSTGRES" -c "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = '$e2e_database'" > out
  belfry reminder add me -m x --in 1h > out
  # Somebody else waits for the store, so that it is theirs as soon as the connection is cut.
  psql -qXAt "$BELFRY_STORE" -c "SELECT pg_advisory_lock(1114400370, hashtext(current_schema()))" \
    -c "UPDATE kv SET text = '{\"host\":\"far\",\"home\":\"/there\",\"pid\":7,\"since\":0}' WHERE name = 'store.holder'" \
    -c "SELECT pg_sleep(600)" > out 2>&1 &
  other=$!
  wait_for 30 sql_is 1 "$waiting"
  sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
    AND pid <> pg_backend_pid() AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)" > out
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

@test "JO46 another program of SQLite may copy the WAL back: that is no overwriting, and ends nothing" {
  sqlite_only
  start_daemon
  before=$(belfry status --json | jq .pid)
  for mode in passive full restart truncate; do
    belfry reminder add me -m "$mode" --in 1h --name "$mode" > out
    for i in 1 2 3; do
      sqlite3 -cmd '.timeout 3000' "$BELFRY_HOME/belfry.db" "INSERT INTO scheduled_tasks (fire_at, prompt, agent)
        VALUES ('2030-12-24T18:00:00Z', 'x $mode $i', 'bot')" > out
    done
    sqlite3 -cmd '.timeout 3000' "$BELFRY_HOME/belfry.db" "PRAGMA wal_checkpoint($mode)" > out
    belfry reminder add me -m "$mode" --in 1h --name "$mode-after" > out
  done
  same 20 "$(json length belfry reminder list --json --all)"
  run ! grep -E 'overwritten|begins again' "$BELFRY_HOME/daemon.log"
  same "$before" "$(belfry status --json | jq .pid)"
  same ok "$(sqlite3 "$BELFRY_HOME/belfry.db" 'PRAGMA integrity_check')"
}

@test "JO3 a backup copied over the file of a running daemon is used from then on" {
  sqlite_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
  belfry reminder add me -m b --in 1h --name b > out
  cp bak.db "$BELFRY_HOME/belfry.db"
  run "$BELFRY_BIN" reminder add me -m c --in 1h --name c
  if [ "$status" -ne 0 ]; then
    has "$output" 'was overwritten while it was in use'
    wait_for 30 belfry reminder add me -m c --in 1h --name c
  fi
  log_has 'begins again, on the database that is there now'
  same '["a","c"]' "$(json 'map(.name) | sort | tojson' belfry reminder list --json)"
  same ok "$(sqlite3 "$BELFRY_HOME/belfry.db" 'PRAGMA integrity_check')"
}

@test "JO15 the WAL deleted under a running daemon: nothing is lost, nothing runs twice, and it is told" {
  sqlite_only
  start_daemon
  pid=$(daemon_pid)
  belfry reminder add me -m a --in 1h --name a > out
  belfry reminder add me -m fired --in 1s --name shot > out
  wait_for 20 json_is completed .status belfry reminder show shot --json
  for file in wal shm; do
    rm "$BELFRY_HOME/belfry.db-$file"
    # noticed at once: a daemon that is killed later has lost nothing
    wait_for 20 test -e "$BELFRY_HOME/belfry.db-$file"
    belfry reminder add me -m "$file" --in 1h --name "$file" > out
  done
  same "$pid" "$(daemon_pid)"
  wait_for 30 inbox_lists 'Nothing is lost: what they held is in'
  kill_daemon
  same '["a","shm","wal"]' "$(json 'map(.name) | sort | tojson' belfry reminder list --json)"
  same 1 "$(json '[.[] | select(.body | startswith("fired"))] | length' belfry queue list me --all --json)"
}

@test "JO16 a database that is gone or empty is told, whoever starts; beginning with nothing is a word" {
  sqlite_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  stop_daemon
  cp "$BELFRY_HOME/belfry.db" bak.db
  for words in gone empty; do
    if [ $words = gone ]; then rm "$BELFRY_HOME/belfry.db"; else : > "$BELFRY_HOME/belfry.db"; fi
    refused 6 "store '$BELFRY_HOME/belfry.db' is $words, and this home was in use" reminder list
    has "$(cat stderr)" 'hint: put a backup there; or, to begin with nothing: belfry daemon start --fresh'
    refused 6 "is $words, and this home was in use" daemon run
    BELFRY_NO_AUTOSTART=1 refused 6 "is $words, and this home was in use" reminder add me -m x --in 1h
    run "$BELFRY_BIN" doctor
    has "$output" "is $words, and this home was in use"
  done
  mv bak.db "$BELFRY_HOME/belfry.db"
  same '["a"]' "$(json 'map(.name) | tojson' belfry reminder list --json)"
  stop_daemon
  rm "$BELFRY_HOME/belfry.db"
  belfry daemon start --fresh > out
  same 0 "$(json length belfry reminder list --json)"
}

@test "JO20 a backup put in place of a running daemon's database: what was there is kept, and it is told" {
  sqlite_only
  start_daemon
  for by in mv cp; do
    belfry reminder add me -m a --in 1h --name "a-$by" > out
    sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
    chmod 644 bak.db
    belfry reminder add me -m b --in 1h --name "b-$by" > out
    "$by" bak.db "$BELFRY_HOME/belfry.db"
    wait_for 30 belfry reminder add me -m c --in 1h --name "c-$by"
    wait_for 30 inbox_has "file that is there now"
    same '600 600 600' "$(echo $(stat -c %a "$BELFRY_HOME"/belfry.db{,-wal,-shm}))"
  done
  kept=$(compgen -G "$BELFRY_HOME/belfry.db.saved-*")
  same b-mv "$(sqlite3 "$kept" "SELECT name FROM reminders WHERE name = 'b-mv'")"
  wait_for 30 inbox_has "What it had until then is kept in '$kept'"
  wait_for 30 inbox_has "What was not in the file yet is kept in '$(compgen -G "$BELFRY_HOME/belfry.db-wal.before-*")'"
}

@test "JO22 a backup put back while no daemon runs: the inbox tells that the store is older than the home" {
  sqlite_only
  scripted
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
  id=$(new shell 'true')
  wait_for 20 json_is success .state belfry mission show "$id" --json
  stop_daemon
  start_daemon
  run -1 inbox_has 'older than this home'
  stop_daemon
  cp bak.db "$BELFRY_HOME/belfry.db"
  start_daemon
  wait_for 20 inbox_has 'The store is older than this home'
  inbox_has '1 mission has a folder'
  log_has 'The store is older than this home'
}

# put_back FILE: in place of the database, as a person does it.
put_back() {
  cp "$1" "$BELFRY_HOME/belfry.db"
  rm -f "$BELFRY_HOME"/belfry.db-{wal,shm}
}

# fired_before NAME INSTANT: how many of its occurrences fired that were due by then.
fired_before() {
  sql "SELECT count(*) FROM slots JOIN reminders ON reminders.key = slots.reminder
    WHERE name = '$1' AND outcome IN ('fired', 'ran', 'running') AND nominal <= $2"
}

# told TEXT: in some message of the inbox, whatever else comes in.
told() {
  [ "$(sql "SELECT count(*) > 0 FROM messages WHERE text LIKE '%$1%'")" = 1 ]
}

@test "JO22 a backup from a moment before a crash: it is told, and what was due since is not fired again" {
  sqlite_only
  start_daemon
  belfry reminder add me -m every --every 1s --name every > out
  once=$(add me -m once --in 3s --name once)
  belfry reminder add me -m later --in 1h --name later > out
  sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
  wait_for 20 json_is completed .status belfry reminder show once --json
  kill_daemon
  last=$(sql "SELECT max(nominal) FROM slots WHERE outcome <> 'missed'")
  put_back bak.db
  before=$(fired_before every "$last")
  start_daemon
  told 'The store is older than this home'
  told "belfry reminder run $once"
  same 0 "$(json '[.[] | select(.body | startswith("once"))] | length' belfry queue list me --all --json)"
  same paused "$(of once .status)"
  same 'missed the store was put back from a backup; this may have fired' "$(why once '.slots[0] | "\(.outcome) \(.reason)"')"
  same "$before" "$(fired_before every "$last")"
  same active "$(of later .status)"
  # what repeats goes on, each time once
  wait_for 20 json_is true '.fire_count >= 2' belfry reminder show every --json
  same 1 "$(why every '[.slots[] | select(.outcome == "missed" and (.reason | contains("put back")))] | length')"
  belfry reminder run once > out
  same 1 "$(json '[.[] | select(.body | startswith("once"))] | length' belfry queue list me --all --json)"
  # and it is told once
  kill_daemon
  start_daemon
  same 1 "$(grep -c 'The store is older than this home' "$BELFRY_HOME/daemon.log")"
}

@test "JO36 a backup put beside the WAL of a daemon that was killed is refused, and touched by nobody" {
  sqlite_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  for way in cp mv; do
    sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
    belfry reminder add me -m "$way" --in 1h --name "$way" > out
    kill_daemon
    # a time that was set, and a kill, are no backup; nor is it when another program copied the WAL back
    touch "$BELFRY_HOME/belfry.db"
    same active "$(of "$way" .status)"
    kill_daemon
    python3 -c 'import os, sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall(); os._exit(0)' "$BELFRY_HOME/belfry.db"
    [ -s "$BELFRY_HOME/belfry.db-wal" ]
    same active "$(of "$way" .status)"
    belfry reminder pause "$way" > out
    kill_daemon
    $way bak.db "$BELFRY_HOME/belfry.db"
    sum=$(sha256sum "$BELFRY_HOME"/belfry.db{,-wal})
    refused 6 "was replaced, and 'belfry.db-wal' is still that of the one before" reminder list
    has "$(cat stderr)" "hint: if you put a backup there, delete 'belfry.db-wal' and '-shm'"
    run -6 belfry daemon start
    run -4 belfry doctor
    has "$output" "✗ store    store '$BELFRY_HOME/belfry.db' was replaced"
    same "$sum" "$(sha256sum "$BELFRY_HOME"/belfry.db{,-wal})"
    rm "$BELFRY_HOME"/belfry.db-{wal,shm}
    refused 3 "no reminder '$way'" reminder show "$way"
    told 'The store is older than this home'
  done
}

@test "JO22 a backup from before one change is told, whatever the change was" {
  sqlite_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  local n=0
  for change in 'reminder pause a' 'reminder resume a' 'reminder edit a -m b' 'reminder rm a'; do
    sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
    # shellcheck disable=SC2086
    belfry $change > out
    if [ $((n % 2)) = 0 ]; then kill_daemon; else stop_daemon; fi
    put_back bak.db
    # shellcheck disable=SC2086
    belfry $change > out
    n=$((n + 1))
    same $n "$(grep -c 'The store is older than this home' "$BELFRY_HOME/daemon.log")"
  done
  # neither a crash, nor who looks at the file, nor the same file again is older
  sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
  kill_daemon
  sqlite3 "$BELFRY_HOME/belfry.db" 'SELECT count(*) FROM reminders' > out
  belfry status > out
  stop_daemon
  BELFRY_NO_AUTOSTART=1 belfry reminder add me -m c --in 1h 2> /dev/null > out
  sqlite3 "$BELFRY_HOME/belfry.db" VACUUM
  cp "$BELFRY_HOME/belfry.db" same.db
  mv same.db "$BELFRY_HOME/belfry.db"
  belfry status > out
  same $n "$(grep -c 'The store is older than this home' "$BELFRY_HOME/daemon.log")"
  # nor is what a command without a daemon wrote forgotten
  stop_daemon
  put_back bak.db
  belfry status > out
  same $((n + 1)) "$(grep -c 'The store is older than this home' "$BELFRY_HOME/daemon.log")"
}

@test "JO22 a mission that waits or begins in the backup and has run since is not run again" {
  sqlite_only
  scripted '  one: {command: [sh], directory: '"$BATS_TEST_TMPDIR"', maxConcurrent: 1}'
  start_daemon
  first=$(new one "$held")
  second=$(new one 'echo second >> marks')
  wait_for 20 test -s marks
  sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
  touch go
  becomes "$second" success
  kill_daemon
  put_back bak.db
  # as if the backup were from before its process was known
  sqlite3 "$BELFRY_HOME/belfry.db" "UPDATE runs SET pid = NULL, pid_start = 0, boot = NULL; UPDATE missions SET phase = 'starting' WHERE id = '$first'"
  start_daemon
  # its end is on disk
  becomes "$first" success
  becomes "$second" orphaned
  inbox_has "have run since, so they are not run again: $second"
  has "$(m "$second" .reason)" 'it has run since'
  same 'start 1 end 1 second' "$(echo $(cat marks))"
}

inbox_lists() {
  belfry inbox list --json | grep -qF -- "$1"
}

inbox_has() {
  belfry inbox show "$(json '.threads[0].id' belfry inbox list --json)" --json > thread || return 1
  grep -qF -- "$1" thread
}

@test "JO25 a home remembers each of its stores: one that was used in between makes no other one new" {
  sqlite_only
  mkdir -m 700 apart
  belfry reminder add me -m a --in 1h --name a > out
  sqlite3 "$BELFRY_HOME/belfry.db" '.backup bak.db'
  stop_daemon
  BELFRY_STORE=sqlite:$PWD/apart/o.db belfry daemon start --switch-store > out
  stop_daemon
  # an older one put back is still told
  belfry daemon start --switch-store > out
  stop_daemon
  cp bak.db "$BELFRY_HOME/belfry.db"
  start_daemon
  wait_for 20 inbox_has 'The store is older than this home'
  stop_daemon
  BELFRY_STORE=sqlite:$PWD/apart/o.db belfry daemon start --switch-store > out
  stop_daemon
  rm "$BELFRY_HOME"/belfry.db*
  refused 6 'is gone, and this home was in use' daemon start --switch-store
  # nor does a mark that cannot be read
  : > "$BELFRY_HOME/store.mark"
  refused 6 'is gone, and this home was in use' reminder list
}

@test "JO26 a PostgreSQL store that was emptied while no daemon ran is refused; beginning with nothing is a word" {
  postgres_only
  shown="postgres://${BELFRY_STORE#*@}"
  belfry reminder add me -m a --in 1h --name a > out
  stop_daemon
  for way in schema database; do
    if [ $way = schema ]; then
      psql -qX "$BELFRY_STORE" -c 'DROP SCHEMA public CASCADE' -c 'CREATE SCHEMA public' 2> /dev/null
    else
      psql -qX "$BELFRY_TEST_POSTGRES" -c "DROP DATABASE $e2e_database" -c "CREATE DATABASE $e2e_database"
    fi
    refused 6 "store '$shown' is empty, and this home was in use" reminder list
    has "$(cat stderr)" 'hint: put a backup there; or, to begin with nothing: belfry daemon start --fresh'
    refused 6 'is empty, and this home was in use' daemon run
    BELFRY_NO_AUTOSTART=1 refused 6 'is empty, and this home was in use' reminder add me -m x --in 1h
  done
  belfry daemon start --fresh > out
  same 0 "$(json length belfry reminder list --json)"
  run -1 grep -q 'older than this home' "$BELFRY_HOME/daemon.log"
  stop_daemon
  belfry reminder list > out
}

@test "JO26 a PostgreSQL store emptied under a running daemon is told, and a backup that is put there is used" {
  postgres_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  once=$(add me -m once --in 2s --name once)
  pg_dump --no-owner "$BELFRY_STORE" > dump.sql
  wait_for 20 json_is completed .status belfry reminder show once --json
  psql -qX "$BELFRY_STORE" -c 'DROP SCHEMA public CASCADE' -c 'CREATE SCHEMA public' 2> /dev/null
  wait_for 30 refused 6 'is empty, and this home was in use' reminder add me -m b --in 1h
  sed -i '/^CREATE SCHEMA public/d' dump.sql
  psql -qX -1 "$BELFRY_STORE" -f dump.sql > out 2>&1
  wait_for 60 inbox_has 'The store is older than this home'
  inbox_has "belfry reminder run $once"
  same '["a","once"]' "$(json 'map(.name) | sort | tojson' belfry reminder list --json)"
  same 0 "$(json '[.[] | select(.body | startswith("once"))] | length' belfry queue list me --all --json)"
}

@test "JO31 a PostgreSQL restored in one transaction under a running daemon: it goes on, and tells" {
  postgres_only
  start_daemon
  pid=$(daemon_pid)
  belfry reminder add me -m a --in 1h --name a > out
  pg_dump --no-owner -Fc "$BELFRY_STORE" > dump
  once=$(add me -m once --in 1s --name once)
  wait_for 20 json_is completed .status belfry reminder show once --json
  pg_restore --clean --if-exists --single-transaction --no-owner -d "$BELFRY_STORE" dump > out 2>&1
  wait_for 60 inbox_has 'The store is older than this home'
  wait_for 30 belfry status
  belfry reminder add me -m later --in 1s --name later > out
  wait_for 30 json_is completed .status belfry reminder show later --json
  same "$pid" "$(daemon_pid)"
  run -0 belfry daemon stop
  has "$output" "the daemon is stopped (pid $pid)"
}

@test "JO27 BELFRY_STORE beside a daemon that uses another store is refused, with both named" {
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  ours=${BELFRY_STORE:-$BELFRY_HOME/belfry.db}
  ours=${ours/#postgres:*@/postgres://}
  BELFRY_STORE=sqlite:$PWD/other.db refused 4 "the daemon of this home uses the store '$ours', and BELFRY_STORE names '$PWD/other.db'" reminder list
  has "$(cat stderr)" 'hint: unset BELFRY_STORE; or, to use that store: belfry daemon stop'
  BELFRY_STORE=postgres://u:secret@h/db refused 4 "BELFRY_STORE names 'postgres://h/db'" reminder add me -m b --in 1h
  BELFRY_STORE=sqlite:$PWD/other.db refused 4 'uses the store' daemon status
  [ ! -e other.db ]
  # the same one, named
  if [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ]; then
    ln -s home link
    BELFRY_STORE=sqlite:$PWD/link/belfry.db belfry reminder list > out
    BELFRY_STORE=sqlite:home/belfry.db belfry reminder list > out
  fi
  same '["a"]' "$(json 'map(.name) | tojson' belfry reminder list --json)"
  BELFRY_STORE=sqlite:$PWD/other.db belfry daemon stop > out
}

@test "JO33 doctor says when the daemon's server is not the one it would look at" {
  postgres_only
  start_daemon
  store=$BELFRY_STORE
  has "$(belfry doctor)" '✓ store    opens and is sound'
  unset BELFRY_STORE
  output=$(belfry doctor)
  has "$output" "– store    not looked at: the daemon uses the store 'postgres://${store#*@}', and from here '$BELFRY_HOME/belfry.db' would be used"
  has "$output" "hint: ask with the daemon's own BELFRY_STORE"
  [ ! -e "$BELFRY_HOME/belfry.db" ]
  export BELFRY_STORE=$store
}

@test "JO35 a mission ended when its run did, not when the daemon heard of it" {
  scripted
  start_daemon
  id=$(new shell 'sleep 1')
  wait_for 20 json_is running .state belfry mission show "$id" --json
  kill_daemon
  sleep 4
  start_daemon
  wait_for 20 json_is success .state belfry mission show "$id" --json
  took=$(json '(.ended_at | .[0:19] + "Z" | fromdate) - (.run_started_at | .[0:19] + "Z" | fromdate)' belfry mission show "$id" --json)
  [ "$took" -le 3 ] || { echo "took $took s" >&2; return 1; }
}

# unanswered_store: within ten seconds it is the store that is named, and nobody is told to kill the daemon.
unanswered_store() {
  for words in 'reminder list' 'reminder add me -m x --in 1h' status; do
    SECONDS=0
    # shellcheck disable=SC2086
    run -6 "$BELFRY_BIN" $words
    [ "$SECONDS" -le 10 ] || { echo "took $SECONDS s: $words" >&2; return 1; }
    has "$output" "store 'postgres://${BELFRY_STORE#*@}'" || return 1
    [[ $output != *kill* ]] || { echo "$output" >&2; return 1; }
  done
}

@test "JO28 a PostgreSQL that does not answer is named as what does not, within ten seconds" {
  postgres_only
  start_daemon
  pid=$(daemon_pid)
  silent_server
  # shellcheck disable=SC2086
  kill -STOP $server
  failed=0
  unanswered_store || failed=1
  has "$output" 'does not answer: the daemon (process ' || failed=1
  # shellcheck disable=SC2086
  kill -CONT $server
  same 0 $failed
  wait_for 30 belfry reminder list
  same "$pid" "$(daemon_pid)"
}

@test "JO28 a table that another program has locked is told within ten seconds" {
  postgres_only
  start_daemon
  psql -qX "$BELFRY_STORE" -c 'BEGIN' -c 'LOCK TABLE reminders' -c 'SELECT pg_sleep(60)' > out 2>&1 &
  locker=$!
  sleep 1
  failed=0
  unanswered_store || failed=1
  psql -qXAt "$BELFRY_TEST_POSTGRES" -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = '$e2e_database' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()" > out
  wait "$locker" || true
  same 0 $failed
  wait_for 30 belfry reminder list
}

@test "JO29 a home that is a copy of another one refuses to start; one that was moved or restored starts" {
  sqlite_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  cp -a "$BELFRY_HOME" copy
  for words in 'daemon run' 'daemon start' 'reminder list'; do
    # shellcheck disable=SC2086
    BELFRY_HOME=$PWD/copy run "$BELFRY_BIN" $words
    has "$output" "home '$PWD/copy' is a copy of '$BELFRY_HOME'"
    has "$output" 'to begin with nothing here: belfry daemon start --fresh'
    has "$output" 'belfry daemon start --take-over'
  done
  BELFRY_NO_AUTOSTART=1 BELFRY_HOME=$PWD/copy refused 5 'is a copy of' reminder list
  BELFRY_HOME=$PWD/copy belfry daemon start --fresh > out
  same 0 "$(BELFRY_HOME=$PWD/copy json length belfry reminder list --json)"
  compgen -G "copy/belfry.db.saved-*" > out
  BELFRY_HOME=$PWD/copy belfry daemon stop > out
  BELFRY_HOME=$PWD/copy belfry reminder list > out
  BELFRY_HOME=$PWD/copy belfry daemon stop > out
  # one takes the place of the other, on purpose
  cp -a "$BELFRY_HOME" heir
  stop_daemon
  BELFRY_HOME=$PWD/heir belfry daemon start --take-over > out
  same 1 "$(BELFRY_HOME=$PWD/heir json length belfry reminder list --json)"
  BELFRY_HOME=$PWD/heir belfry daemon stop > out
  BELFRY_HOME=$PWD/heir belfry reminder list > out
  BELFRY_HOME=$PWD/heir belfry daemon stop > out
  # moved, restored at its place, restored elsewhere
  tar -cf home.tar home
  mv home moved
  BELFRY_HOME=$PWD/moved belfry reminder list > out
  BELFRY_HOME=$PWD/moved belfry daemon stop > out
  rm -r moved
  tar -xf home.tar
  same 1 "$(json length belfry reminder list --json)"
  stop_daemon
  mkdir there
  rm -r home
  tar -xf home.tar -C there
  BELFRY_HOME=$PWD/there/home belfry reminder list > out
  BELFRY_HOME=$PWD/there/home belfry daemon stop > out
  mkdir -m 700 home
}

@test "JO54 of a home that was set aside and one that was restored in its place only one starts" {
  local first
  sqlite_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  stop_daemon
  tar -cf home.tar home
  for first in home home.old; do
    mv home home.old
    tar -xf home.tar
    [ $first = home.old ] || BELFRY_HOME=$PWD/home belfry reminder list > out
    BELFRY_HOME=$PWD/home.old refused 6 "is a copy of '$PWD/home'" reminder list
    BELFRY_HOME=$PWD/home belfry daemon stop > out || true
    rm -r home
    # the other is gone: this one goes on
    BELFRY_HOME=$PWD/home.old belfry reminder list > out
    BELFRY_HOME=$PWD/home.old belfry daemon stop > out
    mv home.old home
  done
  # the original was out of sight for a while
  cp -a home copy
  mv home away
  BELFRY_HOME=$PWD/copy belfry reminder list > out
  BELFRY_HOME=$PWD/copy belfry daemon stop > out
  mv away home
  BELFRY_HOME=$PWD/copy refused 6 "is a copy of '$PWD/home'" reminder list
  belfry reminder list > out
}

@test "JO32 a copy does not take over from a daemon that runs: it is named, and how to stop it" {
  sqlite_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  cp -a "$BELFRY_HOME" copy
  BELFRY_HOME=$PWD/copy refused 5 "the daemon of home '$BELFRY_HOME' runs (pid $(daemon_pid)): both would fire everything" daemon run --take-over
  has "$(cat stderr)" "BELFRY_HOME='$BELFRY_HOME' belfry daemon stop"
  BELFRY_HOME=$PWD/copy run "$BELFRY_BIN" daemon start --take-over
  [ "$status" -ne 0 ]
  has "$output" "the daemon of home '$BELFRY_HOME' runs"
  stop_daemon
  BELFRY_HOME=$PWD/copy belfry daemon start --take-over > out
  BELFRY_HOME=$PWD/copy belfry daemon stop > out
}

@test "JO30 --fresh where a database is there says that it changed nothing, and after it nothing is older" {
  sqlite_only
  belfry reminder add me -m a --in 1h --name a > out
  stop_daemon
  run -0 belfry daemon start --fresh
  has "$output" '--fresh changed nothing: the database is there'
  same 1 "$(json length belfry reminder list --json)"
  stop_daemon
  rm "$BELFRY_HOME"/belfry.db*
  run -0 belfry daemon start --fresh
  [[ $output != *'changed nothing'* ]]
  belfry reminder list > out
  run -1 log_has 'older than this home'
}

# lost_under COMMAND: what it does to the database of a running daemon is told, and a copy is kept.
lost_under() {
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  (cd "$BELFRY_HOME" && eval "$1")
  BELFRY_NO_AUTOSTART=1 run "$BELFRY_BIN" status
  wait_for 30 compgen -G "$BELFRY_HOME/belfry.db.saved-*[0-9]" > out
  wait_for 30 refused 6 'and this home was in use' reminder list
  has "$(cat stderr)" "what it had is in 'belfry.db.saved-"
  same 600 "$(stat -c %a "$BELFRY_HOME"/belfry.db.saved-*)"
  stop_daemon
  mv "$BELFRY_HOME"/belfry.db.saved-* "$BELFRY_HOME/belfry.db"
  same '["a"]' "$(json 'map(.name) | tojson' belfry reminder list --json)"
}

@test "JO16 a database deleted under a running daemon is kept beside it" {
  sqlite_only
  lost_under 'rm belfry.db'
}

@test "JO16 a database emptied under a running daemon is kept beside it, where the WAL has all of it" {
  sqlite_only
  lost_under ': > belfry.db'
}

@test "JO17 nothing is answered as done that could not be synced, also when it is asked again" {
  sqlite_only
  LD_PRELOAD=${BELFRY_BUILD_TEST:-$e2e_root/build-test}/test/e2e/libno-sync.so NO_SYNC=$PWD/failing \
    ASAN_OPTIONS=verify_asan_link_order=0 belfry daemon run 2> "$BELFRY_HOME/daemon.log" &
  wait_for 20 log_has 'started: process'
  touch failing
  # not known, or refused where a turn before it has failed already; never done
  run -6 belfry reminder add me -m x --in 1h --name x
  has "$output" 'cannot be read or written'
  run -6 belfry daemon status
  has "$output" 'but nothing fires: '
  rm failing
  wait_for 60 belfry reminder add me -m x --in 1h --name x
  same '["x"]' "$(json 'map(.name) | tojson' belfry reminder list --json)"
}

@test "JO1b a broken config.yml and a backup put back: the daemon goes on with the configuration in use" {
  sqlite_only
  echo 'agents: {sh: {command: [sh]}}' > "$BELFRY_HOME/config.yml"
  start_daemon
  pid=$(daemon_pid)
  belfry reminder add me -m a --in 1h --name a > out
  sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
  echo 'agents: [' > "$BELFRY_HOME/config.yml"
  wait_for 10 log_has 'the configuration before it stays in use'
  mv bak.db "$BELFRY_HOME/belfry.db"
  wait_for 30 belfry reminder add me -m c --in 1h --name c
  same "$pid" "$(daemon_pid)"
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

# A server of its own, which can be stopped.
silent_server() {
  local port=${BELFRY_TEST_POSTGRES##*:}

  server=$(pgrep -f "postgres -D .* -p ${port%%/*} " | head -n 1)
  server="$server $(pgrep -P "$server" | tr '\n' ' ')"
}

@test "JO1 JO5 a PostgreSQL that hangs for a while: the daemon waits, fires what was due, and tells" {
  postgres_only
  export BELFRY_HANG_LIMIT_MS=7000 BELFRY_STORE="$BELFRY_STORE?connect_timeout=2"
  start_daemon
  pid=$(daemon_pid)
  silent_server
  # late enough that the server is silent by then
  belfry reminder add me -m due --in 5s --name due > out
  # shellcheck disable=SC2086
  kill -STOP $server
  wait_for 60 log_has 'trying again' || { kill -CONT $server; false; }
  run "$BELFRY_BIN" doctor
  # shellcheck disable=SC2086
  kill -CONT $server
  has "$output" 'timeout expired'
  has "$output" "running (pid $pid)"
  wait_for 30 json_is completed .status belfry reminder show due --json
  same "$pid" "$(daemon_pid)"
  grep -qE 'the daemon waited [0-9]+ s for the store, which did not answer, and was started again' "$BELFRY_HOME/daemon.log"
  wait_for 30 inbox_lists 'The store did not answer since'
}

# says_why NAME TEXT: for wait_for.
says_why() {
  belfry why "$1" --json > story && grep -qF -- "$2" story
}

@test "JO50 a PostgreSQL that hangs for some seconds is the reason, in the log and of what came late" {
  postgres_only
  start_daemon
  silent_server
  belfry reminder add me -m tick --every 1s --name tick > out
  # shellcheck disable=SC2086
  kill -STOP $server
  wait_for 60 log_has 'the store did not answer since' || { kill -CONT $server; false; }
  # what is told of it is noted outside of the store
  noted=$(head -n 1 "$BELFRY_HOME/store.away")
  sleep 2
  # shellcheck disable=SC2086
  kill -CONT $server
  has "$noted" 'the store did not answer since'
  wait_for 30 log_has 'the wait for the store is over, after'
  wait_for 30 says_why tick '(the store did not answer for'
  same 1 "$(grep -c 'the store did not answer since' "$BELFRY_HOME/daemon.log")"
  wait_for 30 grep -q '^runs, since boot' "$BELFRY_HOME/store.away"
}

@test "JO50 a PostgreSQL that hangs for long: since when is true, and told by the next daemon, too" {
  postgres_only
  export BELFRY_HANG_LIMIT_MS=7000 BELFRY_STORE="$BELFRY_STORE?connect_timeout=2"
  start_daemon
  silent_server
  belfry reminder add me -m tick --every 1s --name tick > out
  before=$(date +%s)
  # shellcheck disable=SC2086
  kill -STOP $server
  wait_for 60 log_has 'trying again' || { kill -CONT $server; false; }
  failed=0
  since=$("$BELFRY_BIN" status --json | jq -r .store_away_since)
  stop_daemon || failed=1
  # shellcheck disable=SC2086
  kill -CONT $server
  same 0 $failed
  since=$(date -d "$since" +%s)
  # not when it was started again, which is seven seconds later
  [ $((since - before)) -le 4 ] || { echo "since $((since - before)) s after" >&2; false; }
  start_daemon
  wait_for 30 inbox_lists 'The store did not answer since'
  wait_for 30 says_why tick '(the store did not answer since'
}

@test "JO12 doctor beside a PostgreSQL that hangs ends soon, and says who gave no answer" {
  postgres_only
  start_daemon
  pid=$(daemon_pid)
  silent_server
  # shellcheck disable=SC2086
  kill -STOP $server
  SECONDS=0
  run -4 "$BELFRY_BIN" doctor
  took=$SECONDS
  # shellcheck disable=SC2086
  kill -CONT $server
  # 3 s for the server and 8 s for the daemon, each once; once more would be 19
  [ "$took" -le 18 ] || { echo "took $took s" >&2; false; }
  has "$output" 'timeout expired'
  # told once, by the first check that asked it
  has "$output" "✗ http     store 'postgres://"
  has "$output" "– inbox    not looked at: nobody answers"
  has "$output" "running (pid $pid)"
}

@test "JO1 a service that starts before its PostgreSQL waits for it, and is ready then" {
  postgres_only
  psql -qX "$BELFRY_TEST_POSTGRES" -c "ALTER DATABASE $e2e_database ALLOW_CONNECTIONS false"
  NOTIFY_SOCKET=$PWD/nobody belfry daemon run 2> "$BELFRY_HOME/daemon.log" &
  wait_for 30 log_has 'trying again'
  run -6 belfry reminder list
  has "$output" 'not currently accepting connections'
  run -6 belfry daemon status
  has "$output" 'but nothing fires: '
  psql -qX "$BELFRY_TEST_POSTGRES" -c "ALTER DATABASE $e2e_database ALLOW_CONNECTIONS true"
  wait_for 30 belfry reminder add me -m x --in 1h
  wait_for 30 log_has 'started: process'
}

@test "JO2 JO49 another home does not run again what runs; it takes the store over on purpose, or not at all" {
  scripted 'crons: {first: {schedule: "0 9 * * *", agent: shell, prompt: hello}}'
  mkdir -m 700 other
  sed '/^crons:/d' "$BELFRY_HOME/config.yml" > other/config.yml
  start_daemon
  id=$(new shell "$held")
  wait_for 20 test -s marks
  kill_daemon
  other_home refused 5 "the store belongs to home '$BELFRY_HOME' on '$(uname -n)'" daemon run
  other_home refused 6 "the store belongs to home '$BELFRY_HOME'" reminder list
  same active "$(sql "SELECT status FROM reminders WHERE name = 'first'")"
  other_home belfry daemon start --take-over > out
  other_home wait_for 30 json_is orphaned .state belfry mission show "$id" --json
  other_home wait_for 30 inbox_lists "$id"
  other_home belfry daemon stop > out
  refused 5 "the store belongs to home '$BATS_TEST_TMPDIR/other'" daemon run
  has "$(cat stderr)" 'belfry daemon start --take-over'
  touch go
  wait_for 20 lines_are 2 marks
}

@test "JO49 a backup of its own database is a home's own, also where the home was moved since" {
  sqlite_only
  start_daemon
  belfry reminder add me -m a --in 1h --name a > out
  sqlite3 "$BELFRY_HOME/belfry.db" ".backup bak.db"
  kill_daemon
  mv home moved
  rm moved/belfry.db*
  mv bak.db moved/belfry.db
  same '["a"]' "$(BELFRY_HOME=$PWD/moved json 'map(.name) | tojson' belfry reminder list --json)"
  BELFRY_HOME=$PWD/moved belfry daemon stop > out
  mv moved home
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

@test "JO6 a run that fills the disk keeps the newest of its log, which says what is missing" {
  sqlite_only
  mount -t tmpfs -o size=6m,mode=700 belfry-test "$BELFRY_HOME" 2> /dev/null || skip "cannot mount a tmpfs here"
  touch mounted
  echo 'agents: {shell: {command: [sh, -c, "yes a line | head -c 20000000"]}}' > "$BELFRY_HOME/config.yml"
  belfry mission new shell x --wait > out
  id=$(json '.[0].id' belfry mission ls --json)
  belfry mission logs "$id" > log
  has "$(head -n 1 log)" 'the disk was full: '
  has "$(tail -n 1 log)" 'bytes are missing here: No space left on device'
  has "$(head -n 1 out)" 'bytes before this are left out; see the log'
}

@test "H14 H16 K13 a full disk: it lives, says so, and fires on when there is room; nothing lost or doubled" {
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
  has "$(why tick '.slots[] | select(.outcome == "missed") | .reason')" 'its time passed unseen (the store could not be used: '
  whole tick
}

@test "H14 H16 K13 PostgreSQL gone for a while: it comes back by itself and fires what was due, once" {
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
  has "$(why tick '.slots[] | select(.outcome == "missed") | .reason')" 'its time passed unseen (the store could not be used: '
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
  # Who asked is gone, and may have been a run: nothing is done for it. The same command again does it, once.
  kill -CONT "$pid"
  run -0 belfry reminder add me -m once --in 1h
  has_reminders 1
  run -0 belfry reminder add me -m once --in 1h
  has_reminders 2
}

@test "JO10 daemon start beside a stopped daemon names it and the remedy, and does not say that it runs" {
  start_daemon
  pid=$(daemon_pid)
  kill -STOP "$pid"
  SECONDS=0
  run -6 belfry daemon start
  kill -CONT "$pid"
  [ "$SECONDS" -lt 10 ]
  has "$output" "the daemon (process $pid) does not answer: it is stopped"
  has "$output" "kill -CONT $pid"
  run -0 belfry daemon start
  has "$output" "a daemon is running already (pid $pid)"
}

# locked COMMAND...: while another program writes to the database.
locked() {
  /usr/bin/python3 -c '
import sqlite3, subprocess, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
sys.exit(subprocess.run(sys.argv[2:]).returncode)' "$BELFRY_HOME/belfry.db" "$@"
}

@test "JO8 status of a daemon whose store is away says that it runs, since when it is away, and why" {
  local begun
  start_daemon
  begun=$(date +%s)
  pid=$(daemon_pid)
  if [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ]; then
    why='is locked by another program'
    run -6 locked "$BELFRY_BIN" status
    run -6 --separate-stderr locked "$BELFRY_BIN" status --json
    json=$output
    run -6 locked "$BELFRY_BIN" status
  else
    why='not currently accepting connections'
    psql -qX "$BELFRY_TEST_POSTGRES" -c "ALTER DATABASE $e2e_database ALLOW_CONNECTIONS false" \
      -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '$e2e_database'" > out
    wait_for 30 log_has 'trying again'
    run -6 --separate-stderr "$BELFRY_BIN" status --json
    json=$output
    run -6 "$BELFRY_BIN" status
    psql -qX "$BELFRY_TEST_POSTGRES" -c "ALTER DATABASE $e2e_database ALLOW_CONNECTIONS true"
  fi
  has "$output" "running, but nothing fires  the store is away, pid $pid"
  # midnight may have passed meanwhile
  [[ $output == *"since $(date -d "@$begun" +'%b %-d, %Y')"* ]] || has "$output" "since $(date +'%b %-d, %Y')"
  has "$output" "$why"
  same "true $pid" "$(jq -r '"\(.running) \(.pid)"' <<< "$json")"
  has "$(jq -r .error.message <<< "$json")" "$why"
  [[ $(jq -r .store_away_since <<< "$json") == "$(date -d "@$begun" +%Y-%m-%dT)"* ]] ||
    has "$(jq -r .store_away_since <<< "$json")" "$(date +%Y-%m-%dT)"
  wait_for 30 belfry status
}

has_reminders() {
  [ "$(json length belfry reminder list --json)" = "$1" ]
}

@test "JO19 a full disk: status, daemon status and doctor say that nothing fires, since when and why" {
  sqlite_only
  mount -t tmpfs -o size=2m,mode=700 belfry-test "$BELFRY_HOME" 2> /dev/null || skip "cannot mount"
  touch mounted
  start_daemon
  belfry reminder add me -m "$(head -c 20000 /dev/zero | tr '\0' x)" --every 1s --name tick > out
  wait_for 30 json_is true '.fire_count >= 1' belfry reminder show tick --json
  same null "$(json .trouble belfry daemon status --json)"
  dd if=/dev/zero of="$BELFRY_HOME/filler" bs=4k 2> /dev/null || true
  wait_for 30 log_has 'the disk is full'
  wait_for 10 is_troubled
  run -6 belfry status
  has "$output" 'running, but nothing fires'
  has "$output" "store '$BELFRY_HOME/belfry.db': the disk is full"
  has "$output" 'since'
  run -6 belfry daemon status
  has "$output" "but nothing fires: store '$BELFRY_HOME/belfry.db': the disk is full"
  run -4 belfry doctor
  has "$output" '✗ store    nothing fires since'
  has "$output" '✗ firing   nothing fires since'
  # nothing of it was done, which is known at once
  SECONDS=0
  refused 6 'the disk is full' reminder add me -m "$(head -c 100000 /dev/zero | tr '\0' x)" --in 1h
  [[ $(cat stderr) != *'not known'* ]]
  [ "$SECONDS" -lt 8 ] # what the client would wait for an answer
  rm "$BELFRY_HOME/filler"
  wait_for 90 json_is null .trouble belfry daemon status --json
  run -0 belfry status
  has "$output" running
}

is_troubled() {
  [ "$(json .trouble belfry daemon status --json)" != null ]
}

# on_copy: the daemon runs on what was in force before, says so, and fires.
on_copy() {
  has "$(belfry status)" "config.yml cannot be used"
  run -0 belfry cron ls
  has "$output" nightly
  run belfry doctor
  has "$output" "✗ config"
  has "$output" "goes on with the settings from before it"
}

mistakes_told() { belfry inbox search 'configuration cannot be used' --json | jq '.messages | length'; }
was_told() { belfry inbox search "$1" --json 2> /dev/null | jq -e '.messages | length > 0' > /dev/null; }
has_cron() { belfry cron ls 2> /dev/null | grep -q "$1"; }

@test "JO41 a mistake in config.yml: the next start goes on with the settings from before it, and tells once" {
  mkdir -m 700 "$BELFRY_HOME/roles"
  echo 'instructions: Look around.' > "$BELFRY_HOME/roles/scout.yml"
  printf '%s\n' 'agents: {sh: {command: [sh], role: scout}}' 'defaultAgent: sh' \
    'crons: {nightly: {schedule: "0 9 * * *", prompt: hello}}' > "$BELFRY_HOME/config.yml"
  # the first start with a mistake has nothing to go on with
  cp "$BELFRY_HOME/config.yml" good.yml
  echo 'agents: [' > "$BELFRY_HOME/config.yml"
  refused 6 'config.yml:2:1' daemon start
  cp good.yml "$BELFRY_HOME/config.yml"
  belfry daemon start > /dev/null
  same 600 "$(stat -c %a "$BELFRY_HOME/config.kept")"
  belfry reminder add me -m 'fires all the same' --in 3s > /dev/null
  belfry daemon stop > /dev/null

  printf 'agents: {sh: {command: [sh], role: scout}}\ntimezon: x\n' > "$BELFRY_HOME/config.yml"
  rm -r "$BELFRY_HOME/roles"
  run -0 belfry daemon start
  has "$output" "config.yml:2:1"
  has "$output" "uses the settings from before it"
  on_copy
  wait_for 10 was_told 'fires all the same'
  same 1 "$(mistakes_told)"
  has "$(cat "$BELFRY_HOME/daemon.log")" 'the configuration before it stays in use'
  # once, however often it starts; and what reads the file itself keeps its error
  belfry daemon stop > /dev/null && belfry daemon start > /dev/null 2>&1
  on_copy
  same 1 "$(mistakes_told)"
  refused 2 'config.yml:2:1' config check
  # mended, it is applied at once
  sed 's/nightly/evenly/' good.yml > "$BELFRY_HOME/config.yml" && mkdir -m 700 "$BELFRY_HOME/roles"
  echo 'instructions: Look around.' > "$BELFRY_HOME/roles/scout.yml"
  wait_for 10 has_cron evenly
  [[ $(belfry status) != *"cannot be used"* ]]
}

@test "JO41 a zone that is gone, and a role that another setting needs: the daemon starts; once it is back it is obeyed" {
  export TZDIR=$PWD/zones
  mkdir -p zones/Europe && cp /usr/share/zoneinfo/Europe/Berlin zones/Europe/ && cp /usr/share/zoneinfo/UTC zones/
  mkdir -m 700 "$BELFRY_HOME/roles"
  echo 'command: [sh]' > "$BELFRY_HOME/roles/scout.yml"
  printf '%s\n' 'timezone: Europe/Berlin' 'defaultAgent: scout' \
    'crons: {nightly: {schedule: "0 9 * * *", prompt: hello}}' > "$BELFRY_HOME/config.yml"
  start_daemon && belfry daemon stop > /dev/null
  echo 'comand: [sh]' > "$BELFRY_HOME/roles/scout.yml"
  start_daemon 2> /dev/null
  has "$(belfry cron ls 2> /dev/null)" nightly
  run -4 belfry doctor
  has "$output" "unknown key 'comand'"
  log_has "role 'scout' stays as it was before a mistake: "
  belfry daemon stop > /dev/null
  echo 'command: [sh]' > "$BELFRY_HOME/roles/scout.yml"
  mv zones/Europe/Berlin berlin
  start_daemon 2> /dev/null
  on_copy
  belfry reminder add me -m 'fires all the same' --in 1s --tz UTC > /dev/null 2>&1
  wait_for 10 was_told 'fires all the same'
  mv berlin zones/Europe/Berlin
  sleep 10
  run -0 belfry apply
  [[ $(belfry status) != *"cannot be used"* ]]
}

@test "JO41 a config.yml that others may write stops a start, whatever was in force before" {
  echo 'agents: {sh: {command: [sh]}}' > "$BELFRY_HOME/config.yml"
  start_daemon && belfry daemon stop > /dev/null
  echo 'agents: {sh: {command: [sh, -c, theirs]}}' > "$BELFRY_HOME/config.yml"
  chmod 666 "$BELFRY_HOME/config.yml"
  refused 6 'may be written by others' daemon start
  chmod 600 "$BELFRY_HOME/config.yml" && echo 'agents: [' > "$BELFRY_HOME/config.yml"
  # the copy is obeyed, so it is looked at the same way
  chmod 666 "$BELFRY_HOME/config.kept"
  refused 6 'config.yml:2:1' daemon start
  chmod 600 "$BELFRY_HOME/config.kept"
  start_daemon 2> /dev/null
  [[ $(belfry agent list 2> /dev/null) == *sh* ]]
}

@test "JO40 a lock that another program holds is named by the first doctor, not taken for a busy daemon" {
  sqlite_only
  start_daemon
  mkfifo words
  sqlite3 -cmd ".timeout 10000" "$BELFRY_HOME/belfry.db" < words > locked &
  exec 9> words
  echo 'BEGIN EXCLUSIVE; SELECT 1;' >&9
  wait_for 5 grep -q 1 locked
  run belfry doctor 9>&-
  exec 9>&-
  has "$output" "✗ store    store '$BELFRY_HOME/belfry.db' is locked by another program"
  has "$output" '✗ firing   nothing fires: store '
  [[ $output != *busy* ]]
}

# leave_files PID N: that process may open N more files, and no others.
leave_files() {
  local fd=0 left=$2

  while :; do
    [ -e "/proc/$1/fd/$fd" ] || left=$((left - 1))
    [ $left -ge 0 ] || break
    fd=$((fd + 1))
  done
  prlimit --pid "$1" --nofile=$fd:
}

@test "JO39 too many open files is the reason that is told, by whoever asks, doctor and the log; it can be stopped" {
  for limit in 12 24 63; do
    (ulimit -n $limit && refused 6 "too few open files are allowed: $limit" daemon start)
    (ulimit -n $limit && refused 6 "too few open files are allowed: $limit" daemon run)
  done
  # only the soft limit is small: it is raised
  (ulimit -S -n 12 && start_daemon)
  has "$(belfry doctor || true)" ' that it may'
  pid=$(daemon_pid)
  # a client, but nothing about it; a client and its process, but not those above it
  for left in 1 2; do
    leave_files "$pid" $left
    refused 6 'the daemon cannot see who asks: Too many open files' reminder list
  done
  run belfry doctor
  has "$output" '✗ files    the daemon has '
  has "$(cat "$BELFRY_HOME/daemon.log")" 'cannot see who connects: Too many open files'
  leave_files "$pid" 1
  run -0 belfry daemon stop
  wait_for 5 gone "$pid"
  [[ $(cat "$BELFRY_HOME/daemon.log") != *'zone files changed'* ]]
}

@test "JO39 clients of a daemon with few files leave enough of them for its work" {
  (ulimit -n 64 && start_daemon)
  pid=$(daemon_pid)
  python3 - "$BELFRY_HOME/belfry.sock" "$BELFRY_BIN" <<'END'
import socket, subprocess, sys
held = []
for _ in range(60):
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    held.append(s)
    subprocess.run([sys.argv[2], "reminder", "add", "me", "-m", "x", "--in", "1h"], check=True, stdout=subprocess.DEVNULL)
END
  has "$(belfry doctor || true)" '✓ files'
}

# missed_because TEXT: a daemon that was killed while its disk was as now, and starts when it is mended, knows that.
missed_because() {
  wait_for 10 is_troubled
  kill -KILL "$(daemon_pid)"
  sleep 2
  "${@:2}"
  wait_for 10 start_daemon
  # shellcheck disable=SC2016
  missed() { why tick '[.slots[] | select(.outcome == "missed")][0].reason'; }
  wait_for 10 holds_missed "$1"
  has "$(missed)" 'since'
  has "$(missed)" '; then the daemon was not running'
}
holds_missed() { [[ $(missed) == *"$1"* ]]; }

@test "JO43 a daemon that was killed and left no word: the same boot says that it was not running, another that nobody knows" {
  BELFRY_BOOT_ID=one start_daemon
  belfry reminder add me -m x --every 1s --name tick > out
  wait_for 30 json_is true '.fire_count >= 1' belfry reminder show tick --json
  missed() { why tick '[.slots[] | select(.outcome == "missed") | .reason] | join("; ")'; }
  for boot in one two; do
    kill -KILL "$(daemon_pid)"
    sleep 3
    BELFRY_BOOT_ID=$boot wait_for 10 start_daemon
    wait_for 10 holds_missed 'the daemon was not running)'
    if [ $boot = one ]; then [[ $(missed) != *'could not write'* ]]; fi
  done
  wait_for 10 holds_missed 'the daemon was not running, or could not write its store)'
  belfry daemon stop > out
  sleep 3
  BELFRY_BOOT_ID=three start_daemon
  same 1 "$(missed | grep -o 'could not write its store' | wc -l)"
}

@test "JO43 a daemon that ran on a full or read-only disk and was killed there: why tells that, and not only that it was not running" {
  sqlite_only
  mount -t tmpfs -o size=2m,mode=700 belfry-test "$BELFRY_HOME" 2> /dev/null || skip "cannot mount"
  touch mounted
  start_daemon
  belfry reminder add me -m "$(head -c 20000 /dev/zero | tr '\0' x)" --every 1s --name tick > out
  wait_for 30 json_is true '.fire_count >= 1' belfry reminder show tick --json
  dd if=/dev/zero of="$BELFRY_HOME/filler" bs=4k 2> /dev/null || true
  missed_because 'the store could not be used since' rm "$BELFRY_HOME/filler"
  has "$(missed)" 'the disk is full'
  # where not even that record can be written, as on a read-only disk, another place has it
  belfry reminder rm tick > out
  belfry reminder add me -m "$(head -c 20000 /dev/zero | tr '\0' x)" --every 1s --name tick > out
  wait_for 30 json_is true '.fire_count >= 1' belfry reminder show tick --json
  rm "$BELFRY_HOME/store.away" && mkdir "$BELFRY_HOME/store.away"
  dd if=/dev/zero of="$BELFRY_HOME/filler" bs=4k 2> /dev/null || true
  missed_because 'the store could not be used since' rm "$BELFRY_HOME/filler"
  rmdir "$BELFRY_HOME/store.away"
  same '' "$(find /dev/shm /run -maxdepth 3 -name "belfry-$(cat "$BELFRY_HOME/home.id").away" 2> /dev/null)"
}

@test "JO42 a clock that was never set: add and status say so, and what was to come in some seconds does not come years late" {
  touch unset
  LD_PRELOAD=${BELFRY_BUILD_TEST:-$e2e_root/build-test}/test/e2e/libno-clock.so NO_CLOCK=$PWD/unset \
    ASAN_OPTIONS=verify_asan_link_order=0 belfry daemon run 2> "$BELFRY_HOME/daemon.log" &
  wait_for 20 log_has 'started: process'
  run -0 belfry reminder add me -m tea --in 1h --name tea
  has "$output" 'the clock of this machine is not set'
  run -0 belfry status
  has "$output" 'the clock is not set: it shows a time before 2026'
  rm unset
  # the kernel did not set it, so nothing wakes the daemon but this
  wait_for 10 log_has 'the clock was set'
  run -0 belfry status
  [[ $output != *'is not set'* ]]
  same 0 "$(of tea .fire_count)"
  in=$(($(date -d "$(of tea .next_fire)" +%s) - $(date +%s)))
  [ $in -gt 3500 ] && [ $in -le 3600 ]
}

@test "S4 a take that was killed with the message in its hands: the next one says where it is" {
  echo 'agents: {bot: {}}' > "$BELFRY_HOME/config.yml"
  start_daemon
  # more than a pipe holds
  belfry agent send bot "$(head -c 100000 /dev/zero | tr '\0' x)" > out
  mkfifo nobody
  exec 8<> nobody
  "$BELFRY_BIN" queue take bot > nobody 8>&- &
  taker=$!
  wait_for 10 json_is 1 length belfry queue list bot --state offered --json
  kill -KILL $taker
  refused 3 "nothing else is queued for 'bot': 1 message is being taken just now" queue take bot
  exec 8>&-
}

@test "S4 doctor names what became of a database that was emptied under the daemon" {
  sqlite_only
  start_daemon
  belfry reminder add me -m x --in 1h > out
  : > "$BELFRY_HOME/belfry.db"
  run belfry doctor
  [[ $output != *'no such table'* ]]
  # or, when it has begun again meanwhile, what it found then
  [[ $output == *"✗ store    store '$BELFRY_HOME/belfry.db' was overwritten while it was in use"* ||
    $output == *"✗ store    store '$BELFRY_HOME/belfry.db' is empty, and this home was in use"* ]]
}

@test "S4 a PostgreSQL database that was dropped is one to restore, where this home was in use" {
  postgres_only
  start_daemon && belfry daemon stop > out
  psql -qX "$BELFRY_TEST_POSTGRES" -c "DROP DATABASE $e2e_database"
  refused 6 'does not exist' daemon start
  has "$(cat stderr)" 'restore a backup'
}

# other_stores: $first is what the home uses first, $second another one, as config.yml names them; both shown in $first_shown, $second_shown.
other_stores() {
  if [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ]; then
    first=sqlite:$PWD/first.db
    second=sqlite:$PWD/second.db
    first_shown=$PWD/first.db
    second_shown=$PWD/second.db
  else
    first=$BELFRY_STORE
    second=${BELFRY_STORE}_b
    psql -qX "$BELFRY_TEST_POSTGRES" -c "CREATE DATABASE ${e2e_database}_b"
    first_shown=postgres://${first#*@}
    second_shown=postgres://${second#*@}
    unset BELFRY_STORE
  fi
}

@test "JO48 a setting of the store that got lost is told, and nothing begins on another one" {
  other_stores
  echo "store: $first" > "$BELFRY_HOME/config.yml"
  belfry reminder add me -m important --in 1h --name important > out
  has "$(belfry status)" "store      $first_shown"
  mv "$BELFRY_HOME/config.yml" config.bak
  kill_daemon
  said="this home last used the store '$first_shown', and now '$BELFRY_HOME/belfry.db' would be used"
  for words in 'daemon run' 'daemon start' 'reminder list' status; do
    # shellcheck disable=SC2086
    run "$BELFRY_BIN" $words
    [ "$status" -ne 0 ]
    has "$output" "$said"
    has "$output" "hint: put 'store:' or BELFRY_STORE back; or, to go on with this one: belfry daemon start --switch-store"
  done
  BELFRY_NO_AUTOSTART=1 refused 5 "$said" reminder add me -m x --in 1h
  run "$BELFRY_BIN" doctor
  has "$output" "✗ store    $said"
  [ ! -e "$BELFRY_HOME/belfry.db" ]
  # set only where the first daemon was started, it is as lost
  BELFRY_STORE=$first belfry daemon start > out
  kill_daemon
  refused 6 "$said" reminder list
  # both ways out
  mv config.bak "$BELFRY_HOME/config.yml"
  same '["important"]' "$(json 'map(.name) | tojson' belfry reminder list --json)"
  stop_daemon
  rm "$BELFRY_HOME/config.yml"
  belfry daemon start --switch-store > out
  same 0 "$(json length belfry reminder list --json)"
  kill_daemon
  belfry reminder list > out
}

@test "JO48 a store that config.yml names under a running daemon is told, and takes one word" {
  other_stores
  echo "store: $first" > "$BELFRY_HOME/config.yml"
  belfry reminder add me -m x --in 1h > out
  echo "store: $second" > "$BELFRY_HOME/config.yml"
  wait_for 30 json_is "$second_shown" .store_configured belfry status --json
  has "$(belfry status)" "another store is set now: $second_shown"
  run "$BELFRY_BIN" doctor
  has "$output" "✗ store    the daemon uses the store '$first_shown', and '$second_shown' is set now"
  stop_daemon
  refused 6 "last used the store '$first_shown', and now '$second_shown' would be used" reminder list
  belfry daemon start --switch-store > out
  same 0 "$(json length belfry reminder list --json)"
  same null "$(json .store_configured belfry status --json)"
  stop_daemon
  belfry reminder list > out
  stop_daemon
  # another name of the same one is the same one
  [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ] || return 0
  mkdir link
  ln -s "$PWD" link/here
  BELFRY_STORE=sqlite:$PWD/link/here/second.db belfry reminder list > out
}
