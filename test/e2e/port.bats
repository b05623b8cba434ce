#!/usr/bin/env bats
# Reminders out of one home and into another.
load helper

# in_second COMMAND...: with a home and a store of its own, which the first does not share.
in_second() {
  BELFRY_HOME=$BATS_TEST_TMPDIR/second BELFRY_STORE=sqlite:$BATS_TEST_TMPDIR/second/belfry.db "$@"
}

teardown_test() {
  in_second "$BELFRY_BIN" daemon stop > /dev/null 2>&1 || true
  BELFRY_HOME=$BATS_TEST_TMPDIR/second wait_for 30 none_left
}

@test "H2 export, import into a fresh home, export: identical, whatever state they are in" {
  printf 'agents:\n  builder: {}\n' > "$BELFRY_HOME/config.yml"
  belfry reminder add me -m $'lines\nand "quotes" äöü 🔔 \\ {{name}}' --name fired --every 1h --now > out
  belfry reminder add builder -m b --cron '0 9 * * 1-5' --tz America/New_York --condition 'test -e x' --mode once \
    --condition-timeout 5s --count 9 --until 2099-01-01 --catchup all:7 --start-deadline 90s --jitter 1m > out
  belfry reminder add me -m c --rrule 'DTSTART;TZID=Europe/Berlin:20260101T090000 RRULE:FREQ=WEEKLY;BYDAY=MO EXDATE;TZID=Europe/Berlin:20260105T090000' > out
  belfry reminder add me -m d --rrule 'FREQ=DAILY;BYHOUR=9;COUNT=5' --name rule > out
  belfry reminder add me -m e --every 2h --condition-prompt 'is it so?' --mode until --priority interrupt > out
  belfry reminder add me -m f --at 2099-01-01T12:00:00.5Z --name paused > out
  belfry reminder add me -m g --in 1h --name removed > out
  belfry reminder add me -m h --at 2020-01-01T00:00:00Z --name past > out
  belfry reminder pause paused > out
  belfry reminder remove removed > out
  wait_for 30 json_is completed .status belfry reminder show past --json
  wait_for 30 json_is 1 .fire_count belfry reminder show fired --json
  belfry reminder export --all > before
  [ "$(wc -l < before)" -eq 8 ]
  mkdir -m 700 second
  cp "$BELFRY_HOME/config.yml" second/
  in_second belfry reminder import before > out
  has "$(cat out)" 'imported 8 reminders in '
  in_second belfry reminder export --all > after
  diff before after
  # without --all: what is over stays behind
  same 6 "$(belfry reminder export | wc -l)"
  same "$(grep -c '"agent":"builder"' before)" "$(belfry reminder export builder | wc -l)"
}

@test "H2 an import goes on where the export stood: counters, cursor, no fire twice" {
  belfry reminder add me -m x --every 1s --name tick --count 100 > out
  wait_for 30 json_is true '.fire_count >= 2' belfry reminder show tick --json
  belfry reminder pause tick > out
  belfry reminder export | sed 's/"status":"paused"/"status":"active"/' > tick.jsonl
  fired=$(of tick .fire_count)
  mkdir -m 700 second
  in_second belfry reminder import tick.jsonl > out
  in_second wait_for 30 json_is true ".fire_count > $fired" belfry reminder show tick --json
  in_second belfry reminder pause tick > out
  newest=$(why tick '.slots[0].nominal')
  in_second belfry why tick --json | jq -e --arg newest "$newest" 'all(.slots[]; .first_nominal > $newest)'
}

@test "H2 JO4 a backup put back fires nothing again that has fired since, however often" {
  belfry reminder add me -m x --in 1s --name soon > out
  belfry reminder export > before
  wait_for 30 json_is completed .status belfry reminder show soon --json
  for _ in 1 2; do belfry reminder import before --replace; done
  same '["completed",1]' "$(of soon '[.status, .fire_count] | tojson')"
  same 1 "$(why soon '.slots | length')"
  # what was taken away before it could fire does come back
  belfry reminder add me -m y --in 9d --name later > out
  belfry reminder export > before
  belfry reminder remove later
  belfry reminder import before --replace
  same active "$(of later .status)"
}

@test "H2 JO7 one time whose condition is being tried again is part of a backup" {
  belfry reminder add me -m x --in 1s --name once --condition 'exit 126' > out
  wait_for 30 json_is 1 '.slots | length' belfry why once --json
  belfry reminder export > before
  mkdir -m 700 second
  in_second belfry reminder import before
  same active "$(in_second of once .status)"
}

@test "H2 a task that was put in by SQL, and names nobody, can be imported" {
  echo 'agents: {ada: {command: [cat]}}' > "$BELFRY_HOME/config.yml"
  start_daemon
  sql "INSERT INTO scheduled_tasks (id, fire_at, prompt) VALUES ('t-nobody', '2126-12-24T18:00:00Z', 'Greet')"
  belfry reminder export > before
  belfry reminder import before --replace
  belfry task cancel t-nobody
  mkdir -p second
  cp "$BELFRY_HOME/config.yml" second
  in_second belfry reminder import before
  same '["ada","Greet"]' "$(in_second json '[.agent, .prompt] | tojson' belfry task show t-nobody --json)"
}

@test "H1 H20 import takes the names of add's long flags, from a file or standard input" {
  belfry reminder import - << 'LINES'
{"agent":"me","message":"a","name":"a","cron":"0 9 * * *","tz":"Asia/Tokyo","priority":"normal"}

{"agent":"me","message":"b","name":"b","every":"15m","condition":"true","mode":"until","condition-timeout":"5s","start_deadline":"1m"}
{"agent":"me","message":"c","name":"c","in":"2h","id":"r-mine01"}
LINES
  same '["a","b","c"]' "$(json 'map(.name) | sort | tojson' belfry reminder list --json)"
  same '["import","Asia/Tokyo","normal"]' "$(of a '[.source, .tz, .priority] | tojson')"
  same '[{"command":"true","mode":"until","timeout":"5s"},"1m"]' "$(of b '[.condition, .start_deadline] | tojson')"
  same r-mine01 "$(of c .id)"
}

@test "an import is all or nothing, and the error names the line" {
  belfry reminder import - <<< '{"agent":"me","message":"m","every":"1h","id":"r-taken1"}'
  good='{"agent":"me","message":"good","every":"1h"}'
  before=$(belfry reminder list --all --json)
  while IFS='|' read -r want text row; do
    for ((i = 0; i < 3; i++)); do echo "$good"; done > rows
    echo "$row" >> rows
    echo "$good" >> rows
    status=0
    belfry reminder import rows > out 2>&1 || status=$?
    same "$want $row" "$status $row"
    has "$(cat out)" 'line 4: '
    has "$(cat out)" "$text"
  done << 'TABLE'
2|bad JSON|{"agent":
2|not a JSON object|[]
2|unknown key 'colour'|{"agent":"me","message":"m","every":"1h","colour":"red"}
2|no schedule|{"agent":"me","message":"m"}
2|two schedules|{"agent":"me","message":"m","every":"1h","in":"1h"}
2|no message|{"agent":"me","every":"1h"}
3|no agent 'nobody'|{"agent":"nobody","message":"m","every":"1h"}
2|'every' must be a string|{"agent":"me","message":"m","every":60}
2|'soonish'|{"agent":"me","message":"m","at":"soonish"}
2|cannot be an id|{"agent":"me","message":"m","every":"1h","id":"NO GOOD"}
4|r-taken1|{"agent":"me","message":"m","every":"1h","id":"r-taken1"}
2|'asleep'|{"agent":"me","message":"m","every":"1h","status":"asleep"}
2|control character|{"agent":"me","message":"a\u0007b","every":"1h"}
TABLE
  same "$before" "$(belfry reminder list --all --json)"
  printf '%s\n{"agent":"me","message":"\xff","every":"1h"}\n' "$good" > rows
  run -2 belfry reminder import rows
  has "$output" 'line 2: '
  same "$before" "$(belfry reminder list --all --json)"
}

@test "K16 the mark of an encoding at the beginning of a file is no part of it" {
  start_daemon
  printf '\xef\xbb\xbf{"agent":"me","message":"x","every":"1h","name":"marked"}\n' > lines
  belfry reminder import lines > out
  same active "$(of marked .status)"
}
