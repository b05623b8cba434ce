#!/usr/bin/env bats
# The command line as a person or a script meets it.
load helper
e2e_shown_once=1
# shellcheck disable=SC2034 # the command itself, and the daemonless mode, with sanitizers
e2e_sanitized=1

# Run under a terminal of 80 columns; \r of the terminal is taken out.
on_terminal() {
  script -qec "stty cols ${columns:-80}; $*" /dev/null < /dev/null | tr -d '\r'
}

@test "help: the program, a group, a command, and by the word help" {
  run -0 belfry
  [[ ${lines[0]} == 'belfry: the clock and post office of AI agents' ]]
  run -0 belfry help
  [[ $output == *'  reminder add '* ]]
  [[ $output != *'import begin'* ]]
  run -0 belfry --help
  [[ $output == *'usage: belfry COMMAND'* ]]
  run -0 belfry reminder --help
  [[ $output == *'  reminder pause '* ]]
  by_flag=$(belfry reminder add --help)
  by_word=$(belfry help reminder add)
  [ "$by_flag" = "$by_word" ]
  [[ $by_flag == *'--start-deadline DURATION'* ]]
  run -0 belfry --version
  [[ $output =~ ^belfry\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "JN1 the help and the manual of --catchup all say how many that is, and how to have more" {
  belfry generate man man
  for text in "$(belfry reminder add --help)" "$(belfry cron add --help)" "$(belfry help config)" \
    "$(cat man/belfry-reminder.1)" "$(cat man/belfry-config.5)"; do
    has "$(tr -s ' \n' ' ' <<< "$text")" 'all (the newest 10)'
    has "$(tr -s ' \n' ' ' <<< "$text")" 'at most 1000'
  done
}

@test "help never starts a daemon and no line is wider than 80 columns" {
  belfry --help > help.txt
  # every command there is; examples, too, are lines that a person reads
  sed -nE '/^commands/,/^everywhere/s/^  ([a-z]+( [a-z-]+)?)  .*/\1/p' help.txt > words
  [ "$(wc -l < words)" -gt 60 ]
  while read -r words; do
    # shellcheck disable=SC2086
    belfry $words --help
  done < words >> help.txt
  same '' "$(LC_ALL=C.UTF-8 grep -E '^.{81}' help.txt)"
  run daemon_pid
  [ "$status" -ne 0 ]
}

@test "I17 belfry alone is one screen, and names every command" {
  belfry > screen
  [ "$(wc -l < screen)" -le 24 ]
  [ "$(LC_ALL=C.UTF-8 wc -L < screen)" -le 80 ]
  has "$(cat screen)" 'start here'
  # I31: each first word has a description
  belfry complete-words '' > words
  while IFS=$'\t' read -r word about; do
    [ -n "$about" ] || { echo "'$word' is not described"; false; }
    [ "$word" = help ] || has "$(tr -d , < screen | tr '\n' ' ')" " $word "
  done < words
  run daemon_pid
  [ "$status" -ne 0 ]
}

@test "I15 I9 the same words for every noun, and nothing that costs is guessed from afar" {
  for noun in reminder task queue inbox lesson workflow cron mission agent token; do
    same "$(belfry $noun ls)" "$(belfry $noun list)"
  done
  for noun in reminder task cron mission agent token; do
    for verb in rm remove; do
      run ! belfry $noun $verb nothing-like-that
      [[ $output != *'unknown command'* ]] || { echo "$noun $verb: $output"; false; }
    done
  done
  same "$(belfry --version)" "$(belfry version)"
  same "$(belfry -V)" "$(belfry version)"
  hint() {
    run -2 belfry "${@:2}"
    has "$output" "hint: $1"
  }
  hint 'one of: new, ls, ' mission resmeu X
  hint 'one of: add, list, ' reminder remoev X
  hint "'belfry help' lists the commands" frob
  hint "did you mean 'message'?" msg
  hint "did you mean 'inbox list'?" inbox lst
  hint "did you mean 'belfry inbox show thr-abc123'?" inbox thr-abc123
  has "$(belfry inbox help)" 'inbox reply'
  hint "did you mean 'mission new'?" mission run builder x
  hint "did you mean 'mission new'?" mission start builder x
  hint "nothing is deleted here; 'belfry inbox archive'" inbox rm thr-abc123
  hint "nothing is deleted here; 'belfry inbox archive'" inbox delete thr-abc123
  hint "did you mean 'agent stop'?" agent stp builder
  hint "did you mean 'agent send' or 'message send'?" send builder x
  hint "'belfry daemon stop', then 'belfry daemon start'" daemon restart
  hint "'belfry mission new' gives an agent work" ask builder x
}

@test "I20 lists end where a person can still look, and say how much more there is" {
  for i in {1..60}; do echo "{\"agent\": \"me\", \"message\": \"n$i\", \"at\": \"2020-01-01 10:00\"}"; done > many
  belfry reminder import many
  wait_for 30 queued_is 60 me
  run -0 --separate-stderr belfry queue list
  same 51 "${#lines[@]}"
  same '… and 10 older: --limit 200, or --limit 0 for all' "$stderr"
  run -0 --separate-stderr belfry queue list -n 3
  same 4 "${#lines[@]}"
  # L2 F4: the newest ones, the newest last
  same "$(json '.[-3:] | map(.id) | join(" ")' belfry queue list --json)" "$(awk 'NR > 1 { print $1 }' <<< "$output" | xargs)"
  same 61 "$(belfry queue list --limit 0 | wc -l)"
  same 60 "$(json length belfry queue list --json)"
  same 5 "$(json length belfry queue list --json --limit 5)"
  same '[]' "$(belfry queue list --state delivered --json)"
  belfry queue take me > /dev/null
  same 1 "$(json length belfry queue list --state delivered --json)"
  same '[]' "$(belfry mission ls --state error --limit 3 --json)"
  run -2 belfry mission ls --state nonsense
  run -2 belfry queue list --limit -1
}

@test "I2 queue take: what cannot be printed stays in the queue" {
  belfry reminder add me -m precious --at '2020-01-01 10:00' 2> /dev/null
  wait_for 30 queued_is 1 me
  run -7 --separate-stderr bash -c '"$BELFRY_BIN" queue take me > /dev/full'
  has "$stderr" 'the message is still in the queue'
  run -7 bash -c 'set -o pipefail; "$BELFRY_BIN" queue take me 2> /dev/null | (exec <&-; sleep 1)'
  same queued "$(json '.[0].state' belfry queue list --json)"
  same 1 "$(json '.threads[0].unread' belfry inbox list --json)"
  has "$(belfry queue take me --peek)" precious
  has "$(belfry queue take me)" precious
  run -3 belfry queue take me
  same delivered "$(json '.[0].state' belfry queue list --all --json)"
}

@test "I21 I23 I24 what is not there, or cannot be shown, is said so" {
  has "$(belfry doctor)" "there is no '$BELFRY_HOME/config.yml'"
  belfry reminder add me -m 'one … 日本' --in 1h --name latin
  LC_ALL=C script -qec "$BELFRY_BIN reminder show latin" typescript > /dev/null < /dev/null
  has "$(cat typescript)" 'one ... ??'
  has "$(LC_ALL=C belfry reminder show latin)" 'one … 日本'
  printf 'agents:\n  fake: {command: [true]}\n' > "$BELFRY_HOME/config.yml"
  id=$(json .id belfry mission new fake $'look \u202e at' --json)
  belfry mission show "$id" --json > shown
  grep -q 'u202e' shown
  run -1 grep -q $'\u202e' shown
  same $'look \u202e at' "$(json .prompt belfry mission show "$id" --json)"
}

@test "mistakes exit 2, are told once on stderr, and name the nearest word" {
  run -2 --separate-stderr belfry remnider list
  [ -z "$output" ]
  [ "$stderr" = "belfry: unknown command 'remnider'"$'\n'"hint: did you mean 'reminder'?" ]
  run -2 --separate-stderr belfry reminder add me -m x --evry 5m
  [[ $stderr == *"hint: did you mean '--every'?"* ]]
  run -2 --separate-stderr belfry reminder show
  [ "$stderr" = "belfry: REMINDER is missing"$'\n'"hint: usage: belfry reminder show REMINDER" ]
  run daemon_pid
  [ "$status" -ne 0 ]
}

@test "--json tells an error as an object, with the exit status of its kind" {
  run -3 --separate-stderr belfry reminder show nope --json
  [ "$(jq -r .error.code <<< "$output")" = not_found ]
  [[ $stderr == "belfry: "* ]]
  run -2 --separate-stderr belfry reminder add me --json
  [ "$(jq -r .error.message <<< "$output")" = '--message is missing' ]
}

@test "H18 ten first commands at once start one daemon, and all are saved" {
  for i in 1 2 3 4 5 6 7 8 9 10; do
    belfry reminder add me -m "text $i" --in 1h > "out.$i" 2>&1 3>&- &
  done
  wait
  run -0 belfry reminder list --json
  [ "$(jq length <<< "$output")" -eq 10 ]
  [ "$(grep -c ' started: ' "$BELFRY_HOME/daemon.log")" -eq 1 ]
}

@test "H18 a started daemon holds none of the caller's pipes" {
  # The pipe ends although the daemon lives on; bats itself would hang on a leaked descriptor.
  [ "$(timeout 30 bash -c '"$BELFRY_BIN" reminder add me -m x --in 1h 9>&1 | wc -l')" -eq 1 ]
  daemon_pid
}

@test "a daemon that cannot start says why" {
  echo 'tiemzone: UTC' > "$BELFRY_HOME/config.yml"
  run -6 --separate-stderr belfry status
  [ "${stderr_lines[0]}" = "belfry: the daemon did not start: $BELFRY_HOME/config.yml:1:1: unknown key 'tiemzone'" ]
  [ "${stderr_lines[1]}" = "hint: did you mean 'timezone'?" ]
  run -2 --separate-stderr belfry config check
  [[ $stderr == *"config.yml:1:1: unknown key 'tiemzone'"* ]]
  rm "$BELFRY_HOME/config.yml"
  run -0 belfry config check
  [ "$output" = 'config.yml is fine: 0 agents' ]
}

@test "A8 config check names the crons that will not fire, and says so by its exit status" {
  cat > "$BELFRY_HOME/config.yml" <<'END'
agents: {builder: {command: [cat]}}
crons:
  good: {schedule: 0 9 * * *, agent: builder, prompt: p}
  bad: {schedule: 0 9 * * *, agent: bulider, prompt: p}
END
  run -2 --separate-stderr belfry config check
  [ "$output" = 'config.yml can be used, but 1 of 2 crons will not fire: 1 agent, 2 crons' ]
  [ "$stderr" = "warning: cron 'bad' will not fire: $BELFRY_HOME/config.yml:4:37: unknown agent 'bulider'; did you mean 'builder'?" ]
  run -2 --separate-stderr belfry config check --json
  [ "$(jq -r '.ok, .crons, (.bad_crons[] | .name, .line, .column)' <<< "$output" | paste -sd' ')" = 'false 2 bad 4 3' ]
  # what is disabled does not fire anyway
  sed -i 's/bulider,/bulider, enabled: false,/' "$BELFRY_HOME/config.yml"
  run -0 --separate-stderr belfry config check
  [ "$output" = 'config.yml is fine: 1 agent, 2 crons (1 will not fire)' ]
}

@test "a home deeper than a socket's address works" {
  deep=$BELFRY_HOME/$(printf 'a%.0s' {1..120})/$(printf 'b%.0s' {1..120})
  BELFRY_HOME=$deep run -0 belfry reminder add me -m x --in 1h
  BELFRY_HOME=$deep run -0 belfry daemon stop
  [[ $output == 'the daemon is stopped'* ]]
}

@test "N67 who looks into a home that is not there is told that it is a new one; N66 doctor looks above it, too" {
  export BELFRY_HOME=$BATS_TEST_TMPDIR/fresh
  run -0 --separate-stderr belfry status
  same "belfry: a new home: $BELFRY_HOME" "$stderr"
  run -0 --separate-stderr belfry status
  same '' "$stderr"
  belfry daemon stop
  folders() { belfry doctor --json | command jq -r '.checks[] | select(.name == "folders") | "\(.ok) \(.detail)"'; }
  has "$(folders)" "true '$BELFRY_HOME' is yours alone"
  mkdir -m 777 "$BATS_TEST_TMPDIR/open"
  export BELFRY_HOME=$BATS_TEST_TMPDIR/open/home
  mkdir -m 700 "$BELFRY_HOME"
  has "$(folders)" "false '$BATS_TEST_TMPDIR/open' may be written by others"
}

@test "H20 the message from standard input, as it is" {
  id=$(printf 'one\ntwo é\n' | belfry reminder add me -m - --in 1h --json | jq -r .id)
  [ "$(belfry reminder show "$id" --json | jq .message)" = '"one\ntwo é\n"' ]
  run -2 --separate-stderr belfry reminder add me -m - --in 1h < <(head -c 1048577 /dev/zero | tr '\0' x)
  [[ $stderr == *'larger than 1 MiB'* ]]
  run -2 --separate-stderr belfry reminder add me -m $'bad \xff' --in 1h
  [[ $stderr == *'--message is not valid UTF-8'* ]]
}

@test "H22 the list: columns, names, and what to do when it is empty" {
  run -0 belfry reminder list
  [[ $output == 'no reminders; add one: belfry reminder add '* ]]
  belfry reminder add me -m 'look at CI' --name ci --cron '0 9 * * 1-5' > out
  [[ $(cat out) =~ ^r-[0-9a-z]{6}\ \ at\ 9:00\ AM\ on\ weekdays ]]
  belfry reminder add me -m 'stand up' --every 30m > out
  run -0 belfry reminder list
  [[ ${lines[0]} =~ ^ID\ +NAME\ +AGENT\ +SCHEDULE\ +NEXT\ FIRE\ +STATUS\ +FIRES$ ]]
  [[ ${lines[1]} =~ ^r-[0-9a-z]{6}\ +ci\ +me\ +'cron 0 9 * * 1-5'\ +.*active\ +0$ ]]
  [[ ${lines[2]} =~ ^r-[0-9a-z]{6}\ +'"stand up"'\ +me\ +'every 30m'\ +.*active\ +0$ ]]
  run -0 belfry reminder list me
  [[ ${lines[0]} != *AGENT* ]]
  [ "$(json 'type' belfry reminder list --json)" = array ]
}

@test "lists longer than a page are whole, as words and as JSON" {
  for i in $(seq 1201); do
    echo "{\"agent\":\"me\",\"message\":\"m\",\"name\":\"n$i\",\"every\":\"1h\"}"
  done > many.jsonl
  run -0 belfry reminder import many.jsonl
  [[ $output =~ ^imported\ 1201\ reminders\ in\ [0-9.]+\ s$ ]]
  [ "$(belfry reminder list | wc -l)" -eq 1202 ]
  [ "$(json 'map(.name) | unique | length' belfry reminder list --json)" -eq 1201 ]
  [ "$(belfry reminder export | wc -l)" -eq 1201 ]
}

@test "H2 export and import round-trip" {
  belfry reminder add me -m $'two\nlines' --name a --cron '0 9 * * *' --tz Europe/Berlin --count 3
  belfry reminder add me -m b --every 15m --condition 'true' --mode until --priority normal
  belfry reminder pause a
  belfry reminder export > before.jsonl
  belfry daemon stop
  (
    export BELFRY_HOME=$BATS_TEST_TMPDIR/second BELFRY_STORE=sqlite:$BATS_TEST_TMPDIR/second.db
    belfry reminder import before.jsonl --json > imported
    belfry reminder export > after.jsonl
    belfry daemon stop
  )
  [ "$(jq .imported imported)" -eq 2 ]
  # when it was last touched is the one thing that may differ
  diff <(jq -S 'del(.updated_at)' before.jsonl) <(jq -S 'del(.updated_at)' after.jsonl)
}

@test "an import with one bad line imports nothing and names the line" {
  printf '%s\n' '{"agent":"me","message":"a","every":"1h"}' '' \
    '{"agent":"me","message":"b","every":"1 fortnight"}' > bad.jsonl
  run -2 --separate-stderr belfry reminder import bad.jsonl
  [[ $stderr == 'belfry: line 3: '* ]]
  printf '%s\n' '{"agent":"me","message":"a","every":"1h"}' '{oops' > bad.jsonl
  run -2 --separate-stderr belfry reminder import bad.jsonl
  [[ $stderr == 'belfry: line 2: bad JSON'* ]]
  run -3 --separate-stderr belfry reminder import missing.jsonl
  [ "$(json length belfry reminder list --all --json)" -eq 0 ]
}

@test "an import that is interrupted imports nothing" {
  start_daemon
  mkfifo lines
  "$BELFRY_BIN" reminder import lines > out 2>&1 3>&- &
  pid=$!
  exec 8> lines
  # more than a pipe holds: when all of it is written the import is at work
  for i in $(seq 4000); do echo '{"agent":"me","message":"a","every":"1h"}'; done >&8
  # bash starts background commands with SIGINT ignored, so the other one we catch
  sleep 0.5
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  exec 8>&-
  [ "$status" -eq 130 ]
  grep -q 'interrupted' out
  [ "$(json length belfry reminder list --all --json)" -eq 0 ]
}

@test "H18 import and list without a daemon" {
  export BELFRY_NO_AUTOSTART=1
  for i in $(seq 1100); do echo '{"agent":"me","message":"a","every":"1h"}'; done > many.jsonl
  run -0 --separate-stderr belfry reminder import many.jsonl
  [[ $stderr == 'belfry: warning: no daemon is running: saved, but nothing will fire until one runs (belfry daemon start)' ]]
  run -0 --separate-stderr belfry reminder list --json
  [ "$(jq length <<< "$output")" -eq 1100 ]
  [ -z "$stderr" ]
  run -2 --separate-stderr belfry reminder add me -m x --in nonsense
  [[ $stderr != *saved* ]]
  run -3 belfry daemon status
}

@test "next: in words, as JSON, and by the thousand" {
  run -0 belfry next --cron '30 2 * * *' --tz America/New_York --from 2026-03-07T12:00:00-05:00 -n 1
  [ "${lines[0]}" = 'at 2:30 AM every day, America/New_York' ]
  [[ ${lines[1]} == '  Mar 8, 2026 3:30 AM EDT'* ]]
  printf '%s\n' '{"cron":"0 9 * * *","from":"2026-01-01T00:00:00Z"}' 'nonsense' '{"cron":"0 99 * * *"}' \
    '{"every":"1h","from":"2026-01-01T00:00:00Z"}' > questions
  run -0 belfry next --batch --tz UTC -n 1 < questions
  [ "${#lines[@]}" -eq 4 ]
  [ "$(jq -r '.fires[0]' <<< "${lines[0]}")" = 2026-01-01T09:00:00+00:00 ]
  [ "$(jq -r '.error | type' <<< "${lines[1]}")" = string ]
  [ "$(jq -r '.error | type' <<< "${lines[2]}")" = string ]
  [ "$(jq -r '.fires[0]' <<< "${lines[3]}")" = 2026-01-01T01:00:00+00:00 ]
  run daemon_pid
  [ "$status" -ne 0 ]
}

@test "N26 doctor: everything fine, what is not, and what a machine without control groups lacks" {
  start_daemon
  run -0 belfry doctor
  [[ $output != *✗* ]]
  [ "$(json '.checks | map(select(.ok)) | length' belfry doctor --json)" -eq 15 ]
  has "$(BELFRY_CGROUP='' belfry doctor)" 'no cgroups v2: a process that an agent detached may outlive its killed run'
  belfry daemon stop
  chmod 755 "$BELFRY_HOME"
  run -4 belfry doctor --json
  [ "$(jq -r '[.checks[] | select(.ok | not) | .name] | join(" ")' <<< "$output")" = 'folders daemon' ]
  [ "$(jq -r '.checks[] | select(.name == "daemon") | .hint' <<< "$output")" = 'belfry daemon start' ]
}

@test "a result that cannot be written is a failure" {
  start_daemon
  run -7 --separate-stderr bash -c '"$BELFRY_BIN" status > /dev/full'
  [[ $stderr == *'cannot write to standard output'* ]]
}

@test "colours on a terminal only, and not with NO_COLOR or a dumb one" {
  belfry reminder add me -m x --every 1h > out
  export TERM=xterm
  [[ $(on_terminal "$BELFRY_BIN" reminder list) == *$'\033['* ]]
  [[ $(NO_COLOR=1 on_terminal "$BELFRY_BIN" reminder list) != *$'\033['* ]]
  [[ $(TERM=dumb on_terminal "$BELFRY_BIN" reminder list) != *$'\033['* ]]
  [[ $(belfry reminder list) != *$'\033['* ]]
}

@test "a narrow terminal cuts names, not lines" {
  belfry reminder add me -m x --every 40d --name a-name-that-is-longer-than-it-should-be > out
  export TERM=dumb
  columns=70 on_terminal "$BELFRY_BIN" reminder list > list
  grep -q '…' list
  [ "$(LC_ALL=C.UTF-8 wc -L < list)" -le 70 ]
}

@test "why tells the story, with what the condition said made harmless" {
  belfry reminder add me -m x --name c --every 1h --now \
    --condition 'printf "\033[2Jboom" >&2; exit 127' > out
  wait_for 30 bash -c '"$BELFRY_BIN" why c | grep -q "condition: error"'
  run -0 belfry why c
  [[ $output == *' c for me'* ]]
  [[ $output == *boom* ]]
  [[ $output != *$'\033'* ]]
  [[ $output == *'next:'* ]]
  [ "$(json '.slots[0].verdict' belfry why c --json)" = error ]
}

@test "manual pages: written, and nothing for lint to say" {
  belfry generate man "$BATS_TEST_TMPDIR/man"
  [ -s man/belfry.1 ]
  [ -s man/belfry-reminder.1 ]
  for page in man/*.[15]; do mandoc -Tlint "$page"; done
  # I32: formatters that are not told of UTF-8 have nothing to stumble over
  run -1 grep -lP '[^\x00-\x7f]' man/*
  # I16: every key of config.yml
  mandoc -Tutf8 man/belfry-config.5 | col -b | grep -q '^ *pause_after'
  has "$(belfry help config)" session_path
  mandoc -Tutf8 man/belfry-reminder.1 | col -b | grep -q -- '--start-deadline DURATION'
}

@test "completions: scripts load, and know commands, flags, choices, agents, ids" {
  belfry generate completion bash > completion.bash
  bash -n completion.bash
  belfry generate completion zsh | grep -q '^#compdef belfry'
  belfry generate completion fish | grep -q 'complete -c belfry'
  run -2 belfry generate completion tcsh
  printf 'agents:\n  builder: {}\n' > "$BELFRY_HOME/config.yml"
  [ "$(belfry complete-words reminder add b)" = $'builder\t' ]
  # I4: a group that is a command itself
  same 'reply read ' "$(belfry complete-words inbox re | cut -f1 | tr '\n' ' ')"
  has "$(belfry complete-words inbox '')" $'search\t'
  has "$(belfry complete-words inbox --)" --help
  # also behind the other word for it
  has "$(belfry complete-words cron list --)" --verbose
  id=$(belfry reminder add me -m 'some text' --in 1h --json | jq -r .id)
  [ "$(belfry complete-words reminder show '')" = "$id"$'\tsome text' ]
  # a name is completed, too
  id=$(belfry reminder add me -m 'stand up' --in 2h --name standup --json | jq -r .id)
  same $'standup\t'"$id" "$(belfry complete-words why st)"
  same $'standup\t'"$id" "$(belfry complete-words reminder rm st)"
  # shellcheck disable=SC1091
  words=$(source completion.bash
    COMP_WORDS=("$BELFRY_BIN" reminder add me --priority nor) COMP_CWORD=5
    _belfry
    echo "${COMPREPLY[*]}")
  [ "$words" = normal ]
}

@test "N34 while config.yml has a mistake, times stay in the daemon's zone, and one line says so" {
  printf 'timezone: Asia/Tokyo\n' > "$BELFRY_HOME/config.yml"
  start_daemon
  belfry reminder add me -m x --at '2099-01-01 9:00' --name new > /dev/null
  belfry reminder list > before
  printf 'timezone: Europe/Berlin\nagents: [\n' > "$BELFRY_HOME/config.yml"
  wait_for 20 log_has 'the configuration before it stays in use'
  run -0 --separate-stderr belfry reminder list
  same "$(cat before)" "$output"
  same 'belfry: warning: config.yml has a mistake: the daemon uses the settings from before it (belfry config check)' "$stderr"
  run -0 --separate-stderr belfry next --cron '0 8 * * *' --from 2099-01-01 -n 1
  has "$output" 'Asia/Tokyo'
  has "$output" 'Jan 1, 2099 8:00 AM JST'
  has "$stderr" 'config.yml has a mistake'
  # doctor tells it once, as what it is
  run -4 belfry doctor
  same 1 "$(grep -c '^✗' <<< "$output")"
  has "$output" '✗ config'
  has "$output" 'every reminder can fire'
  has "$output" 'opens and is sound'
  # without a daemon the key itself is read, as far as it can be
  stop_daemon
  run -0 --separate-stderr belfry next --cron '0 8 * * *' --from 2099-01-01 -n 1
  has "$output" 'Europe/Berlin'
  has "$stderr" 'config.yml has a mistake'
}
