#!/usr/bin/env bats
# Scheduled tasks: an agent that is run once, at a time (B1 to B8).
load helper

setup_test() {
  agent=$TEST_AGENT
  export TEST_AGENT_HOME=$BATS_TEST_TMPDIR/conversations
  cat > "$BELFRY_HOME/config.yml" << END
timezone: America/Los_Angeles
defaultAgent: builder
agents:
  builder: {command: [$(realpath "$agent")], directory: $BATS_TEST_TMPDIR}
  talker:
END
}

task() {
  belfry task add "$@" --json | jq -r .id
}

task_is() {
  [ "$(json .status belfry task show "$1" --json)" = "$2" ]
}

@test "B2 B10 a task is told in local time, with its zone, and who runs it" {
  run -0 belfry task add 'say hi' --at '2031-02-04 15:15'
  has "$output" 'once at Feb 4, 2031 3:15 PM PST'
  has "$output" 'run by builder'
  run -0 belfry task list
  has "${lines[0]}" 'FIRE AT'
  has "${lines[1]}" 'Feb 4, 2031 3:15 PM PST  pending       0/3  builder  say hi'
}

@test "B1 B3 a due task runs the agent, and is completed" {
  id=$(task "write out.txt done" --in 1s)
  wait_for 30 task_is "$id" completed
  same done "$(cat out.txt)"
  same 1/3 "$(json '"\(.attempts)/\(.max_attempts)"' belfry task show "$id" --json)"
  # over and done is not in the list, but with --all it is
  same 0 "$(json length belfry task list --json)"
  same completed "$(json '.[].status' belfry task list --all --json)"
}

@test "N57 a task names its mission, and where its answer is" {
  id=$(task "say all is merged" --in 1s)
  wait_for 30 task_is "$id" completed
  mission=$(json .mission belfry task show "$id" --json)
  has "$(belfry task show "$id")" "mission    $mission; its answer: belfry mission show $mission"
  has "$(belfry mission show "$mission")" 'all is merged'
  has "$(belfry task add --help | tr '\n' ' ')" 'belfry message send'
}

@test "B1 K32 a time that has passed runs at once, with a warning in the log, and the prompt may come from standard input" {
  id=$(printf 'write out.txt a\nwrite out.txt b\n' | belfry task add - --at 2020-01-01 --json | jq -r .id)
  wait_for 30 task_is "$id" completed
  same $'a\nb' "$(cat out.txt)"
  log_has "warning reminder '$id' fired "
}

@test "B4 B5 a task that fails for good stays failed, with its error" {
  id=$(task $'err out of cheese\nexit 3' --in 1s --max-attempts 1)
  wait_for 30 task_is "$id" failed
  same 'out of cheese' "$(json .last_error belfry task show "$id" --json)"
  run -0 belfry task list
  has "$output" failed
  same '  out of cheese' "${lines[2]}"
}

@test "B4 a task that failed once waits for its next attempt and says when" {
  id=$(task 'exit 3' --in 1s --max-attempts 2)
  tried() { [ "$(json .attempts belfry task show "$1" --json)" = 1 ] && task_is "$1" pending; }
  wait_for 30 tried "$id"
  [ "$(json .next_try belfry task show "$id" --json)" != null ]
  belfry task cancel "$id"
  task_is "$id" cancelled
}

@test "B2 a pending task can be changed; one that ran cannot" {
  id=$(task 'say a' --at 'tomorrow 9am' --name early)
  belfry task edit early --at 2031-01-01 --prompt 'say b' --max-attempts 5 --timeout 5m
  same '2031-01-01T09:00:00-08:00 say b 5 5m' \
    "$(json '"\(.fire_at) \(.prompt) \(.max_attempts) \(.timeout)"' belfry task show "$id" --json)"
  belfry task edit early --in 1s
  wait_for 30 task_is "$id" completed
  refused 4 'it is completed' task edit "$id" --in 1h
  refused 4 'it is completed' task cancel "$id"
}

@test "B2 cancel takes a pending task away and stops one that runs" {
  id=$(task 'write out.txt never' --in 1h)
  belfry task cancel "$id"
  task_is "$id" cancelled
  refused 4 'it is cancelled' task edit "$id" --in 1h
  id=$(task $'write begun.txt x\nsleep 60' --in 1s)
  wait_for 30 test -e begun.txt
  wait_for 30 task_is "$id" running
  belfry task cancel "$id"
  wait_for 30 task_is "$id" cancelled
  [ ! -e out.txt ]
}

@test "a task without a daemon is saved, and said not to run yet" {
  export BELFRY_NO_AUTOSTART=1
  run -0 --separate-stderr belfry task add 'say hi' --in 1h --json
  has "$stderr" 'nothing will fire'
  same 'false pending' "$(jq -r '"\(.scheduler_running) \(.status)"' <<< "$output")"
}

@test "mistakes with tasks name what was typed and the next step" {
  refused 2 'no time is given' task add 'say hi'
  refused 2 'two times' task add 'say hi' --in 1h --at noon
  refused 2 'the prompt is empty' task add ' ' --in 1h
  refused 2 "agent 'talker' can be reminded, but not run" task add x --in 1h --agent talker
  refused 3 "no agent 'bulider'" task add x --in 1h --agent bulider
  refused 2 '--max-attempts 0' task add x --in 1h --max-attempts 0
  refused 2 "--timeout '100d'" task add x --in 1h --timeout 100d
  refused 2 'nothing to change' task edit "$(task x --in 1h)"
  id=$(add me -m x --in 1h)
  refused 3 "'$id' is a reminder, not a task" task show "$id"
}

@test "reminder add --run: each fire runs the agent, and show says how" {
  id=$(add builder -m 'write out.txt ran' --in 1s --run --timeout 5m --max-attempts 2)
  same 'run reminder 5m 2' \
    "$(of "$id" '"\(.action) \(.policy.door) \(.policy.timeout) \(.policy.max_attempts)"')"
  run -0 belfry reminder show "$id"
  has "$output" 'runs the agent; overlap skip, time limit 5m, 2 attempts'
  wait_for 30 test -s out.txt
  same ran "$(cat out.txt)"
  same 0 "$(queued builder --all)"
  refused 2 'are for reminders that run' reminder add builder -m x --in 1h --timeout 5m
  refused 2 "agent 'me' can be reminded, but not run" reminder add me -m x --in 1h --run
}

@test "export and import bring back what runs and how; crons stay in config.yml" {
  printf 'crons: {c: {schedule: "@daily", agent: builder, prompt: x}}\n' >> "$BELFRY_HOME/config.yml"
  id=$(task 'say hi' --at 2031-01-01 --max-attempts 5 --timeout 5m)
  run=$(add builder -m 'say ho' --every 1h --run --overlap queue)
  add me -m plain --in 1h
  belfry reminder export > all.jsonl
  same 3 "$(wc -l < all.jsonl)"
  belfry task cancel "$id"
  belfry reminder remove "$run"
  sed -i "s/$id/r-task01/; s/$run/r-run001/" all.jsonl
  sed -i '/plain/d' all.jsonl
  belfry reminder import all.jsonl
  same 'pending 5 5m' "$(json '"\(.status) \(.max_attempts) \(.timeout)"' belfry task show r-task01 --json)"
  same 'run queue' "$(of r-run001 '"\(.action) \(.policy.overlap)"')"
}

@test "JO34 a task that is paused is called so" {
  id=$(belfry task add 'say x' --agent builder --in 9d --json | jq -r .id)
  belfry reminder pause "$id" > out
  has "$(belfry task list)" paused
  has "$(belfry task show "$id")" paused
  same 'pending true' "$(json '"\(.status) \(.paused)"' belfry task show "$id" --json)"
  belfry reminder resume "$id" > out
  run ! grep -q paused <<< "$(belfry task list)"
}
