#!/usr/bin/env bats
# The tools about time through the real daemon: what an agent sets is saved, fires, and is answered (C1 to
# C12, B2, H10). How clients of MCP ask for them is shown elsewhere; here the same request is made.
load helper

setup_test() {
  scripted 'users:
  alice: {trust: inner, match: ["signal:alice-id"]}
  bob: {trust: inner, match: ["signal:bob-id"]}
  carol: {trust: familiar, match: ["signal:carol-id"]}'
  start_daemon
}

# tool USER NAME ARGUMENTS: the daemon's answer, one line of JSON.
tool() {
  printf '{"request":"tool %s","args":%s,"caller":{"surface":"mcp","user":"%s"}}\n' "$2" "$3" "$1" | talk
}

# reminder_of USER ARGUMENTS: the id of a new one.
reminder_of() {
  tool "$1" reminder "$2" | jq -r .result.id
}

status_is() {
  [ "$(of "$1" .status)" = "$2" ]
}

# answered MISSION TEXT: it is in the thread of that mission.
answered() {
  belfry inbox show "$1" 2> /dev/null | grep -qF -- "$2"
}

@test "C3 C12 a reminder of a tool runs an agent that is told what this is; its answer is in the inbox" {
  id=$(reminder_of me '{"action":"set","in":"1s","message":"write out.txt watered\nsay watered"}')
  [[ $id =~ ^rem_[0-9a-f]{32}$ ]]
  wait_for 30 status_is "$id" completed
  wait_for 30 test -s out.txt
  same watered "$(cat out.txt)"
  wait_for 30 json_is ran '.slots[0].outcome' belfry why "$id" --json
  mission=$(why "$id" '.slots[0].mission.id')
  wait_for 30 answered "$mission" watered
  grep -rq 'This is a scheduled reminder' "$TEST_AGENT_HOME" "$BELFRY_HOME/missions"
}

@test "C14 C19 reminder_dispatch_failure_delivers_fallback_text: a failed run still says what it was about" {
  id=$(reminder_of me '{"action":"set","in":"1s","message":"fail no water"}')
  wait_for 30 json_is failed '.slots[0].outcome' belfry why "$id" --json
  wait_for 30 answered "$(why "$id" '.slots[0].mission.id')" 'Reminder: fail no water'
}

@test "T3 an answer for a channel that nothing serves falls into the inbox, which says so" {
  id=$(reminder_of alice '{"action":"set","in":"1s","message":"write out.txt watered\nsay secret"}')
  wait_for 30 json_is ran '.slots[0].outcome' belfry why "$id" --json
  same watered "$(cat out.txt)"
  mission=$(why "$id" '.slots[0].mission.id')
  wait_for 30 answered "$mission" secret
  run -0 belfry inbox show "$mission" --peek
  has "$output" "channel"
}

@test "C5 C8 reminders survive a killed daemon, and each user sees and cancels their own" {
  id=$(reminder_of alice '{"action":"set","in":"3h","message":"call the dentist"}')
  kill_daemon
  start_daemon
  same 1 "$(tool alice reminder '{"action":"list"}' | jq -r '.result.reminders | length')"
  same 0 "$(tool bob reminder '{"action":"list"}' | jq -r '.result.reminders | length')"
  same "Reminder $id not found." "$(tool bob reminder "{\"action\":\"cancel\",\"id\":\"$id\"}" | jq -r .error.message)"
  same cancelled "$(tool alice reminder "{\"action\":\"cancel\",\"id\":\"$id\"}" | jq -r .result.status)"
  same 0 "$(tool alice reminder '{"action":"list"}' | jq -r '.result.reminders | length')"
}

@test "C2 C6 errors of the tool: past, unknown, low trust; nothing is saved" {
  has "$(tool alice reminder '{"action":"set","time":"2020-01-01T00:00:00Z","message":"x"}' | jq -r .error.message)" future
  has "$(tool alice reminder '{"action":"explode"}' | jq -r .error.message)" 'unknown action: explode'
  has "$(tool carol reminder '{"action":"list"}' | jq -r .error.message)" trust
  same 0 "$(sql 'SELECT COUNT(*) FROM reminders')"
}

@test "B2 schedule by a tool confirms in local time, and the task runs" {
  tool me schedule '{"in":"1s","prompt":"write out.txt ran","timezone":"America/Los_Angeles"}' > answer
  [[ $(jq -r .result.local_time answer) =~ ^[A-Z][a-z]{2}\ [0-9]+,\ [0-9]{4}\ [0-9]+:[0-9]{2}\ [AP]M\ P[SD]T$ ]]
  task_becomes "$(jq -r .result.id answer)" completed
  same ran "$(cat out.txt)"
  same 1 "$(tool me schedule_list '{"status":"completed"}' | jq -r '.result.tasks | length')"
}

@test "H10 an agent reports that it skipped, and why tells it" {
  id=$(add me -m 'fix it' --every 1h --name watch --condition-prompt 'the build is red' --mode each)
  belfry reminder run watch > out
  tool me condition_report '{"id":"watch","met":false,"detail":"it is green"}' > answer
  same false "$(jq -r .result.met answer)"
  has "$(belfry why watch)" 'condition: false, the agent skipped it: it is green'
  has "$(tool me condition_report '{"id":"watch","met":true}' | jq -r .error.message)" 'reported on already'
  same active "$(of "$id" .status)"
}
