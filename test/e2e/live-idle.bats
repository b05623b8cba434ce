# Idle reminders, what happens when there is no session, and agents that write to each other.
load helper
load tui
# shellcheck disable=SC2034
e2e_shown_once=1

setup_test() {
  agents_config
}

teardown_test() {
  end_sessions
}

# ats NAME EVENT [TEXT]: the instants of its events, µs, one a line.
ats() {
  record "$1" "select(.event == \"$2\" and ((.text // \"\") | endswith(\"${3:-}\"))) | .at"
}

# bodies_at_least NAME TEXT COUNT
bodies_at_least() {
  [ "$(bodies "$1" | grep -cxF -- "$2")" -ge "$3" ]
}

@test "H26: an idle reminder fires after continuous idleness, and what it starts re-arms it" {
  local id
  live a
  id=$(add a -m nudge --idle 1s --count 3)
  wait_for 90 bodies_at_least a nudge 3
  same completed "$(of "$id" .status)"
  # each came a second or more after the end of the turn before it
  paste <(ats a prompt nudge | tail -n +2) <(ats a 'done') | head -n 2 |
    awk '$1 - $2 < 1000000 { exit 1 }'
}

@test "H26: activity disarms it, and only idleness arms it" {
  local id
  live a
  work a WORK:600s busy
  id=$(add a -m nudge --idle 1s --count 1)
  sleep 2
  same 0 "$(of "$id" .fire_count)"
  keys a C-c
  got a nudge
  [ $(($(at a nudge) - $(ats a interrupted | head -n 1))) -ge 1000000 ]
  same 1 "$(bodies a | wc -l)"
}

@test "H26: it fires once in an idleness that goes on, also across daemons" {
  local id
  live h
  # an agent that answers in its own time: what it is told does nothing that could be seen
  id=$(add h -m nudge --idle 1s --condition 'echo x >> fired; false')
  # decided, not only asked: what a stop interrupts is asked again
  wait_for 30 json_is skipped '.slots[0].outcome' belfry why "$id" --json
  same 1 "$(wc -l < fired)"
  stop_daemon
  start_daemon
  is h idle
  sleep 2
  same 1 "$(wc -l < fired)"
  send h hello > /dev/null
  got h hello
  wait_for 30 lines_are 2 fired
  same 0 "$(bodies h | grep -c nudge)"
}

@test "H11: without a session a due message waits, by default" {
  local id
  start_daemon
  id=$(add a -m 'I waited' --in 50ms)
  wait_for 30 json_is 1 .fire_count belfry reminder show "$id" --json
  same '1 0' "$(queued a) $(events a start)"
  live a
  got a 'I waited'
  all_delivered a
}

@test "live: --fallback run does it as a mission when there is no session" {
  local id
  start_daemon
  id=$(add a -m 'run me' --in 50ms --fallback run)
  did a headless
  has "$(record a 'select(.event == "headless") | .text')" 'run me'
  same 0 "$(queued a)"
  same run "$(of "$id" .fallback)"
  wait_for 30 json_is success '.[0].state' belfry mission ls --json
  rm a.record
  live a
  id=$(add a -m 'type me' --in 50ms --fallback run)
  got a 'type me'
  same 0 "$(events a headless)"
}

@test "live: --fallback start starts the session, which is told" {
  start_daemon
  add a -m 'wake up' --in 50ms --fallback start > id
  did a start
  got a 'wake up'
  all_delivered a
  same 1 "$(events a start)"
}

@test "live: an agent that writes to another is named" {
  live a b
  send a 'RUN:belfry agent send b "hello from me"' > /dev/null
  got b 'hello from me'
  has "$(prompts b)" ' from a] hello from me'
  all_delivered b
  did a ran
  same 0 "$(record a 'select(.event == "ran") | .status')"
}

# `again` is what both are told: to tell the other the same. Without a bound that never ends; so
# that it does not take sixty turns, most of what they may write has been written before.
@test "live: two agents that answer each other come to an end" {
  # shellcheck disable=SC2016
  printf '#!/bin/sh\nexec belfry agent send "$1" "RUN:./again $2 $1"\n' > again
  chmod +x again
  live a
  # shellcheck disable=SC2016
  send a 'RUN:for i in $(seq 57); do belfry agent send b "$i" --priority idle || exit; done; ./again b a' > /dev/null
  wait_for 180 events_at_least a ran 1 # it starts many commands
  same 0 "$(record a 'select(.event == "ran") | .status')"
  belfry agent start b --detach > /dev/null # it is seldom idle: much waits for it
  wait_for 120 some_refused
  has "$(record a 'select(.event == "ran") | .output')$(record b 'select(.event == "ran") | .output')" 'hint: '
}

some_refused() {
  [ -n "$(record a 'select(.event == "ran" and .status != 0)')$(record b 'select(.event == "ran" and .status != 0)')" ]
}

@test "live: a reply in the inbox reaches the session that asked" {
  local thread
  live a
  send a 'RUN:belfry message send "Which colour?" --ask' > /dev/null
  wait_for 30 json_is 1 '.threads | length' belfry inbox list --asks --json
  thread=$(json '.threads[0].id' belfry inbox list --asks --json)
  belfry inbox reply "$thread" 'green, please' > /dev/null
  wait_for 30 prompt_has a 'green, please'
  wait_for 30 json_is 0 .thread.waiting belfry inbox show "$thread" --peek --json
  same '1 1' "$(prompts a | grep -c 'green, please') $(events a start)"
}

prompt_has() {
  prompts "$1" | grep -qF -- "$2"
}

@test "live: agent send without a session waits, says so, and is typed when there is one" {
  local id
  start_daemon
  run -0 belfry agent send b 'later then'
  id=$(grep -oE 'm-[a-z0-9]+' <<< "$output" | head -n 1)
  same queued "$(message "$id" .state)"
  live b
  delivered "$id"
  same 'later then' "$(bodies b)"
}
