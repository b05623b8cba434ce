#!/usr/bin/env bats
# Firing for real, against the wall clock.
load helper

# agree REMINDER: the ledger, the counter and the queue tell the same story.
agree() {
  local id fired

  id=$(of "$1" .id)
  fired=$(why "$id" '[.slots[] | select(.outcome == "fired")] | length')
  same "$fired" "$(of "$id" .fire_count)" &&
    same "$fired" "$(json "[.[] | select(.reminder == \"$id\")] | length" belfry queue list --all --json)" &&
    same "$fired" "$(why "$id" '[.slots[] | select(.outcome == "fired") | .nominal] | unique | length')"
}

fired_at_least() {
  [ "$(of "$1" .fire_count)" -ge "$2" ]
}

# The gaps between the slots of a reminder, in whole seconds, oldest first.
gaps() {
  why "$1" '[.slots[].nominal | sub("(\\.[0-9]+)?\\+00:00$"; "Z") | fromdate] | reverse |
    [.[1:], .[:-1]] | transpose | map(.[0] - .[1]) | unique | tojson'
}

@test "H13 H16 H27 every second: slots, counter and messages agree; --count and --until end it" {
  start_daemon
  belfry reminder add me -m '{{fire_count}}' --every 1s --name tick > out
  belfry reminder add me -m x --every 1s --count 2 --name twice > out
  belfry reminder add me -m x --every 1s --until 'in 3s' --name until > out
  wait_for 10 fired_at_least tick 4
  for name in twice until; do wait_for 10 json_is completed .status belfry reminder show $name --json; done
  belfry reminder pause tick > out
  for name in tick twice until; do
    agree $name
    why $name '.slots' > slots
    jq -e 'all(.lateness_us >= 0) and ([.[].nominal] | . == (sort | reverse))' slots
    # A machine that stands still for a second misses some, which are told; all others are on time.
    if jq -e 'all(.outcome == "fired")' slots; then
      same '[1]' "$(gaps $name)"
      jq -e 'all(.missed_before == 0)' slots
    fi
  done
  # late is the machine now and then, but not every time
  why tick '.slots' | jq -e '[.[] | select(.outcome == "fired" and .lateness_us < 900000)] | length >= 2'
  same '[2,"completed","fired as many times as asked"]' "$(of twice '[.fire_count, .status, .end_reason] | tojson')"
  same '["completed","no occurrence is left"]' "$(of until '[.status, .end_reason] | tojson')"
  same '[3,true]' "$(why until '[([.slots[].occurrences] | add), .reminder.fire_count ==
    3 - ([.slots[] | select(.outcome == "missed").occurrences] | add // 0)] | tojson')"
  id=$(of tick .id)
  same 1,2,3,4 "$(json "[.[] | select(.reminder == \"$id\") | .body | split(\"\\n\")[0]][0:4] | join(\",\")" belfry queue list me --json)"
}

@test "why --json: nominal, outcome, reason, lateness, attempts, verdict, then the next five" {
  belfry reminder add me -m x --every 1h --now --name w --condition 'echo seen >&2; exit 1' --tz Asia/Tokyo > out
  wait_for 5 json_is skipped '.slots[0].outcome' belfry why w --json
  belfry reminder run w > out
  belfry why w --json > story
  same '["by hand","skipped"]' "$(jq -c '[(.slots[0] | if .by_hand then "by hand" else .outcome end), .slots[1].outcome]' story)"
  same '["the condition was false","false","exit status 1: seen",1]' \
    "$(jq -c '.slots[1] | [.reason, .verdict, .verdict_detail, .attempts]' story)"
  jq -e '.slots[1].lateness_us >= 0' story
  [[ $(jq -r '.slots[1].nominal' story) =~ ^20.*\+09:00$ ]]
  same '[5,3600]' "$(jq -c '[.next[] | sub("(\\.[0-9]+)?\\+09:00$"; "Z") | fromdate] | [length, .[1] - .[0]]' story)"
  run -0 belfry why w
  has "$output" 'skipped   the condition was false'
  has "$output" 'condition: false, exit status 1: seen'
  has "$output" 'fired     run by hand'
  same 5 "$(sed -n '/^next:/,$p' <<< "$output" | grep -c ' JST, in ')"
}

@test "H14 H18 K13 after a stop: one fire that says how many were missed and how late, by each policy" {
  start_daemon
  belfry daemon stop
  # nobody can fire them before they are missed
  export BELFRY_NO_AUTOSTART=1
  belfry reminder add me -m 'm={{missed}}' --every 1s --name once > out
  belfry reminder add me -m all --every 1s --catchup all:2 --name all > out
  belfry reminder add me -m one-shot --in 1s --name shot > out
  belfry reminder add me -m deadline --in 1s --start-deadline 1s --name deadline > out
  unset BELFRY_NO_AUTOSTART
  sleep 4
  start_daemon
  wait_for 5 fired_at_least once 1
  wait_for 5 fired_at_least all 2
  wait_for 5 fired_at_least shot 1
  wait_for 5 json_is missed '.slots[0].outcome' belfry why deadline --json
  for name in once all; do belfry reminder pause $name > out; done
  # the oldest: a slow machine may miss some again
  missed=$(why once '[.slots[] | select(.outcome == "missed")][-1].occurrences')
  [ "$missed" -ge 2 ]
  has "$(why once '[.slots[] | select(.outcome == "missed")][-1].reason')" '(the daemon was not running)'
  body=$(json "[.[] | select(.body | startswith(\"m=$missed\"))][0].body" belfry queue list me --json)
  [[ $body =~ ^m=$missed$'\n\n'"($missed earlier ones were missed; this one is "[0-9]+m?s\ late\)$ ]]
  same "$missed" "$(why once '[.slots[] | select(.missed_before > 0)][-1].missed_before')"
  run -0 belfry why once
  has "$output" "$missed missed before"
  # the last two of those that were missed, each for itself
  same 2 "$(why all '[.slots[] | select(.outcome == "fired" and .lateness_us >= 1000)] | .[-2:] | length')"
  same '["fired",1]' "$(why shot '[.slots[0].outcome, .reminder.fire_count] | tojson')"
  [ "$(why shot '.slots[0].lateness_us')" -ge 1000000 ]
  same '["missed","later than its start deadline of 1s (the daemon was not running)",0]' \
    "$(why deadline '[.slots[0].outcome, .slots[0].reason, .reminder.fire_count] | tojson')"
  for name in once all shot; do agree $name; done
}

# One whose last occurrences were 10, 6 and 2 minutes ago, as a home that slept would have it.
overdue() {
  jq -nc --arg name "$1" --arg catchup "$2" --argjson now "$(date +%s)" '
    ($now - 840 | todate) as $past |
    {agent: "me", message: $name, name: $name, every: "4m", catchup: $catchup, tz: "UTC",
      created_at: $past, anchor: $past, cursor: $past}'
}

@test "H14 missed occurrences collapse into one fire that tells how many and how late" {
  { overdue once once; overdue skip skip; overdue all all:2; } > overdue.jsonl
  belfry reminder import overdue.jsonl
  wait_for 5 queued_is 3 me
  wait_for 5 json_is missed '.slots[0].outcome' belfry why skip --json
  same 'once

(2 earlier ones were missed; this one is 2m late)' "$(json '.[] | select(.body | startswith("once")).body' belfry queue list me --json | sed 's/2m [0-9]*s late/2m late/')"
  same '[["fired",1,2],["missed",2,0]]' "$(why once '[.slots[] | [.outcome, .occurrences, .missed_before]] | tojson')"
  same '[["missed",3,0]]' "$(why skip '[.slots[] | [.outcome, .occurrences, .missed_before]] | tojson')"
  has "$(why skip '.slots[0].reason')" 'catch-up is skip'
  same '[["fired",1,0],["fired",1,1],["missed",1,0]]' "$(why all '[.slots[] | [.outcome, .occurrences, .missed_before]] | tojson')"
  has "$(belfry why once)" '2 occurrences since'
  has "$(belfry why once)" 'fired 2m'
  for name in once skip all; do agree $name; done
}

@test "H16 H17 kill -9 in the middle of fires: nothing twice, nothing lost" {
  start_daemon
  for i in 1 2 3 4 5; do belfry reminder add me -m "n $i" --every 1s --name "t$i" > out; done
  for _ in 1 2 3; do
    sleep 0.7
    kill_daemon
    start_daemon
  done
  wait_for 5 fired_at_least t5 2
  for i in 1 2 3 4 5; do belfry reminder pause "t$i" > out; done
  for i in 1 2 3 4 5; do
    agree "t$i"
    # every second since creation is in exactly one slot
    why "t$i" '[.slots[] | select(.by_hand | not)] | {n: (map(.occurrences) | add),
      first: (map(.first_nominal) | min), last: (map(.nominal) | max)} |
      .n - 1 == ((.last | sub("(\\.[0-9]+)?\\+00:00$"; "Z") | fromdate) - (.first | sub("(\\.[0-9]+)?\\+00:00$"; "Z") | fromdate))' | grep -qx true
  done
}

@test "H4 H15 paused, edited, completed or removed while it comes due" {
  start_daemon
  # in one go, so that nothing is due in between, however slow the machine is
  talk > replies << 'EOF'
{"request":"reminder add","args":{"agent":"me","message":"single","in":"2s","name":"single"}}
{"request":"reminder pause","args":{"reminder":"single"}}
{"request":"reminder add","args":{"agent":"me","message":"again","every":"2s","name":"again"}}
{"request":"reminder pause","args":{"reminder":"again"}}
{"request":"reminder add","args":{"agent":"me","message":"edited","in":"2s","name":"edited"}}
{"request":"reminder edit","args":{"reminder":"edited","in":"1h"}}
{"request":"reminder add","args":{"agent":"me","message":"done","every":"2s","name":"done"}}
{"request":"reminder complete","args":{"reminder":"done"}}
{"request":"reminder add","args":{"agent":"me","message":"removed","in":"2s","name":"removed"}}
{"request":"reminder remove","args":{"reminder":"removed"}}
EOF
  same 10 "$(grep -c '"ok":true' replies)"
  sleep 5
  same 0 "$(queued me)"
  belfry reminder resume single > out
  has "$(cat out)" 'fires at once'
  belfry reminder resume again > out
  wait_for 5 fired_at_least again 1
  wait_for 5 fired_at_least single 1
  belfry reminder pause again > out
  same '["completed",1]' "$(of single '[.status, .fire_count] | tojson')"
  why again '[.slots[] | select(.outcome == "skipped")][0] | [.reason, .occurrences >= 2] | tojson' | grep -qx '\["paused",true\]'
  same '["active",0]' "$(of edited '[.status, .fire_count] | tojson')"
  same '["completed",0]' "$(of done '[.status, .fire_count] | tojson')"
  same '["cancelled",0]' "$(of removed '[.status, .fire_count] | tojson')"
  for name in single again; do agree $name; done
}

@test "H17 new zone files: what is due is worked out anew, also when there is much of it" {
  local next
  mkdir -p zones/America
  cp /usr/share/zoneinfo/UTC zones/
  cp /usr/share/zoneinfo/America/New_York zones/America/
  echo '# version 2026a' > zones/tzdata.zi
  export TZDIR=$PWD/zones
  belfry reminder add me -m x --name nine --cron '0 9 * * *' --tz America/New_York --json > added
  has "$(jq -r .next_fire added)" 'T09:00:00-0'
  for i in $(seq 1100); do
    echo "{\"agent\":\"me\",\"message\":\"x\",\"name\":\"n$i\",\"cron\":\"0 9 * * *\",\"tz\":\"America/New_York\"}"
  done | belfry reminder import - > out
  belfry daemon stop > out
  cp /usr/share/zoneinfo/Asia/Tokyo zones/America/New_York
  echo '# version 2026b' > zones/tzdata.zi
  start_daemon
  planned_anew() {
    next=$(belfry reminder list --json | jq -r '[.[].next_fire[10:]] | unique | join(" ")')
    [ "$next" = 'T09:00:00+09:00' ]
  }
  wait_for 10 planned_anew
  belfry daemon stop > out
  start_daemon
  planned_anew
}
