#!/usr/bin/env bats
# The official conformance suite over HTTP: what it can test without tools made for it. What it cannot is in
# not-applicable, by name and with the reason. The suite has no tokens, so that a proxy adds one.
load ../e2e/helper
load sdk

# shellcheck disable=SC2034
e2e_shown_once=1

conformance() {
  "$node_bin" "$BELFRY_MCP_CLIENTS/node_modules/.bin/conformance" "$@" 3>&-
}

teardown_test() {
  [ -z "${PROXY_PID:-}" ] || { kill "$PROXY_PID" 2> /dev/null; wait "$PROXY_PID" || true; }
}

# passes SCENARIO: by the suite's own count, which also has to be of something.
passes() {
  local out status=0

  use_http
  coproc PROXY { exec "$node_bin" "$e2e_root/test/mcp/proxy.mjs" "$BELFRY_MCP_URL" "$BELFRY_MCP_TOKEN" 3>&-; }
  read -r -t 60 port <&"${PROXY[0]}"
  out=$(timeout 120 "$node_bin" "$BELFRY_MCP_CLIENTS/node_modules/.bin/conformance" server \
    --url "http://127.0.0.1:$port/mcp" --scenario "$1" 2>&1 3>&-) || status=$?
  echo "$out"
  [ $status -eq 0 ]
  [[ $out =~ Passed:\ ([0-9]+)/([0-9]+),\ 0\ failed ]]
  [ "${BASH_REMATCH[1]}" -gt 0 ]
}

@test "conformance: server-initialize" {
  passes server-initialize
}

@test "conformance: logging-set-level" {
  passes logging-set-level
}

@test "conformance: ping" {
  passes ping
}

@test "conformance: tools-list" {
  passes tools-list
}

@test "conformance: server-sse-multiple-streams" {
  passes server-sse-multiple-streams
}

@test "conformance: resources-list" {
  passes resources-list
}

@test "conformance: resources-subscribe" {
  passes resources-subscribe
}

@test "conformance: resources-unsubscribe" {
  passes resources-unsubscribe
}

@test "conformance: prompts-list" {
  passes prompts-list
}

@test "conformance: dns-rebinding-protection" {
  passes dns-rebinding-protection
}

@test "conformance: every scenario is either run or named with the reason why it does not apply" {
  conformance list | sed -n '/^Server/,/^$/s/^  - \([^ ]*\).*/\1/p' | sort > there
  [ "$(wc -l < there)" -gt 30 ]
  {
    sed -n 's/^  passes //p' "$BATS_TEST_FILENAME"
    sed '/^#/d; s/ .*//' "$BATS_TEST_DIRNAME/not-applicable"
  } | sort > known
  diff there known
  # none of them without a reason
  run ! grep -Ev '^#|^[^ ]+ +[^ ]+ .{10}' "$BATS_TEST_DIRNAME/not-applicable"
}
