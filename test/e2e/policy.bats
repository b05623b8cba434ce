#!/usr/bin/env bats
# How fires and runs get along: overlap, the line, deadlines, retention, pause, missed ones.
load helper
e2e_on_postgres='overlap queue|two hundred overdue|maxConcurrent of an agent|retention|repeated failure|start deadline'

setup_test() {
  scripted
}

# outcomes REMINDER: of the occurrences that became missions, oldest first.
outcomes() {
  why "$1" '[.slots[] | select(.mission).outcome] | reverse | join(" ")'
}

outcomes_are() {
  [ "$(outcomes "$1")" = "$2" ]
}

skipped_because() {
  [[ $(why "$1" '[.slots[] | select(.outcome == "skipped") | .reason] | join("\n")') == *"$2"* ]]
}

# every REMINDER-ARGUMENT...: run each second, with the script on standard input.
every() {
  belfry reminder add "$@" --every 1s --run -m - --json | jq -r .id
}

# overdue_tasks AGENT NUMBER SCRIPT: so many tasks, an hour late, a second apart, put in by SQL.
overdue_tasks() {
  local rows='' i now

  now=$(date +%s)
  for ((i = 0; i < $2; i++)); do
    rows+="${rows:+,}('$(date -u -d "@$((now - 3600 + i))" +%FT%TZ)', '$1', '$3')"
  done
  sql "INSERT INTO scheduled_tasks (fire_at, agent, prompt) VALUES $rows"
}

# Whether the runs began in the order in which they were due.
began_in_order() {
  sql_is 0 "SELECT count(*) FROM runs a JOIN missions ma ON ma.key = a.mission,
    runs b JOIN missions mb ON mb.key = b.mission
    WHERE a.key < b.key AND ma.nominal > mb.nominal"
}

tasks_are() {
  sql_is "$1" "SELECT count(*) FROM scheduled_tasks WHERE status = '$2'"
}

@test "A10 overlap skip: while one runs the next is skipped, and why says so" {
  r=$(every shell --overlap skip --count 2 <<< "$held")
  wait_for 30 skipped_because "$r" 'the one before it was still going (mission mis-'
  wait_for 30 lines_are 1 marks
  same start "$(cut -d' ' -f1 marks)"
  touch go
  wait_for 30 outcomes_are "$r" 'ran ran'
  same 'start end start end' "$(cut -d' ' -f1 marks | xargs)"
}

@test "A10 overlap queue: one waits, a second is skipped, and kill -9 loses nothing" {
  r=$(every shell --overlap queue --count 3 <<< "$held")
  wait_for 30 skipped_because "$r" 'one was waiting already (mission mis-'
  same 'running running' "$(outcomes "$r")"
  wait_for 30 lines_are 1 marks
  kill_daemon
  start_daemon
  same start "$(cut -d' ' -f1 marks)"
  same 'running running' "$(outcomes "$r")"
  touch go
  wait_for 30 outcomes_are "$r" 'ran ran ran'
  same 'start end start end start end' "$(cut -d' ' -f1 marks | xargs)"
}

@test "A10 overlap allow: they run side by side" {
  r=$(every shell --overlap allow --count 2 <<< "$held")
  wait_for 30 lines_are 2 marks
  same 'start start' "$(cut -d' ' -f1 marks | xargs)"
  touch go
  wait_for 30 outcomes_are "$r" 'ran ran'
}

@test "A10 overlap replace: the next one ends the one before it, and begins when that is gone" {
  # not before the first one has begun
  r=$(every builder --overlap replace --count 2 \
    --condition "[ -s '$PWD/marks' ] || mkdir '$PWD/first'" <<< $'mark marks\nsleep 100')
  wait_for 30 lines_are 3 marks
  same 'start end start' "$(cut -d' ' -f1 marks | xargs)"
  same 1 "$(most_at_once marks)"
  wait_for 30 outcomes_are "$r" 'cancelled running'
  same 'replaced by the next occurrence' "$(why "$r" '[.slots[] | select(.mission)][1].reason')"
  same killed "$(why "$r" '[.slots[] | select(.mission)][1].mission.state')"
}

@test "A10 an occurrence is one mission, whatever happens to the daemon in between" {
  r=$(every builder --overlap allow --count 3 <<< $'mark marks\nsleep 0.3')
  for _ in 1 2 3; do
    sleep 0.7
    kill_daemon
    start_daemon
  done
  wait_for 30 outcomes_are "$r" 'ran ran ran'
  same '3 3' "$(sql 'SELECT count(*) FROM missions') $(sql 'SELECT count(DISTINCT slot) FROM missions')"
  same 3 "$(grep -c start marks)"
}

@test "A11 B7 thirty overdue tasks, three at a time: in order, all of them" {
  scripted $'crons:\n  maxConcurrent: 3'
  start_daemon
  stop_daemon
  overdue_tasks builder 30 $'mark marks\nsleep 0.1'
  start_daemon
  wait_for 120 tasks_are 30 completed
  same 60 "$(wc -l < marks)"
  [ "$(most_at_once marks)" -le 3 ]
  began_in_order
}

@test "A11 B7 two hundred overdue tasks, five at a time, after a crash: seconds, none twice" {
  scripted $'crons:\n  maxConcurrent: 5'
  start_daemon
  kill_daemon
  # half of them wait until somebody has looked
  overdue_tasks builder 200 $'mark marks\nshell until [ -e go ] || [ $(wc -l < marks) -lt 200 ]; do sleep 0.05; done'
  start_daemon
  wait_for 30 test -s marks
  kill_daemon
  start_daemon
  status=$(belfry status)
  has "$status" waiting
  touch go
  wait_for 120 tasks_are 200 completed
  same 400 "$(wc -l < marks)"
  [ "$(most_at_once marks)" -le 5 ]
  began_in_order
  same '200 200' "$(sql 'SELECT count(*) FROM runs') $(sql "SELECT count(*) FROM runs WHERE ending = 'success'")"
}

@test "A11 maxConcurrent of an agent holds back its own runs only" {
  start_daemon
  stop_daemon
  overdue_tasks single 3 $'mark one\nsleep 0.2'
  overdue_tasks builder 3 $'mark two\nshell until [ $(grep -c start two) -eq 3 ]; do sleep 0.05; done'
  start_daemon
  wait_for 30 tasks_are 6 completed
  same '1 3' "$(most_at_once one) $(most_at_once two)"
}

@test "A11 a long line of one agent does not hold back another's" {
  start_daemon
  stop_daemon
  overdue_tasks single 80 $'mark one\nshell until [ -e go ]; do sleep 0.05; done'
  overdue_tasks builder 1 'mark two'
  start_daemon
  wait_for 30 lines_are 2 two
  [ "$(grep -c end one)" -lt 16 ]
}

@test "A11 a fire that waits longer than its start deadline is missed, and why says so" {
  scripted $'crons:\n  maxConcurrent: 1'
  hold=$(new shell "$held")
  becomes "$hold" running
  r=$(every builder --count 1 --start-deadline 1s <<< 'mark late')
  wait_for 30 outcomes_are "$r" missed
  same not_run "$(why "$r" '.slots[0].mission.state')"
  [[ $(why "$r" '.slots[0].reason') =~ ^waited\ .*\ in\ line,\ and\ its\ deadline\ passed$ ]]
  touch go
  becomes "$hold" success
  [ ! -e late ]
}

@test "A11 the line is told: waiting is a state, and the fire is in the ledger meanwhile" {
  scripted $'crons:\n  maxConcurrent: 1'
  hold=$(new shell "$held")
  becomes "$hold" running
  r=$(every builder --count 1 <<< 'mark waited')
  wait_for 30 outcomes_are "$r" running
  same 'waits for its turn' "$(why "$r" '.slots[0].reason')"
  touch go
  wait_for 30 outcomes_are "$r" ran
  same 2 "$(wc -l < waited)"
}

@test "A11 retention archives the oldest; ls hides it, --all shows it" {
  scripted $'crons:\n  kept: {schedule: "0 9 1 1 *", agent: builder, prompt: say x, retention: 2}'
  for _ in 1 2 3; do
    belfry cron run kept > out
    wait_for 30 json_is '' '[.[] | select(.state != "success").id] | join(" ")' \
      belfry mission ls --cron kept --json
    ids+=("$(json '.[0].id' belfry mission ls --cron kept --json)")
  done
  same "${ids[2]} ${ids[1]}" "$(json '[.[].id] | join(" ")' belfry mission ls --cron kept --json)"
  same "${ids[2]} ${ids[1]} ${ids[0]}" "$(json '[.[].id] | join(" ")' belfry mission ls --cron kept --all --json)"
  [ -d "$BELFRY_HOME/missions/${ids[0]}" ]
}

@test "A11 repeated failure pauses a cron, tells me, and enable lets it go on; a paused cron is named by doctor" {
  scripted $'crons:\n  bad: {schedule: "0 9 1 1 *", agent: shell, prompt: test -e mended, pause_after: 2, catchup: "all:2", overlap: queue}'
  start_daemon
  # by hand it may fail as often as one likes
  belfry cron run bad > out
  wait_for 30 json_is 'exit status 1' '.[0].reason' belfry mission ls --cron bad --json
  same 0 "$(json .failures belfry cron show bad --json)"
  overdue bad
  wait_for 30 json_is 2 .failures belfry cron show bad --json
  same 'true paused after 2 failures in a row' \
    "$(json '"\(.paused) \(.pause_reason)"' belfry cron show bad --json)"
  has "$(json '[.[].body] | join("\n")' belfry queue list me --json)" 'belfry cron enable bad'
  run -4 belfry doctor
  has "$output" "✗ firing   'bad' does not fire: paused after 2 failures in a row; once it is mended: belfry cron enable bad"
  has "$(belfry why bad)" $'\npaused after 2 failures in a row\n'
  touch mended
  belfry cron enable bad > out
  same false "$(json .paused belfry cron show bad --json)"
  has "$(belfry doctor)" '✓ firing   every reminder can fire'
  belfry cron run bad > out
  wait_for 30 json_is success '.[0].state' belfry mission ls --cron bad --json
  wait_for 30 json_is 0 .failures belfry cron show bad --json
}

@test "A12 a cron skips what it missed while nothing ran, and the ledger says so" {
  # once a day, and not soon
  scripted "crons:
  often: {schedule: '0 $(date -u -d '12 hours' +%-H) * * *', agent: builder, prompt: mark ran}
  late: {schedule: '0 $(date -u -d '12 hours' +%-H) * * *', agent: builder, prompt: mark caught, catchup: once}"
  start_daemon
  stop_daemon
  # the last time it ran was ten days ago
  sql "UPDATE reminders SET cursor = cursor - 864000000000, nominal_at = nominal_at - 864000000000,
    due_at = due_at - 864000000000"
  start_daemon
  wait_for 30 json_is missed '.slots[-1].outcome' belfry why often --json
  [[ $(why often '.slots[-1].occurrences') =~ ^(9|10|11)$ ]]
  wait_for 30 json_is 'missed ran' '[.slots[-1, -2].outcome] | join(" ")' belfry why late --json
  same 2 "$(wc -l < caught)"
  same 0 "$(sql "SELECT count(*) FROM missions WHERE origin = 'often' AND nominal < created_at - 300000000")"
}

@test "A2 A3 a cron's settings reach its run: repository, prompt, time limit, zone, attempts" {
  mkdir source
  echo content > source/file
  scripted "  worker: {command: [sh], environment: {COLOUR: green}}
syncedRepos:
  lib: {source: $BATS_TEST_TMPDIR/source}
crons:
  whole:
    schedule: '30 9 * * 1-5'
    timezone: Asia/Tokyo
    agent: worker
    description: all of it
    prompt: |
      cat lib/file; echo \"\$COLOUR \$BELFRY_REMINDER_NAME\"; pwd
    git: lib
    timeout: 5m
    overlap: queue
    retention: 7
    enabled: false
    catchup: once
    start_deadline: 10m
    max_attempts: 4
    jitter: 30s
  plain: {schedule: '@daily', agent: worker, prompt: 'true'}"
  same '["Asia/Tokyo","all of it","lib","5m","queue",7,false,"once","10m",4,"30s"]' "$(json \
    '[.tz, .description, .git, .timeout, .overlap, .retention, .enabled, .catchup, .start_deadline,
      .max_attempts, .jitter] | tojson' \
    belfry cron show whole --json)"
  same '["1h","skip",true,"skip",1]' "$(json '[.timeout, .overlap, .enabled, .catchup, .max_attempts] | tojson' \
    belfry cron show plain --json)"
  belfry cron run whole > out
  wait_for 30 json_is success '.[0].state' belfry mission ls --cron whole --json
  id=$(json '.[0].id' belfry mission ls --cron whole --json)
  same "content
green whole
$BELFRY_HOME/missions/$id/agent" "$(m "$id" '.runs[0].answer')"
  same '5m 4 lib' "$(m "$id" '"\(.timeout) \(.max_attempts) \(.git)"')"
}

@test "A4 ten run at once when nobody says how many" {
  start_daemon
  stop_daemon
  overdue_tasks shell 12 "$held"
  start_daemon
  wait_for 30 lines_are 10 marks
  same '10 2' "$(json '"\(.missions.running) \(.missions.waiting)"' belfry status --json)"
  touch go
  wait_for 30 tasks_are 12 completed
}

@test "A10 runs by hand overlap with nobody, and a run that was stopped is no failure" {
  scripted $'crons:\n  one: {schedule: "0 9 1 1 *", agent: builder, prompt: "mark marks\\nsleep 100", pause_after: 1}'
  belfry cron run one > out
  belfry cron run one > out
  wait_for 30 lines_are 2 marks
  for id in $(json '.[].id' belfry mission ls --cron one --json); do belfry mission stop "$id" > out; done
  wait_for 30 outcomes_are one 'cancelled cancelled'
  same 'false 0' "$(json '"\(.paused) \(.failures)"' belfry cron show one --json)"
  same 0 "$(queued me)"
}
