# The real Claude Code as a live agent: started, reminded, interrupted and found again by Belfry, against a
# stand-in for its model, which tells what really arrived. Part of `make test-claude`.
load ../e2e/helper
load ../e2e/tui
load client

setup_test() {
  client_config
}

teardown_test() {
  outer kill-server 2> /dev/null || true
  kill "$model" # it has our home, too
  end_sessions
}

# A terminal of a person: a tmux of ours around the one of Belfry.
outer() {
  tmux -S "$BATS_TEST_TMPDIR/outer" -f /dev/null "$@"
}

# It starts slowly on a busy machine.
claude_is() {
  wait_for 90 state_is claude "$1"
}

start() {
  belfry agent start claude --detach "$@" > /dev/null
  claude_is idle
}

# asked FILTER: of the newest request to its model.
asked() {
  jq -r "select(has(\"all\")) | $1" "$model_log" | tail -n 1
}

# said: the last thing that its model was told, without what Belfry puts in front.
said() {
  jq -rs 'map(select(has("all")))[-1].said[-1]' "$model_log" | sed -E '1s/^\[belfry m-[a-z0-9]+\] //'
}

said_is() {
  [ "$(said 2> /dev/null)" = "$1" ]
}

# heard TEXT: waits until that is the last thing it was told.
heard() {
  wait_for 60 said_is "$1"
}

# times MESSAGE: how often its model was told it, in all of the conversation.
times() {
  asked .all | grep -o "belfry $1" | wc -l
}

# model_has TEXT: among all that its model was told.
model_has() {
  [[ $(asked .all) == *"$1"* ]]
}

was_aborted() {
  jq -se 'any(.[]; .aborted)' "$model_log" > /dev/null
}

# confirmed MESSAGE...: delivered, at the first offer, and the prompt hook told so.
confirmed() {
  local id

  for id in "$@"; do
    wait_for 60 json_is delivered .state belfry queue show "$id" --json
    same 1 "$(message "$id" .attempts)"
    wait_for 60 told ".means == \"prompt\" and .message == \"$id\""
  done
}

# on_screen TEXT: of its window.
on_screen() {
  inner capture-pane -p -t belfry:claude | grep -qF -- "$1"
}

state_of() {
  message "$1" .state
}

@test "H15 H16: idle: a reminder, several lines and a long message arrive once each, told by its hook" {
  local id text=$'first line\n\n  third, "quoted" $HOME `x` über 日本 🔔'
  start
  has "$(agent claude .evidence)" 'hook '
  add claude -m 'look at the logs' --in 100ms > /dev/null
  heard 'look at the logs'
  id=$(json '.[0].id' belfry queue list claude --all --json)
  confirmed "$id"
  same 1 "$(times "$id")"
  claude_is idle
  same 'hook Stop' "$(agent claude .evidence)"

  id=$(send claude "$text")
  heard "$text"
  confirmed "$id"
  same 1 "$(times "$id")"

  # what would be a command of its own is text
  id=$(send claude '/clear')
  heard '/clear'
  confirmed "$id"

  # what is longer is a file, which it may read without asking
  { seq -f 'line %g' 300; echo the end of it; } > body
  id=$(belfry agent send claude - --json < body | jq -r .id)
  confirmed "$id"
  heard "Read $(echo "$BELFRY_HOME"/missions/*/inbox/"$id.md")"
  wait_for 60 model_has 'the end of it'
  same "$(cat body)" "$(cat "$BELFRY_HOME"/missions/*/inbox/"$id.md")"
}

@test "H5 H15: busy: a normal message is typed at once, an idle one waits; both arrive once" {
  local normal second idle
  start
  send claude 'wait 8' > /dev/null
  heard 'wait 8'
  claude_is busy
  idle=$(send claude 'an idle one' --priority idle)
  normal=$(send claude 'a normal one')
  second=$(send claude $'a second one\nof two lines')
  wait_for 30 json_is delivered .state belfry queue show "$normal" --json
  wait_for 30 json_is delivered .state belfry queue show "$second" --json
  run ! was_aborted
  heard 'an idle one'
  wait_for 60 json_is delivered .state belfry queue show "$idle" --json
  same '1 1 1' "$(times "$normal") $(times "$second") $(times "$idle")"
}

@test "H5 H15: busy with a tool: a normal message is taken up in the same turn" {
  local id
  printf '#!/bin/sh\nuntil [ -e go ]; do sleep 0.1; done\n' > work/held
  chmod +x work/held
  sed -i 's|args: \[|&--allowedTools, "Bash(./held)", |' "$BELFRY_HOME/config.yml"
  start
  send claude 'run ./held' > /dev/null
  wait_for 60 told '.event == "PreToolUse"'
  claude_is busy
  id=$(send claude 'by the way')
  wait_for 30 json_is 'typed in; its model has not taken it up yet' .note belfry queue show "$id" --json
  touch work/go
  wait_for 30 json_is delivered .state belfry queue show "$id" --json
  claude_is idle
  same 1 "$(times "$id")"
  has "$(asked .all)" 'by the way'
}

@test "H5 H15 L5: busy: an interrupt ends the turn, and is the next prompt by itself; what it took back is told again" {
  local id first normal
  start
  first=$(send claude $'please\nwait 600')
  heard $'please\nwait 600'
  claude_is busy
  id=$(send claude 'stop that' --priority interrupt)
  confirmed "$id"
  was_aborted
  # nothing of an answer was there yet: the client gave the prompt back, and it is not lost
  heard $'please\nwait 600'
  same '1 1' "$(times "$id") $(times "$first")"
  claude_is busy

  # what waits in the client, and what a person has half typed, stays
  normal=$(send claude 'a normal one')
  wait_for 30 json_is 'typed in; its model has not taken it up yet' .note belfry queue show "$normal" --json
  keys claude -l 'half a thought'
  wait_for 20 on_screen 'half a thought'
  id=$(send claude 'stop that, too' --priority interrupt)
  wait_for 60 model_has 'stop that, too'
  wait_for 60 json_is delivered .state belfry queue show "$id" --json
  wait_for 60 json_is delivered .state belfry queue show "$normal" --json
  same '1 1' "$(times "$id") $(times "$normal")"
  wait_for 30 on_screen 'half a thought'
  run ! model_has 'half a thought'
}

@test "R3: several interrupts in a row take each other back before the model has begun: none is lost, none doubled" {
  local id count ids
  start
  for count in 2 3 5; do
    ids=("$(send claude "go $count")")
    wait_for 60 json_is delivered .state belfry queue show "${ids[0]}" --json
    ids+=("$(send claude $'first\nwait 5')")
    heard $'first\nwait 5'
    for ((; count; count--)); do ids+=("$(send claude "stop $count"$'\nwait 4' --priority interrupt)"); done
    for id in "${ids[@]}"; do wait_for 90 json_is delivered .state belfry queue show "$id" --json; done
    send claude 'and now?'
    heard 'and now?'
    for id in "${ids[@]}"; do same 1 "$(times "$id")"; done
    claude_is idle
  done
}

# A hook of the person's own, that keeps a prompt from the model.
forbid() {
  mkdir -p work/.claude
  echo '{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "grep -q FORBIDDEN && exit 2; exit 0"}]}]}}' \
    > work/.claude/settings.json
}

@test "R2: what a hook of the person's blocks is not delivered, is tried three times, and told; what comes after it arrives" {
  local id next busy
  forbid
  start
  id=$(send claude 'this is FORBIDDEN')
  next=$(send claude 'a fine one')
  wait_for 90 json_is failed .state belfry queue show "$id" --json
  same 3 "$(message "$id" .attempts)"
  has "$(message "$id" .last_error)" 'a hook of its client blocked it: [grep -q FORBIDDEN'
  has "$(belfry inbox list)" 'a hook of its client blocked it'
  confirmed "$next"
  # the same while it works
  send claude "until $PWD/go" > /dev/null
  heard "until $PWD/go"
  busy=$(send claude 'also FORBIDDEN')
  wait_for 30 on_screen 'also FORBIDDEN'
  touch go
  wait_for 90 json_is failed .state belfry queue show "$busy" --json
  same 0 "$(grep -c FORBIDDEN "$model_log")"
}

@test "H5 H15: blocked: a permission prompt keeps all out but an interrupt, which does not answer it" {
  local normal idle id
  start
  send claude 'run touch here' > /dev/null
  claude_is blocked
  normal=$(send claude 'a normal one')
  idle=$(send claude 'an idle one' --priority idle)
  sleep 5
  same 'queued queued blocked' "$(state_of "$normal") $(state_of "$idle") $(agent claude .state)"
  id=$(send claude 'leave it' --priority interrupt)
  heard 'an idle one'
  [ ! -e work/here ]
  confirmed "$id" "$normal" "$idle"
  same '1 1 1' "$(times "$id") $(times "$normal") $(times "$idle")"
}

@test "H24: a role's instructions reach its model, also after a restart, which goes on with the conversation" {
  mkdir "$BELFRY_HOME/roles"
  echo "instructions: 'You watch the bells, and say \"ding\".'" > "$BELFRY_HOME/roles/ringer.yml"
  sed -i 's/adapter: claude/&\n    role: ringer/' "$BELFRY_HOME/config.yml"
  start
  send claude 'remember 42' > /dev/null
  heard 'remember 42'
  has "$(asked .system)" 'You watch the bells, and say \"ding\".'
  claude_is idle
  belfry agent restart claude > /dev/null
  claude_is idle
  send claude 'which number was it?' > /dev/null
  heard 'which number was it?'
  has "$(asked '.said | tostring')" 'remember 42'
  has "$(asked .system)" 'You watch the bells, and say \"ding\".'
}

@test "H16: a daemon that is killed while it types, or before it knows, does not say it twice" {
  local id pause
  start
  for pause in 0 0.1 0.2 0.4; do
    id=$(send claude "after $pause")
    wait_for 60 on_screen "$id"
    sleep $pause
    kill_daemon
    start_daemon
    wait_for 60 json_is delivered .state belfry queue show "$id" --json
    heard "after $pause"
    same 1 "$(times "$id")"
    claude_is idle
  done
}

outer_shows() {
  outer capture-pane -p -t claude | grep -qF -- "$1"
}

@test "live: its screen is whole for whoever attaches, in any size, and stays when they leave" {
  local size
  start
  for size in 80x24 200x60; do
    outer new-session -d -s claude -x "${size%x*}" -y "${size#*x}" "$BELFRY_BIN" agent attach claude
    wait_for 30 outer_shows '[claude]'
    wait_for 30 outer_shows 'Ctrl-b d'
    send claude "in $size" > /dev/null
    wait_for 30 outer_shows "heard: "
    wait_for 30 outer_shows "in $size"
    outer send-keys -t claude C-b d
    wait_for 30 eval '! outer has-session -t claude 2> /dev/null'
    claude_is idle
  done
}
