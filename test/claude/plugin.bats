# The real Claude Code with Belfry's plugin, or after `belfry setup claude`: its model uses the tools, and what
# it is told later is in what the client sends to a stand-in for that model. Part of `make test-claude`.
#
#   CLAUDE_BIN   the folder that has `claude`
load ../e2e/helper
load ../e2e/tui
load client

setup_test() {
  client_person
  mkdir bin
  ln -s "$BELFRY_BIN" bin/belfry
  client_environment[0]="PATH=$PWD/bin:$CLAUDE_BIN:$PATH"
  id=$(< /proc/sys/kernel/random/uuid)
}

teardown_test() {
  kill "$model" # it has our home, too
  end_sessions
}

# as_person COMMAND...: with nothing around it but what the client needs.
as_person() {
  (cd work && timeout 180 env -i "${client_environment[@]}" BELFRY_HOME="$BELFRY_HOME" TZ=UTC TERM=xterm "$@" < /dev/null)
}

# begin PROMPT FLAG..., go_on PROMPT FLAG...: of the conversation `id`, a process each.
begin() {
  local prompt=$1

  shift
  as_person claude --session-id "$id" "$@" -p "$prompt"
}

go_on() {
  local prompt=$1

  shift
  as_person claude --resume "$id" "$@" -p "$prompt"
}

# converse PROMPT... -- FLAG...: the same in one process.
converse() {
  local prompts=()

  while [ "$1" != -- ]; do
    prompts+=("$1")
    shift
  done
  as_person node "$e2e_root/test/claude/converse.mjs" "${prompts[@]}" -- claude --session-id "$id" "${@:2}"
}

install_plugin() {
  as_person claude plugin marketplace add "$e2e_root/dist/claude-plugin"
  as_person claude plugin install belfry@belfry
}

# What its model was told by the newest request, or that after which SAID was said last.
context() {
  jq -rs "map(select(has(\"all\") and (\"${1:-}\" == \"\" or .said[-1] == \"${1:-}\")))[-1].all" "$model_log"
}

# told_times TEXT [SAID]: how often that is in it.
told_times() {
  context "${2:-}" | grep -oF -- "$1" | wc -l
}

title='REMINDER YOU SET FOR YOURSELF'
boundary='set_reminder_boundary {"suppress_for_calls": 2, "message": "Run the tests."}'

# Never before the second prompt after it was set, at that one, and never again.
was_told_once() {
  same 0 "$(told_times "$title" 'prompt one')"
  same 1 "$(told_times "$title" 'prompt two')"
  has "$(context 'prompt two')" 'UserPromptSubmit hook additional context: 🔔'
  has "$(context 'prompt two')" 'Message: Run the tests.'
  same 1 "$(told_times "$title" 'prompt three')"
  # the prompt after it has confirmed it
  json_is 0 '.boundaries | length' belfry boundary show --session "$id" --json
}

@test "M1 M3 M7: with the plugin, the model sets a boundary, and two prompts later has it in its context, once" {
  install_plugin
  run -0 converse "call mcp__plugin_belfry_belfry__$boundary" 'prompt one' 'prompt two' 'prompt three' \
    -- --allowedTools mcp__plugin_belfry_belfry
  has "$output" scheduler_running
  was_told_once
}

@test "M1 M3 M7: after belfry setup, the same in a process each" {
  as_person belfry setup claude
  run -0 begin "call mcp__belfry__$boundary"
  has "$output" scheduler_running
  go_on 'prompt one'
  # a process begins with what is pending
  has "$(context)" 'SessionStart hook additional context: Belfry has for this session (each comes by itself when it is due):\n- a reminder you set for yourself, due in 2 prompts'
  go_on 'prompt two'
  go_on 'prompt three'
  was_told_once
}

@test "M3 M7: with both, a prompt is still one call, and told once" {
  install_plugin
  as_person belfry setup claude
  start_daemon
  converse "call mcp__belfry__$boundary" 'prompt one' 'prompt two' 'prompt three' --
  was_told_once
  same 4 "$(json .current_call_count belfry boundary show --session "$id" --json)"
}

@test "M9: a due boundary names its lesson, which the model then reads by the call that it names" {
  as_person belfry setup claude
  mkdir "$BELFRY_HOME/lessons"
  echo 'Tests first.' > "$BELFRY_HOME/lessons/tests.md"
  run -0 converse 'call mcp__belfry__set_reminder_boundary {"suppress_for_calls": 1, "lesson_ids": ["tests"]}' 'go on' \
    'call mcp__belfry__get_lesson {"id": "tests"}' --
  has "$(context 'go on')" 'call get_lesson(\"tests\")'
  has "$output" 'Tests first.'
}

@test "M7: a session begins with what is pending, and again after compaction" {
  as_person belfry setup claude --allow-runs
  run -0 converse 'call mcp__belfry__set_reminder_boundary {"suppress_for_calls": 9, "message": "Run the tests."}' \
    'call mcp__belfry__reminder {"action": "set", "in": "3h", "message": "Water the plants."}' /compact 'go on' --
  same 0 "$(told_times 'SessionStart hook additional context' "$(jq -rs '.[0].said[-1]' "$model_log")")"
  same 1 "$(told_times 'SessionStart hook additional context')"
  has "$(context)" '- a reminder you set for yourself, due in 8 prompts'
  has "$(context)" 'Water the plants.'
}

in_inbox() {
  [ "$(json "[.threads[] | select(.title == \"$1\" and .unread == 1)] | length" belfry inbox list --json)" -eq 1 ]
}

@test "C3 C7 C12: the model sets a reminder, it fires in a mission, and the answer is in the inbox" {
  local reminder thread
  as_person belfry setup claude --allow-runs
  run -0 begin 'call mcp__belfry__reminder {"action": "set", "in": "2s", "message": "Say that the kettle boils."}'
  reminder=$(grep -om1 'rem_[0-9a-f]*' <<< "$output" | head -n 1)
  # the agent that setup has put into config.yml, by the daemon that the tool has started
  wait_for 90 in_inbox 'Say that the kettle boils.'
  thread=$(json '.threads[0].id' belfry inbox list --json)
  run -0 belfry inbox show "$thread"
  has "$output" 'heard: ## Scheduled reminder'
  has "$(context)" 'This is a scheduled reminder that was set at'
  has "$(context)" "$id.jsonl"
  run -0 belfry why "$reminder"
  has "$output" "mission $thread: success"
  same completed "$(of "$reminder" .status)"
}

send() {
  belfry agent send builder "$@" --json | jq -r '.id // .[0].id'
}

has_asked() {
  jq -se "any(.[]; .said[-1] == \"$1\")" "$model_log" > /dev/null 2>&1
}

@test "H5 H15: what is urgent reaches a session that Belfry does not host in the middle of its turn, the rest with its next prompt" {
  local urgent normal pid
  as_person belfry setup claude
  printf 'agents:\n  builder: {adapter: claude, directory: %s}\n' "$PWD/work" > "$BELFRY_HOME/config.yml"
  printf '#!/bin/sh\ntouch ran\nuntil [ -e go ]; do sleep 0.1; done\n' > work/held
  chmod +x work/held
  start_daemon
  begin 'run ./held' --allowedTools 'Bash(./held)' &
  pid=$!
  wait_for 60 test -e work/ran
  normal=$(send 'By the way.')
  urgent=$(send --priority interrupt 'Wrong branch: stop.')
  touch work/go
  wait "$pid"
  has "$(context)" "PostToolUse:Bash hook additional context: [belfry $urgent] Wrong branch: stop."
  wait_for 30 json_is delivered .state belfry queue show "$urgent" --json
  json_is queued .state belfry queue show "$normal" --json

  go_on 'prompt two'
  has "$(context)" "UserPromptSubmit hook additional context: [belfry $normal] By the way."
  same "1 1" "$(told_times "belfry $urgent") $(told_times "belfry $normal")"
  wait_for 30 json_is delivered .state belfry queue show "$normal" --json
}

@test "R2: what was told with a prompt that a hook of the person's blocked comes with the next one, once" {
  local queued
  as_person belfry setup claude
  mkdir -p work/.claude
  echo '{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "grep -q FORBIDDEN && exit 2; exit 0"}]}]}}' \
    > work/.claude/settings.json
  printf 'agents:\n  builder: {adapter: claude, directory: %s}\n' "$PWD/work" > "$BELFRY_HOME/config.yml"
  start_daemon
  begin "call mcp__belfry__$boundary"
  go_on 'prompt zero'
  queued=$(send 'The build is red.')
  go_on 'prompt one, FORBIDDEN'
  same 0 "$(grep -c FORBIDDEN "$model_log")"
  json_is 1 '.boundaries | length' belfry boundary show --session "$id" --json
  json_is queued .state belfry queue show "$queued" --json
  go_on 'prompt two'
  same '1 1' "$(told_times "$title") $(told_times "belfry $queued")"
  go_on 'prompt three'
  same '1 1' "$(told_times "$title") $(told_times "belfry $queued")"
  json_is 0 '.boundaries | length' belfry boundary show --session "$id" --json
  json_is delivered .state belfry queue show "$queued" --json
}

@test "H5 H15: what is urgent when it would stop holds it back, once" {
  local urgent pid
  as_person belfry setup claude
  printf 'agents:\n  builder: {adapter: claude, directory: %s}\n' "$PWD/work" > "$BELFRY_HOME/config.yml"
  start_daemon
  begin "until $PWD/go" > answer &
  pid=$!
  wait_for 60 has_asked "until $PWD/go"
  urgent=$(send --priority interrupt 'One more thing.')
  touch go
  wait "$pid"
  # it went on with that, and then stopped
  has "$(cat answer)" "Stop hook feedback:"$'\n'"[belfry $urgent] One more thing."
  same 2 "$(jq -s 'map(select(has("all"))) | length' "$model_log")"
  wait_for 30 json_is delivered .state belfry queue show "$urgent" --json
}

said_is() {
  [[ $(jq -rs 'map(select(has("all")))[-1].said[-1]' "$model_log") == *"$1"* ]]
}

@test "M4 M5 M6: in a live session, minutes do not wait for anybody to type" {
  client_agent
  as_person belfry setup claude
  belfry agent start claude --detach
  wait_for 90 state_is claude idle
  belfry agent send claude 'call mcp__belfry__set_reminder_boundary {"suppress_for_minutes": 1, "message": "Look at the clock."}'
  wait_for 150 said_is "$title"
  said_is 'Message: Look at the clock.'
  wait_for 60 state_is claude idle
  same 1 "$(told_times "$title")"
}
