# `belfry hook`: what an agent's hooks call. It has no store and no daemon.
load helper
e2e_shown_once=1

setup_test() {
  export BELFRY_MISSION_ID=mis-abc123
  mkdir -p "$BELFRY_HOME/missions/$BELFRY_MISSION_ID"
  events=$BELFRY_HOME/missions/$BELFRY_MISSION_ID/events
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
  BELFRY_HOOK_DEBUG=1 run -0 belfry hook Stop
  has "$output" 'BELFRY_MISSION_ID names no mission'
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
    interactive: [sh, -c, 'test -t 0 && cat "\${1#--hooks=}" && exit 7', sh, "--hooks={hooks}"]
    live: {hooks: claude}
agents:
  mine: {adapter: mine}
EOF
  unset BELFRY_MISSION_ID
  belfry daemon start
  script -qec "$BELFRY_BIN mission new mine x --interactive" typescript > /dev/null < /dev/null || true
  same "'$BELFRY_BIN' hook Stop" "$(grep -ao '{"hooks".*}' typescript | jq -r '.hooks.Stop[0].hooks[0].command')"
  run belfry mission new mine 'say done' --wait
  same 1 "$(find "$BELFRY_HOME/missions" -name hooks.json | wc -l)"
}
