#!/usr/bin/env bats
# A reminder from its birth to its end, as the commands show it.
load helper

import_ids() {
  local id

  for id in "$@"; do echo "{\"id\":\"$id\",\"agent\":\"me\",\"message\":\"m\",\"every\":\"1h\"}"; done |
    belfry reminder import -
}

@test "H1 H2 H20 every flag of add is kept, and show --json tells every field" {
  belfry reminder add me -m $'two\nlines' --name full --cron '0 9 * * 1-5' --tz America/New_York \
    --priority normal --condition 'test -e x' --mode until --condition-timeout 5s --count 7 \
    --until 2099-01-01T00:00:00Z --catchup all:3 --start-deadline 10m --jitter 1m --json > added
  [[ $(jq -r .id added) =~ ^r-[0-9a-z]{6}$ ]]
  same true "$(jq .scheduler_running added)"
  same '["America/New_York","item","[]"]' "$(jq -c '[.tz, .tz_source, (.warnings | tojson)]' added)"
  [[ $(jq -r .next_fire added) =~ T09:0[01]:[0-9.]+-0[45]:00$ ]]
  has "$(jq -r .understood added)" 'at 9:00 AM on weekdays; next at '
  belfry reminder show full --json > shown
  same "$(jq -cS 'del(.understood, .scheduler_running, .warnings)' added)" "$(jq -cS 'del(.last, .made_by)' shown)"
  same '["full","me","two\nlines","normal",{"cron":"0 9 * * 1-5"},{"command":"test -e x","mode":"until","timeout":"5s"}]' \
    "$(jq -c '[.name, .agent, .message, .priority, .schedule, .condition]' shown)"
  same '[7,"2098-12-31T19:00:00-05:00","all:3","10m","1m"]' \
    "$(jq -c '[.count, .until, .catchup, .start_deadline, .jitter]' shown)"
  same '["cli","active",0,null]' "$(jq -c '[.source, .status, .fire_count, .last_fired_at]' shown)"
  [[ $(jq -r .created_at shown) =~ ^20[0-9]{2}-.*-0[45]:00$ ]]
}

@test "H3 H19 a unique prefix or name finds a reminder, an ambiguous one lists its candidates" {
  import_ids r-aa1111 r-aa2222 r-bb3333
  same r-bb3333 "$(of r-b .id)"
  same r-aa1111 "$(of r-aa1 .id)"
  refused 4 "'r-aa1111', 'r-aa2222'" reminder show r-aa
  refused 4 "'r-aa1111', 'r-aa2222'" reminder remove r-aa
  id=$(add me -m x --in 1h --name unique)
  same "$id" "$(of unique .id)"
  [[ $id =~ ^r-[0-9a-z]{6}$ ]]
  # two of one name come only from an older store, whose export is taken as it is
  printf '{"agent":"me","message":"x","in":"1h","name":"twin","id":"%s"}\n' r-cc1111 r-cc2222 | belfry reminder import -
  refused 4 "'r-cc1111' of 'me', 'r-cc2222' of 'me'" reminder show twin
  refused 3 "no reminder 'r-zz'" reminder show r-zz
  refused 3 "no reminder 'uniqe'" reminder show uniqe
  has "$(cat stderr)" "did you mean 'unique'?"
}

@test "H4 the moves between active, paused, completed and cancelled, and no others" {
  mapfile -t rows << 'TABLE'
paused pause
active pause resume
completed complete
cancelled remove
cancelled pause remove
active !resume
paused pause !pause
paused pause !complete
completed complete !pause
completed complete !resume
completed complete !complete
completed complete !remove
completed complete !run
cancelled remove !pause
cancelled remove !resume
cancelled remove !complete
cancelled remove !remove
TABLE
  for i in "${!rows[@]}"; do ids+=("r-row$((100 + i))"); done
  import_ids "${ids[@]}"
  for i in "${!rows[@]}"; do
    read -r status moves <<< "${rows[i]}"
    echo "${ids[i]} $status" >> want
    for move in $moves; do
      if [ "${move#!}" = "$move" ]; then
        belfry reminder "$move" "${ids[i]}" > out
      else
        move=${move#!}
        refused 4 "cannot $move reminder '${ids[i]}': it is $status" reminder "$move" "${ids[i]}"
      fi
    done
  done
  diff want <(json 'sort_by(.id)[] | .id + " " + .status' belfry reminder list --all --json)
}

@test "H5 H15 priority is idle unless told, and says who is taken first" {
  start_daemon
  same idle "$(of "$(add me -m x --in 1h)" .priority)"
  for priority in idle normal idle-first interrupt; do
    id=$(add me -m "is $priority" --in 1h --priority $priority)
    belfry reminder run "$id"
  done
  for priority in interrupt normal idle-first idle; do
    same "is $priority" "$(json .body belfry queue take me --json)"
  done
  refused_take=0
  belfry queue take me > out 2>&1 || refused_take=$?
  same "3 belfry: nothing is queued for 'me'" "$refused_take $(cat out)"
}

@test "H6 exactly one schedule: none or two is a mistake that names them all" {
  flags='--at, --in, --every, --cron, --rrule, --idle'
  refused 2 'no schedule' reminder add me -m x
  has "$(cat stderr)" "$flags"
  refused 2 'two schedules: --in and --cron' reminder add me -m x --cron '* * * * *' --in 5m
  has "$(cat stderr)" "$flags"
  refused 2 'two schedules: --at and --rrule' reminder add me -m x --rrule FREQ=DAILY --at 9am
  refused 2 'two schedules' reminder edit "$(add me -m x --in 1h)" --every 1h --in 1h
}

@test "H9 a prompt condition composes the text: header, condition, [skip], a line, the task" {
  id=$(add me -m $'Fix it.\nThen say so.' --every 1h --name build --condition-prompt 'the build is red')
  belfry reminder run "$id"
  same "[Reminder: build]
First look whether this condition holds: \"the build is red\"
If the condition is NOT met, reply with \"[skip]\" and do nothing else.
If the condition IS met, proceed with the following task:
---
Fix it.
Then say so." "$(json .body belfry queue take me --json)"
}

@test "H10 until and once with a prompt name the call that closes them, and are bounded" {
  for mode in until once; do
    belfry reminder add me -m task --every 1h --condition-prompt 'all done' --mode $mode --json > added
    id=$(jq -r .id added)
    same 100 "$(jq .count added)"
    has "$(jq -r '.warnings[0]' added)" "belfry reminder complete $id"
    belfry reminder run "$id"
    text=$(json .body belfry queue take me --json)
    has "$text" "[skip]" && has "$text" "belfry reminder complete $id"
    call=$(grep -o "belfry reminder complete $id" <<< "$text")
    $call # the very words, run
    same '["completed","completed by hand"]' "$(of "$id" '[.status, .end_reason] | tojson')"
  done
  has "$(belfry reminder add me -m x --every 1h --condition-prompt p --mode once --count 1 2>&1)" \
    'it ends after 1 fire at the latest'
}

@test "H12 --in is an instant at once, --at in the past fires at once; both then are completed" {
  belfry reminder add me -m soon --in 1s --name soon --json > added
  same at "$(jq -r '.schedule | keys[]' added)"
  same "$(jq -r .next_fire added)" "$(jq -r .schedule.at added)"
  belfry reminder add me -m old --at 2020-02-29T12:00:00+01:00 --tz Europe/Berlin --name old --json > added
  has "$(jq -r .understood added)" 'once at Feb 29, 2020 12:00 PM CET (+01:00), which has passed: fires at once'
  wait_for 5 json_is completed .status belfry reminder show old --json
  wait_for 5 json_is completed .status belfry reminder show soon --json
  same '[1,1]' "$(jq -c . <<< "[$(of old .fire_count), $(of soon .fire_count)]")"
  # Which came first depends on how long a second is here.
  bodies=$(for _ in 1 2; do json '.body | gsub("\n"; "/")' belfry queue take me --json; done | sort)
  [[ $bodies =~ ^old//'(this one is '[0-9]+d[0-9a-z\ ]*\ late\)$'\n'soon$ ]]
}

@test "H13 H22 --every is a grid from creation, --now also fires at once" {
  belfry reminder add me -m x --every 90m --name grid --json > added
  first=$(jq -r '[.created_at, .next_fire] | map(sub("(\\.[0-9]+)?\\+00:00$"; "Z") | fromdate) | .[1] - .[0]' added)
  same 5400 "$first"
  same 0 "$(queued me)"
  belfry reminder add me -m 'at once' --every 90m --now --name now > out
  wait_for 5 queued_is 1 me
  same '[1,"active"]' "$(of now '[.fire_count, .status] | tojson')"
  same 5400 "$(why now '[.next[0:2][] | sub("(\\.[0-9]+)?\\+00:00$"; "Z") | fromdate] | .[1] - .[0]')"
  refused 2 '--now is for schedules that repeat' reminder add me -m x --in 5m --now
}

@test "H17 H19 adds, edits and removals take effect at once" {
  start_daemon
  later=$(add me -m later --in 1h)
  gone=$(add me -m gone --in 4s)
  belfry reminder remove "$gone" > out
  has "$(cat out)" cancelled
  belfry reminder edit "$later" --in 1s -m sooner > out
  has "$(cat out)" 'in 1s'
  wait_for 5 queued_is 1 me
  same sooner "$(json .body belfry queue take me --json)"
  sleep 3.5
  same 0 "$(queued me)"
  same 0 "$(of "$gone" .fire_count)"
}

@test "H19 edit keeps what it does not name; a new schedule counts from now" {
  id=$(add me -m one --name n --every 1h --count 5 --condition true --priority normal)
  before=$(of "$id" .next_fire)
  belfry reminder edit n -m two --name m > out
  same "[\"two\",\"m\",5,\"normal\",\"true\",\"$before\"]" \
    "$(of "$id" '[.message, .name, .count, .priority, .condition.command, .next_fire] | tojson')"
  belfry reminder edit m --name '' --condition '' --count 0 --every 2h --tz Asia/Tokyo > out
  same '[null,null,null,{"every":"2h"},"Asia/Tokyo"]' \
    "$(of "$id" '[.name, .condition, .count, .schedule, .tz] | tojson')"
  refused 2 'nothing to change' reminder edit "$id"
  refused 2 "bad hour '25'" reminder edit "$id" --cron '0 25 * * *'
  same '{"every":"2h"}' "$(of "$id" '.schedule | tojson')"
  belfry reminder remove "$id" > out
  refused 4 'it is cancelled' reminder edit "$id" -m late
}

@test "H19 run fires now by hand and leaves schedule and counters alone" {
  id=$(add me -m x --every 1h --count 1)
  before=$(of "$id" '[.next_fire, .fire_count, .status] | tojson')
  has "$(belfry reminder run "$id")" 'fired now; its schedule stays'
  belfry reminder run "$id" > out
  same "$before" "$(of "$id" '[.next_fire, .fire_count, .status] | tojson')"
  same 2 "$(queued me)"
  same '["run by hand","run by hand"]' "$(why "$id" '[.slots[] | select(.by_hand) | .reason] | tojson')"
}

@test "H21 what was understood is a sentence with zone and offset" {
  belfry reminder add me -m x --at '2099-07-01 15:30' --tz Europe/Berlin > out
  [[ $(cat out) =~ ^r-[0-9a-z]{6}\ \ once\ at\ Jul\ 1,\ 2099\ 3:30\ PM\ CEST\ \(\+02:00\),\ in\  ]]
  belfry reminder add me -m x --every 1h30m --tz Asia/Kolkata > out
  [[ $(cat out) =~ 'every 90 minutes; next at '.*' IST (+05:30), in 1h '(29|30)m$ ]]
}

@test "H22 the list shows labels and the next fire as people say it" {
  belfry reminder add me -m x --name r --rrule 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0' > out
  belfry reminder add me -m x --name c --cron '0 9 * * *' > out
  belfry reminder add me -m x --name e --every 30m > out
  belfry reminder add me -m x --name t --at 'tomorrow 9am' > out
  belfry reminder add me -m x --name far --at 2099-12-31T12:00:00Z > out
  belfry reminder list > list
  grep -Eq '^r-[a-z0-9]{6} +r +me +RRULE\(daily\) +(tomorrow )?9:00 AM +active +0$' list
  grep -Eq '^r-[a-z0-9]{6} +c +me +cron 0 9 \* \* \* +(tomorrow )?9:00 AM +active +0$' list
  grep -Eq '^r-[a-z0-9]{6} +e +me +every 30m +(tomorrow )?[0-9]+:[0-9]{2}(:[0-9]{2})? [AP]M +active +0$' list
  grep -Eq ' tomorrow 9:00 AM +active +0$' <(grep ' t ' list)
  grep -Eq ' Dec 31, 2099 12:00 PM +active +0$' <(grep ' far ' list)
}

@test "H23 what is removed or over is out of the list, and keeps its history" {
  belfry reminder add me -m x --every 1h --now --name r > out
  wait_for 5 queued_is 1 me
  belfry reminder remove r > out
  same '[]' "$(belfry reminder list --json)"
  same '["cancelled","removed by hand",1]' \
    "$(json '.[0] | [.status, .end_reason, .fire_count] | tojson' belfry reminder list --all --json)"
  same '["fired"]' "$(why r '[.slots[].outcome] | tojson')"
  run -0 belfry why r
  has "$output" 'cancelled, fired once'
  has "$output" 'ended: removed by hand'
  has "$output" 'next: nothing, it is not active'
}

@test "H27 K28 variables in the text are filled in, unknown ones stay and are warned of" {
  id=$(add me -m '{{name}} {{fire_count}} {{missed}} {{late_by}} {{now}} {{other}} {{name' --every 1h --now \
    --name vars --tz Asia/Tokyo --count 1)
  wait_for 5 queued_is 1 me
  [[ $(json .body belfry queue take me --json) =~ ^vars\ 1\ 0\ [0-9]+m?s\ .*\ JST\ \{\{other\}\}\ \{\{name$ ]]
  same '["completed","fired as many times as asked"]' "$(of "$id" '[.status, .end_reason] | tojson')"
  for text in '{{nope}}' '{{ now }}' '{{Name}}'; do
    has "$(belfry reminder add me -m "{{name}} $text" --in 1h 2>&1)" "warning: '$text' stands for nothing"
  done
  same '[]' "$(belfry reminder add me -m '{{name}} {{"a":1}} {{}} {{a b}}' --in 1h --json | jq -c .warnings)"
}

@test "add warns of a weekday rule without its hour" {
  belfry reminder add me -m x --rrule 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR' --json > added
  has "$(jq -r '.warnings[0]' added)" 'BYHOUR'
  has "$(belfry reminder add me -m x --rrule 'FREQ=WEEKLY;BYDAY=MO' 2>&1 > /dev/null)" 'warning: the rule names no time of day'
  same '[]' "$(belfry reminder add me -m x --rrule 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0' --json | jq -c .warnings)"
}

@test "a variable that stands for nothing is told once, by add and edit, and 'me' has no session to wait for" {
  run -0 --separate-stderr belfry reminder add me -m 'x {{nope}}' --in 5h --name n
  has "$stderr" "'{{nope}}' stands for nothing"
  for verb in pause resume run complete; do
    run -0 --separate-stderr belfry reminder $verb n
    same '' "$stderr"
  done
  refused 2 "'me' is you, who has no session" reminder add me -m x --idle 5m
}

@test "N45 several reminders at once, a line each, and none when one is not known" {
  for name in a b c; do add me -m x --in 5h --name $name > /dev/null; done
  refused 3 "no reminder 'nope'" reminder pause a nope b
  has "$(belfry reminder pause --help)" 'belfry reminder pause REMINDER...'
  has "$(belfry complete-words reminder pause a r-)" r-
  same 'active active active' "$(json '[.[].status] | join(" ")' belfry reminder list --json)"
  run -0 belfry reminder pause a b
  same 2 "${#lines[@]}"
  same 'active paused paused' "$(json '[.[].status] | sort | join(" ")' belfry reminder list --json)"
  same 'active active' "$(json '[.[].status] | join(" ")' belfry reminder resume a b --json)"
  # one alone is answered as before
  same completed "$(json .status belfry reminder complete c --json)"
  # the one that is refused is among them: none is removed
  refused 4 completed reminder remove a c
  belfry reminder rm a b > /dev/null
  same 0 "$(json length belfry reminder list --json)"
}
