# Whose a session is: of its user, and of the run it began in, or of none. What was found by outsiders has its id.
load helper
# shellcheck disable=SC2034
e2e_shown_once=1

setup_test() {
  unset BELFRY_MISSION_ID BELFRY_RUN BELFRY_AGENT BELFRY_USER BELFRY_SESSION CLAUDE_CODE_SESSION_ID CLAUDE_PID
  export BELFRY_HOOK_SECONDS=30
  mkdir -p work
  scripted "$asker
  ada: {directory: $PWD/work}
users:
  bob: {trust: full}
  alice: {trust: inner}"
  # What a run does that leaves its variables behind.
  as_nobody="env -i PATH=$PATH BELFRY_HOOK_SECONDS=30 BELFRY_HOME=$BELFRY_HOME $BELFRY_BIN"
}

# hasnt TEXT PART
hasnt() {
  [[ $1 != *"$2"* ]] || { printf 'there: %s\nin:    %s\n' "$2" "$1" >&2; return 1; }
}

# input SESSION [TRANSCRIPT]: a prompt, as a client gives it to its hooks.
input() {
  printf '{"session_id": "%s", "transcript_path": "%s", "cwd": "%s/work", "hook_event_name": "UserPromptSubmit", "prompt_id": "%s", "prompt": "go on"}\n' \
    "$1" "${2:-/t/$1.jsonl}" "$PWD" "$RANDOM-$RANDOM-$RANDOM"
}

# prompt SESSION: the person's own client.
prompt() {
  input "$1" > input.$BASHPID
  belfry hook UserPromptSubmit < input.$BASHPID
}

# What a client of MCP says that calls one tool: NAME ARGUMENTS.
call='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n'
# ask SESSION TEXT: a question of an agent in that session, by its MCP server.
ask() {
  # shellcheck disable=SC2059
  printf "$call" message_send "{\"text\":\"$2\",\"ask\":true}" | belfry mcp --session "$1" |
    command jq -r 'select(.id == 2) | .result.structuredContent.thread'
}

# of_run AGENT LINES: a run that carries them out, with its output in $log.
of_run() {
  printf '%s\n' "$2" > "$BATS_TEST_TMPDIR/cheat"
  id=$(new "$1" "sh $BATS_TEST_TMPDIR/cheat; true")
  becomes "$id" success || { belfry mission logs "$id" >&2; false; }
  log=$(belfry mission logs "$id")
}

calls() { json .current_call_count belfry boundary show --session "$1" --json; }

@test "A27 a run that names a session of the person neither speaks in it nor silences it" {
  start_daemon
  prompt MINE6
  belfry boundary set --session MINE6 -c 9 -m 'mine alone'
  thread=$(ask MINE6 'Deploy now?')
  # shellcheck disable=SC2059
  printf "$call" set_reminder_boundary '{"suppress_for_calls":1,"message":"INJECTED"}' > set.json
  # shellcheck disable=SC2059
  printf "$call" inbox_replies '{}' > replies.json
  of_run shell "$as_nobody mcp --session MINE6 < $PWD/set.json 2>&1
$as_nobody mcp --session MINE6 < $PWD/replies.json > /dev/null 2>&1
for claim in --session=MINE6 ''; do
  BELFRY_SESSION=MINE6 belfry boundary set \$claim -c 1 -m INJECTED 2>&1
  BELFRY_SESSION=MINE6 belfry boundary show \$claim 2>&1
  BELFRY_SESSION=MINE6 belfry boundary clear \$claim 2>&1
done
BELFRY_SESSION=MINE6 belfry reminder add me -m 'INJECTED by a reminder' --in 5h --name theirs > /dev/null"
  same 7 "$(grep -c "session 'MINE6' is not known as one of yours" <<< "$log")"
  hasnt "$log" 'mine alone'
  same null "$(of theirs .source_session)"
  belfry inbox reply "$thread" 'Yes, deploy.'
  answer=$(prompt MINE6)
  has "$answer" 'Yes, deploy.'
  hasnt "$answer" INJECTED
  hasnt "$(belfry hook SessionStart <<< '{"session_id": "MINE6", "source": "resume"}')" INJECTED
  same '["mine alone"]' "$(belfry boundary show --session MINE6 --json | jq -c '[.boundaries[].reminder_message]')"
}

@test "A27 a hook that a run forges for a session of the person is not heard" {
  start_daemon
  prompt MINE7
  belfry boundary set --session MINE7 -c 1 -m 'mine alone'
  belfry boundary set --session UNHEARD -c 1 -m 'mine too'
  belfry agent send ada 'for ada'
  input MINE7 /forged.jsonl > forged
  input UNHEARD /forged.jsonl > unheard
  of_run shell "for f in forged unheard; do $as_nobody hook UserPromptSubmit < $PWD/\$f; belfry hook UserPromptSubmit < $PWD/\$f; done
echo '{\"session_id\": \"MINE7\"}' | $as_nobody hook SessionEnd"
  hasnt "$log" 'mine alone'
  hasnt "$log" 'mine too'
  hasnt "$log" 'for ada'
  same 1 "$(calls MINE7)"
  same '/t/MINE7.jsonl||' "$(sql "SELECT transcript, mission, ended_at FROM sessions WHERE id = 'MINE7'")"
  answer=$(prompt MINE7)
  has "$answer" 'mine alone'
  has "$answer" 'for ada'
  has "$(prompt UNHEARD)" 'mine too'
}

@test "A27 a command that is run for others, and what nobody knows the run of, reach no session" {
  start_daemon
  prompt MINE8
  belfry boundary set --session MINE8 -c 1 -m 'mine alone'
  input MINE8 > forged
  # a condition of a run whose mission is gone
  of_run shell "belfry reminder add me -m x --in 9d --name later --condition '$as_nobody hook UserPromptSubmit < $PWD/forged > $PWD/out; $as_nobody boundary show >> $PWD/out 2>&1; $as_nobody boundary show --session MINE8 >> $PWD/out 2>&1; touch $PWD/done; false'"
  belfry mission rm "$id" --force > /dev/null
  belfry reminder edit later --in 1s > /dev/null
  wait_for 30 test -e done
  hasnt "$(cat out)" 'mine alone'
  # a process that has ended before it was looked at
  python3 - "$BELFRY_HOME/belfry.sock" << 'EOF' > out
import json, os, socket, sys
s = socket.socket(socket.AF_UNIX)
if not os.fork():
    s.connect(sys.argv[1])
    os._exit(0)
os.wait()
s.sendall((json.dumps({"request": "hook event", "args": {"event": "UserPromptSubmit", "session": "MINE8", "id": "x1"}, "caller": {"surface": "hook"}}) + "\n").encode())
print(s.recv(65536).decode())
EOF
  hasnt "$(cat out)" 'mine alone'
  same 1 "$(calls MINE8)"
  has "$(prompt MINE8)" 'mine alone'
}

@test "A27 M10 a conversation of a mission goes on counting in the person's hands, and back in its mission" {
  start_daemon
  # prompt_of ID: the hook, as the run's own client calls it
  cat > "$BATS_TEST_TMPDIR/say" << 'END'
printf '{"session_id": "%s", "prompt_id": "%s", "hook_event_name": "UserPromptSubmit", "prompt": "x"}' "$1" "$2" | belfry hook UserPromptSubmit
END
  id=$(new asker "echo id=\$1; sh $BATS_TEST_TMPDIR/say \$1 p1; BELFRY_SESSION=\$1 belfry boundary set -c 2 -m 'then review'; BELFRY_SESSION=\$1 belfry boundary set -c 4 -m 'then rest'")
  becomes "$id" success || { belfry mission logs "$id" >&2; false; }
  session=$(belfry mission logs "$id" | sed -n 's/^.*id=//p')
  [ -n "$session" ]
  same '' "$(prompt "$session")"
  has "$(prompt "$session")" 'then review'
  same 3 "$(calls "$session")"
  # it is the person's now: mail for the agent of its folder is told there
  belfry agent send ada 'for ada'
  has "$(prompt "$session")" 'for ada'
  # Belfry resumes it: a run again
  belfry mission resume "$id" "sh $BATS_TEST_TMPDIR/say \$1 p2" --wait > /dev/null
  has "$(belfry mission logs "$id")" 'then rest'
  same 5 "$(calls "$session")"
}

@test "A27 what a run set under a name that the person's client uses later is not told there" {
  start_daemon
  input FUTURE > forged
  of_run shell "$as_nobody hook UserPromptSubmit < $PWD/forged
BELFRY_SESSION=FUTURE belfry boundary set -c 1 -m INJECTED
BELFRY_SESSION=LATER belfry boundary set -c 1 -m INJECTED
belfry boundary set --session NAMED -c 1 -m INJECTED 2>&1"
  has "$log" "session 'NAMED' is not known as one of yours"
  for session in FUTURE LATER NAMED; do hasnt "$(prompt $session)" INJECTED; done
  for session in FUTURE LATER NAMED; do hasnt "$(prompt $session)" INJECTED; done
  same 2 "$(calls FUTURE)"
}

@test "A29 what another user's session of the same name was offered is not confirmed by mine" {
  start_daemon
  # hook USER EVENT ARGS
  hook() { printf '{"request":"%s","args":%s,"caller":{"surface":"hook","user":"%s"}}\n' "$2" "$3" "$1" | talk; }
  hook alice 'hook event' '{"event":"UserPromptSubmit","session":"SAME","id":"a1","transcript":"/t"}' > /dev/null
  BELFRY_USER=alice belfry boundary set --session SAME -c 1 -m 'hers' > /dev/null || \
    printf '{"request":"boundary set","args":{"suppress_for_calls":1,"message":"hers"},"caller":{"surface":"mcp","user":"alice","session":"SAME"}}\n' | talk > /dev/null
  offer=$(hook alice 'hook event' '{"event":"UserPromptSubmit","session":"SAME","id":"a2"}' | jq .result.offer)
  [ "$offer" != null ]
  hook me 'hook event' '{"event":"UserPromptSubmit","session":"SAME","id":"m1"}' > /dev/null
  hook me 'hook printed' "{\"session\":\"SAME\",\"offer\":$offer}" > /dev/null
  same 0 "$(sql "SELECT printed FROM boundaries WHERE owner = 'alice'")"
  hook alice 'hook printed' "{\"session\":\"SAME\",\"offer\":$offer}" > /dev/null
  same 1 "$(sql "SELECT printed FROM boundaries WHERE owner = 'alice'")"
}
