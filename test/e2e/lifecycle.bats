#!/usr/bin/env bats
# Daemons and wrappers that come and go while runs go on.
load helper
e2e_on_postgres='are adopted, and end|with its true times|committed and never begun|leave-missions'

setup_test() {
  scripted
  export BELFRY_NO_AUTOSTART=1
}

# A run that waits for the file `go`; its mission's id.
hold() {
  local id

  id=$(new shell "$held")
  wait_for 15 grep -qs . "$BELFRY_HOME/missions/$id/runs/1/pid"
  echo "$id"
}

# begin SCRIPT: its mission's id, once the agent has said so; the script says `raw begun`.
begin() {
  local id

  id=$(new builder "$1")
  wait_for 15 grep -qs begun "$BELFRY_HOME/missions/$id/runs/1/output.log"
  echo "$id"
}

# endings MISSION: of all its runs.
endings() {
  m "$1" '[.runs[].ending] | join(" ")' 2> /dev/null
}

# seconds RFC3339: with fractions, since 1970.
seconds() {
  date -d "$1" +%s.%N
}

before() {
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }' || { echo "$1 is not before $2" >&2; return 1; }
}

# bats does not see a command that is negated fail.
lives() {
  if gone "$1"; then return 1; fi
}

# stop_with SIGNAL: and the daemon ends by itself.
stop_with() {
  local pid

  pid=$(daemon_pid)
  kill "-$1" "$pid"
  wait_for 20 gone "$pid"
}

# A process that is nobody's business, with its start time: "PID TICKS".
stranger() {
  env -i sleep 100 > /dev/null 2>&1 3>&- &
  echo "$! $(awk '{ print $22 }' "/proc/$!/stat")"
}

@test "A13 kill -9 of the daemon: runs go on, are adopted, and end once" {
  start_daemon
  a=$(hold) b=$(hold) c=$(hold)
  wait_for 10 lines_are 3 marks
  wrappers=$(for id in $a $b $c; do wrapper_of "$id"; done | xargs)
  for _ in 1 2 3; do
    kill_daemon
    start_daemon
  done
  same 'running running running' "$(for id in $a $b $c; do m "$id" .state; done | xargs)"
  same "$wrappers" "$(for id in $a $b $c; do m "$id" '.runs[0].pid'; done | xargs)"
  touch go
  for id in $a $b $c; do becomes "$id" success; done
  same '3 3' "$(grep -c start marks) $(grep -c end marks)"
  same '1 1 1' "$(for id in $a $b $c; do m "$id" '.runs | length'; done | xargs)"
}

@test "A13 A15 a run that ends while no daemon lives is collected, with its true times" {
  start_daemon
  id=$(begin $'raw begun\nsay the answer\nshell until [ -e go ]; do sleep 0.05; done')
  kill_daemon
  touch go
  wait_for 15 test -e "$BELFRY_HOME/missions/$id/runs/1/end.json"
  same running "$(m "$id" .state 2> /dev/null)"
  sleep 1
  start=$(date +%s.%N)
  start_daemon
  becomes "$id" success
  same 'the answer' "$(m "$id" '.runs[0].answer' | tail -n 1)"
  before "$(seconds "$(m "$id" '.runs[0].finished_at')")" "$start"
  before "$(seconds "$(m "$id" '.runs[0].started_at')")" "$(seconds "$(m "$id" '.runs[0].finished_at')")"
}

@test "A13 a failure and a time limit while no daemon lives are what they were" {
  start_daemon
  bad=$(begin $'raw begun\nsleep 0.5\nerr no good\nexit 7')
  slow=$(new builder 'sleep 100' --timeout 1s)
  # it is not running for long
  wait_for 15 grep -qs . "$BELFRY_HOME/missions/$slow/runs/1/pid"
  kill_daemon
  wait_for 15 test -e "$BELFRY_HOME/missions/$bad/runs/1/end.json"
  wait_for 15 test -e "$BELFRY_HOME/missions/$slow/runs/1/end.json"
  start_daemon
  becomes "$bad" error
  becomes "$slow" timeout
  same '7 no good' "$(m "$bad" '.runs[0] | "\(.exit_code) \(.error)"')"
}

@test "A14 A18 SIGTERM stops runs with SIGINT: daemon_shutdown, and nothing is left" {
  start_daemon
  id=$(begin $'mark marks\nfork 100\ndaemon 100\nraw begun\nsleep 100')
  stop_with TERM
  none_left_of "$id"
  same 'start end' "$(cut -d' ' -f1 marks | xargs)"
  grep -qx 'Execution error' "$BELFRY_HOME/missions/$id/runs/1/output.log"
  same daemon_shutdown "$(endings "$id")"
}

@test "A14 A18 SIGINT does the same, and what waited in line waits on" {
  scripted $'crons:\n  maxConcurrent: 1'
  start_daemon
  id=$(begin $'raw begun\nsleep 100')
  next=$(new builder 'mark next')
  stop_with INT
  none_left_of "$id"
  same daemon_shutdown "$(endings "$id")"
  same waiting "$(m "$next" .state 2> /dev/null)"
  start_daemon
  becomes "$next" success
  same daemon_shutdown "$(endings "$id")"
  same 2 "$(wc -l < next)"
}

@test "A14 an agent that ignores everything is killed after the grace, with all it started" {
  BELFRY_STOP_GRACE_MS=500 start_daemon
  id=$(begin $'ignore INT TERM HUP\nfork 100\ndaemon 100\nraw begun\nsleep 100')
  [ "$(left_of "$id" | wc -l)" -ge 3 ]
  stop_with TERM
  none_left_of "$id"
  same daemon_shutdown "$(endings "$id")"
}

@test "A14 a second signal does not wait for the grace" {
  start_daemon
  id=$(begin $'ignore INT TERM HUP\ndaemon 100\nraw begun\nsleep 100')
  pid=$(daemon_pid)
  kill -TERM "$pid"
  wait_for 10 log_has 'waiting for 1 missions to end'
  kill -TERM "$pid"
  wait_for 15 gone "$pid"
  none_left_of "$id"
  same daemon_shutdown "$(endings "$id")"
}

@test "A14 daemon stop --leave-missions leaves them running, and the next daemon adopts them" {
  start_daemon
  id=$(hold)
  wrapper=$(wrapper_of "$id")
  pid=$(daemon_pid)
  belfry daemon stop --leave-missions > out
  wait_for 10 gone "$pid"
  lives "$wrapper"
  same running "$(m "$id" .state 2> /dev/null)"
  start_daemon
  same "$wrapper" "$(m "$id" '.runs[0].pid')"
  touch go
  becomes "$id" success
  same 'start end' "$(cut -d' ' -f1 marks | xargs)"
}

@test "A13 A16 kill -9 of the wrapper: orphaned, and all its processes gone" {
  start_daemon
  id=$(begin $'ignore TERM INT HUP\nfork 100\ndaemon 100\nraw begun\nsleep 100')
  kill -KILL "$(wrapper_of "$id")"
  becomes "$id" orphaned
  wait_for 10 none_left_of "$id"
  has "$(m "$id" '.runs[0].error')" 'its wrapper was killed'
  same 1 "$(m "$id" '.runs | length')"
}

@test "A13 kill -9 of daemon and wrapper: orphaned at the next start, and what was left is swept" {
  start_daemon
  id=$(begin $'ignore TERM INT HUP\nfork 100\ndaemon 100\nraw begun\nsleep 100')
  wrapper=$(wrapper_of "$id")
  kill_daemon
  kill -KILL "$wrapper"
  wait_for 10 gone "$wrapper"
  [ -n "$(left_of "$id")" ]
  start_daemon
  becomes "$id" orphaned
  wait_for 10 none_left_of "$id"
}

@test "A13 after a reboot a run is orphaned, though its pid is a living process" {
  start_daemon
  id=$(hold)
  kill_daemon
  # shellcheck disable=SC2046
  kill -KILL "$(wrapper_of "$id")" $(left_of "$id")
  read -r pid ticks <<< "$(stranger)"
  sql "UPDATE runs SET pid = $pid, pid_start = $ticks"
  BELFRY_BOOT_ID=00000000-0000-4000-8000-000000000000 start_daemon
  becomes "$id" orphaned
  lives "$pid"
  kill "$pid"
}

@test "A13 a pid that was given out again is not touched, and the run is orphaned" {
  start_daemon
  id=$(hold)
  kill_daemon
  # shellcheck disable=SC2046
  kill -KILL "$(wrapper_of "$id")" $(left_of "$id")
  read -r pid ticks <<< "$(stranger)"
  sql "UPDATE runs SET pid = $pid, pid_start = $((ticks - 1))"
  start_daemon
  becomes "$id" orphaned
  stop_daemon
  lives "$pid"
  # the counter-proof: with its own start time it would have been watched
  sql "UPDATE runs SET pid_start = $ticks, finished_at = NULL, ending = 'none'"
  sql "UPDATE missions SET phase = 'running', ended_at = NULL, outcome = 'none'"
  start_daemon
  sleep 0.5
  same running "$(m "$id" .state)"
  kill "$pid"
  becomes "$id" orphaned
}

@test "A13 a run that was committed and never begun begins after the next start, as the same attempt" {
  start_daemon
  id=$(hold)
  kill_daemon
  # shellcheck disable=SC2046
  kill -KILL "$(wrapper_of "$id")" $(left_of "$id")
  rm -r "$BELFRY_HOME/missions/$id/runs/1"
  sql "UPDATE runs SET pid = 0, pid_start = 0, boot = NULL, started_at = NULL"
  sql "UPDATE missions SET phase = 'starting'"
  touch go
  start_daemon
  becomes "$id" success
  same '1 1 success' "$(m "$id" '.runs[0] | "\(.number) \(.attempt) \(.ending)"')"
}

@test "A16 a wrapper ends its run well without any daemon, stopped by hand too" {
  start_daemon
  id=$(begin $'mark marks\nraw begun\nsleep 100')
  kill_daemon
  kill -TERM "$(wrapper_of "$id")"
  wait_for 10 test -e "$BELFRY_HOME/missions/$id/runs/1/end.json"
  start_daemon
  becomes "$id" killed
  same 'start end' "$(cut -d' ' -f1 marks | xargs)"
}
