# What a live agent set for itself: in a session that Belfry hosts nobody has to type for it.
load helper
load tui
# shellcheck disable=SC2034
e2e_shown_once=1

setup_test() {
  agents_config
}

teardown_test() {
  end_sessions
}

came() {
  prompts h | grep -qE 'REMINDER YOU SET FOR YOURSELF|Read .*\.md'
}

@test "M4: in a live session minutes do not wait for a prompt, and it is told once" {
  local mission
  live h
  mission=$(json '.[] | select(.name == "h") | .mission' belfry agent ls --json)
  BELFRY_MISSION_ID=$mission BELFRY_SESSION=talk belfry boundary set --suppress-for-minutes 1 -m 'back to it'
  same h "$(belfry boundary show --session talk --json | command jq -r '.boundaries[0].agent')"
  wait_for 120 came
  all_delivered h
  BELFRY_MISSION_ID=$mission run -0 belfry hook UserPromptSubmit <<< '{"session_id": "talk", "prompt": "x"}'
  same '' "$output"
  same 1 "$(prompts h | grep -cE 'REMINDER YOU SET FOR YOURSELF|Read .*\.md')"
  same none "$(json .mode belfry boundary show --session talk --json)"
}
