# `belfry mcp` on standard input and output, by raw lines. What the tools do is shown elsewhere: here it does not
# matter whether one succeeds.
load helper
e2e_sanitized=1
e2e_shown_once=1

setup_test() {
  unset BELFRY_USER BELFRY_SESSION BELFRY_AGENT BELFRY_MISSION_ID BELFRY_RUN CLAUDE_CODE_SESSION_ID
  alive='"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}'
}

teardown_test() {
  [ -z "${server:-}" ] || { hang_up; wait_for 30 gone "$server"; }
  [ -z "${standing:-}" ] || kill "$standing"
  # it writes there only what is meant for people
  [ ! -s complaints ] || { cat complaints >&2; return 1; }
}

# line ID METHOD [PARAMS]: a request. ID is JSON.
line() {
  local params=${3:-'{}'}
  printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' "$1" "$2" "$params"
}

hello() {
  line 0 initialize "{\"protocolVersion\":\"${1:-2025-11-25}\",\"capabilities\":{},\"clientInfo\":{\"name\":\"${2:-claude-code}\",\"version\":\"1\"}}"
  echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}

# call ID TOOL [ARGUMENTS]
call() {
  local arguments=${3:-'{}'}
  line "$1" tools/call "{\"name\":\"$2\",\"arguments\":$arguments}"
}

# serve [FLAGS]: the program, to be spoken to by `say` and heard by `hear`.
serve() {
  mkfifo in out
  "$BELFRY_BIN" mcp "$@" < in > out 2> complaints 3>&- &
  server=$!
  exec 8> in 9< out
}

say() {
  printf '%s\n' "$@" >&8
}

# The next reply, through a filter. Each test knows how many there are.
hear() {
  local reply

  IFS= read -r -t 60 -u 9 reply || { echo 'no reply' >&2; return 1; }
  jq -r "${1:-.}" <<< "$reply"
}

hang_up() {
  exec 8>&- 9<&-
}

text='.result.content[0].text'

# A daemon that says what it is told to: request -> answers, see stand-in.py.
stand_in() {
  echo "$1" > answers.json
  /usr/bin/python3 "$e2e_root/test/e2e/stand-in.py" "$BELFRY_HOME/belfry.sock" "$PWD/answers.json" "$PWD/asked" 3>&- &
  standing=$!
  wait_for 30 test -S "$BELFRY_HOME/belfry.sock"
}

@test "the handshake of Claude Code: a probe, the agreement, three lists; no daemon is started for that" {
  {
    line '"probe-1"' server/discover "{\"_meta\":{$alive,\"io.modelcontextprotocol/clientInfo\":{\"name\":\"claude-code\",\"version\":\"2.1.325\"}}}"
    hello
    line 1 tools/list
    line 2 prompts/list
    line 3 resources/list
  } > in
  run -0 --separate-stderr "$BELFRY_BIN" mcp < in
  same '' "$stderr"
  same 'probe-1 0 1 2 3' "$(jq -rs 'map(.id) | join(" ")' <<< "$output")"
  same 0 "$(jq -s 'map(select(.error)) | length' <<< "$output")"
  same 'complete 2026-07-28' "$(jq -r 'select(.id == "probe-1").result | .resultType + " " + .supportedVersions[0]' <<< "$output")"
  same 'belfry 2025-11-25' "$(jq -r 'select(.id == 0).result | .serverInfo.name + " " + .protocolVersion' <<< "$output")"
  same '[] []' "$(jq -cs '(.[] | select(.id == 2).result.prompts), (.[] | select(.id == 3).result.resources)' <<< "$output" | tr '\n' ' ' | sed 's/ $//')"
  [ ! -e "$BELFRY_HOME/belfry.db" ]
  [ ! -e "$BELFRY_HOME/daemon.log" ]
}

@test "a method nobody knows is refused at once, before anything was agreed on" {
  serve
  say "$(line 1 servers/uncover)"
  same '1 -32601' "$(hear '"\(.id) \(.error.code)"')"
  say "$(line 2 tools/list)"
  same '2 -32602' "$(hear '"\(.id) \(.error.code)"')"
}

@test "each revision is agreed on; an unknown one gets the newest" {
  for revision in 2025-11-25 2025-06-18 2025-03-26; do
    same "$revision" "$(hello $revision | "$BELFRY_BIN" mcp | jq -r .result.protocolVersion)"
  done
  same 2025-11-25 "$(hello 1999-01-01 | "$BELFRY_BIN" mcp | jq -r .result.protocolVersion)"
}

@test "2026-07-28, as Claude Code speaks it once its probe was answered: requests that stand alone" {
  {
    line '"server-discover-probe-1"' server/discover "{\"_meta\":{$alive,\"io.modelcontextprotocol/clientInfo\":{\"name\":\"claude-code\",\"version\":\"2.1.325\"}}}"
    line 1 tools/list "{\"_meta\":{$alive}}"
    line 2 tools/call "{\"name\":\"board_show\",\"arguments\":{},\"_meta\":{$alive}}"
    line 3 ping "{\"_meta\":{$alive}}"
    line 4 tools/list '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}'
  } > in
  run -0 --separate-stderr "$BELFRY_BIN" mcp < in
  same 'complete number private' "$(jq -r 'select(.id == 1).result | "\(.resultType) \(.ttlMs | type) \(.cacheScope)"' <<< "$output")"
  same 'complete array' "$(jq -r 'select(.id == 2).result | "\(.resultType) \(.content | type)"' <<< "$output")"
  same '-32601 -32022' "$(jq -rs 'map(.error.code // empty) | join(" ")' <<< "$output")"
  same 5 "$(wc -l <<< "$output")"
}

@test "2025-03-26: a batch is answered as one" {
  {
    hello 2025-03-26
    echo "[$(line 1 ping),{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},$(call 2 board_show)]"
    echo '[{"jsonrpc":"2.0","method":"notifications/x"}]'
    line 3 ping
  } > in
  run -0 --separate-stderr "$BELFRY_BIN" mcp < in
  same '0;1 2;3' "$(jq -rs 'map(if type == "array" then map(.id | tostring) | join(" ") else .id | tostring end) | join(";")' <<< "$output")"
}

@test "T7 a client that has no hooks is not offered tools that could only fail, until it is known who it is" {
  needs_session() {
    { hello 2025-11-25 "$@"; line 1 tools/list; } | "$BELFRY_BIN" mcp |
      jq -r 'select(.id == 1).result.tools[].name' | grep -cE 'set_reminder_boundary|inbox_replies|board_set' || true
  }
  same 0 "$(needs_session opencode)"
  same 3 "$(needs_session codex-mcp-client)"
  same 3 "$(BELFRY_SESSION=s-1 needs_session opencode)"
  { hello 2025-11-25 opencode; call 1 message_send '{"text":"Tests pass"}'; } | "$BELFRY_BIN" mcp > sent
  has "$(cat sent)" 'Sent to the person'
  # in the revision without a beginning each request says it
  info() {
    line 1 tools/list "{\"_meta\":{$alive,\"io.modelcontextprotocol/clientInfo\":{\"name\":\"$1\",\"version\":\"1\"}}}" |
      "$BELFRY_BIN" mcp | jq -r '.result.tools[].name' | grep -c inbox_replies || true
  }
  same 0 "$(info opencode)"
  same 1 "$(info gemini-cli-mcp-client)"
}

@test "tools: names, schemas and hints that a client can rely on" {
  { hello; line 1 tools/list; } | "$BELFRY_BIN" mcp > listed
  jq -c 'select(.id == 1).result.tools[]' listed > tools
  [ "$(wc -l < tools)" -ge 17 ]
  for name in reminder reminder_complete condition_report schedule schedule_list schedule_edit schedule_cancel schedule_preview \
    message_send agent_send inbox_replies mission_run mission_list mission_result board_set board_show get_lesson get_workflow_step; do
    grep -q "\"name\":\"$name\"" tools || { echo "no tool $name" >&2; false; }
  done
  # whatever is required is described; nothing else is let in; everything has a type
  same '' "$(jq -r 'select((.inputSchema | .type == "object" and .additionalProperties == false and
    ((.required // []) - (.properties | keys) == []) and ([.properties[] | select(.type // .anyOf[0].type | IN("string", "integer", "boolean", "array") | not)] == []))
    | not).name' tools)"
  same '' "$(jq -r 'select(.outputSchema.type != "object" or .description == "" or (.name | test("^[a-z_]{1,64}$") | not) or
    ([.annotations | .readOnlyHint, .destructiveHint, .idempotentHint, .openWorldHint | type] != ["boolean", "boolean", "boolean", "boolean"])).name' tools)"
}

@test "bad input: a precise answer each, and the next message is answered" {
  # what is sent; the reply's id and code
  while IFS='|' read -r sent want; do
    { hello; printf '%b\n' "$sent"; line 99 ping; } | "$BELFRY_BIN" mcp > replies
    same "0|$want|99" "$(jq -rs 'map("\(.id)\(if .error then " \(.error.code)" else "" end)") | join("|")' replies)" || { echo "sent: $sent" >&2; false; }
  done << 'END'
nope|null -32700
{"jsonrpc":"2.0","id":1,|1 -32700
{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}|null -32700
{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}|1 -32700
{"jsonrpc":"2.0","id":1,"method":"ping"}\0|1 -32700
{"jsonrpc":"2.0","id":null,"method":"ping"}|null -32600
{"jsonrpc":"2.0","id":{},"method":"ping"}|null -32600
{"jsonrpc":"2.0","id":1.5,"method":"ping"}|null -32600
{"id":1,"method":"ping"}|1 -32600
[]|null -32600
7|null -32600
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm_rf"}}|1 -32602
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"reminder","arguments":7}}|1 -32602
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"reminder","arguments":{"message":"a\\u0000b"}}}|1 -32600
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}|1 -32602
END
  [ ! -e "$BELFRY_HOME/belfry.db" ]
}

@test "C1: unknown arguments are refused by name, in words for the model" {
  { hello; call 1 reminder '{"colour": "red"}'; } | "$BELFRY_BIN" mcp > replies
  same true "$(jq -r 'select(.id == 1).result.isError' replies)"
  has "$(jq -r "select(.id == 1)$text" replies)" "'reminder' takes no argument 'colour'"
}

@test "a megabyte is taken, five are refused, and so are a hundred thousand levels" {
  {
    hello
    printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"message_send","arguments":{"no_such":"%s"}}}\n' "$(head -c 1000000 /dev/zero | tr '\0' x)"
    printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"a":"'
    head -c 5000000 /dev/zero | tr '\0' x
    printf '"}}\n'
    printf '{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":'
    head -c 100 /dev/zero | tr '\0' '['
    head -c 100 /dev/zero | tr '\0' ']'
    printf '}}\n'
    head -c 100000 /dev/zero | tr '\0' '['
    echo
    line 4 ping
  } > in
  "$BELFRY_BIN" mcp < in > replies
  same 'true' "$(jq -r 'select(.id == 1).result.isError' replies)"
  has "$(jq -r "select(.id == 1)$text" replies)" no_such
  same 'null -32600|3 -32600|null -32700|4' "$(jq -rs '.[2:] | map("\(.id)\(if .error then " \(.error.code)" else "" end)") | join("|")' replies)"
  has "$(jq -r 'select(.error) | .error.message' replies)" 'longer than 4 MiB'
  has "$(jq -r 'select(.error) | .error.message' replies)" 'at most 64 levels'
}

@test "a message without its newline is still one, blank lines are none, and the end of input is the end" {
  run -0 --separate-stderr "$BELFRY_BIN" mcp <<< ''
  same '' "$output$stderr"
  run -0 --separate-stderr "$BELFRY_BIN" mcp < <(printf '\n  \r\n%s\r\n\n%s' "$(line 1 ping)" "$(line 2 ping)")
  same '1 2' "$(jq -rs 'map(.id) | join(" ")' <<< "$output")"
}

@test "dead daemon: another one is started, and asked, by the same server" {
  serve
  say "$(hello)" "$(call 1 board_show)"
  same 0 "$(hear .id)"
  same 1 "$(hear .id)"
  first=$(daemon_pid)
  kill_daemon
  say "$(call 2 board_show)"
  IFS= read -r -t 60 -u 9 reply
  same 2 "$(jq .id <<< "$reply")"
  [[ $reply != *daemon* ]]
  [ "$(daemon_pid)" != "$first" ]
  # and a clean restart
  belfry daemon stop
  say "$(call 3 board_show)"
  IFS= read -r -t 60 -u 9 reply
  same 3 "$(jq .id <<< "$reply")"
  [[ $reply != *daemon* ]]
}

# sockets_are NUMBER: that the server has open
sockets_are() {
  [ "$(find "/proc/$server/fd" -lname 'socket:*' | wc -l)" -eq "$1" ]
}

@test "a server that idles keeps no connection, and has one again when it is asked" {
  serve
  say "$(hello)" "$(call 1 board_show)"
  same 0 "$(hear .id)"
  same 1 "$(hear .id)"
  wait_for 30 sockets_are 0
  say "$(call 2 board_show)"
  same 2 "$(hear .id)"
  [ "$(daemon_pid)" ]
}

@test "I8 an answer that was lost: a change is asked for again by the same id, on another connection" {
  stand_in '{"tool board_set": [{"hang up": true}, {"hang up": true}, {"agent": "fake", "status": "busy"}]}'
  serve
  say "$(hello)" "$(call 1 board_set)"
  same 0 "$(hear .id)"
  same 1 "$(hear .id)"
  same 3 "$(wc -l < asked)"
  same 1 "$(grep -v None asked.ids | sort -u | wc -l)"
}

@test "a daemon that does not answer holds nobody up for ever" {
  export BELFRY_MCP_ANSWER_SECONDS=1
  stand_in '{"tool board_set": [{"silent": true}]}'
  serve
  say "$(hello)" "$(call 1 board_set)" "$(line 2 ping)" "$(call 3 board_set)"
  same 0 "$(hear .id)"
  reply=$(hear)
  same 2 "$(hear .id)"
  same 3 "$(hear .id)"
  has "$(jq -r "$text" <<< "$reply")" 'whether this was done is not known'
  # asleep for as long as it had, it may be told for either: does not, or did not within 1 seconds
  has "$(jq -r "$text" <<< "$reply")" ' not answer'
  has "$(jq -r "$text" <<< "$reply")" 'it is not done twice'
  # the same once more is the same request
  same 2 "$(wc -l < asked)"
  same 1 "$(grep -v None asked.ids | sort -u | wc -l)"
}

@test "a client that vanishes in mid-call: the server ends, quietly" {
  export BELFRY_MCP_ANSWER_SECONDS=1
  stand_in '{"tool board_set": [{"silent": true}]}'
  serve
  say "$(hello)" "$(call 1 board_set)"
  same 0 "$(hear .id)"
  wait_for 30 test -s asked
  hang_up
  wait_for 30 gone "$server"
  wait "$server"
  same '' "$(cat complaints)"
}

@test "a reader that has gone, and SIGTERM" {
  for i in $(seq 2000); do line "$i" tools/list '{}'; done > in
  { hello; cat in; } > all
  set +o pipefail
  "$BELFRY_BIN" mcp < all 2> complaints | head -c 100 > /dev/null
  same 0 "${PIPESTATUS[0]}"
  same '' "$(cat complaints)"
  rm in
  serve
  say "$(line 1 ping)"
  same 1 "$(hear .id)"
  kill -TERM "$server"
  wait_for 30 gone "$server"
  run -143 wait "$server"
}

@test "without a daemon it works by itself, and leaves the store to others in between" {
  export BELFRY_NO_AUTOSTART=1
  serve
  say "$(hello)" "$(call 1 board_show)"
  same 0 "$(hear .id)"
  same 1 "$(hear .id)"
  run ! daemon_pid
  [ -e "$BELFRY_HOME/belfry.db" ]
  belfry daemon start
  say "$(call 2 board_show)"
  same 2 "$(hear .id)"
}

@test "who asks comes from how it was started, and not from arguments" {
  stand_in '{"tool reminder": [{"reminders": []}]}'
  { hello; call 1 reminder '{"user": "eve", "session": "hers", "agent": "evil", "caller": {"user": "eve"}}'; } > in
  # by a shell that stays and a script of one, below a program that is none
  cat > launch.py << 'END'
import os, subprocess
print(os.getpid(), flush=True)
subprocess.run(["sh", "-c", "./start-it; true"], check=True)
END
  cat > start-it << 'END'
#!/bin/sh
"$BELFRY_BIN" mcp --user alice --session s-1 --agent helper > out
true
END
  chmod +x start-it
  pid=$(/usr/bin/python3 launch.py < in)
  same 'mcp alice s-1 helper' "$(jq -r '.caller | [.surface, .user, .session, .agent] | join(" ")' asked)"
  same "$pid number 36" "$(jq -r '.caller.process | "\(.pid) \(.pid_start | type) \(.boot | length)"' asked)"
  same eve "$(jq -r .args.user asked)"
  # by the environment, where the flags say nothing
  rm asked
  BELFRY_USER=bob BELFRY_MISSION_ID=mis-abc123 CLAUDE_CODE_SESSION_ID=c-1 "$BELFRY_BIN" mcp < in > out
  same 'mcp bob mis-abc123 c-1' "$(jq -r '.caller | [.surface, .user, .mission, .session] | join(" ")' asked)"
  refused 2 '--user is empty' mcp --user ''
}

@test "a person at a terminal is told what it is for" {
  run -0 script -qec "$BELFRY_BIN mcp" /dev/null < /dev/null
  has "$output" 'waits for an agent'
  has "$output" 'claude mcp add'
}
