# What tests with the real Claude Code on a terminal stand on, beside helper.bash: a stand-in for its model,
# and a person who has used it before.
#
#   CLAUDE_BIN   the folder that has `claude`

# client_person: the model runs, and somebody has used the client before; client_environment is what it needs.
client_person() {
  local key=sk-ant-a-key-that-opens-nothing

  model_log=$BATS_TEST_TMPDIR/model.log
  node "$e2e_root/test/claude/model.mjs" "$model_log" > "$BATS_TEST_TMPDIR/port" &
  model=$!
  wait_for 10 test -s "$BATS_TEST_TMPDIR/port"
  mkdir "$BATS_TEST_TMPDIR/person" "$BATS_TEST_TMPDIR/work"
  # They trust this folder.
  jq -n --arg key "${key: -20}" --arg folder "$BATS_TEST_TMPDIR/work" '{hasCompletedOnboarding: true, theme: "dark",
    customApiKeyResponses: {approved: [$key], rejected: []}, projects: {($folder): {hasTrustDialogAccepted: true}}}' \
    > "$BATS_TEST_TMPDIR/person/.claude.json"
  client_environment=(
    "PATH=$CLAUDE_BIN:$PATH"
    "HOME=$BATS_TEST_TMPDIR/person"
    "ANTHROPIC_BASE_URL=http://127.0.0.1:$(cat "$BATS_TEST_TMPDIR/port")"
    "ANTHROPIC_API_KEY=$key"
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
    DISABLE_AUTOUPDATER=1
    DISABLE_TELEMETRY=1
    DISABLE_ERROR_REPORTING=1
  )
}

# client_config [LINES]: client_person, and config.yml has the agent `claude`, with further lines of it.
client_config() {
  client_person
  client_agent "$@"
}

client_agent() {
  cat > "$BELFRY_HOME/config.yml" << END
agents:
  claude:
    adapter: claude
    args: [--permission-mode, default]
    directory: $BATS_TEST_TMPDIR/work
    environment:
$(printf '%s\n' "${client_environment[@]}" | sed -E 's/^([^=]+)=(.*)$/      \1: "\2"/')
${1:-}
END
}

# told FILTER: whether a hook has told that, by jq.
told() {
  jq -se "any(.[]; $1)" "$BELFRY_HOME"/missions/*/events > /dev/null 2>&1
}
