# An agent writes to the person, the person answers, the agent goes on: the whole way round.
load helper

setup_test() {
  scripted
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
  cat >> "$BELFRY_HOME/config.yml" << EOF
  behind: {command: [sh], environment: {PATH: "$BATS_TEST_TMPDIR/old:$PATH"}}
  ahead: {command: [sh], environment: {PATH: "$(dirname "$BELFRY_BIN"):$BATS_TEST_TMPDIR/old:$PATH"}}
  without: {command: [/bin/sh], environment: {PATH: ""}}
EOF
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
