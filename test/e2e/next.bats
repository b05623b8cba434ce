#!/usr/bin/env bats
# When it would fire: next, its batches, and simulate.
load helper
e2e_shown_once=1

# fires ARGUMENT...: the instants on one line.
fires() {
  belfry next "$@" --json | jq -r '.fires | join(" ")'
}

@test "next: one object with the zone and RFC 3339 fires, strictly after --from" {
  belfry next --cron '0 9 * * *' --tz Europe/Berlin --from 2026-10-24T09:00:00+02:00 -n 3 --json > out
  same '{"zone":"Europe/Berlin","fires":["2026-10-25T09:00:00+01:00","2026-10-26T09:00:00+01:00","2026-10-27T09:00:00+01:00"]}' \
    "$(jq -c '{zone, fires}' out)"
  same 5 "$(belfry next --every 1m --json | jq '.fires | length')"
  same '2026-01-01T00:00:01+00:00' "$(fires --at 2026-01-01T00:00:01+00:00 --from 2026-01-01T00:00:00.999999+00:00)"
  same '' "$(fires --at 2026-01-01T00:00:00+00:00 --from 2026-01-01T00:00:00+00:00)"
  same '2026-01-01T02:00:00+00:00' "$(fires --in 2h --from 2026-01-01T00:00:00+00:00)"
  same '2026-01-01T00:15:00+00:00 2026-01-01T00:30:00+00:00' "$(fires --every 15m --from 2026-01-01T00:00:00+00:00 -n 2)"
  same '' "$(fires --cron '0 0 31 2 *' --from 2026-01-01T00:00:00+00:00)"
  run daemon_pid
  [ "$status" -ne 0 ] # a pure question
}

@test "H13 recurrence rules: sets, positions, week starts, bounds, exceptions and extra dates" {
  export TZ=UTC
  while IFS='|' read -r rule from want; do
    same "$rule: $want" "$rule: $(fires --rrule "$rule" --from "$from" -n 3)"
  done << 'TABLE'
FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=17;BYMINUTE=0;BYSECOND=0|2026-01-01T00:00:00+00:00|2026-01-30T17:00:00+00:00 2026-02-27T17:00:00+00:00 2026-03-31T17:00:00+00:00
FREQ=YEARLY;BYMONTH=11;BYDAY=TH;BYSETPOS=4;BYHOUR=12;BYMINUTE=0;BYSECOND=0|2026-01-01T00:00:00+00:00|2026-11-26T12:00:00+00:00 2027-11-25T12:00:00+00:00 2028-11-23T12:00:00+00:00
DTSTART:19970805T090000Z RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU|1997-08-04T00:00:00+00:00|1997-08-05T09:00:00+00:00 1997-08-17T09:00:00+00:00 1997-08-19T09:00:00+00:00
DTSTART:19970805T090000Z RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO|1997-08-04T00:00:00+00:00|1997-08-05T09:00:00+00:00 1997-08-10T09:00:00+00:00 1997-08-19T09:00:00+00:00
DTSTART:20260101T090000Z RRULE:FREQ=DAILY;UNTIL=20260102T090000Z|2025-12-31T00:00:00+00:00|2026-01-01T09:00:00+00:00 2026-01-02T09:00:00+00:00
DTSTART:20260101T090000Z RRULE:FREQ=DAILY EXDATE:20260102T090000Z RDATE:20260102T120000Z|2025-12-31T00:00:00+00:00|2026-01-01T09:00:00+00:00 2026-01-02T12:00:00+00:00 2026-01-03T09:00:00+00:00
DTSTART;TZID=America/New_York:20260307T023000 RRULE:FREQ=DAILY|2026-03-06T00:00:00+00:00|2026-03-07T02:30:00-05:00 2026-03-08T03:30:00-04:00 2026-03-09T02:30:00-04:00
FREQ=HOURLY;BYMINUTE=0;BYSECOND=0|2026-01-01T22:30:00+00:00|2026-01-01T23:00:00+00:00 2026-01-02T00:00:00+00:00 2026-01-02T01:00:00+00:00
FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYHOUR=9;BYMINUTE=0;BYSECOND=0|2026-01-01T00:00:00+00:00|2026-12-28T09:00:00+00:00 2032-12-27T09:00:00+00:00 2037-12-28T09:00:00+00:00
FREQ=YEARLY;BYYEARDAY=-1;BYHOUR=0;BYMINUTE=0;BYSECOND=0|2026-01-01T00:00:00+00:00|2026-12-31T00:00:00+00:00 2027-12-31T00:00:00+00:00 2028-12-31T00:00:00+00:00
FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=8;BYMINUTE=0;BYSECOND=0|2026-01-31T08:00:00+00:00|2026-03-31T08:00:00+00:00 2026-05-31T08:00:00+00:00 2026-07-31T08:00:00+00:00
TABLE
}

@test "H21 times as people say them, seen from a Sunday noon in Berlin" {
  while IFS='|' read -r phrase want; do
    same "$phrase: $want" "$phrase: $(fires --at "$phrase" --tz Europe/Berlin --from 2026-02-15T12:00:00+01:00)"
  done << 'TABLE'
2026-02-20T15:00:00+00:00|2026-02-20T16:00:00+01:00
2026-02-20 15:00|2026-02-20T15:00:00+01:00
15:30|2026-02-15T15:30:00+01:00
3pm|2026-02-15T15:00:00+01:00
11:00|2026-02-16T11:00:00+01:00
tomorrow 9am|2026-02-16T09:00:00+01:00
monday 10:00|2026-02-16T10:00:00+01:00
next friday noon|2026-02-20T12:00:00+01:00
feb 20 3pm|2026-02-20T15:00:00+01:00
feb 10 3pm|2027-02-10T15:00:00+01:00
TABLE
  while IFS='|' read -r span want; do
    same "$span: $want" "$span: $(fires --in "$span" --from 2026-01-01T00:00:00+00:00)"
  done << 'TABLE'
90s|2026-01-01T00:01:30+00:00
30m|2026-01-01T00:30:00+00:00
1h30m|2026-01-01T01:30:00+00:00
2d|2026-01-03T00:00:00+00:00
1w|2026-01-08T00:00:00+00:00
TABLE
}

@test "next: clock changes, in the gap and in the overlap" {
  same '2026-03-08T03:30:00-04:00' "$(fires --cron '30 2 * * *' --tz America/New_York --from 2026-03-07T12:00:00-05:00 -n 1)"
  same '2026-11-01T01:30:00-04:00 2026-11-02T01:30:00-05:00' \
    "$(fires --cron '30 1 * * *' --tz America/New_York --from 2026-10-31T12:00:00-04:00 -n 2)"
  same '2026-11-01T01:30:00-04:00 2026-11-01T01:30:00-05:00' \
    "$(fires --cron '30 * * * *' --tz America/New_York --from 2026-11-01T00:45:00-04:00 -n 2)"
  # a rule without a start, whose first occurrence is one that the gap moves
  same '2026-03-29T02:06:00+01:00 2026-04-02T01:06:00+01:00' \
    "$(fires --rrule 'FREQ=DAILY;INTERVAL=2;BYDAY=WE,TH,SA,SU;BYHOUR=1;BYMINUTE=6' --tz Europe/Dublin --from 2026-03-27T03:00:00+00:00 -n 2)"
  same '2026-03-29T02:06:00+01:00 2026-03-30T01:06:00+01:00' \
    "$(fires --rrule 'FREQ=DAILY' --tz Europe/Dublin --from 2026-03-28T01:06:00+00:00 -n 2)"
  same '2026-04-05T02:00:00+10:30' "$(fires --cron '0 2 * * *' --tz Australia/Lord_Howe --from 2026-04-04T12:00:00+11:00 -n 1)"
}

@test "next --batch: one answer a line, in order; bad lines are answered and do not stop it" {
  cat > questions << 'LINES'
{"cron":"0 9 * * *","tz":"Asia/Tokyo","from":"2026-01-01T00:00:00+09:00","n":2}
not json
{"cron":"61 * * * *"}
{}
{"every":"1h","at":"9am"}
{"at":"gibberish"}
{"cron":"0 9 * * *","colour":"red"}
[1]
{"rrule":"FREQ=DAILY;BYHOUR=9","dtstart":"2026-01-01T00:00:00","from":"2026-01-01T00:00:00+00:00","n":1}
LINES
  printf '{"every":"1h","from":"2026-01-01T00:00:00+00:00","n":1}' >> questions # without a newline
  run -0 --separate-stderr belfry next --batch --tz UTC < questions
  [ "${#lines[@]}" -eq 10 ]
  same '{"zone":"Asia/Tokyo","fires":["2026-01-01T09:00:00+09:00","2026-01-02T09:00:00+09:00"]}' \
    "$(jq -c '{zone, fires}' <<< "${lines[0]}")"
  for i in 1 2 3 4 5 6 7; do same string "$(jq -r '.error | type' <<< "${lines[$i]}")"; done
  has "${lines[2]}" "bad minute '61'"
  has "${lines[5]}" "'gibberish'"
  same 2026-01-01T09:00:00+00:00 "$(jq -r '.fires[0]' <<< "${lines[8]}")"
  same 2026-01-01T01:00:00+00:00 "$(jq -r '.fires[0]' <<< "${lines[9]}")"
}

@test "K25 K32 a time of today that has passed is refused, of a whole date it is said and logged; a span is told as it was asked for" {
  refused 2 "--at: 'today 00:00' has passed" reminder add me -m x --at 'today 00:00'
  has "$(cat stderr)" "hint: say a later time; a whole date, '"
  refused 2 "--at: 'today 00:00' has passed" next --at 'today 00:00'
  has "$(belfry next --at 2020-01-01)" '  has passed: a reminder fires at once'
  has "$(belfry next --at '2020-01-01 10:00')" '  has passed: a reminder fires at once'
  has "$(belfry reminder add me -m x --name past --at '2020-01-01 10:00')" 'which has passed: fires at once'
  wait_for 10 log_has "warning reminder 'past' fired "
  has "$(belfry reminder add me -m x --at 'in 20m')" ', in 20m'
  has "$(belfry next --at 'today 00:01' --from 'today 00:00')" ' 12:01 AM'
}

@test "simulate: every fire of every active reminder in the span, in order, touching nothing" {
  belfry reminder add me -m x --name daily --cron '0 9 * * *' --tz Europe/Berlin > out
  belfry reminder add me -m x --name hourly --every 12h > out
  belfry reminder add me -m x --name paused --cron '0 9 * * *' > out
  belfry reminder pause paused > out
  belfry reminder add me -m x --name once --at 2099-03-01T10:00:00+00:00 > out
  belfry reminder export --all > before
  belfry simulate --from 2099-03-01T00:00:00+00:00 --to 2099-03-02T12:00:00+00:00 --json > fires
  same '2 0 1 3' "$(jq -r '[.fires[].name] as $n | ["daily","paused","once","hourly"] | map(. as $w | $n | map(select(. == $w)) | length) | join(" ")' fires)"
  jq -e '[.fires[].at | sub("\\.[0-9]+"; "") | sub("\\+01:00$"; "Z")] | length == 6' fires
  same 2099-03-01T09:00:00+01:00 "$(jq -r '[.fires[] | select(.name == "daily") | .at][0]' fires)"
  same 2099-03-01T10:00:00+00:00 "$(jq -r '.fires[] | select(.name == "once") | .at' fires)"
  same "$(cat before)" "$(belfry reminder export --all)"
  belfry reminder add me -m Stretch --at 2099-03-05T10:00:00+00:00 > out
  has "$(belfry simulate --from 2099-03-05T09:59:00+00:00 --to 2099-03-05T10:01:00+00:00)" ' "Stretch" '
  belfry reminder rm "$(cut -d' ' -f1 out)" > /dev/null
  has "$(belfry simulate --from 2099-03-01T00:00:00+00:00 --to 2099-03-02T12:00:00+00:00 | tail -n 1)" '6 fires from Mar 1, 2099'
  same 0 "$(belfry simulate --from 2099-03-01T00:00:00+00:00 --to 2099-03-01T00:00:00+00:00 --json | jq '.fires | length')"
  refused 2 '--to lies before --from' simulate --from 2026-01-02 --to 2026-01-01
}

@test "N33 a day that bounds a span is all of it; a time is exact" {
  first() { belfry next --tz Europe/Berlin -n 1 --json "$@" | jq -r '.fires[0]'; }

  same 2099-11-20T08:00:00+01:00 "$(first --cron '0 8 * * *' --from 2099-11-20)"
  same 2099-11-20T00:00:00+01:00 "$(first --cron '0 0 * * *' --from 2099-11-20)"
  same 2099-11-21T08:00:00+01:00 "$(first --cron '0 8 * * *' --from '2099-11-20 8:00')"
  start_daemon
  belfry reminder add me -m x --cron '0 0,8,22 * * *' --tz Europe/Berlin --name thrice > /dev/null
  same '["2099-11-20T00:00:00+01:00","2099-11-20T08:00:00+01:00","2099-11-20T22:00:00+01:00"]' \
    "$(belfry simulate --from 2099-11-20 --to 2099-11-20 --tz Europe/Berlin --json | jq -c '[.fires[].at]')"
  same 3 "$(belfry simulate --from 2099-11-20 --tz Europe/Berlin --json | jq '.fires | length')"
}

@test "N33 --until DATE goes to the end of that day, and is read back by add and edit" {
  until_of() { belfry reminder show "$1" --json | jq -r .until; }

  start_daemon
  run -0 belfry reminder add me -m x --cron '0 17 * * *' --until '2099-12-24' --tz Europe/Berlin --name feast
  has "$output" '; until Dec 24, 2099 11:59 PM CET (+01:00)'
  same 2099-12-24T23:59:59.999999+01:00 "$(until_of feast)"
  same 2099-12-24T17:00:00+01:00 \
    "$(belfry simulate --from 2099-12-20 --to 2099-12-31 --tz Europe/Berlin --json | jq -r '.fires[-1].at')"
  run -0 belfry reminder edit feast --until '2099-12-23 16:00'
  has "$output" '; until Dec 23, 2099 4:00 PM CET (+01:00)'
  same 2099-12-23T16:00:00+01:00 "$(until_of feast)"
  run -0 belfry reminder edit feast --until never
  [[ $output != *until* ]]
  echo '{"agent":"me","message":"m","every":"1h","name":"brought","tz":"UTC","until":"2099-12-24"}' | belfry reminder import - > /dev/null
  same 2099-12-24T23:59:59.999999+00:00 "$(until_of brought)"
}
