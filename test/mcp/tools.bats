#!/usr/bin/env bats
# Every tool by the official SDK, over stdio and over HTTP: it checks each answer against the tool's own output schema.
# A test is one client with a connection of each kind; `over_both` does the same over one and over the other.
load ../e2e/helper
load sdk

setup_test() {
  unset BELFRY_MISSION_ID BELFRY_RUN BELFRY_AGENT BELFRY_USER BELFRY_SESSION BELFRY_TRUST CLAUDE_CODE_SESSION_ID CLAUDE_PID
  export BELFRY_HOOK_SECONDS=30 # it must not be the machine that is judged
  scripted 'users:
  alice: {trust: inner, match: ["terminal:hers", "signal:alice-id"], timezone: America/Los_Angeles}
  bob: {trust: inner, match: ["signal:bob-id"]}
  carol: {trust: familiar, match: ["signal:carol-id"]}
  dave: {trust: full}'
  use_http
  BELFRY_MCP_ARGS='["--session","s-stdio"]' sdk_open stdio
  sdk_join http '{"transport":"http","session":"s-http"}'
}

# over_both FUNCTION: called with the name of the transport, which is the session's, too.
over_both() {
  sdk_as main
  "$1" stdio
  sdk_as http
  "$1" http
}

# join USER: as USER-stdio and USER-http.
join() {
  sdk_join "$1-stdio" "{\"transport\":\"stdio\",\"args\":[\"--user\",\"$1\"]}"
  sdk_join "$1-http" "{\"transport\":\"http\",\"token\":\"$(http_token --user "$1" 2> /dev/null)\"}"
}

# got FILTER: of the structure of the answer that the last `try` got.
try() {
  answer=$(sdk_call "$@")
}

got() {
  command jq -r ".structuredContent | $1" <<< "$answer"
}

# What a model reads that is given the structure alone, and what one is given that reads the text.
said() {
  has "$(got .summary)" "$1"
  has "$(command jq -r '[.content[].text] | join("\n")' <<< "$answer")" "$1"
}

hook() {
  belfry hook "$1" <<< "{\"session_id\":\"$2\",\"transcript_path\":\"/t/$2.jsonl\",\"cwd\":\"$PWD\",\"hook_event_name\":\"$1\",\"prompt\":\"go on\",\"prompt_id\":\"p-$(date +%s%N)\"}"
}

@test "C1 C17 each tool tells what it takes and answers; reminder wants a plan and a message that stands alone" {
  listed() {
    sdk_ask "{\"as\":\"$SDK_AS\",\"list\":\"tools\"}" > listed
    command jq -c '.tools[]' listed > tools
    same 'agent_send board_set board_show condition_report get_lesson get_workflow_step inbox_replies message_send mission_list mission_result mission_run reminder reminder_complete schedule schedule_cancel schedule_edit schedule_list schedule_preview set_reminder_boundary' \
      "$(command jq -r .name tools | sort | tr '\n' ' ' | sed 's/ $//')"
    same '' "$(command jq -r 'select(.outputSchema | (.required | index("summary")) and .properties.summary.type == "string" | not).name' tools)"
    command jq -c 'select(.name == "reminder")' tools > reminder
    has "$(cat reminder)" 'confirm a concrete plan'
    has "$(cat reminder)" 'knows nothing of this conversation'
    has "$(cat reminder)" 'Never work out times yourself'
    same '["set","list","cancel","snooze","edit","complete"] ["action"]' \
      "$(command jq -r '.inputSchema | (.properties.action.enum | tojson) + " " + (.required | tojson)' reminder)"
    # whose session it is, nobody may choose; lists may be a text, too
    same '["lesson_ids","message","note","suppress_for_calls","suppress_for_minutes","workflow_step"] ["string","array"]' \
      "$(command jq -r 'select(.name == "set_reminder_boundary").inputSchema.properties | (keys | tojson) + " " + (.lesson_ids.anyOf | map(.type) | tojson)' tools)"
    same 'true false' "$(command jq -r 'select(.name == "board_show").annotations | "\(.readOnlyHint) \(.destructiveHint)"' tools)"
  }
  over_both listed
}

@test "B2 schedule: confirmed in local time; listed, edited, cancelled, run" {
  tasks() {
    try schedule '{"at":"2099-02-04 15:15","prompt":"say later","timezone":"America/Los_Angeles","name":"far"}'
    same 'Feb 4, 2099 3:15 PM PST 2099-02-04T15:15:00-08:00 America/Los_Angeles item true pending builder' \
      "$(got '"\(.local_time) \(.fire_at) \(.timezone) \(.timezone_source) \(.scheduler_running) \(.status) \(.agent)"')"
    said 'for Feb 4, 2099 3:15 PM PST'
    id=$(got .id)
    try schedule_list
    same "$id say later" "$(got '.tasks[0] | .id + " " + .prompt')"
    try schedule_edit "{\"id\":\"$id\",\"at\":\"2099-07-04 9am\"}"
    same 'Jul 4, 2099 9:00 AM PDT say later' "$(got '.local_time + " " + .prompt')"
    try schedule_cancel "{\"id\":\"far\"}"
    same cancelled "$(got .status)"
    said "Task $id cancelled."
    same 0 "$(sdk_get '.tasks | length' schedule_list)"
    try schedule "{\"in\":\"1s\",\"prompt\":\"write $1.txt ran\"}"
    [[ $(got .relative) == 'in '* ]]
    task_becomes "$(got .id)" completed
    same ran "$(cat "$1.txt")"
    try schedule_list '{"status":"completed"}'
    same "$1" "$(got '.tasks[0].prompt' | sed 's/write \(.*\).txt ran/\1/')"
    sdk_refused future schedule '{"at":"2020-01-01","prompt":"x"}'
    sdk_refused 'missing required parameter: prompt' schedule '{"in":"1h"}'
    sdk_refused "invalid at" schedule '{"at":"the day after","prompt":"x"}'
    sdk_refused 'Task none-such not found.' schedule_cancel '{"id":"none-such"}'
    sdk_refused 'nothing to change' schedule_edit "{\"id\":\"$id\"}"
  }
  over_both tasks
}

@test "C1 C2 C3 C4 reminder: set, list, snooze, edit, complete, cancel; and each mistake by its name" {
  reminders() {
    same 'No pending reminders.' "$(sdk_text reminder '{"action":"list"}')"
    try reminder '{"action":"set","time":"2099-02-04 15:15","message":"Call Dr. Smith, 555-0123"}'
    id=$(got .id)
    [[ $id =~ ^rem_[0-9a-f]{32}$ ]]
    same 'Feb 4, 2099 3:15 PM UTC me inbox:me true' "$(got '"\(.local_time) \(.user) \(.delivery[0]) \(.scheduler_running)"')"
    said "Reminder scheduled (id: $id) for Feb 4, 2099 3:15 PM UTC"
    try reminder '{"action":"list"}'
    said "- [$id] Feb 4, 2099 3:15 PM UTC → \"Call Dr. Smith, 555-0123\""
    same 1 "$(got '.reminders | length')"
    try reminder "{\"action\":\"snooze\",\"id\":\"$id\",\"time\":\"2099-02-05 08:00\"}"
    same "$id Feb 5, 2099 8:00 AM UTC" "$(got '.id + " " + .local_time')"
    try reminder "{\"action\":\"edit\",\"id\":\"$id\",\"message\":\"Call Dr. Jones\"}"
    same 'Call Dr. Jones' "$(got .message)"
    same completed "$(sdk_get .status reminder "{\"action\":\"complete\",\"id\":\"$id\"}")"
    try reminder '{"action":"set","cron":"0 9 * * 1-5","message":"stand up","count":3,"name":"standup"}'
    [ "$(got .repeats)" != null ]
    id=$(got .id)
    try reminder '{"action":"cancel","id":"standup"}'
    said "Reminder $id cancelled."
    sdk_refused "Reminder $id not found." reminder "{\"action\":\"cancel\",\"id\":\"$id\"}"
    same 'No pending reminders.' "$(sdk_text reminder '{"action":"list"}')"

    sdk_refused 'missing required parameter: action' reminder
    sdk_refused 'unknown action: explode' reminder '{"action":"explode"}'
    sdk_refused 'missing required parameter: time' reminder '{"action":"set","message":"x"}'
    sdk_refused 'missing required parameter: message' reminder '{"action":"set","in":"1h"}'
    sdk_refused 'missing required parameter: id' reminder '{"action":"cancel"}'
    sdk_refused 'invalid time' reminder '{"action":"set","time":"whenever","message":"x"}'
    sdk_refused future reminder '{"action":"set","time":"2020-01-01T00:00:00Z","message":"x"}'
    sdk_refused "'reminder' takes no argument 'colour'" reminder '{"action":"list","colour":"red"}'
    sdk_refused "'id' does not belong to the action 'list'" reminder '{"action":"list","id":"x"}'
    sdk_refused "'message' must be a string" reminder '{"action":"set","in":"1h","message":7}'
    sdk_refused 'not found' reminder '{"action":"cancel","id":"rem_00000000000000000000000000000000"}'
    same 0 "$(sql "SELECT COUNT(*) FROM reminders WHERE status NOT IN ('completed', 'cancelled')")"
  }
  over_both reminders
  join dave
  for way in stdio http; do
    sdk_as dave-$way
    sdk_refused 'no delivery channel' reminder '{"action":"set","in":"1h","message":"x"}'
  done
}

@test "C5 C6 C7 two users, two connections: nobody reaches what is another's; low trust reaches nothing" {
  join alice
  join bob
  join carol
  for way in stdio http; do
    sdk_as alice-$way
    try reminder '{"action":"set","time":"2099-02-04 15:15","message":"water the roses","name":"roses"}'
    a=$(got .id)
    same 'alice Feb 4, 2099 3:15 PM PST user ["signal:alice-id"]' \
      "$(got '.user + " " + .local_time + " " + .timezone_source + " " + (.delivery | tojson)')"
    task=$(sdk_get .id schedule '{"in":"5h","prompt":"say x"}')
    mission=$(sdk_get .mission mission_run '{"prompt":"say done"}')
    # the record, as the person sees it
    same "2099-02-04T15:15:00-08:00 water the roses alice [\"signal:alice-id\"] inner" \
      "$(of "$a" '"\(.fire_at) \(.message) \(.user) \(.delivery | tojson) \(.trust)"')"
    sdk_as bob-$way
    b=$(sdk_get .id reminder '{"action":"set","in":"5h","message":"his own","name":"roses"}')
    same "$b" "$(sdk_get '[.reminders[].id] | join(" ")' reminder '{"action":"list"}')"
    for other in "$a" "${a:0:12}"; do
      sdk_refused "Reminder $other not found." reminder "{\"action\":\"cancel\",\"id\":\"$other\"}"
      sdk_refused "Reminder $other not found." reminder "{\"action\":\"edit\",\"id\":\"$other\",\"message\":\"stolen\"}"
      sdk_refused "Reminder $other not found." reminder_complete "{\"id\":\"$other\"}"
    done
    sdk_refused "Task $task not found." schedule_cancel "{\"id\":\"$task\"}"
    sdk_refused "Task $task not found." schedule_edit "{\"id\":\"$task\",\"prompt\":\"stolen\"}"
    same 0 "$(sdk_get '.tasks | length' schedule_list)"
    sdk_refused "mission '$mission' not found" mission_result "{\"mission\":\"$mission\"}"
    same 0 "$(sdk_get '.missions | length' mission_list)"
    # who one is, is no argument
    sdk_refused "takes no argument 'user'" reminder '{"action":"list","user":"alice"}'
    # by name it is one's own
    same "$b" "$(sdk_get .id reminder '{"action":"cancel","id":"roses"}')"
    same 'active water the roses' "$(of "$a" '.status + " " + .message')"
    sdk_as carol-$way
    for action in '"set","in":"1h","message":"x"' '"list"' "\"cancel\",\"id\":\"$a\""; do
      sdk_refused trust reminder "{\"action\":$action}"
    done
    sdk_refused trust schedule '{"in":"1h","prompt":"x"}'
    sdk_refused trust mission_run '{"prompt":"say x"}'
    sdk_refused trust get_lesson '{"id":"x"}'
    sdk_as alice-$way
    same cancelled "$(sdk_get .status reminder "{\"action\":\"cancel\",\"id\":\"$a\"}")"
    becomes "$mission" success
  done
}

@test "M1 M3 M9 a boundary set by a tool: the second prompt of that session brings it, once; its lesson and step are read" {
  mkdir -p "$BELFRY_HOME/lessons" "$BELFRY_HOME/workflows"
  printf '# Errors\n\nName the input.\n\n## More\n\nAnd the remedy.\n' > "$BELFRY_HOME/lessons/error-handling.md"
  printf '# Bugs\n\n## Investigate\n\nFind out why.\n\n## Fix\n\nMend the cause.\n' > "$BELFRY_HOME/workflows/bug-fix.md"
  boundary() {
    lessons='["error-handling"]'
    [ "$1" = stdio ] || lessons='"error-handling, verification"'
    try set_reminder_boundary "{\"suppress_for_calls\":2,\"suppress_for_minutes\":60,\"message\":\"Now plan it\",\"lesson_ids\":$lessons,\"workflow_step\":\"bug-fix/investigate\",\"note\":\"auth\"}"
    same "both 0 2 s-$1 true error-handling" \
      "$(got '"\(.mode) \(.current_call_count) \(.suppress_until_call) \(.session) \(.scheduler_running) \(.lesson_ids[0])"')"
    said 'then you are told, once: Now plan it'
    same '' "$(hook UserPromptSubmit s-other)"
    same '' "$(hook UserPromptSubmit "s-$1")"
    block=$(hook UserPromptSubmit "s-$1" | command jq -r .hookSpecificOutput.additionalContext)
    has "$block" 'REMINDER YOU SET FOR YOURSELF'
    has "$block" 'Message: Now plan it'
    has "$block" 'get_workflow_step("bug-fix/investigate")'
    has "$block" 'get_lesson("error-handling")'
    same '' "$(hook Stop "s-$1")" # its turn was one
    same '' "$(hook UserPromptSubmit "s-$1")"
    try get_lesson '{"id":"error-handling"}'
    same 'Errors: Name the input.' "$(got '.title + ": " + .summary')"
    has "$(got .text)" 'And the remedy.'
    try get_workflow_step '{"step":"bug-fix/investigate"}'
    same '1 2 bug-fix/fix' "$(got '"\(.number) \(.count) \(.next)"')"
    has "$(got .text)" 'Find out why.'
    sdk_refused 'error-handling' get_lesson '{"id":"error-handlin"}'
    sdk_refused 'bug-fix' get_workflow_step '{"step":"bug-fix/investigat"}'
    sdk_refused 'takes no argument' get_lesson '{"id":"x","path":"../config.yml"}'
    sdk_refused 'lesson' get_lesson '{"id":"../config"}'
    sdk_refused 'at least one call' set_reminder_boundary '{"suppress_for_calls":0,"message":"x"}'
    sdk_refused "takes no argument 'session'" set_reminder_boundary '{"suppress_for_calls":1,"session":"s-other"}'
    sdk_refused "'suppress_for_calls' must be a whole number" set_reminder_boundary '{"suppress_for_calls":"two"}'
    sdk_refused 'a string or a list of strings' set_reminder_boundary '{"suppress_for_calls":2,"lesson_ids":[7]}'
  }
  over_both boundary
  sdk_join nobody "{\"transport\":\"http\"}"
  sdk_as nobody
  sdk_refused 'which session' set_reminder_boundary '{"suppress_for_calls":1,"message":"x"}'
}

@test "A19 A25 message_send, agent_send and inbox_replies: a question, the person's answer, once; and the queue of another agent" {
  mail() {
    try message_send "{\"text\":\"# Red or blue?\",\"title\":\"colours of $1\",\"ask\":true}"
    same 'person 1 true' "$(got '"\(.to) \(.seq) \(.awaits_answer)"')"
    thread=$(got .thread)
    said 'call inbox_replies later'
    has "$(belfry inbox show "$thread")" 'Red or blue?'
    try inbox_replies
    same '0 1' "$(got '"\(.replies | length) \(.open_questions)"')"
    said 'No replies. 1 question of yours still waits'
    belfry inbox reply "$thread" 'blue, please' > out
    try inbox_replies
    same 'blue, please 0' "$(got '"\(.replies[0].text) \(.open_questions)"')"
    said 'blue, please'
    same 0 "$(sdk_get '.replies | length' inbox_replies)"
    same 'blue, please' "$(sdk_get '.replies[0].text' inbox_replies '{"since":0}')"
    try agent_send '{"to":"single","text":"the build is yours"}'
    same 'single queued' "$(got '.to + " " + .delivery')"
    same "the build is yours" "$(belfry queue list single --json | command jq -r '.[-1].body')"
    sdk_refused "'text' is empty" message_send '{"text":" "}'
    sdk_refused 'not in the future' message_send '{"text":"x","ask":true,"ask_until":"2020-01-01"}'
    sdk_refused 'nobody' agent_send '{"text":"x","to":"nobody"}'
    sdk_refused 'too long' message_send "{\"text\":\"$(head -c 1100000 /dev/zero | tr '\0' x)\"}"
  }
  over_both mail
}

@test "A25 mission_run, mission_list, mission_result: an agent works, and its answer is there" {
  missions() {
    try mission_run "{\"prompt\":\"shell until [ -e $PWD/go-$1 ]; do sleep 0.05; done\nsay forty-two\"}"
    same 'builder true' "$(got '"\(.agent) \(.scheduler_running)"')"
    id=$(got .mission)
    try mission_list '{"status":"open"}'
    same "$id" "$(got '.missions[0].mission')"
    try mission_result "{\"mission\":\"$id\"}"
    same 'false null' "$(got '"\(.ended) \(.answer)"')"
    touch "go-$1"
    becomes "$id" success
    try mission_result "{\"mission\":\"$id\"}"
    same 'true success forty-two 1' "$(got '"\(.ended) \(.state) \(.answer) \(.runs)"')"
    said 'forty-two'
    same 0 "$(sdk_get '.missions | length' mission_list '{"status":"open"}')"
    id=$(sdk_get .mission mission_run '{"prompt":"fail no more paper"}')
    becomes "$id" error
    try mission_result "{\"mission\":\"$id\"}"
    same 'true error' "$(got '"\(.ended) \(.state)"')"
    said 'no more paper'
    sdk_refused "'prompt' is empty" mission_run '{"prompt":""}'
    sdk_refused "nobody" mission_run '{"prompt":"x","agent":"nobody"}'
    sdk_refused "'limit' 0 is outside 1 to" mission_list '{"limit":0}'
    sdk_refused "mission 'mis-none' not found" mission_result '{"mission":"mis-none"}'
  }
  over_both missions
}

@test "B9 board_set and board_show: an agent has its own line; who is none has no line" {
  board() {
    sdk_refused 'which agent you are' board_set '{"status":"here"}'
    BELFRY_AGENT=builder hook SessionStart "s-$1"
    try board_set "{\"status\":\"by $1\",\"detail\":\"all of it\"}"
    same "builder by $1 all of it" "$(got '.agent + " " + .status + " " + .detail')"
    try board_show
    same "builder by $1" "$(got '.board[0] | .agent + " " + .status')"
    said "builder: by $1: all of it"
    has "$(belfry board show)" "by $1"
    same 0 "$(sdk_get '.board | length' board_show '{"agent":"single"}')"
    same null "$(sdk_get .status board_set '{"status":""}')"
    sdk_refused "takes no argument 'agent'" board_set '{"status":"x","agent":"single"}'
  }
  over_both board
  # naming somebody else's session makes nobody its agent
  sdk_join thief "{\"transport\":\"http\",\"session\":\"s-http\",\"token\":\"$(http_token --user alice)\"}"
  sdk_as thief
  sdk_refused 'which agent you are' board_set '{"status":"here"}'
}

@test "H10 C1 condition_report and reminder_complete; schedule_preview tells times and saves nothing" {
  conditions() {
    add me -m 'fix it' --every 1h --name "watch-$1" --condition-prompt 'the build is red' > id
    belfry reminder run "watch-$1" > out
    try condition_report "{\"id\":\"watch-$1\",\"met\":false,\"detail\":\"it is green\"}"
    same "$(cat id) false active" "$(got '"\(.id) \(.met) \(.status)"')"
    has "$(belfry why "watch-$1")" 'it is green'
    sdk_refused 'reported on already' condition_report "{\"id\":\"watch-$1\",\"met\":true}"
    try reminder_complete "{\"id\":\"watch-$1\"}"
    same completed "$(got .status)"
    said 'it will not fire again'
    same completed "$(of "$(cat id)" .status)"
    sdk_refused 'missing required parameter: met' condition_report '{"id":"x"}'
    sdk_refused 'Reminder x not found.' reminder_complete '{"id":"x"}'
    add me -m plain --in 5h > id
    sdk_refused 'has no condition' reminder_complete "{\"id\":\"$(cat id)\"}"

    rows=$(sql 'SELECT COUNT(*) FROM reminders')
    try schedule_preview '{"at":"2099-02-04 15:15","timezone":"Europe/Berlin"}'
    same 'Feb 4, 2099 3:15 PM CET 1 false' "$(got '"\(.fires[0].local_time) \(.fires | length) \(.never)"')"
    same 3 "$(sdk_get '.fires | length' schedule_preview '{"cron":"0 9 * * 1-5","count":3}')"
    same true "$(sdk_get .never schedule_preview '{"cron":"0 0 31 2 *"}')"
    sdk_refused 'two schedules' schedule_preview '{"cron":"0 9 * * *","every":"1h"}'
    sdk_refused 'outside 1 to 100' schedule_preview '{"every":"1h","count":101}'
    sdk_refused 'invalid timezone' schedule_preview '{"every":"1h","timezone":"Mars/Phobos"}'
    same "$rows" "$(sql 'SELECT COUNT(*) FROM reminders')"
  }
  over_both conditions
}

# error_of METHOD PARAMS: the number of the error it gets. For the SDK a status of HTTP is one, and the answer its words.
error_of() {
  answer=$(sdk_ask "{\"as\":\"$SDK_AS\",\"request\":{\"method\":\"$1\",\"params\":$2}}")
  command jq -r '.rpc_error | if .code > 0 then (.message | capture("\"code\":(?<code>-[0-9]+)").code) else .code end' <<< "$answer"
}

@test "C1 bad input: a precise answer each, over both, and the next call is answered" {
  bad() {
    same -32602 "$(error_of tools/call '{"name":"no_such_tool","arguments":{}}')"
    has "$(sdk_call schedul)" "did you mean 'schedule'?"
    same -32602 "$(error_of tools/call '{"arguments":{}}')"
    same -32602 "$(error_of tools/call '{"name":"reminder","arguments":[]}')"
    same -32602 "$(error_of tools/call '{"name":7}')"
    same -32601 "$(error_of no/such '{}')"
    same -32600 "$(error_of tools/call "{\"name\":\"reminder\",\"arguments\":{\"a\":$(printf '[%.0s' {1..80})$(printf ']%.0s' {1..80})}}")"
    same -32600 "$(error_of tools/call '{"name":"reminder","arguments":{"action":"a\u0000b"}}')"
    sdk_refused "'action' must be a string" reminder '{"action":["list"]}'
    sdk_refused "takes no argument '__proto__'" reminder '{"action":"list","__proto__":{}}'
    sdk_refused "invalid in" reminder '{"action":"set","in":"99999999999999999999y","message":"x"}'
    sdk_refused "invalid timezone" reminder '{"action":"set","in":"1h","message":"x","timezone":"../../etc/passwd"}'
    same 'No pending reminders.' "$(sdk_text reminder '{"action":"list"}')"
  }
  over_both bad
}

# Something was sent to the port of HTTP and has not been read.
has_unread() {
  awk -v port="$(printf ':%04X$' "$(sed 's/.*:\([0-9]*\)\/mcp/\1/' "$BELFRY_HOME/http")")" \
    '$2 ~ port && $4 == "01" && $5 !~ /:00000000$/ { found = 1 } END { exit !found }' /proc/net/tcp
}

@test "a client that vanishes in mid-call: nothing is half-done, and the daemon serves the next one" {
  for way in main http; do
    sdk_as $way
    daemon=$(daemon_pid)
    kill -STOP "$daemon"
    same '{"sent":true}' "$(sdk_ask "{\"as\":\"$way\",\"later\":true,\"tool\":\"schedule\",\"args\":{\"in\":\"5h\",\"prompt\":\"say x\"}}")"
    # it is with the server, or waits in the socket of a daemon that does not take it
    [ $way = main ] || wait_for 30 has_unread
    client=$SDK_PID
    kill -KILL "$client"
    wait "$client" || true
    kill -CONT "$daemon"
    BELFRY_MCP_ARGS='["--session","s-stdio"]' sdk_open stdio
    sdk_join http '{"transport":"http","session":"s-http"}'
    sdk_as $way
    # there or not, but whole
    for id in $(sdk_get '.tasks[].id' schedule_list); do
      same 'pending say x' "$(json '.status + " " + .prompt' belfry task show "$id" --json)"
      same cancelled "$(sdk_get .status schedule_cancel "{\"id\":\"$id\"}")"
    done
    same "$daemon" "$(daemon_pid)"
  done
}

@test "B7 C8 a daemon that is killed between calls: stdio goes on by itself, HTTP with the next daemon; nothing is lost" {
  id=$(sdk_get .id reminder '{"action":"set","time":"2099-02-04 15:15","message":"keep me"}')
  sdk_as http
  task=$(sdk_get .id schedule '{"in":"5h","prompt":"say x"}')
  kill_daemon
  has "$(sdk_call schedule_list)" rpc_error
  sdk_as main
  try reminder '{"action":"list"}'
  same "$id true" "$(got '"\(.reminders[0].id) \(.scheduler_running)"')"
  wait_for 30 test -s "$BELFRY_HOME/http"
  export BELFRY_MCP_URL
  BELFRY_MCP_URL=$(cat "$BELFRY_HOME/http")
  sdk_close
  sdk_open http
  same "$task" "$(sdk_get '.tasks[0].id' schedule_list)"
}

@test "H18 without a scheduler answers say so: saved, and nothing fires" {
  belfry daemon stop
  export BELFRY_NO_AUTOSTART=1
  sdk_close
  sdk_open stdio
  try schedule '{"in":"5h","prompt":"say x"}'
  same false "$(got .scheduler_running)"
  said 'No scheduler is running'
  same 1 "$(sdk_get '.tasks | length' schedule_list)"
}
