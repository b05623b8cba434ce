# The real Claude Code, run by Belfry, against a stand-in for its model. Not part of `make test`,
# since it downloads the client (350 MB); `make test-claude` runs it.
#
#   CLAUDE_BIN   the folder that has `claude`
load ../e2e/helper

setup_test() {
  node "$e2e_root/test/claude/model.mjs" "$BATS_TEST_TMPDIR/model.log" > "$BATS_TEST_TMPDIR/port" &
  model=$!
  wait_for 10 test -s "$BATS_TEST_TMPDIR/port"
  mkdir "$BATS_TEST_TMPDIR/person"
  cat > "$BELFRY_HOME/config.yml" << EOF
agents:
  claude:
    adapter: claude
    environment:
      PATH: "$CLAUDE_BIN:$PATH"
      HOME: $BATS_TEST_TMPDIR/person
      ANTHROPIC_BASE_URL: http://127.0.0.1:$(cat "$BATS_TEST_TMPDIR/port")
      ANTHROPIC_API_KEY: sk-ant-dummy
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1"
      DISABLE_AUTOUPDATER: "1"
      DISABLE_TELEMETRY: "1"
      DISABLE_ERROR_REPORTING: "1"
crons:
  minutely: {schedule: "* * * * *", agent: claude, prompt: "said by the clock", enabled: false}
EOF
}

teardown_test() {
  kill "$model"
}

newest() {
  json '.[0].id' belfry mission ls --json
}

@test "A1: a headless run is continued later, in its own conversation" {
  run -0 belfry mission new claude 'remember the number 42' --wait
  same 'heard: remember the number 42' "$output"
  run -0 belfry mission resume "$(newest)" 'which number was it?' --wait
  same 'heard: remember the number 42 | which number was it?' "$output"
}

@test "A1: what a cron ran is continued by a person, after a restart of the daemon" {
  run -0 belfry cron run minutely
  wait_for 60 json_is success '.[0].outcome' belfry mission ls --json
  belfry daemon stop
  run -0 belfry mission resume "$(newest)" 'who began this?' --wait
  same 'heard: said by the clock | who began this?' "$output"
}

@test "A18: a resume costs what it adds, not the whole conversation again" {
  belfry mission new claude 'hello' --wait
  belfry mission resume "$(newest)" 'again' --wait
  # the client says so much for the first turn, and twice as much for both
  same 'true' "$(json '.runs[0].cost_usd == .runs[1].cost_usd and .cost_usd == 2 * .runs[0].cost_usd' \
    belfry mission show "$(newest)" --json)"
}

@test "A1: two conversations in one folder are not mixed up" {
  belfry mission new claude 'the first' --wait
  local first
  first=$(newest)
  belfry mission new claude 'the second' --wait
  run -0 belfry mission resume "$first" 'and?' --wait
  same 'heard: the first | and?' "$output"
}

@test "A18: an error of the model is an error, although the client calls it a success" {
  run -1 belfry mission new claude 'refuse 400' --wait
  same error "$(json '.[0].outcome' belfry mission ls --json)"
}

@test "A18: a stopped run is killed, and can be continued" {
  belfry mission new claude 'wait 60'
  wait_for 60 test -s "$BATS_TEST_TMPDIR/model.log"
  belfry mission stop "$(newest)"
  wait_for 60 json_is killed '.[0].outcome' belfry mission ls --json
  run -0 belfry mission resume "$(newest)" 'go on' --wait
  has "$output" 'go on'
}

@test "A25: a second resume is refused while the first runs" {
  belfry mission new claude 'hello' --wait
  belfry mission resume "$(newest)" 'wait 20'
  refused 4 'it is' mission resume "$(newest)" 'at the same time'
  belfry mission stop "$(newest)"
}

# t THREAD FILTER: something of what `inbox show` tells.
t() {
  json "$2" belfry inbox show "$1" --peek --json
}

@test "A21: the agent may write to the person, and run nothing else" {
  run -0 belfry mission new claude "run belfry message send '**All** is well; no \$(surprises)'" --wait
  has "$output" 'ran: '
  same '**All** is well; no $(surprises)' "$(t "$(newest)" '.messages[0].text')"
  local command
  for command in 'touch forbidden' 'belfry mission ls' 'belfry message send a; touch forbidden' \
    'belfry message send "$(touch forbidden)"' 'belfry message send a > forbidden'; do
    run -0 belfry mission new claude "run $command" --wait
    has "$output" 'ran: '
    refused 3 'has no messages' inbox show "$(newest)"
  done
  [ -z "$(find "$BATS_TEST_TMPDIR" -name forbidden)" ]
}

@test "A21: what a person allows or denies holds beside it" {
  sed -i 's/adapter: claude/&\n    args: [--allowedTools, "Bash(mkdir:*)"]/' "$BELFRY_HOME/config.yml"
  belfry mission new claude 'run mkdir made' --wait
  [ -n "$(find "$BELFRY_HOME/missions" -name made)" ]
  belfry mission new claude 'run belfry message send hello' --wait
  same hello "$(t "$(newest)" '.messages[0].text')"
  sed -i 's/--allowedTools, "Bash(mkdir:\*)"/--disallowedTools, "Bash(belfry:*)"/' "$BELFRY_HOME/config.yml"
  run -0 belfry mission new claude 'run belfry message send hello' --wait
  has "$output" 'denied'
  refused 3 'has no messages' inbox show "$(newest)"
}

@test "A25: it asks and ends; the answer continues the same conversation, which knows both" {
  local id
  run -0 belfry mission new claude 'run belfry message send --ask "Which colour?"' --wait
  id=$(newest)
  belfry mission new claude 'something else, later, in between' --wait
  same "$id" "$(json '.threads[].id' belfry inbox list --asks --json)"
  belfry inbox reply "$id" 'green, of course'
  wait_for 60 json_is 3 '.messages | length' belfry inbox show "$id" --peek --json
  same $'heard: run belfry message send --ask "Which colour?" | The person writes:\n\ngreen, of course' "$(t "$id" '.messages[2].text')"
  same 'answered delivered' "$(t "$id" '"\(.messages[0].ask) \(.messages[1].reply)"')"
}

@test "R1: a reply that begins as a command of its client reaches the model, and the conversation stays" {
  local id answer
  for answer in '/clear the cache, yes' '/compact it' '!ls' '#note'; do
    belfry mission new claude 'run belfry message send --ask "Which cache?"' --wait
    id=$(newest)
    belfry inbox reply "$id" "$answer"
    wait_for 60 json_is 3 '.messages | length' belfry inbox show "$id" --peek --json
    same 'delivered' "$(t "$id" '.messages[1].reply')"
    run -0 belfry mission resume "$id" 'anything else?' --wait
    has "$output" 'heard: run belfry message send --ask "Which cache?" | The person writes:'
    has "$output" "$answer | anything else?"
  done
}

@test "R2: a prompt that a hook of the person's blocks is no success, and the reply in it is not delivered" {
  local id
  mkdir -p person/.claude
  echo '{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "grep -q FORBIDDEN && exit 2; exit 0"}]}]}}' \
    > person/.claude/settings.json
  belfry mission new claude 'run belfry message send --ask "Which colour?"' --wait
  id=$(newest)
  belfry inbox reply "$id" 'FORBIDDEN green'
  wait_for 60 json_is 3 '.messages | length' belfry inbox show "$id" --peek --json
  same waiting "$(t "$id" '.messages[1].reply')"
  has "$(t "$id" '.messages[2].text')" 'blocked by hook'
}
