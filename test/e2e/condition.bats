#!/usr/bin/env bats
# Conditions: what a command's end means in each mode, and what is told about it.
load helper
e2e_on_postgres='each, until and once|K5 K12'

setup_test() {
  mkdir -p workshop
  cat > "$BELFRY_HOME/config.yml" << EOF2
agents:
  builder:
    directory: $BATS_TEST_TMPDIR/workshop
    environment: {FLAVOUR: mint}
EOF2
}

# ask NAME MODE COMMAND [ARGUMENT...]: due now, and not again during the test.
ask() {
  belfry reminder add builder -m "$1" --every 1h --now --name "$1" --mode "$2" --condition "$3" \
    "${@:4}" > out 2>&1
}

decided() {
  [[ $(why "$1" '.slots[0].outcome') =~ ^(fired|skipped|failed)$ ]]
}

# With what it has its commands from.
only_the_daemon_is_left() {
  [ "$(processes_left | wc -w)" -le 2 ] && has " $(processes_left) " " $(daemon_pid) "
}

@test "H7 H8 each, until and once, with a command that is true, false or in error" {
  start_daemon
  for mode in each until once; do
    ask "$mode-true" $mode 'exit 0'
    ask "$mode-false" $mode 'exit 125'
    ask "$mode-126" $mode 'exit 126'
    ask "$mode-127" $mode 'no-such-command'
    ask "$mode-signal" $mode 'kill -9 $$'
  done
  ask each-time each 'echo waiting >&2; sleep 60' --condition-timeout 4s
  ask once-time once 'sleep 60' --condition-timeout 1s
  while read -r name want; do
    wait_for 30 decided "$name"
    same "$name $want" "$name $(why "$name" '[.slots[0].outcome, .slots[0].verdict, .reminder.status, .reminder.fire_count] | join(" ")')"
  done << 'TABLE'
each-true fired true active 1
each-false skipped false active 0
until-true skipped true completed 0
until-false fired false active 1
once-true fired true completed 1
once-false skipped false active 0
each-126 failed error active 0
until-126 failed error active 0
once-126 failed error active 0
each-127 failed error active 0
until-127 failed error active 0
once-127 failed error active 0
each-signal failed error active 0
until-signal failed error active 0
once-signal failed error active 0
each-time failed error active 0
once-time failed error active 0
TABLE
  same 'condition met' "$(of until-true .end_reason)"
  same 'condition met' "$(of once-true .end_reason)"
  # the tail of stderr, in show and why, as words and as JSON
  has "$(of each-127 .last.verdict_detail)" 'exit status 127: '
  has "$(of each-127 .last.verdict_detail)" 'no-such-command: not found'
  has "$(belfry reminder show each-127)" 'no-such-command: not found'
  has "$(belfry why each-signal)" 'condition: error, ended by signal 9'
  same 'no end within 4s, so it was killed: waiting' "$(why each-time '.slots[0].verdict_detail')"
  has "$(belfry why each-time)" 'failed    the condition could not be checked'$'\n'
  same 3 "$(queued builder)"
}

@test "H8 a command runs in the agent's directory and environment, and stderr is cut to its tail" {
  start_daemon
  ask place each "test \"\$PWD\" = '$BATS_TEST_TMPDIR/workshop' && test \"\$FLAVOUR\" = mint &&
    test \"\$BELFRY_AGENT\" = builder && test \"\$BELFRY_REMINDER_NAME\" = place && test -n \"\$BELFRY_SCHEDULED_AT\""
  ask chatty each 'yes chatter | head -c 300000 >&2; echo the end >&2; exit 127'
  wait_for 30 decided place
  wait_for 30 decided chatty
  same true "$(why place '.slots[0].verdict')"
  detail=$(why chatty '.slots[0].verdict_detail')
  [[ $detail == *'the end' ]]
  [ ${#detail} -lt 8192 ]
}

@test "H7 until fires while false, and completes without a fire once it is true" {
  start_daemon
  belfry reminder add builder -m nag --every 1s --name nag --condition 'test -e done' --mode until --json > added
  same '[]' "$(jq -c .warnings added)"
  wait_for 30 json_is true '.fire_count >= 2' belfry reminder show nag --json
  touch workshop/done
  wait_for 30 json_is completed .status belfry reminder show nag --json
  # nobody is there to take them: one waits, and tells of the others
  same 1 "$(queued builder)"
  same "$(($(of nag .fire_count) - 1))" "$(json '.[0].earlier' belfry queue list builder --json)"
  same '["skipped","the condition was met: completed","true"]' \
    "$(why nag '.slots[0] | [.outcome, .reason, .verdict] | tojson')"
}

@test "add warns when until is already true, asked in the agent's place; a slow command costs 5 s" {
  touch workshop/done
  for text in json words; do
    [ $text = json ] && flag=--json || flag=
    # shellcheck disable=SC2086
    belfry reminder add builder -m x --every 1h --mode until \
      --condition 'test -e done && test "$FLAVOUR" = mint; s=$?; echo no""ise; echo no""ise >&2; exit $s' $flag > $text 2> $text.err
  done
  same 'the condition is already true: the first check will complete it, and it will never fire' "$(jq -r '.warnings[0]' json)"
  has "$(cat words.err)" 'warning: the condition is already true: '
  same '' "$(grep noise json words words.err)"
  for condition in false no-such-command 'kill -9 $$'; do
    same '[]' "$(belfry reminder add builder -m x --every 1h --mode until --condition "$condition" --json | jq -c .warnings)"
  done
  # each and once are no mistake when true
  same '[]' "$(belfry reminder add builder -m x --every 1h --mode once --condition true --json | jq -c .warnings)"
  begun=$SECONDS
  same '[]' "$(belfry reminder add builder -m x --every 1h --mode until --condition 'sleep 77' --json | jq -c .warnings)"
  [ $((SECONDS - begun)) -ge 4 ]
  [ $((SECONDS - begun)) -le 60 ]
  wait_for 30 only_the_daemon_is_left
}

@test "K5 K12 K15 what keeps a reminder from firing is marked in the list, and doctor names it" {
  start_daemon
  belfry reminder add me -m x --every 1s --name broken --condition 'no-such-program -f' > out
  wait_for 30 json_is failing '.[0].state' belfry reminder list --json
  has "$(belfry reminder list)" failing
  has "$(belfry reminder show broken)" 'its condition cannot be checked: '
  run belfry doctor
  has "$output" '✓ store    opens and is sound'
  has "$output" "✗ firing   'broken' does not fire: its condition cannot be checked: "
  same 1 "$(json '[.[] | select(.body | startswith("The condition of"))] | length' belfry queue list me --all --json)"
}

@test "JO23 K15 a zone file that is gone is told at the next start, once, with the names" {
  cp -r /usr/share/zoneinfo zones
  export TZDIR=$PWD/zones
  belfry reminder add me -m x --cron '0 9 * * *' --tz Europe/Berlin --name morning > out
  belfry reminder add me -m x --cron '0 18 * * *' --tz Europe/Berlin --name evening > out
  belfry reminder add me -m x --cron '0 18 * * *' --tz Europe/Paris --name other > out
  stop_daemon
  rm zones/Europe/Berlin
  start_daemon
  wait_for 30 queued_is 1 me
  json '.[].body' belfry queue list me --json > told
  has "$(cat told)" '2 reminders cannot fire: '
  has "$(cat told)" Europe/Berlin
  has "$(cat told)" '- evening'
  has "$(cat told)" '- morning'
  [[ $(cat told) != *other* ]]
  stop_daemon
  start_daemon
  same 1 "$(json length belfry queue list me --json)"
}
