#!/usr/bin/env bats
# What people get wrong: one clear error, a next step, a stable exit status, and nothing half-done.
load helper

# The table's columns: exit status | what the error says | arguments, as typed into a shell.
refused_rows() {
  local want text arguments before failed=0

  start_daemon
  before=$(belfry reminder list --all --json)
  while IFS='|' read -r want text arguments; do
    eval "refused \"\$want\" \"\$text\" $arguments" || failed=1
  done
  same "$before" "$(belfry reminder list --all --json)"
  [ $failed -eq 0 ]
}

@test "flags and commands: the nearest word is named" {
  refused_rows << 'TABLE'
2|unknown command 'remnider'|remnider list
2|unknown command 'reminder frob'|reminder frob
2|'reminder' needs a command after it|reminder
2|unknown flag '--evry'|reminder add me -m x --evry 5m
2|unknown flag '-q'|reminder list -q
2|--in needs a value|reminder add me -m x --in
2|--message is missing|reminder add me --in 5m
2|AGENT is missing|reminder add -m x --in 5m
2|unexpected argument 'you'|reminder add me you -m x --in 5m
2|--priority cannot be 'urgent'|reminder add me -m x --in 5m --priority urgent
2|--mode cannot be 'untill'|reminder add me -m x --in 5m --condition true --mode untill
2|--mode without a condition|reminder add me -m x --in 5m --mode until
2|two conditions|reminder add me -m x --in 5m --condition true --condition-prompt y
2|--catchup 'never' is not a catch-up|reminder add me -m x --in 5m --catchup never
TABLE
  has "$(belfry reminder add me -m x --evry 5m 2>&1)" "did you mean '--every'?"
  has "$(belfry reminder add me -m x --in 5m --mode untill --condition true 2>&1)" "did you mean 'until'?"
}

@test "H21 times that cannot be read: the offending word is quoted" {
  refused_rows << 'TABLE'
2|unknown word 'tomorow' at column 1|reminder add me -m x --at 'tomorow 9am'
2|unknown word 'blurg' at column 7|reminder add me -m x --at '15:30 blurg'
2|bad time '25:00' at column 10|reminder add me -m x --at 'tomorrow 25:00'
2|bad date '2026-02-30'|reminder add me -m x --at '2026-02-30 10:00'
2|bad month '13'|reminder add me -m x --at 2026-13-01T00:00:00Z
2|--at is empty|reminder add me -m x --at ''
2|unknown unit 'q' at column 2|reminder add me -m x --in 5q
2|unknown unit 'fortnight' at column 2|reminder add me -m x --every 1fortnight
2|bad minute '61' at column 1|reminder add me -m x --cron '61 * * * *'
2|4 fields instead of five|reminder add me -m x --cron '* * * *'
2|never fires|reminder add me -m x --cron '0 0 31 2 *'
2|bad FREQ 'DAYLY'|reminder add me -m x --rrule FREQ=DAYLY
2|stands beside COUNT|reminder add me -m x --rrule 'FREQ=DAILY;COUNT=3;UNTIL=20300101T000000Z'
2|unknown time zone 'Europe/Berln'|reminder add me -m x --in 5m --tz Europe/Berln
2|unknown time zone '../../etc/passwd'|reminder add me -m x --in 5m --tz ../../etc/passwd
2|nothing would fire before its --until|reminder add me -m x --every 5m --until 2020-01-01
TABLE
}

@test "who is not there: agents, reminders, messages" {
  printf 'agents:\n  builder: {}\n' > "$BELFRY_HOME/config.yml"
  refused_rows << 'TABLE'
3|no agent 'bulider'|reminder add bulider -m x --in 5m
3|no agent 'nobody'|reminder list nobody
3|no agent 'nobody'|queue take nobody
3|no reminder 'nope'|reminder show nope
3|no reminder 'nope'|reminder edit nope --every 5m
3|no reminder 'nope'|why nope
3|no message 'm-nope'|queue show m-nope
TABLE
  has "$(belfry reminder add bulider -m x --in 5m 2>&1)" "did you mean 'builder'?"
}

@test "absurd sizes" {
  export huge
  head -c 1048577 /dev/zero | tr '\0' x > big
  refused 2 'larger than 1 MiB' reminder add me -m - --in 5m < big
  huge=$(head -c 101 /dev/zero | tr '\0' n)
  refused_rows << 'TABLE'
2|the name is too long: 101 bytes|reminder add me -m x --in 5m --name "$huge"
2|--count -1 is outside|reminder add me -m x --every 5m --count=-1
2|--count takes a whole number, not 'many'|reminder add me -m x --every 5m --count many
2|'99999999999999999999' of --count is too large|reminder add me -m x --every 5m --count 99999999999999999999
2|--count 9999999999 is outside|reminder add me -m x --every 5m --count 9999999999
2|makes the duration too long|reminder add me -m x --in 99999999999999999999d
2|makes the duration too long|reminder add me -m x --every 99999999999w
2|is too short|reminder add me -m x --every 0s
2|is too short|reminder add me -m x --every 1ms
2|--condition-timeout '5h' is outside 1s to 10m|reminder add me -m x --in 5m --condition true --condition-timeout 5h
2|bad INTERVAL '99999999999999999999'|reminder add me -m x --rrule 'FREQ=DAILY;INTERVAL=99999999999999999999'
2|never fires|reminder add me -m x --rrule 'FREQ=YEARLY;INTERVAL=2147483647'
2|'999999999-01-01T00:00:00Z'|reminder add me -m x --at 999999999-01-01T00:00:00Z
2|--catchup 'all:99999'|reminder add me -m x --every 5m --catchup all:99999
2|-n 100001 is outside|next --every 1h -n 100001
TABLE
}

@test "control characters and bad UTF-8 are refused; what is shown is harmless" {
  refused_rows << 'TABLE'
2|control character 0x07 at byte 5|reminder add me -m $'bell\a' --in 5m
2|control character 0x1b|reminder add me -m x --name $'\e[31mred' --in 5m
2|control character|reminder add me -m x --in 5m --condition $'true\r'
2|a tab or a newline|reminder add me -m x --name $'a\nb' --in 5m
2|--message is not valid UTF-8|reminder add me -m $'bad \xff' --in 5m
2|--name is not valid UTF-8|reminder add me -m x --name $'\xc0\xaf' --in 5m
2|the message is empty|reminder add me -m '' --in 5m
2|the message is empty|reminder add me -m $' \n\t' --in 5m
TABLE
  refused 2 'not valid UTF-8' reminder add me -m - --in 5m <<< $'\xff'
  refused 2 'not valid UTF-8' reminder add me -m - --in 5m < <(printf 'a\0b')
  run -2 belfry reminder add me -m x --at $'\e[31mnow'
  [[ $output != *$'\e'* ]]
}

@test "config.yml: every mistake with its line and column" {
  while IFS='|' read -r place text yaml; do
    # shellcheck disable=SC2059
    printf "$yaml" > "$BELFRY_HOME/config.yml"
    refused 2 "config.yml:$place: $text" config check
  done << 'TABLE'
1:1|unknown key 'agnets'|agnets: {}\n
3:1|flow sequence without a closing bracket|agents:\n  a: [1\n
1:11|unknown time zone 'Mars/Olympus'|timezone: Mars/Olympus\n
4:7|unknown key 'comand'|agents:\n  builder:\n    deliver:\n      comand: [x]\n
TABLE
}
