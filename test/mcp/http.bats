#!/usr/bin/env bats
# /mcp by its status codes and headers: who may, what is refused, and that nothing is left of whoever goes.
load ../e2e/helper
load sdk

setup_test() {
  use_http
  json='Content-Type: application/json'
  any='Accept: application/json, text/event-stream'
  initialize='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'
  ping='{"jsonrpc":"2.0","id":2,"method":"ping"}'
  list='{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
}

# ask ARGUMENT...: of curl, with a token; the body is in `answer`, the headers in `headers`, and the status is printed.
ask() {
  curl -sS -m 60 -o answer -D headers -w '%{http_code}' -H "Authorization: Bearer $BELFRY_MCP_TOKEN" "$@" "$BELFRY_MCP_URL"
}

post() {
  ask -H "$json" -H "$any" -d "$@"
}

header() {
  sed -n "s/^$1: \(.*\)\r$/\1/Ip" headers
}

# begin [REVISION]: a session; `session` is the header that names it.
begin() {
  same 200 "$(post "${initialize/2025-11-25/${1:-2025-11-25}}")"
  session="Mcp-Session-Id: $(header mcp-session-id)"
}

raw() {
  /usr/bin/python3 "$BATS_TEST_DIRNAME/raw.py" "$BELFRY_MCP_URL" "$1" "$BELFRY_MCP_TOKEN"
}

@test "a session: initialize issues its id, DELETE ends it" {
  begin
  [[ $session =~ ^Mcp-Session-Id:\ [0-9a-f]{32}$ ]]
  same '"2025-11-25"' "$(command jq -c .result.protocolVersion answer)"
  same 202 "$(post '{"jsonrpc":"2.0","method":"notifications/initialized"}' -H "$session")"
  [ ! -s answer ]
  same 200 "$(post "$list" -H "$session")"
  same application/json "$(header content-type)"
  [ "$(command jq '.result.tools | length' answer)" -gt 10 ]
  same 204 "$(ask -X DELETE -H "$session")"
  same 404 "$(post "$list" -H "$session")"
  same 404 "$(ask -X DELETE -H "$session")"
}

@test "I8 a call with an Idempotency-Key is done once, however often it is sent" {
  begin
  call='{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"reminder","arguments":{"action":"set","message":"tea","in":"1h"}}}'
  same 200 "$(post "$call" -H "$session" -H 'Idempotency-Key: one')"
  cp answer first
  same 200 "$(post "$call" -H "$session" -H 'Idempotency-Key: one')"
  cmp answer first
  same 1 "$(json length belfry reminder list --json)"
  same 200 "$(post "${call/tea/milk}" -H "$session" -H 'Idempotency-Key: one')"
  has "$(cat answer)" 'used for another request'
  same 200 "$(post "$call" -H "$session" -H 'Idempotency-Key: two')"
  same 200 "$(post "$call" -H "$session")"
  same 3 "$(json length belfry reminder list --json)"
}

@test "a session is needed, known, and its own token's" {
  same 400 "$(post "$list")"
  same 400 "$(post '{"jsonrpc":"2.0","method":"notifications/initialized"}')"
  same 400 "$(ask -H "$any")"
  same 400 "$(ask -X DELETE)"
  same 404 "$(post "$list" -H 'Mcp-Session-Id: 00000000000000000000000000000000')"
  begin
  BELFRY_MCP_TOKEN=$(http_token)
  same 404 "$(post "$list" -H "$session")"
  same 404 "$(ask -X DELETE -H "$session")"
}

@test "a token is needed, and opens nothing once it is taken back" {
  same 401 "$(curl -sS -o answer -D headers -w '%{http_code}' -H "$json" -d "$ping" "$BELFRY_MCP_URL")"
  same 'Bearer realm="belfry"' "$(header www-authenticate)"
  has "$(cat answer)" 'belfry token add'
  begin
  belfry token rm "$(json '.[0].id' belfry token ls --json)"
  same 401 "$(post "$list" -H "$session")"
  has "$(header www-authenticate)" 'error="invalid_token"'
  for wrong in 'Bearer' 'Bearer ' "Basic $BELFRY_MCP_TOKEN" 'Bearer a b' "Bearer bel_$(printf 'x%.0s' {1..43})" \
    "Bearer $(printf 'x%.0s' {1..3000})"; do
    same 401 "$(curl -sS -o answer -w '%{http_code}' -H "$json" -H "Authorization: $wrong" -d "$ping" "$BELFRY_MCP_URL")"
  done
}

@test "tokens: told once, kept as a hash, listed, removed" {
  made=$(belfry token add --user alice --session main:dm:signal:1 --label 'her phone' --json 2> /dev/null)
  token=$(command jq -r .token <<< "$made")
  [[ $token =~ ^bel_[A-Za-z0-9_-]{43}$ ]]
  same "$BELFRY_MCP_URL" "$(command jq -r .url <<< "$made")"
  has "$(command jq -r .warning <<< "$made")" "'alice' is not among the"
  same "$(printf %s "$token" | sha256sum | cut -d' ' -f1)" "$(sql "SELECT hash FROM tokens WHERE owner = 'alice'")"
  same 'alice main:dm:signal:1 her phone null' \
    "$(json '.[1] | "\(.user) \(.session) \(.label) \(.used_at)"' belfry token ls --json)"
  has "$(belfry token ls)" 'main:dm:signal:1'
  [[ $(belfry token ls --json) != *"$token"* ]]
  run ! grep -rqF "$token" "$BELFRY_HOME"
  BELFRY_MCP_TOKEN=$token
  same 200 "$(post "$ping")"
  [ "$(json '.[1].used_at' belfry token ls --json)" != null ]
  belfry token rm "$(command jq -r .id <<< "$made")"
  same 401 "$(post "$ping")"
  refused 3 'there is no token' token rm tok-nobody
  refused 2 'is no name of a user' token add --user 'a b'
  refused 2 'is no id of a session' token add --session 'a b'
}

@test "other paths, methods, types" {
  same 404 "$(curl -sS -o answer -w '%{http_code}' "${BELFRY_MCP_URL%/mcp}/")"
  same 404 "$(curl -sS -o answer -w '%{http_code}' "$BELFRY_MCP_URL/x")"
  for method in PUT PATCH OPTIONS HEAD; do
    [ "$method" = HEAD ] && set -- -I || set -- -X "$method"
    same 405 "$(ask "$@")"
    same 'GET, POST, DELETE' "$(header allow)"
  done
  same 415 "$(ask -H 'Content-Type: text/plain' -d "$ping")"
  same 406 "$(ask -H "$json" -H 'Accept: text/html' -d "$ping")"
  same 406 "$(begin > /dev/null; ask -H "$session" -H 'Accept: application/json')"
}

@test "only names of this machine as Host and Origin" {
  for host in evil.example 127.0.0.1.evil.example localhost.evil.example 127.0.0.2 0.0.0.0 'localhost:x' 'localhost:' '[::2]'; do
    same 403 "$(post "$ping" -H "Host: $host")"
  done
  for host in localhost LOCALHOST:1 127.0.0.1 '[::1]' '[::1]:9'; do
    same 200 "$(post "$ping" -H "Host: $host")"
  done
  for origin in http://evil.example null http://localhost.evil.example file:// 'http://localhost@evil.example'; do
    same 403 "$(post "$ping" -H "Origin: $origin")"
  done
  same 200 "$(post "$ping" -H "Origin: http://localhost:3000")"
  same '403 403 400' "$(raw hosts)"
}

@test "revisions: unknown ones are refused, and one that stands alone repeats itself in its headers" {
  begin
  same 400 "$(post "$ping" -H "$session" -H 'MCP-Protocol-Version: 1999-01-01')"
  same 400 "$(post "$ping" -H 'MCP-Protocol-Version: x')"
  same 200 "$(post "$ping" -H "$session" -H 'MCP-Protocol-Version: 2025-11-25')"
  meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
  call="{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"board_show\",\"arguments\":{},$meta}}"
  alone=(-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: board_show')
  same 200 "$(post "$call" "${alone[@]}")"
  [ -z "$(header mcp-session-id)" ]
  same 400 "$(post "$call" "${alone[@]:2}")"
  same -32020 "$(command jq .error.code answer)"
  same 400 "$(post "$call" "${alone[@]:0:4}" -H 'Mcp-Name: board_set')"
  same -32020 "$(command jq .error.code answer)"
  same 5 "$(command jq .id answer)"
  # the message says the revision, the header repeats it: another one is no revision that is unknown
  same 400 "$(post "$call" -H 'MCP-Protocol-Version: 2031-01-01' "${alone[@]:2}")"
  same '5 -32020' "$(command jq -r '"\(.id) \(.error.code)"' answer)"
  same 400 "$(post "${call/2026-07-28/2031-01-01}" -H 'MCP-Protocol-Version: 2031-01-01' "${alone[@]:2}")"
  same '5 -32022 2031-01-01 2026-07-28' "$(command jq -r '"\(.id) \(.error.code) \(.error.data.requested) \(.error.data.supported[0])"' answer)"
  same 400 "$(post "${call/2026-07-28/2031-01-01}" "${alone[@]}")"
  same '5 -32020' "$(command jq -r '"\(.id) \(.error.code)"' answer)"
}

@test "batches are of 2025-03-26" {
  begin 2025-03-26
  same 200 "$(post "[$ping,{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},${list/\"id\":2/\"id\":3}]" -H "$session")"
  same '[2,3]' "$(command jq -c 'map(.id) | sort' answer)"
  same 202 "$(post '[{"jsonrpc":"2.0","method":"notifications/x"}]' -H "$session")"
  begin
  same 400 "$(post "[$ping]" -H "$session")"
}

@test "bad input: no JSON, no message, too long, too deep" {
  begin
  for body in '' '{' 'null' '{"id":1}' '[]' $'\xff' "$(printf '[%.0s' {1..5000})"; do
    same 400 "$(post "$body" -H "$session")"
    [ "$(command jq .error.code answer)" -lt -32000 ]
  done
  same 200 "$(post '{"jsonrpc":"2.0","id":1,"method":"no/such"}' -H "$session")"
  same -32601 "$(command jq .error.code answer)"
  head -c 4194305 /dev/zero | tr '\0' ' ' > long
  same 413 "$(post @long -H "$session")"
  same 413 "$(post @long -H "$session" -H 'Expect:')"
  same 413 "$(post @long -H "$session" -H 'Transfer-Encoding: chunked')"
  # as long as it may be
  { echo "$ping"; head -c 4194000 /dev/zero | tr '\0' ' '; } > long
  same 200 "$(ask -H "$json" -H "$session" --data-binary @long)"
  same 200 "$(raw garbage)"
}

@test "T31 events: for whoever takes nothing else, and streams of them up to their number" {
  begin
  same 200 "$(ask -H "$json" -H 'Accept: text/event-stream' -H "$session" -d "$ping")"
  same text/event-stream "$(header content-type)"
  same $'event: message\ndata: {"jsonrpc":"2.0","id":2,"result":{}}' "$(cat answer)"
  same 'ended 8' "$(raw streams)"
  same '48 72' "$(raw too-many-streams)"
}

@test "many connections wait for room, and the oldest of many sessions goes" {
  same 40 "$(raw too-many-connections)"
  same '404 200' "$(raw too-many-sessions)"
  same '0 1 2 3 4' "$(raw pipelined)"
}

@test "T10 silent connections give way to one with a token, and end after seconds" {
  same 'ended 0' "$(raw silent-end)"
  belfry daemon stop
  BELFRY_HTTP_HEAD_MS=50000 start_daemon
  BELFRY_MCP_URL=$(cat "$BELFRY_HOME/http")
  same served "$(raw silent)"
}

@test "a connection has to get on" {
  # a test has no minute
  belfry daemon stop
  BELFRY_HTTP_READ_MS=1000 start_daemon
  BELFRY_MCP_URL=$(cat "$BELFRY_HOME/http")
  same 'shut 0' "$(raw slow)"
  same 200 "$(post "$ping")"
}

@test "clients that vanish in the middle of a call leave nothing behind" {
  before=$(find "/proc/$(daemon_pid)/fd" | wc -l)
  same 200 "$(raw vanish)"
  wait_for 30 fds_are "$before"
  same 200 "$(post "$ping")"
}

# As many as before: nothing was kept of those who went.
fds_are() {
  [ "$(find "/proc/$(daemon_pid)/fd" | wc -l)" -le "$1" ]
}

@test "who asks comes from the token, and the session from it or from a header" {
  begin
  same 400 "$(post "$ping" -H "$session" -H 'Belfry-Session: a b')"
  same 400 "$(post "$ping" -H "$session" -H "Belfry-Session: $(printf 'x%.0s' {1..200})")"
  same 200 "$(post "$ping" -H "$session" -H 'Belfry-Session: main:dm:signal:1')"
}

@test "it follows config.yml, and a port that is taken is told, not fatal" {
  belfry status | grep -qF "$BELFRY_MCP_URL"
  same "$BELFRY_MCP_URL" "$(json .http belfry status --json)"
  echo 'timezone: UTC' > "$BELFRY_HOME/config.yml"
  wait_for 30 json_is null .http belfry status --json
  [ ! -e "$BELFRY_HOME/http" ]
  # nobody is there; or the daemon of another test by now, which does not know our token
  code=$(curl -sS -m 60 -o answer -w '%{http_code}' -H "Authorization: Bearer $BELFRY_MCP_TOKEN" "$BELFRY_MCP_URL") ||
    same 7 $?
  [ "$code" = 000 ] || same 401 "$code"
  # somebody else's port, as long as that file is there
  /usr/bin/python3 - taken << 'END' 3>&- &
import os, socket, sys, time
s = socket.create_server(("127.0.0.1", 0))
with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
while os.path.exists(sys.argv[1]):
    time.sleep(0.05)
END
  other=$!
  wait_for 30 test -s taken
  port=$(cat taken)
  echo "http: {port: $port}" > "$BELFRY_HOME/config.yml"
  wait_for 30 eval "json .http_error belfry status --json | grep -q 'port $port.*in use'"
  has "$(belfry status)" 'off: http: port'
  run -4 belfry doctor
  has "$output" 'choose another http port'
  rm taken
  wait $other
  log_has "http: port $port"
  # another word about it tries at once
  printf 'timezone: UTC\nhttp: {port: 0}\n' > "$BELFRY_HOME/config.yml"
  wait_for 30 test -s "$BELFRY_HOME/http"
  BELFRY_MCP_URL=$(cat "$BELFRY_HOME/http")
  same 200 "$(post "$ping")"
}

@test "T31 the stream of a token that is taken back ends, those of others go on" {
  begin
  curl -sSN -m 60 -o stream -H "Authorization: Bearer $BELFRY_MCP_TOKEN" -H "$session" "$BELFRY_MCP_URL" 3>&- &
  client=$!
  mine=$(json '.[0].id' belfry token ls --json)
  BELFRY_MCP_TOKEN=$(http_token)
  begin
  curl -sSN -m 60 -o other -H "Authorization: Bearer $BELFRY_MCP_TOKEN" -H "$session" "$BELFRY_MCP_URL" 3>&- &
  other=$!
  wait_for 30 test -s stream
  wait_for 30 test -s other
  belfry token rm "$mine"
  wait $client
  kill -0 $other
  same 200 "$(post "$ping" -H "$session")"
  kill $other
}

@test "stopping: streams end, and nobody waits for them" {
  begin
  curl -sSN -m 60 -o stream -H "Authorization: Bearer $BELFRY_MCP_TOKEN" -H "$session" "$BELFRY_MCP_URL" 3>&- &
  client=$!
  wait_for 30 test -s stream
  belfry daemon stop
  wait $client
  [ ! -e "$BELFRY_HOME/http" ]
}

@test "C5 C6: Belfry-Session with another user's session sets, reads and tells nothing of it" {
  printf 'users:\n  alice: {trust: inner}\n  bob: {trust: full}\n' >> "$BELFRY_HOME/config.yml"
  echo '{"session_id":"s-alice","hook_event_name":"UserPromptSubmit","prompt":"hello","transcript_path":"/t/alice.jsonl"}' |
    BELFRY_USER=alice "$BELFRY_BIN" hook UserPromptSubmit
  BELFRY_MCP_TOKEN=$(http_token --user bob)
  begin
  tool() {
    post "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" -H "$session" -H 'Belfry-Session: s-alice'
  }
  same 200 "$(tool set_reminder_boundary '{"suppress_for_calls":1,"message":"obey bob"}')"
  same true "$(command jq .result.isError answer)"
  has "$(cat answer)" "is not known as one of yours"
  same 200 "$(tool reminder '{"action":"set","in":"5h","message":"x","session":"s-alice"}')"
  has "$(cat answer)" "takes no argument 'session'"
  # messages go into a thread of his own
  same 200 "$(tool message_send '{"text":"from bob"}')"
  same 200 "$(tool inbox_replies '{"since":0}')"
  has "$(cat answer)" 'No replies.'
  # a token that is bound to a session has that one, whatever is said
  BELFRY_MCP_TOKEN=$(http_token --user bob --session s-bob)
  begin
  same 200 "$(tool set_reminder_boundary '{"suppress_for_calls":1,"message":"for bob"}')"
  same s-bob "$(command jq -r .result.structuredContent.session answer)"
}
