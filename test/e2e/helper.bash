# What every end-to-end test stands on: a home of its own, the program under test, a store, and a
# teardown that fails when a process outlived the test.
#
#   BELFRY_BIN            the program (build-test/src/cli/belfry)
#   BELFRY_TEST_CLI       the same without sanitizers, for the many commands that ask; or none
#   BELFRY_TEST_SUCCESSOR successor.so, which makes it start the daemon that BELFRY_BIN is
#   TEST_AGENT            the scripted agent (build-test/test/agent/test-agent)
#   BELFRY_TEST_PICK      what reads answers in place of jq (pick.c), or none
#   BELFRY_TEST_STORE     sqlite (default) or postgres
#   BELFRY_TEST_POSTGRES  URL of a server on which databases may be made (test/with-postgres.sh)
#
# A file runs on both stores, unless it says e2e_shown_once=1; with e2e_on_postgres='PART|PART' only tests
# whose names contain one of the parts run on PostgreSQL, too: those that ask the store for something of
# their own. The store's own tests (test/unit) run on both.

bats_require_minimum_version 1.5.0
e2e_root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# The program as a test asks it. Its start costs ten times as much with sanitizers as without, and a
# test asks often: where BELFRY_TEST_CLI is set, that one asks. The daemon, wrappers, what agents
# call, whatever has a screen and whatever is refused are still BELFRY_BIN; and a file that is about
# the command itself says e2e_sanitized=1.
belfry() {
  if [ -z "${BELFRY_TEST_CLI:-}" ] || [ -n "${e2e_sanitized:-}" ] || [ "${1:-} ${2:-}" = 'daemon run' ] ||
    [ "${1:-}" = wrapper ]; then
    "$BELFRY_BIN" "$@"
  else
    LD_PRELOAD=$BELFRY_TEST_SUCCESSOR E2E_DAEMON=$BELFRY_BIN "$BELFRY_TEST_CLI" "$@"
  fi
}

# jq, but for its start where the filter is a plain one.
jq() {
  if [ -n "${BELFRY_TEST_PICK:-}" ]; then "$BELFRY_TEST_PICK" "$@"; else command jq "$@"; fi
}

# tmux -S SOCKET …: also where TMPDIR makes the path longer than the address of a socket can be: the last part
# alone is one, seen from its folder.
tmux() {
  if [ "${1:-}" = -S ] && [ ${#2} -gt 100 ]; then
    (cd "${2%/*}" && command tmux -S "${2##*/}" "${@:3}")
  else
    command tmux "$@"
  fi
}

setup() {
  # A file that has no store in it, or only faces that ask for what other files show, says so.
  if [ -n "${e2e_shown_once:-}" ] && [ "${BELFRY_TEST_STORE:-sqlite}" != sqlite ]; then
    skip "shown on SQLite: the store does not matter"
  fi
  export BELFRY_BIN=${BELFRY_BIN:-$e2e_root/build-test/src/cli/belfry}
  BELFRY_BIN=$(realpath "$BELFRY_BIN")
  export TEST_AGENT=${TEST_AGENT:-$e2e_root/build-test/test/agent/test-agent}
  export BELFRY_HOME=$BATS_TEST_TMPDIR/home
  export BELFRY_INHERIT=all # what tests tell their agents by the environment
  export TZ=UTC LC_ALL=C.UTF-8 # what tests measure and cut may be any characters
  unset BELFRY_STORE BELFRY_NO_AUTOSTART XDG_CONFIG_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
  mkdir -p -m 700 "$BELFRY_HOME"
  cd "$BATS_TEST_TMPDIR" || return 1
  case ${BELFRY_TEST_STORE:-sqlite} in
    sqlite) ;;
    postgres) use_postgres ;;
    *) echo "BELFRY_TEST_STORE is sqlite or postgres" >&2; return 1 ;;
  esac
  if declare -F setup_test > /dev/null; then setup_test; fi
}

# A fresh database, so that tests do not see each other's rows. It goes with its server, which is the
# file's own: to drop one costs a process and a checkpoint.
use_postgres() {
  [ -n "${BELFRY_TEST_POSTGRES:-}" ] || { echo "BELFRY_TEST_POSTGRES is not set" >&2; return 1; }
  e2e_database=belfry_e2e_$$_$RANDOM$RANDOM
  psql -qX "$BELFRY_TEST_POSTGRES" -c "CREATE DATABASE $e2e_database"
  export BELFRY_STORE=${BELFRY_TEST_POSTGRES%/*}/$e2e_database
}

teardown() {
  local left='' status=0

  if declare -F teardown_test > /dev/null; then teardown_test || status=1; fi
  stop_daemon || status=1
  wait_for 10 none_left || left=$(processes_left)
  if [ -n "$left" ]; then
    echo "left behind:" >&2
    # shellcheck disable=SC2086
    ps -o pid,ppid,args -p ${left// /,} >&2 || true
    # shellcheck disable=SC2086
    kill -9 $left 2> /dev/null || true
    status=1
  fi
  if [ -s "$BELFRY_HOME/daemon.log" ]; then
    if grep -E 'Sanitizer|runtime error|Assertion' "$BELFRY_HOME/daemon.log" >&2; then status=1; fi
    # bats shows this only when the test failed
    echo "--- daemon.log" && tail -n 60 "$BELFRY_HOME/daemon.log"
  fi
  return $status
}

# Processes that were started with this test's home and are still there.
processes_left() {
  local pid pids=()

  for pid in $(grep -lsz "^BELFRY_HOME=$BELFRY_HOME\$" /proc/[0-9]*/environ | cut -d/ -f3); do
    # the grep itself has gone by now, zombies are their parent's matter
    if [ -e "/proc/$pid" ] && ! grep -qs '^State:.Z' "/proc/$pid/status"; then pids+=("$pid"); fi
  done
  echo "${pids[*]}"
}

# One that was killed may take a moment to go: for wait_for.
none_left() {
  [ -z "$(processes_left)" ]
}

# The process that holds the home's lock, if any does.
daemon_pid() {
  [ -e "$BELFRY_HOME/belfry.lock" ] || return 1
  flock -n "$BELFRY_HOME/belfry.lock" true && return 1
  # who held it before may be read before whoever holds it now
  cat "$BELFRY_HOME/belfry.lock"
}

start_daemon() {
  belfry daemon start > /dev/null
}

# By its pid and with a bound, whatever state it is in.
stop_daemon() {
  local pid

  pid=$(daemon_pid) || return 0
  kill -TERM "$pid" 2> /dev/null || return 0
  if wait_for 15 gone "$pid"; then return 0; fi
  echo "daemon $pid did not stop" >&2
  kill -KILL "$pid"
  return 1
}

kill_daemon() {
  local pid

  pid=$(daemon_pid)
  kill -KILL "$pid"
  wait_for 10 gone "$pid"
}

gone() {
  [ ! -e "/proc/$1" ] || grep -qs '^State:.Z' "/proc/$1/status"
}

# wait_for SECONDS COMMAND...: until it succeeds, asked twenty times a second. Never less than half a
# minute: it costs only whoever fails, and a limit that a slow machine comes near to judges the machine.
wait_for() {
  local tries=$((($1 < 30 ? 30 : $1) * 20))

  shift
  until "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || { echo "never happened: $*" >&2; return 1; }
    sleep 0.05
  done
}

# json FILTER COMMAND...: the command's standard output through jq.
json() {
  local filter=$1

  shift
  "$@" | jq -r "$filter"
}

# json_is WANT FILTER COMMAND...: for wait_for.
json_is() {
  local want=$1 filter=$2

  shift 2
  [ "$("$@" 2> /dev/null | jq -r "$filter")" = "$want" ]
}

log_has() {
  grep -qF -- "$1" "$BELFRY_HOME/daemon.log"
}

# Send standard input to the control socket, print what comes back until it closes.
talk() {
  /usr/bin/python3 "$e2e_root/test/e2e/talk.py" "$BELFRY_HOME/belfry.sock"
}

# add ARGUMENT...: a new reminder's id.
add() {
  belfry reminder add "$@" --json | jq -r .id
}

# of REMINDER FILTER: something of what `show` tells, and of what `why` tells.
of() {
  json "$2" belfry reminder show "$1" --json
}

why() {
  json "$2" belfry why "$1" --json
}

# How many messages wait for an agent, or wait, went or failed with --all.
queued() {
  json length belfry queue list "$@" --json
}

queued_is() {
  local want=$1

  shift
  [ "$(queued "$@")" -eq "$want" ]
}

# same WANT GOT: equal, or both are shown.
same() {
  [ "$1" = "$2" ] || { printf 'want: %s\n got: %s\n' "$1" "$2" >&2; return 1; }
}

# has TEXT PART: PART is somewhere in TEXT, or both are shown.
has() {
  [[ $1 == *"$2"* ]] || { printf 'no:  %s\nin:  %s\n' "$2" "$1" >&2; return 1; }
}

# refused STATUS TEXT ARGUMENT...: it fails with that status and prints nothing, but tells one
# error with TEXT in it, and a next step.
refused() {
  local want=$1 text=$2 status=0 out err

  shift 2
  out=$("$BELFRY_BIN" "$@" 2> "$BATS_TEST_TMPDIR/stderr") || status=$?
  err=$(cat "$BATS_TEST_TMPDIR/stderr")
  if [ $status -eq "$want" ] && [ -z "$out" ] && [[ $err == 'belfry: '*"$text"*$'\nhint: '?* ]] &&
    [ "$(wc -l <<< "$err")" -eq 2 ]; then return 0; fi
  printf 'belfry'
  printf ' %q' "$@"
  printf '\nwant status %s and: %s\n got status %s and: %s\n%s\n' "$want" "$text" $status "$err" "$out"
  return 1
} >&2

sqlite_only() {
  [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ] || skip "SQLite's own"
}

postgres_only() {
  [ "${BELFRY_TEST_STORE:-sqlite}" = postgres ] || skip "PostgreSQL's own"
}

# --- missions -----------------------------------------------------------------------------------

# scripted [LINES]: config.yml with agents that do what their prompt says, and further lines at its
# end. `builder` and `single` (one at a time) are test-agent, see test/agent/agent.c; `shell` takes
# its prompt as a shell script.
scripted() {
  test_agent=$TEST_AGENT
  export TEST_AGENT_HOME=$BATS_TEST_TMPDIR/conversations
  # what a failed test left running does not hold up its end
  export BELFRY_STOP_GRACE_MS=${BELFRY_STOP_GRACE_MS:-5000}
  cat > "$BELFRY_HOME/config.yml" << EOF
defaultAgent: builder
agents:
  builder: {command: [$test_agent], directory: $BATS_TEST_TMPDIR}
  single: {command: [$test_agent], directory: $BATS_TEST_TMPDIR, maxConcurrent: 1}
  shell: {command: [sh], directory: $BATS_TEST_TMPDIR}
${1:-}
EOF
}

# A shell script that marks its start, runs until there is a file `go`, and marks its end.
# shellcheck disable=SC2034,SC2016
held='echo start $BELFRY_ATTEMPT >> marks
until [ -e go ]; do sleep 0.05; done
echo end $BELFRY_ATTEMPT >> marks'

# A shell that has conversations, and so may ask: a line for `scripted`.
# shellcheck disable=SC2034
asker='  asker: {command: [sh, -s, "{session}"]}'

# sql STATEMENT: on the store, as any other program would; it may be longer than an argument.
sql() {
  case ${BELFRY_TEST_STORE:-sqlite} in
    sqlite) sqlite3 -bail -cmd '.timeout 10000' "$BELFRY_HOME/belfry.db" <<< "$1;" ;;
    postgres) psql -qXAt -v ON_ERROR_STOP=1 -f - "$BELFRY_STORE" <<< "$1;" ;;
  esac
}

# overdue NAME: what comes once a year, and catches up, was due two years ago when the daemon starts.
overdue() {
  local span=63072000000000
  stop_daemon
  sql "UPDATE reminders SET cursor = cursor - $span, nominal_at = nominal_at - $span, due_at = due_at - $span
    WHERE name = '$1'"
  start_daemon
}

sql_is() {
  [ "$(sql "$2")" = "$1" ]
}

# new ARGUMENT...: a new mission's id; task ARGUMENT...: a new task's.
new() {
  belfry mission new "$@" --json < /dev/null | jq -r .id
}

task() {
  belfry task add "$@" --json | jq -r .id
}

# m MISSION FILTER: something of what `show` tells.
m() {
  json "$2" belfry mission show "$1" --json
}

# becomes MISSION STATE, task_becomes TASK STATUS
becomes() {
  wait_for 30 json_is "$2" .state belfry mission show "$1" --json
}

task_becomes() {
  wait_for 30 json_is "$2" .status belfry task show "$1" --json
}

# lines_are NUMBER FILE
lines_are() {
  [ "$(cat "$2" 2> /dev/null | wc -l)" -eq "$1" ]
}

# Living processes of a mission's runs.
left_of() {
  local pid

  for pid in $(grep -lsz "^BELFRY_RUN=$1/" /proc/[0-9]*/environ | cut -d/ -f3); do
    gone "$pid" || echo "$pid"
  done
}

none_left_of() {
  [ -z "$(left_of "$1")" ]
}

# wrapper_of MISSION [RUN]: the process above a run.
wrapper_of() {
  cut -d' ' -f1 "$BELFRY_HOME/missions/$1/runs/${2:-1}/pid"
}

# most_at_once FILE: of runs that marked their start and end there.
most_at_once() {
  sort -k4n "$1" | awk '$1 == "start" { if (++n > most) most = n } $1 == "end" { n-- }
    END { print most + 0 }'
}
