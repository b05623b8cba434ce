# An agent writes to the person, the person answers, the agent goes on: the whole way round.
load helper
e2e_on_postgres='that very conversation|takes it all|reply undelivered|nobody answers|before and during|failures, pauses'

# `keeper` keeps conversations; what it is told are directives: see test/agent/agent.c.
setup_test() {
  scripted "  keeper: {adapter: talking}
  mute: {command: [sh], deliver: {command: [sh, -c, 'exit 9'], attempts: 1}}
adapters:
  talking:
    headless: [$TEST_AGENT, -p, --output-format, json, --session-id, \"{session}\"]
    resume: [$TEST_AGENT, -p, --output-format, json, --resume, \"{session}\"]
    interactive: [$TEST_AGENT, --session-id, \"{session}\", \"{prompt}\"]
    resume_interactive: [$TEST_AGENT, --resume, \"{session}\", \"{prompt}\"]
    session: chosen
    output: json
    session_path: session_id
    answer_path: result
    error_path: is_error
crons:
  bad: {schedule: '0 9 1 1 *', agent: shell, prompt: exit 3, pause_after: 1, catchup: once}"
  mkdir -p "$TEST_AGENT_HOME"
  export TERM=xterm
  # until somebody makes the file `go`
  held="shell until [ -e $BATS_TEST_TMPDIR/go ]; do sleep 0.05; done"
}

# t THREAD FILTER: something of what `inbox show` tells, without reading it.
t() {
  json "$2" belfry inbox show "$1" --peek --json
}

t_is() {
  json_is "$1" "$3" belfry inbox show "$2" --peek --json
}

# settled THREAD: the agent has every reply, and its run has ended.
settled() {
  wait_for 30 t_is '0 success' "$1" '"\(.thread.waiting) \(.thread.mission.state)"'
}

# runs MISSION: how many there were.
runs() {
  m "$1" '.runs | length'
}

# session_of MISSION
session_of() {
  m "$1" .session
}

# told MISSION: what its agent was told so far, a line each.
told() {
  jq -r 'select(.role == "user") | .content | gsub("\n"; "/")' \
    "$TEST_AGENT_HOME/$(session_of "$1").jsonl"
}

@test "A25: an agent asks and ends; the answer continues that very conversation" {
  local id later session
  id=$(new keeper $'ask Which colour?\nsay I have asked')
  becomes "$id" success
  session=$(session_of "$id")
  later=$(new keeper 'message I am the latest one')
  becomes "$later" success
  same "$id" "$(json '[.threads[].id] | join(" ")' belfry inbox list --asks --json)"
  same 'open Which colour?' "$(t "$id" '.messages[0] | "\(.ask) \(.text)"')"

  belfry inbox reply "$id" $'green\nrecall' > out
  settled "$id"
  same 'agent person agent' "$(t "$id" '[.messages[].sender] | join(" ")')"
  same $'echo: The person writes:\necho: green\nturn 1: ask Which colour?\nsay I have asked\nturn 2: The person writes:\n\ngreen\nrecall' \
    "$(t "$id" '.messages[2].text')"
  same 'answered delivered 0' "$(t "$id" '"\(.messages[0].ask) \(.messages[1].reply) \(.thread.asks)"')"
  same "$id/1 null $id/2" "$(t "$id" '[.messages[].run | tostring] | join(" ")')"
  same "2 $session" "$(runs "$id") $(session_of "$id")"
  same '1 1' "$(runs "$later") $(told "$later" | wc -l)"
}

@test "A25: what nobody asked for waits for the next resume, which takes it all, oldest first" {
  local id
  id=$(new keeper $'message It is done.\nsay over')
  becomes "$id" success
  belfry inbox reply "$id" first > out
  belfry inbox reply "$id" second > out
  same '2 success 1' "$(t "$id" '"\(.thread.waiting) \(.thread.mission.state)"') $(runs "$id")"
  run -0 belfry mission resume "$id" third --wait
  same $'echo: The person writes:\necho: first\necho: second\necho: third' "$output"
  settled "$id"
  same 'delivered delivered' "$(t "$id" '[.messages[].reply | values] | join(" ")')"
  # its answer is in the thread, and once only: the next resume has nothing to carry
  same 4 "$(t "$id" '.messages | length')"
  belfry mission resume "$id" 'say more' --wait
  same 4 "$(t "$id" '.messages | length')"
  same 'The person writes://first//second//third' "$(told "$id" | sed -n 2p)"
  refused 2 'prompt' mission resume "$id" ''
}

@test "R1: a reply never begins a prompt, where it could be a command of the client; a prompt is told as it is" {
  local id
  id=$(new keeper $'ask Clear what?\nsay asked')
  becomes "$id" success
  belfry inbox reply "$id" '/clear the cache, yes' > out
  settled "$id"
  belfry inbox reply "$id" '!ls' > out
  belfry inbox reply "$id" -- '-x' > out
  belfry mission resume "$id" '/compact' --wait > out
  belfry mission resume "$id" '/help me' --wait > out
  same $'The person writes:///clear the cache, yes\nThe person writes://!ls//-x///compact\n/help me' "$(told "$id" | sed -n 2,4p)"
}

@test "A25: replies are prompt enough for a resume that has no terminal" {
  local id
  id=$(new keeper $'message It is done.\nsay over')
  becomes "$id" success
  refused 2 'without a prompt the agent needs a terminal' mission resume "$id" < /dev/null
  refused 2 '--wait is for a mission that runs by itself' mission resume "$id" --wait < /dev/null
  same 1 "$(runs "$id")"
  belfry inbox reply "$id" first > out
  belfry inbox reply "$id" second > out
  run -0 belfry mission resume "$id" --wait < /dev/null
  same $'echo: The person writes:\necho: first\necho: second' "$output"
  settled "$id"
  same '2 The person writes://first//second' "$(runs "$id") $(told "$id" | sed -n 2p)"
  belfry inbox reply "$id" third > out
  same "$id" "$(json .id belfry mission resume "$id" --json < /dev/null)"
  settled "$id"
  same '3 The person writes://third' "$(runs "$id") $(told "$id" | sed -n 3p)"
  refused 2 'without a prompt the agent needs a terminal' mission resume "$id" < /dev/null
}

@test "A25: an agent that writes itself is not quoted on top of it" {
  local id
  id=$(new keeper 'ask Shall I?')
  becomes "$id" success
  belfry inbox reply "$id" $'message I shall\nsay nobody reads this' > out
  settled "$id"
  same 'Shall I?|message I shall/say nobody reads this|I shall' \
    "$(t "$id" '[.messages[].text | gsub("\n"; "/")] | join("|")')"
}

@test "A25: a reply while the run still works goes with the next one" {
  local id
  id=$(new keeper "ask Now?"$'\n'"$held")
  wait_for 30 t_is 1 "$id" .thread.asks
  belfry inbox reply "$id" yes > out
  same 'waiting running' "$(t "$id" '"\(.messages[1].reply) \(.thread.mission.state)"')"
  touch go
  wait_for 30 t_is delivered "$id" '.messages[1].reply'
  same '2 The person writes://yes' "$(runs "$id") $(told "$id" | sed -n 2p)"
}

@test "A25: a resume that fails leaves the reply undelivered and says so; the next one delivers it" {
  local id file
  id=$(new keeper 'ask Which?')
  becomes "$id" success
  file=$TEST_AGENT_HOME/$(session_of "$id").jsonl
  mv "$file" aside
  belfry inbox reply "$id" that > out
  wait_for 30 t_is 'belfry' "$id" '.messages[2].sender'
  has "$(t "$id" '.messages[2].text')" 'No conversation found'
  same 'waiting 1' "$(t "$id" '"\(.messages[1].reply) \(.thread.waiting)"')"
  # once: it is not tried over and over
  same '2 3' "$(runs "$id") $(t "$id" '.messages | length')"
  mv aside "$file"
  run -0 belfry mission resume "$id" '' --wait
  same $'echo: The person writes:\necho: that' "$output"
  wait_for 30 t_is delivered "$id" '.messages[1].reply'
}

@test "A25: reply --run goes on at once; two resumes of one conversation never run together" {
  local id
  id=$(new keeper $'message It is done.\nmark marks')
  becomes "$id" success
  belfry inbox reply "$id" --run "mark $PWD/marks"$'\n'"$held" > out
  wait_for 30 t_is running "$id" .thread.mission.state
  refused 4 'it is' mission resume "$id" 'at the same time'
  belfry inbox reply "$id" --run "mark $PWD/marks"$'\n'"say second" > out
  same 'offered waiting' "$(t "$id" '[.messages[].reply | values] | join(" ")')"
  touch go
  wait_for 30 lines_are 4 marks
  settled "$id"
  same '3 1' "$(runs "$id") $(most_at_once marks)"
}

@test "A25 N1: an interactive resume carries replies, delivered only when seen" {
  local id
  id=$(new keeper 'message It is done.')
  becomes "$id" success
  belfry inbox reply "$id" 'by the way' > out
  /usr/bin/python3 "$e2e_root/test/e2e/screen.py" 80x24 "$BELFRY_BIN" mission resume "$id" << 'EOF' > out
see echo: by the way
type \x04
see success
EOF
  # Its client has no hooks: nobody saw that it got them.
  wait_for 30 t_is waiting "$id" '.messages[1].reply'
  same 'interactive' "$(m "$id" '.runs[1].kind')"
}

@test "A25: a question nobody answers is answered by its default, by a daemon that was started since" {
  local id
  id=$(new keeper "shell belfry message send --ask 'Deploy?' --timeout 1s --default 'no, wait'")
  becomes "$id" success
  kill_daemon
  sleep 1
  start_daemon
  settled "$id"
  same 'expired belfry delivered' "$(t "$id" '"\(.messages[0].ask) \(.messages[1].sender) \(.messages[1].reply)"')"
  has "$(told "$id" | sed -n 2p)" 'no, wait'
  same 2 "$(runs "$id")"
}

@test "A25: a daemon killed before and during the resume: the reply is delivered once" {
  local id
  id=$(new keeper 'ask Go on?')
  becomes "$id" success
  kill_daemon
  BELFRY_NO_AUTOSTART=1 belfry inbox reply "$id" "mark $PWD/marks"$'\n'"$held" > out 2> err
  start_daemon
  wait_for 30 lines_are 1 marks
  kill_daemon
  touch go
  wait_for 30 lines_are 2 marks
  start_daemon
  settled "$id"
  same '2 2' "$(runs "$id") $(told "$id" | wc -l)"
  same 'answered delivered' "$(t "$id" '"\(.messages[0].ask) \(.messages[1].reply)"')"
}

@test "A25: an agent without a mission finds the answer in its queue" {
  local thread
  BELFRY_AGENT=mute belfry message send 'I am new here' --json > out
  thread=$(jq -r .thread.id out)
  BELFRY_AGENT=shell belfry message send 'Hello?' --ask --json > out
  thread=$(jq -r .thread.id out)
  belfry inbox reply "$thread" 'Hello.' --priority interrupt > out
  same 'waiting' "$(t "$thread" '.messages[1].reply')"
  same 'interrupt' "$(json '.[0].priority' belfry queue list shell --json)"
  same 'Hello.' "$(belfry queue take shell)"
  same 'delivered' "$(t "$thread" '.messages[1].reply')"
}

@test "A22: failures, pauses, texts that were not delivered and missed reminders are in the inbox" {
  local all
  belfry reminder add mute -m 'tell nobody' --in 1s --name lost > out
  overdue bad
  wait_for 30 json_is true '[.threads[].preview] | join(" ") | test("it is paused") and test("it was not delivered")' \
    belfry inbox list --json
  kill_daemon
  BELFRY_NO_AUTOSTART=1 belfry reminder add me -m 'too late' --in 1s --start-deadline 1s --name late > out
  sleep 2.5
  start_daemon
  wait_for 30 json_is true '[.threads[].title] | index("Missed") != null' belfry inbox list --json
  all=$(for id in $(json '.threads[].id' belfry inbox list --json); do t "$id" '.messages[].text'; done)
  has "$all" "cron 'bad' failed"
  has "$all" 'belfry cron enable bad'
  has "$all" 'tell nobody'
  has "$all" late
}

# --- A21: what an agent finds around it ---------------------------------------------------------

# another_belfry FOLDER: a program of that name which is not ours.
another_belfry() {
  mkdir -p "$1"
  printf '#!/bin/sh\necho another\n' > "$1/belfry"
  chmod +x "$1/belfry"
}

@test "A21: an agent's belfry is the very program that runs it" {
  another_belfry "$BATS_TEST_TMPDIR/old"
  scripted "
  behind: {command: [sh], environment: {PATH: '$BATS_TEST_TMPDIR/old:$PATH'}}
  ahead: {command: [sh], environment: {PATH: '$(dirname "$BELFRY_BIN"):$BATS_TEST_TMPDIR/old:$PATH'}}
  without: {command: [/bin/sh], environment: {PATH: ''}}"
  local agent
  for agent in shell behind ahead without; do
    run -0 belfry mission new "$agent" 'readlink -f "$(command -v belfry)"; command -v ls' --wait
    same "$BELFRY_BIN" "${lines[0]}"
    has "${lines[1]}" bin/ls
  done
  # where PATH leads to it, nothing is added
  run -0 belfry mission new ahead 'echo "$PATH"' --wait
  same "$(dirname "$BELFRY_BIN"):$BATS_TEST_TMPDIR/old:$PATH" "$output"
}

@test "A21: an agent with another HOME talks to the daemon that runs it" {
  local config=$BATS_TEST_TMPDIR/person/.config/belfry own=$BATS_TEST_TMPDIR/own pid status=0
  mkdir -p "$config" "$own" "$BATS_TEST_TMPDIR/run"
  unset BELFRY_HOME
  export HOME=$BATS_TEST_TMPDIR/person XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run
  printf 'agents:\n  elsewhere: {command: [sh], environment: {HOME: %s, XDG_RUNTIME_DIR: /tmp}}\n' \
    "$own" > "$config/config.yml"
  run belfry mission new elsewhere 'belfry daemon status --json' --wait
  pid=$(cat "$HOME/.local/state/belfry/belfry.lock")
  same "$pid" "$(jq -r .pid <<< "$output")" || status=1
  [ -z "$(ls -A "$own")" ] || status=1
  belfry daemon stop
  export BELFRY_HOME=$BATS_TEST_TMPDIR/home
  return $status
}
