#!/usr/bin/env bats
# A daemon that hangs: it ends and comes back by itself, and systemd is told how it is. Only the sanitized
# build has the request that hangs.
load helper
# shellcheck disable=SC2034
e2e_shown_once=1

setup_test() {
  export BELFRY_HANG_LIMIT_MS=700
}

# hang: ask for it; nobody answers.
hang() {
  (echo '{"request":"daemon hang"}' && sleep 0.3) | talk > /dev/null 2>&1 &
}

# add_and_hang IN DEADLINE ARGS: a reminder, and right behind it, by the same connection, what hangs: no command has
# to be started in between. Prints its id.
add_and_hang() {
  /usr/bin/python3 - "$BELFRY_HOME/belfry.sock" "$@" << 'END'
import json, os, socket, sys
path, due, deadline, args = sys.argv[1:]
os.chdir(os.path.dirname(path))
s = socket.socket(socket.AF_UNIX)
s.connect(os.path.basename(path))
lines = s.makefile("rw")
def ask(request, args):
    print(json.dumps({"request": request, "args": args}), file=lines, flush=True)
ask("reminder add", {"agent": "me", "message": "late", "in": due, "start_deadline": deadline})
answer = lines.readline()
ask("daemon hang", json.loads(args))
print(json.loads(answer)["result"]["id"])
lines.readline()
END
}

hung() {
  same "$1" "$(grep -c 'the daemon hung for' "$BELFRY_HOME/daemon.log" || true)" 2> /dev/null
}

@test "T1 a daemon that hangs comes back as the same process: what was due fires, the run goes on, the inbox says why" {
  scripted
  start_daemon
  pid=$(daemon_pid)
  id=$(new shell "$held")
  wait_for 20 test -s marks
  reminder=$(add me -m tick --in 400ms)
  hang
  wait_for 20 hung 1
  log_has "in request 'daemon hang' and was started again"
  wait_for 20 json_is fired '.slots[0].outcome' belfry why "$reminder" --json
  same "$pid" "$(daemon_pid)"
  wait_for 20 eval "belfry inbox list --json | grep -qE \"The daemon hung for [0-9]+ s in request 'daemon hang' and was started again\""
  touch go
  becomes "$id" success
  lines_are 2 marks
  # what the one before had started is not left as a zombie
  wait_for 10 none_dead "$pid"
}

none_dead() {
  [[ $(ps --ppid "$1" -o stat=) != *Z* ]]
}

@test "T1 what hangs again gets twice the time, and each is told" {
  start_daemon
  hang
  wait_for 20 hung 1
  wait_for 20 belfry daemon status
  hang
  wait_for 20 hung 2
  # 1.4 s, or what a slow machine makes of it
  tail -n 4 "$BELFRY_HOME/daemon.log" | grep -E 'hung for [1-9][0-9]* s'
  wait_for 20 json_is 2 '[.threads[].unread] | add' belfry inbox list --json
}

@test "JO11 what was missed because a request held the turn says so, and not that the daemon was down" {
  unset BELFRY_HANG_LIMIT_MS
  start_daemon
  late=$(add_and_hang 1500ms 500ms '{"ms": 3000}')
  wait_for 20 json_is missed '.slots[0].outcome' belfry why "$late" --json
  why "$late" '.slots[0].reason' | grep -E "\(the daemon was busy for [0-9]+s with the request 'daemon hang'\)"
}

@test "JO24 what was missed because the daemon hung says so, and not that it was not running" {
  export BELFRY_HANG_LIMIT_MS=2500
  start_daemon
  late=$(add_and_hang 1s 500ms '{}')
  wait_for 20 hung 1
  wait_for 20 json_is missed '.slots[0].outcome' belfry why "$late" --json
  why "$late" '.slots[0].reason' | grep -E "the daemon hung for [0-9]+ s in request 'daemon hang' and was started again"
}

@test "T1 systemd hears READY, WATCHDOG and STOPPING, and children do not hear of systemd" {
  # a short path, whatever TMPDIR is: it is an address
  notify=$(mktemp -d /tmp/belfry-notify.XXXXXX)
  python3 -c "
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind('$notify/socket')
open('$PWD/bound', 'w').close()
s.settimeout(60)
with open('$PWD/told', 'w') as f:
    text = ''
    while text != 'STOPPING=1':
        text = s.recv(100).decode()
        print(text, file=f, flush=True)
" &
  wait_for 10 test -e bound
  NOTIFY_SOCKET=$notify/socket WATCHDOG_USEC=200000 belfry daemon run 2> "$BELFRY_HOME/daemon.log" &
  wait_for 20 grep -q WATCHDOG=1 told
  same READY=1 "$(head -n 1 told)"
  add me -m x --in 200ms --condition "env > '$PWD/seen'"
  wait_for 20 test -s seen
  kill -TERM "$(daemon_pid)"
  wait_for 20 grep -q STOPPING=1 told
  run ! grep -q 'NOTIFY_SOCKET\|WATCHDOG_USEC' seen
  rm -r "$notify"
}

@test "A5 a daemon that hangs while it starts has the lock, and says which file it was reading when it is back" {
  [ -n "${BELFRY_TEST_CLI:-}" ] || skip "needs the release build"
  echo 'timezone: UTC' > "$BELFRY_HOME/config.yml"
  LD_PRELOAD=$BELFRY_TEST_SUCCESSOR E2E_STUCK=$BELFRY_HOME/config.yml "$BELFRY_TEST_CLI" daemon run \
    2> "$BELFRY_HOME/daemon.log" &
  pid=$!
  wait_for 20 daemon_pid
  run ! grep -q started: "$BELFRY_HOME/daemon.log"
  wait_for 20 grep -qE "the daemon hung for [0-9]+ s in reading '$BELFRY_HOME/config.yml' and was started again" "$BELFRY_HOME/daemon.log"
  wait_for 20 belfry daemon status
  same "$pid" "$(daemon_pid)"
}
