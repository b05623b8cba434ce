# `belfry hook`: what an agent's hooks call. Here it has no store and no daemon; with them: boundary.bats.
load helper
e2e_shown_once=1

setup_test() {
  export BELFRY_MISSION_ID=mis-abc123 BELFRY_HOOK_SECONDS=30
  mkdir -p "$BELFRY_HOME/missions/$BELFRY_MISSION_ID"
  events=$BELFRY_HOME/missions/$BELFRY_MISSION_ID/events
}

# The folder of a mission was there before the store, as if that had been lost.
start_anew() {
  belfry daemon start --fresh > /dev/null
}

# Nothing is printed, and its status is 0.
silent() {
  run -0 "$@"
  same '' "$output"
}

@test "H15 H16: an event is noted in the mission's folder, without a daemon" {
  silent belfry hook UserPromptSubmit <<< '{"session_id": "s1", "transcript_path": "/t/s1.jsonl", "prompt": "[belfry m-abcd1234 from bob] hello"}'
  silent belfry hook Stop < /dev/null
  same 'UserPromptSubmit prompt s1 /t/s1.jsonl m-abcd1234' "$(jq -r 'select(.means == "prompt") | [.event, .means, .session, .transcript, .message] | join(" ")' "$events")"
  same 'prompt stopped' "$(jq -rs 'map(.means) | join(" ")' "$events")"
  same 600 "$(stat -c %a "$events")"
  [ ! -e "$BELFRY_HOME/belfry.db" ]
  [ ! -e "$BELFRY_HOME/daemon.log" ]
}

@test "H15: whatever is wrong, it fails open" {
  silent belfry hook Stop <<< 'no JSON'
  silent belfry hook Stop < <(head -c 3000000 /dev/zero)
  same 2 "$(wc -l < "$events")"
  silent belfry hook SomethingNew <<< '{}'
  silent belfry hook Notification <<< '{"notification_type": "auth_success"}'
  echo 'agents: [broken' > "$BELFRY_HOME/config.yml"
  BELFRY_MISSION_ID=mis-other silent belfry hook Stop
  BELFRY_MISSION_ID=../../elsewhere silent belfry hook Stop
  BELFRY_MISSION_ID='' silent belfry hook Stop
  unset BELFRY_MISSION_ID
  silent belfry hook Stop
  same 2 "$(wc -l < "$events")"
  BELFRY_MISSION_ID=elsewhere BELFRY_HOOK_DEBUG=1 run -0 belfry hook Stop < /dev/null
  has "$output" 'BELFRY_MISSION_ID names no mission'
  has "$output" 'standard input has no JSON with a session_id'
}

@test "H15: a hook that cannot be understood fails open, too, unless a person typed it" {
  silent belfry hook
  silent belfry hook --client gemini < /dev/null
  silent belfry hook BeforeAgent --client gemini --and-more <<< '{"session_id": "s1"}'
  silent belfry hook NoSuchEvent --client gemini <<< '{"session_id": "s1"}'
  silent belfry hook BeforeAgent --client nobody <<< '{"session_id": "s1"}'
  silent belfry hook BeforeAgent --client < /dev/null
  silent belfry hook Stop Stop < /dev/null
  silent belfry hook $'\xff' < /dev/null
  BELFRY_HOOK_DEBUG=1 run -0 belfry hook Stop --and-more < /dev/null
  has "$output" and-more
  run -0 belfry hook --help < /dev/null
  has "$output" EVENT
  script -qec "$BELFRY_BIN hook Stop --and-more; echo status \$?" typescript > /dev/null < /dev/null
  has "$(cat typescript)" 'status 2'
}

@test "H15: where a session has our hooks by its settings, those of a plugin are silent" {
  CLAUDE_PLUGIN_ROOT=/p BELFRY_HOOKS=settings silent belfry hook Stop < /dev/null
  [ ! -e "$events" ]
  BELFRY_HOOKS=settings silent belfry hook Stop < /dev/null
  CLAUDE_PLUGIN_ROOT=/p silent belfry hook Stop < /dev/null
  CLAUDE_PLUGIN_ROOT=/p BELFRY_HOOKS='' silent belfry hook Stop < /dev/null
  same 3 "$(wc -l < "$events")"
}

@test "H15: a standard input that does not end is not waited for" {
  # a writer that stays until the test has ended
  mkfifo pipe
  exec 7<> pipe
  silent belfry hook Stop <&7
  exec 7>&-
  same stopped "$(jq -r .means "$events")"
}

@test "H15: on a terminal a client with hooks is told to call it, elsewhere not" {
  cat > "$BELFRY_HOME/config.yml" << EOF
adapters:
  mine:
    headless: [$TEST_AGENT]
    interactive: [sh, -c, 'test -t 0 && cat "\${1#--hooks=}" && echo "by \$BELFRY_HOOKS" && exit 7', sh, "--hooks={hooks}"]
    live: {hooks: claude}
agents:
  mine: {adapter: mine}
EOF
  unset BELFRY_MISSION_ID
  start_anew
  script -qec "$BELFRY_BIN mission new mine x --interactive" typescript > /dev/null < /dev/null || true
  same "'$BELFRY_BIN' hook Stop" "$(grep -ao '{"hooks".*}' typescript | jq -r '.hooks.Stop[0].hooks[0].command')"
  has "$(cat typescript)" 'by settings'
  BELFRY_HOOKS=settings run belfry mission new mine 'say done' --wait
  same 1 "$(find "$BELFRY_HOME/missions" -name hooks.json | wc -l)"
}

@test "M3: after a setup the very first prompt counts, before anything else was asked of Belfry" {
  unset BELFRY_MISSION_ID
  mkdir person
  HOME=$PWD/person belfry setup claude > /dev/null || true # the client itself is not here
  run ! daemon_pid
  silent belfry hook UserPromptSubmit <<< '{"session_id": "s1", "cwd": "/", "prompt": "hi", "transcript_path": "/t"}'
  same 1 "$(json .current_call_count belfry boundary show --session s1 --json)"
}

@test "hooks: where Belfry was never used, nothing is printed and nothing is made" {
  unset BELFRY_MISSION_ID
  mkdir fresh
  for event in SessionStart UserPromptSubmit PostToolUse Stop SessionEnd; do
    BELFRY_HOME='' HOME=$PWD/fresh silent belfry hook $event <<< '{"session_id": "s1", "cwd": "/", "prompt": "fix", "source": "startup"}'
    silent belfry hook $event <<< '{"session_id": "s1", "cwd": "/", "prompt": "fix", "source": "startup"}'
  done
  same '' "$(ls -A fresh)"
  same missions "$(ls -A "$BELFRY_HOME")"
}

@test "hooks: no standard input, a terminal, no JSON, too much, no session: nothing, and status 0" {
  unset BELFRY_MISSION_ID
  start_anew
  belfry boundary set --session s1 -c 1 -m x
  silent belfry hook UserPromptSubmit < /dev/null
  silent belfry hook UserPromptSubmit <&-
  silent belfry hook UserPromptSubmit <<< '{"session_id": "s1", '
  silent belfry hook UserPromptSubmit <<< '["s1"]'
  silent belfry hook UserPromptSubmit <<< '{"session_id": 7}'
  silent belfry hook UserPromptSubmit <<< '{"session_id": "", "prompt": "x"}'
  silent belfry hook UserPromptSubmit <<< '{"session_id": "a b", "prompt": "x"}'
  silent belfry hook UserPromptSubmit <<< "{\"session_id\": \"$(printf 's%.0s' {1..200})\"}"
  silent belfry hook UserPromptSubmit < <(printf '{"session_id": "s1", "prompt": "'; head -c 17000000 /dev/zero | tr '\0' x; printf '"}')
  silent belfry hook UserPromptSubmit < <(printf '[%.0s' {1..50000})
  script -qec "$BELFRY_BIN hook UserPromptSubmit; echo status \$?" typescript > /dev/null < /dev/null
  has "$(cat typescript)" 'status 0'
  silent belfry hook SomethingNew <<< '{"session_id": "s1"}'
  same 0 "$(json .current_call_count belfry boundary show --session s1 --json)"
}

@test "hooks: without a daemon the store itself is asked; none is started" {
  unset BELFRY_MISSION_ID
  start_anew
  belfry boundary set --session s1 -c 1 -m 'without a daemon'
  stop_daemon
  run -0 belfry hook UserPromptSubmit <<< '{"session_id": "s1", "cwd": "/", "prompt": "x"}'
  has "$output" 'without a daemon'
  silent belfry hook UserPromptSubmit <<< '{"session_id": "s1", "cwd": "/", "prompt": "x"}'
  run -1 daemon_pid
  echo 'agents: [broken' > "$BELFRY_HOME/config.yml"
  silent belfry hook UserPromptSubmit <<< '{"session_id": "s1", "cwd": "/", "prompt": "x"}'
}

@test "hooks: a mission that is not there, a user that is not known: nothing, and status 0" {
  start_anew
  BELFRY_MISSION_ID=mis-zzzzzz silent belfry hook UserPromptSubmit <<< '{"session_id": "s1", "prompt": "x"}'
  unset BELFRY_MISSION_ID
  BELFRY_USER='not a name' silent belfry hook UserPromptSubmit <<< '{"session_id": "s1", "prompt": "x"}'
}
