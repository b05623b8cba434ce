#!/usr/bin/env bats
# Runs that fail, take too long or get lost, and what becomes of them.
load helper
e2e_on_postgres='growing back-off|orphaned and tried|an exhausted task|nothing stays running'

# cron NAME AGENT SETTINGS SCRIPT: one more cron, which runs by hand only.
cron() {
  echo "  $1: {schedule: '0 9 1 1 *', agent: $2, $3, prompt: $(jq -Rs . <<< "$4")}" >> "$BELFRY_HOME/config.yml"
}

setup_test() {
  scripted crons:
}

# of_last CRON FILTER: of its newest mission.
of_last() {
  m "$(json '.[0].id' belfry mission ls --cron "$1" --json)" "$2"
}

ends() {
  wait_for 30 json_is "$2" '.[0].state' belfry mission ls --cron "$1" --json
}

# marked FILE WORD ATTEMPT: when that was marked, in microseconds.
marked() {
  awk -v word="$2" -v attempt="$3" '$1 == word && $3 == attempt { print $4 }' "$1"
}

# What a task's next attempt waits for; a person has half a minute, a test has not.
shorten() {
  sql 'UPDATE policies SET backoff = 200000'
}

@test "B4 B5 A18 a run that fails is tried again with a growing back-off, and then has failed" {
  cron failing builder 'max_attempts: 3, backoff: 400ms' $'mark marks\nerr out of cheese\nexit 3'
  belfry cron run failing > out
  ends failing error
  same '1 2 3' "$(awk '$1 == "start" { print $3 }' marks | xargs)"
  [ $(($(marked marks start 2) - $(marked marks end 1))) -ge 400000 ]
  [ $(($(marked marks start 3) - $(marked marks end 2))) -ge 800000 ]
  same '1 error 3 out of cheese|2 error 3 out of cheese|3 error 3 out of cheese' \
    "$(of_last failing '[.runs[] | "\(.attempt) \(.ending) \(.exit_code) \(.error)"] | join("|")')"
  same 'failed 3 out of cheese' "$(why failing '.slots[0] | "\(.outcome) \(.mission.attempts) \(.reason)"')"
  [ "$(of_last failing '[.runs[] | select(.started_at and .finished_at and .started_at <= .finished_at)] | length')" -eq 3 ]
}

@test "B5 A18 a run that takes too long is tried again, and its end is a timeout" {
  cron slow builder 'max_attempts: 2, backoff: 0s, timeout: 1s' $'mark marks\nsleep 100'
  belfry cron run slow > out
  ends slow timeout
  # a second may not be enough to mark anything
  same '' "$(awk '$1 == "start" { print $3 }' marks | uniq -d)"
  same '1 timeout true|2 timeout true' \
    "$(of_last slow '[.runs[] | "\(.attempt) \(.ending) \(.started_at != null)"] | join("|")')"
  same failed "$(why slow '.slots[0].outcome')"
}

@test "B8 A18 a run whose wrapper is killed is orphaned and tried again, with nothing left of the first" {
  cron lost builder 'max_attempts: 2, backoff: 0s' $'fork 100\ndaemon 100\nmark marks\nsleep 100'
  belfry cron run lost > out
  wait_for 30 lines_are 1 marks
  id=$(json '.[0].id' belfry mission ls --cron lost --json)
  first=$(left_of "$id" | xargs)
  kill -KILL "$(wrapper_of "$id")"
  wait_for 30 grep -q '^start [0-9]* 2 ' marks
  for pid in $first; do gone "$pid"; done
  kill -KILL "$(wrapper_of "$id" 2)"
  ends lost orphaned
  same '1 orphaned|2 orphaned' "$(m "$id" '[.runs[] | "\(.attempt) \(.ending)"] | join("|")')"
  wait_for 30 none_left_of "$id"
}

@test "B5 retry_on says what is tried again: failures, timeouts and lost ones each by itself" {
  cron f-no builder 'max_attempts: 3, backoff: 0s, retry_on: [timeout, lost]' $'mark f-no\nexit 3'
  cron f-yes builder 'max_attempts: 2, backoff: 0s, retry_on: [failure]' $'mark f-yes\nexit 3'
  cron t-no builder 'max_attempts: 3, backoff: 0s, retry_on: [failure, lost], timeout: 1s' $'mark t-no\nsleep 100'
  cron t-yes builder 'max_attempts: 2, backoff: 0s, retry_on: [timeout], timeout: 1s' $'mark t-yes\nsleep 100'
  cron none builder 'max_attempts: 3, backoff: 0s, retry_on: none' $'mark none\nexit 3'
  cron l-no builder 'max_attempts: 3, backoff: 0s, on_lost: skip' $'mark l-no\nsleep 100'
  for name in f-no f-yes t-no t-yes none l-no; do belfry cron run $name > out; done
  wait_for 30 lines_are 1 l-no
  kill -KILL "$(wrapper_of "$(json '.[0].id' belfry mission ls --cron l-no --json)")"
  ends l-no orphaned
  for name in f-no f-yes none; do ends $name error; done
  for name in t-no t-yes; do ends $name timeout; done
  same '1 2 1 2 1 1' "$(for name in f-no f-yes t-no t-yes none l-no; do of_last $name '.runs | length'; done | xargs)"
  # a second may not be enough for the other two
  same '1 2 1 1' "$(for name in f-no f-yes none l-no; do grep -c start $name; done | xargs)"
}

@test "B4 A18 a later attempt that succeeds is a success, and its failures are forgiven" {
  cron shaky shell 'max_attempts: 3, backoff: 0s, pause_after: 1' 'test "$BELFRY_ATTEMPT" = 2 && echo "at last"'
  belfry cron run shaky > out
  ends shaky success
  same 'ran 2' "$(why shaky '.slots[0] | "\(.outcome) \(.mission.attempts)"')"
  same 'at last' "$(of_last shaky '.runs[-1].answer')"
  same 0 "$(queued me)"
  same 0 "$(json .failures belfry cron show shaky --json)"
}

@test "B5 an exhausted task stays failed with its error, and its raw prompt is in my queue" {
  start_daemon
  id=$(task $'mark marks\nerr no more cheese\nexit 3\n$(date) "quoted" \\ end' --in 1h)
  shorten
  belfry task edit "$id" --in 0s > out
  task_becomes "$id" failed
  same '1 2 3' "$(awk '$1 == "start" { print $3 }' marks | xargs)"
  same '3/3 no more cheese' "$(json '"\(.attempts)/\(.max_attempts) \(.last_error)"' belfry task show "$id" --json)"
  same 'failed|3|no more cheese' "$(sql "SELECT status, attempts, last_error FROM scheduled_tasks WHERE id = '$id'")"
  same 1 "$(queued me)"
  has "$(json '.[0].body' belfry queue list me --json)" $'\n\nmark marks\nerr no more cheese\nexit 3\n$(date) "quoted" \\ end'
  kill_daemon
  start_daemon
  same failed "$(json .status belfry task show "$id" --json)"
  same 3 "$(grep -c start marks)"
}

@test "B3 B6 due tasks run concurrently, on time, and one that fails does not stop the others" {
  start_daemon
  at=$(date -u -d '+2 seconds' +%FT%TZ)
  bad=$(task 'exit 3' --at "$at" --max-attempts 1)
  both=$'mark marks\nshell until [ $(grep -c start marks) -eq 2 ]; do sleep 0.05; done'
  one=$(task "$both" --at "$at")
  two=$(task "$both" --at "$at")
  task_becomes "$bad" failed
  task_becomes "$one" completed
  task_becomes "$two" completed
  same 2 "$(most_at_once marks)"
  # the due instant wakes the daemon; nobody polls once a minute
  began=$(awk '$1 == "start" { print $4; exit }' marks)
  late=$((began / 1000 - $(date -d "$at" +%s%3N)))
  echo "late by $late ms"
  [ $late -ge 0 ]
  [ $late -lt 25000 ]
}

@test "B7 B8 a task that ran when the machine went down runs again, and nothing stays running" {
  start_daemon
  id=$(task $'mark marks\nshell until [ -e go ]; do sleep 0.05; done' --in 1h)
  shorten
  belfry task edit "$id" --in 0s > out
  wait_for 30 lines_are 1 marks
  mission=$(json .mission belfry task show "$id" --json)
  kill_daemon
  kill -KILL "$(wrapper_of "$mission")"
  # shellcheck disable=SC2046
  kill -KILL $(left_of "$mission") 2> /dev/null || true
  touch go
  start_daemon
  task_becomes "$id" completed
  same '1 orphaned|2 success' "$(m "$mission" '[.runs[] | "\(.attempt) \(.ending)"] | join("|")')"
}

@test "B8 A14 a graceful stop ends a task's run, and it is tried again after the next start" {
  export BELFRY_STOP_GRACE_MS=12000
  start_daemon
  id=$(task $'mark marks\nshell until [ -e go ]; do sleep 0.05; done' --in 1h)
  shorten
  belfry task edit "$id" --in 0s > out
  wait_for 30 lines_are 1 marks
  stop_daemon
  lines_are 2 marks
  touch go
  start_daemon
  task_becomes "$id" completed
  mission=$(json .mission belfry task show "$id" --json)
  same '1 daemon_shutdown|2 success' "$(m "$mission" '[.runs[] | "\(.attempt) \(.ending)"] | join("|")')"
}

@test "B11 a run schedules its successor" {
  start_daemon
  id=$(task "\"$BELFRY_BIN\" task add 'mark successor' --agent builder --in 1s --name next > scheduled 2>&1" --agent shell --in 1s)
  task_becomes "$id" completed
  wait_for 30 lines_are 2 successor
  task_becomes next completed
}

@test "B9 B12 heartbeats and tasks are independent, and both are told the time, the board and who spoke" {
  sed -i '/builder:/s|}$|, heartbeat: {every: 2s, prompt: sleep 3}}|' "$BELFRY_HOME/config.yml"
  belfry board set busy 'with the release' --agent single > out
  id=$(task $'mark marks\nshell until [ -e go ]; do sleep 0.05; done' --agent builder --in 1s)
  both() { sql_is 2 "SELECT count(DISTINCT door) FROM missions WHERE phase = 'running'"; }
  wait_for 30 both
  touch go
  task_becomes "$id" completed
  mission=$(json .mission belfry task show "$id" --json)
  log=$(belfry mission logs "$mission")
  has "$log" 'Current time: '
  has "$log" 'with the release'
  has "$log" '## Scheduled Task'
  beat=$(json '[.[] | select(.door == "heartbeat")][-1].id' belfry mission ls --json)
  becomes "$beat" success
  has "$(belfry mission logs "$beat")" '## Heartbeat'
  has "$(belfry mission logs "$beat")" 'with the release'
}
