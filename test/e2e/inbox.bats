#!/usr/bin/env bats
# The inbox by commands: lists, threads, answers, marks, search (A22 to A25).
load helper

setup_test() {
  scripted "$asker"'
crons:
  nightly: {schedule: "0 3 * * *", agent: builder, prompt: "say hello"}'
  unset BELFRY_MISSION_ID BELFRY_RUN BELFRY_AGENT
}

# mission [AGENT PROMPT]: a new one that has ended: id.
mission() {
  id=$(new "${1:-shell}" "${2:-echo done}")
  becomes "$id" success
}

# send TEXT [ARGUMENT...]: as the agent of that mission.
send() {
  BELFRY_MISSION_ID=$id belfry message send "$@" > /dev/null
}

threads() {
  json '[.threads[].id] | join(" ")' belfry inbox list "$@" --json
}

# many COUNT: messages of the agent in the thread of the mission, of which the last was sent.
many() {
  local source='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < COUNT)'

  stop_daemon
  sql "${source/COUNT/$1} INSERT INTO messages (thread, seq, sender, author, text, size, run, ask, reply, created_at)
    SELECT t.key, t.messages + n.i, 'agent', 'shell', 'number ' || (t.messages + n.i), 10, 1, 'none', 'none', t.last_at
    FROM threads t, n"
  sql "UPDATE threads SET messages = messages + $1, unread = unread + $1"
}

@test "A22: threads, newest first, with unread counts, the cron's name or the prompt, time and preview; doctor counts open questions" {
  has "$(belfry inbox list)" 'nothing in the inbox'
  same '{"threads":[],"unread":0,"asks":0,"more":null}' "$(belfry inbox list --json | jq -c .)"
  mission shell $'echo one\necho two'
  first=$id
  send $'# Done\n\nwith **all** of it'
  send 'and more'
  mission asker
  send --ask 'Deploy?'
  same "$id $first" "$(threads)"
  send_again() { id=$first send 'late'; }
  send_again
  same "$first $id" "$(threads)"
  same "$first" "$(threads --limit 1)"
  more=$(json .more belfry inbox list --limit 1 --json)
  same "$id" "$(threads --limit 1 --after "$more")"
  same null "$(json .more belfry inbox list --limit 1 --after "$(json .more belfry inbox list --limit 1 --after "$more" --json)" --json)"
  same "$id" "$(threads --asks)"
  same '4 1' "$(json '"\(.unread) \(.asks)"' belfry inbox list --asks --json)"
  belfry doctor > doctor || true
  has "$(cat doctor)" $'✓ inbox    1 question waits for you\n           hint: belfry inbox list --asks\n✓ agents   no live agent is blocked'
  same "$first" "$(threads --agent shell)"
  same "$id" "$(threads --agent asker)"
  same '' "$(threads --agent builder)"
  belfry inbox list > list
  has "$(sed -n 2p list)" "[3 unread]        $first  echo one"
  has "$(sed -n 2p list)" '"late"'
  has "$(sed -n 3p list)" '[asks, 1 unread]'
  [ "$(wc -L < list)" -le 80 ]
  grep -qE '20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}' list
}

@test "A22: mistakes of lists name what was typed" {
  refused 3 "no agent 'nobody'" inbox list --agent nobody
  refused 3 "no cron 'weekly'" inbox list --cron weekly
  same '' "$(threads --cron nightly)"
  refused 2 'is no cursor' inbox list --after 12
  refused 2 '--limit cannot be -1' inbox list --limit=-1
  # S4 all of them, as in other lists
  same "$(threads)" "$(threads --limit 0)"
  for command in show read unread archive unarchive; do
    refused 3 "'mis-nobody'" inbox $command mis-nobody
  done
  refused 3 "'mis-nobody'" inbox reply mis-nobody x
  refused 3 "' OR 1=1 --" inbox show "' OR 1=1 --"
  has "$(cat stderr)" 'belfry inbox list'
}

@test "A23: a thread is printed oldest first and is read then; --peek leaves it unread" {
  mission
  send --title 'Report' $'# Done\n\n- a\n- b'
  send 'second'
  belfry inbox show "$id" --peek > /dev/null
  same 2 "$(json .unread belfry inbox list --json)"
  belfry inbox show "${id%?}" > shown
  same "─── echo done (mission $id, success) ───" "$(head -n 1 shown)"
  grep -qE '^\[20..-..-.. ..:..\] shell: Report$' shown
  same '    # Done|    - a|    - b|    second' "$(grep -E '^    (#|-|second)' shown | paste -sd'|')"
  same 0 "$(json .unread belfry inbox list --json)"
  belfry inbox unread "$id" > /dev/null
  belfry inbox show "$id" --json > shown
  same 'false null 2' "$(jq -r '"\(.messages[0].read) \(.more) \(.messages | length)"' shown)"
  same 0 "$(json .unread belfry inbox list --json)"
  same '2 2' "$(json '"\(.messages[].seq) \(.more)"' belfry inbox show "$id" --last 1 --json)"
  refused 3 "thread '$id' has no message 3" inbox show "$id" --message 3
  refused 3 "has no message 0" inbox show "$id" --message 0
  refused 2 '--last cannot be 0' inbox show "$id" --last 0
  run -2 belfry inbox show "$id" --raw --json
  has "$output" 'exclude each other'
}

@test "A23: --raw is refused on a terminal, which would obey it" {
  mission
  send x
  run terminal inbox show "$id" --raw
  has "$output" 'is for pipes and files'
}

terminal() {
  /usr/bin/python3 "$e2e_root/test/e2e/terminal.py" -- "$BELFRY_BIN" "$@"
}

@test "A23: read, unread, archive: twice is no mistake, and a new message brings a thread back" {
  mission
  send one
  send two
  same '1 1' "$(json '"\(.changed) \(.thread.unread)"' belfry inbox read "$id" --up-to 1 --json)"
  same "$id  read" "$(belfry inbox read "$id")"
  same 0 "$(json .changed belfry inbox read "$id" --json)"
  same "$id  2 unread" "$(belfry inbox unread "$id")"
  same "$id  archived" "$(belfry inbox archive "$id")"
  same 0 "$(json .changed belfry inbox archive "$id" --json)"
  same '' "$(threads)"
  same "$id" "$(threads --all)"
  belfry inbox unarchive "$id" > /dev/null
  same "$id" "$(threads)"
  belfry inbox archive "$id" > /dev/null
  send three
  same "$id" "$(threads)"
  same 3 "$(json '.[0].unread' belfry mission ls --json)"
}

@test "JN2 all read at once, and all that is read put away; what waits for an answer stays" {
  for i in $(seq 450); do
    printf '{"agent":"me","message":"number %d","at":"2020-01-01T00:00:00Z","catchup":"once"}\n' "$i"
  done > many.jsonl
  belfry reminder import many.jsonl > out
  wait_for 30 json_is 450 '.inbox.unread' belfry status --json
  mission
  send hello
  mission asker
  send --ask 'Shall I?'
  refused 2 "a THREAD is missing, or --all" inbox read
  refused 2 'a thread and --read together' inbox archive "$id" --read
  same '0 threads archived; 1 question stays open (belfry inbox list --asks)' "$(belfry inbox archive --read)"
  same '452 threads read, 452 messages; 1 question stays open (belfry inbox list --asks)' "$(belfry inbox read --all)"
  same '0 0 1' "$(json '"\(.threads) \(.messages) \(.asks)"' belfry inbox read --all --json)"
  same '451 1' "$(json '"\(.threads) \(.asks)"' belfry inbox archive --read --json)"
  same "$id" "$(threads)"
}

@test "A23: ten thousand messages: the list and the last page at once, all of them in order" {
  mission
  send 'number 1'
  many 9999
  start=$(date +%s%N)
  same 'number 10000' "$(json '.messages[0].text' belfry inbox show "$id" --peek --last 1 --json)"
  belfry inbox list > /dev/null
  same "$(seq 10000)" "$(belfry inbox show "$id" | awk '/^    number/ { print $2 }')"
  same '1000 9001' "$(json '"\(.messages | length) \(.more)"' belfry inbox show "$id" --json)"
  same '200 8801 9000 8801' \
    "$(json '"\(.messages | length) \(.messages[0].seq) \(.messages[-1].seq) \(.more)"' belfry inbox show "$id" --before 9001 --json)"
  same 0 "$(json .unread belfry inbox list --json)"
  took=$((($(date +%s%N) - start) / 1000000))
  [ $took -lt 60000 ] || { echo "took $took ms" >&2; return 1; }
}

@test "A24: an answer waits for the next resume, and is told so; blank ones are refused" {
  mission
  send 'What now?'
  belfry inbox reply "$id" $'go on\nplease' > told
  same "kept, not sent: message 2 in $id" "$(head -n 1 told)"
  refused 2 'the message is empty' inbox reply "$id" $' \n'
  refused 2 'the message is empty' inbox reply "$id" < /dev/null
  refused 2 '--priority is for an agent without a mission' inbox reply "$id" x --priority idle
  same 'person waiting' "$(json '.messages[1] | "\(.sender) \(.reply)"' belfry inbox show "$id" --peek --json)"
  has "$(belfry inbox show "$id")" $'You:\n    go on\n    please\n  waiting: goes with the next resume'
  same $'go on\nplease' "$(cat "$BELFRY_HOME/missions/$id/messages/2.md")"
  same 1 "$(json '.threads[0].waiting' belfry inbox list --json)"
}

@test "A24: an answer of any size, with files, to a mission that said nothing yet" {
  mission
  head -c 200000 /dev/zero | tr '\0' x > long
  belfry inbox reply "$id" --attach long < long > told
  has "$(cat told)" 'with 1 file'
  cmp long "$BELFRY_HOME/missions/$id/messages/1.md"
  cmp long "$BELFRY_HOME/missions/$id/messages/1.files/long"
  same 0 "$(json .unread belfry inbox list --json)"
  [ -z "$(ls -A "$BELFRY_HOME/spool")" ]
}

@test "A24: nobody hears an answer in a thread of Belfry's own" {
  belfry reminder add me --message 'stand up' --in 10ms > /dev/null
  wait_for 30 json_is 1 .unread belfry inbox list --json
  id=$(threads)
  same 'belfry stand up' "$(json '.messages[0] | "\(.sender) \(.text)"' belfry inbox show "$id" --peek --json)"
  refused 4 'nobody would hear' inbox reply "$id" x
  same 1 "$(queued me)"
  belfry inbox show "$id" > /dev/null
  same 0 "$(queued me)"
}

@test "A23: a thread of which retention deleted some is shown as before, and its numbers stay" {
  for n in one two three; do BELFRY_AGENT=builder belfry message send "$n" > /dev/null; done
  id=$(threads)
  sql "UPDATE messages SET seq = seq * 300"
  sql "UPDATE threads SET messages = 900"
  shown() { json '"\([.messages[].seq] | join(" ")) more \(.more)"' belfry inbox show "$id" --peek --json "$@"; }
  same '300 600 900 more null' "$(shown)"
  same '600 900 more 600' "$(shown --last 2)"
  same '300 600 900 more null' "$(shown --last 3)"
  same '300 600 900 more null' "$(shown --last 500)"
  same '300 more null' "$(shown --before 600)"
  same '600 900 more null' "$(shown --after 300)"
  refused 3 "has no message 301" inbox show "$id" --message 301
  has "$(cat stderr)" 'retention'
  refused 3 "has no message 901" inbox show "$id" --message 901
  has "$(cat stderr)" 'its last is 900'
  BELFRY_AGENT=builder belfry message send four > /dev/null
  same '600 900 901 more 600' "$(shown --last 3)"
  same 4 "$(json .changed belfry inbox read "$id" --json)"
}

@test "A22: search finds all words, beginnings and phrases, newest first, in one line each" {
  mission
  send --title 'Über Größe' "The deploy failed: the rate limit was reached. $(printf 'x %.0s' {1..500}) tail"
  send 'A limit on the rate, nothing failed'
  send $'line one\nDEPLOYMENT went well \e[31m'
  belfry inbox search deploy > found
  same 2 "$(wc -l < found)"
  has "$(sed -n 1p found)" "$id #3"
  has "$(sed -n 1p found)" 'DEPLOYMENT went well ?[31m'
  [ "$(wc -L < found)" -le 80 ]
  same '2 1' "$(json '[.messages[].seq] | map(tostring) | join(" ")' belfry inbox search rate limit --json)"
  same 1 "$(json '.messages[].seq' belfry inbox search '"rate limit"' --json)"
  same '1 true' "$(json '.messages[] | "\(.seq) \(.snippet | contains("tail"))"' belfry inbox search TAIL --json)"
  same 1 "$(json '.messages[].seq' belfry inbox search größe --json)"
  same '2 1' "$(json '"\(.messages[].seq) \(.more != null | if . then 1 else 0 end)"' belfry inbox search failed -n 1 --json)"
  has "$(belfry inbox search nothing-like-it)" 'nothing found'
  refused 2 'no word to look for' inbox search '"'
  refused 2 'WORDS is missing' inbox search
  refused 2 'too many words to look for: 33, at most 32' inbox search {1..33}
  refused 2 "'words' is too long: 5000 bytes, at most 4096" inbox search "$(printf '%5000s' x)"
  belfry inbox archive "$id" > /dev/null
  same 0 "$(json '.messages | length' belfry inbox search deploy --json)"
  same 2 "$(json '.messages | length' belfry inbox search deploy --all --json)"
}

@test "completion knows threads and files, and the manual knows the commands" {
  mission
  send x
  has "$(belfry complete-words inbox show mis-)" "$id"$'\techo done'
  same :files "$(belfry complete-words message send x --attach '')"
  has "$(belfry inbox search --help)" 'belfry inbox search WORDS...'
}

# asks_on_terminal AWAIT TYPE ARGUMENT...
asks_on_terminal() {
  /usr/bin/python3 "$e2e_root/test/e2e/terminal.py" "$1" "$2" -- "$BELFRY_BIN" "${@:3}"
}

@test "I3 a thread that waits for an answer is not put away without a word, and is counted and found when it is" {
  mission asker
  send --ask 'Deploy the lantern?'
  refused 4 "1 question waits for an answer in thread '$id'" inbox archive "$id"
  has "$(cat stderr)" '--force'
  asks_on_terminal 'all the same' $'n\n' inbox archive "$id"
  same "$id" "$(threads)"
  belfry inbox archive "$id" --force > /dev/null
  same '' "$(threads)"
  same "$id" "$(threads --asks)"
  same "$id" "$(threads --archived)"
  same 1 "$(json .asks belfry inbox list --json)"
  has "$(belfry status)" '1 question'
  has "$(belfry inbox search lantern)" 'Deploy'
  has "$(belfry inbox list --all)" '[asks, 1 unread, archived]'
  belfry inbox unarchive "$id" > /dev/null
  asks_on_terminal 'all the same' $'y\n' inbox archive "$id"
  same '' "$(threads)"
}

@test "I5 lists are as long as --limit says, and go on behind a cursor" {
  mission
  send 'the lantern'
  stop_daemon
  sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) INSERT INTO threads
    (id, place, title, messages, unread, asks, waiting, wanted, last_at, last_sender, preview)
    SELECT 'thr-' || n.i, 'agent:' || n.i, 'many', 0, 0, 0, 0, 0, n.i, 'agent', 'x' FROM n"
  same 1201 "$(threads -n 100000 | wc -w)"
  same '1100 string' "$(json '"\(.threads | length) \(.more | type)"' belfry inbox list -n 1100 --json)"
  same 101 "$(threads -n 1100 --after "$(json .more belfry inbox list -n 1100 --json)" | wc -w)"
  has "$(belfry inbox list -n 2)" "--after $(json .more belfry inbox list -n 2 --json)"
  same 1202 "$(belfry inbox list -n 2000 | wc -l)"
}

@test "N47 N48 a question that ran out of time: another is not answered for it, and late words are called late" {
  BELFRY_AGENT=builder belfry message send --ask 'Delete the backups?' > /dev/null
  BELFRY_AGENT=builder belfry message send --ask 'Deploy?' --timeout 1s --default no > /dev/null
  thread=$(belfry inbox list --json | jq -r '.threads[0].id')
  wait_for 20 json_is expired '.messages[1].ask' belfry inbox show "$thread" --peek --json
  refused 4 'only #1 "Delete the backups?" is open; the time for #2 "Deploy?" is over' inbox reply "$thread" yes
  same open "$(json '.messages[0].ask' belfry inbox show "$thread" --peek --json)"
  run -0 belfry inbox reply "$thread#0" yes
  has "$output" 'too late for #2 "Deploy?", whose default was given: no'
  run -0 belfry inbox reply "$thread" keep # the late words were the answer to the other
  has "$output" 'answers #1 "Delete the backups?"'
  belfry queue take builder > /dev/null
  has "$(belfry queue take builder)" 'too late for your question "Deploy?" (its default was given: no):'
  has "$(belfry queue take builder)" 'To your question "Delete the backups?":'
}

@test "N49 an answer to several questions names them" {
  BELFRY_AGENT=builder belfry message send --ask 'A?' > /dev/null
  BELFRY_AGENT=builder belfry message send --ask 'B?' > /dev/null
  thread=$(belfry inbox list --json | jq -r '.threads[0].id')
  belfry inbox reply "$thread" --all 'to both' > /dev/null
  has "$(belfry queue take builder)" 'To your questions "A?" and "B?":'
}

@test "N50 what takes a message for an agent that cannot be started is named" {
  echo '  nobody: {}' > more
  sed -i '/^agents:/r more' "$BELFRY_HOME/config.yml"
  belfry apply > /dev/null
  BELFRY_AGENT=nobody belfry message send --ask 'A?' > /dev/null
  thread=$(belfry inbox list --json | jq -r '.threads[0].id')
  run -0 belfry inbox reply "$thread" yes
  has "$output" 'nobody takes it with: belfry queue take nobody'
  run -0 belfry agent send nobody more
  has "$output" 'nobody takes it with: belfry queue take nobody'
}

@test "N51 a list that is empty by a wish does not call the inbox empty, and hidden questions are counted" {
  BELFRY_AGENT=builder belfry message send hello > /dev/null
  same 'no question waits for an answer' "$(belfry inbox list --asks)"
  same 'nothing is archived' "$(belfry inbox list --archived)"
  BELFRY_AGENT=builder belfry message send --ask 'A?' > /dev/null
  BELFRY_AGENT=shell belfry message send newer > /dev/null
  has "$(belfry inbox list -n 1)" '1 question is not shown here: belfry inbox list --asks'
}

@test "I12 one of several questions is answered by its number" {
  mission asker
  send --ask 'First?'
  send --ask 'Second?'
  refused 4 "2 questions are open in thread '$id': #1 \"First?\", #2 \"Second?\"" inbox reply "$id" yes
  refused 2 'names no question' inbox reply "$id#x" yes
  refused 4 'message 9' inbox reply "$id#9" yes
  has "$(asks_on_terminal 'Its number' $'2\n' inbox reply "$id" yes)" 'still open in this thread: 1 question'
  same 'open answered 3' "$(json '"\(.messages[0].ask) \(.messages[1].ask) \(.messages[1].answered_by)"' belfry inbox show "$id" --peek --json)"
  refused 4 'answered already' inbox reply "$id#2" no
}

nightly_ended() {
  [ -n "$(json '.[0].ended_at // empty' belfry mission ls --cron nightly --json)" ]
}

@test "I14 threads are found by their titles, the prompts of their missions and the names of crons" {
  mission shell 'echo tidying the belltower'
  send 'all is well'
  has "$(belfry inbox search belltower)" 'all is well'
  belfry cron run nightly > /dev/null
  wait_for 30 nightly_ended
  id=$(json '.[0].id' belfry mission ls --cron nightly --json)
  send 'good morning'
  has "$(belfry inbox search nightly)" 'good morning'
}

no_threads() {
  [ -z "$(threads --all)" ]
}

@test "I19 a mission whose thread is unread, or asks, is not removed without a word; N18 mission ls says that it asks, and can be asked for those" {
  mission asker
  send --ask 'Deploy?'
  has "$(belfry mission ls)" ' asks '
  # D17: its thread says the same
  has "$(belfry inbox show "$id" --peek)" "(mission $id, asks)"
  same "$id" "$(json '[.[].id] | join(" ")' belfry mission ls --state asks --json)"
  same success "$(json '.[0].state' belfry mission ls --json)"
  refused 4 'has 1 unread message and 1 open question' mission rm "$id"
  belfry mission rm "$id" --force > /dev/null
  wait_for 30 no_threads
}

@test "I27 --raw of a thread says where a message ends" {
  mission
  send one
  send two
  same $'one\n<!-- message 2 -->\n\ntwo' "$(belfry inbox show "$id" --raw --peek)"
}

@test "I22 the manual has the inbox itself, and its keys" {
  belfry generate man .
  has "$(cat belfry-inbox.1)" 'Tab goes to the next question'
  has "$(cat belfry-inbox.1)" '.Ss inbox'
}

@test "N45 several threads and missions at once: all of them, or none" {
  local one two
  mission asker
  one=$id
  send 'first'
  mission asker
  two=$id
  send --ask 'Deploy?'
  refused 3 "no thread 'thr-nope'" inbox read "$one" thr-nope
  same 2 "$(json .unread belfry inbox list --json)"
  run -0 belfry inbox read "$one" "$two"
  same 2 "${#lines[@]}"
  same 0 "$(json .unread belfry inbox list --json)"
  belfry inbox unread "$one" "$two" > /dev/null
  same 2 "$(json .unread belfry inbox list --json)"
  # one has a question: neither is put away
  refused 4 "1 question waits for an answer in thread '$two'" inbox archive "$one" "$two"
  same 2 "$(json '.threads | length' belfry inbox list --json)"
  belfry inbox archive --force "$one" "$two" > /dev/null
  same 0 "$(json '.threads | length' belfry inbox list --json)"
  belfry inbox unarchive "$one" "$two" > /dev/null
  same 2 "$(json '.threads | length' belfry inbox list --json)"
  refused 2 'a thread and --all together' inbox read --all "$one" "$two"
  refused 4 'open question' mission rm "$one" "$two"
  same 'true true' "$(json '[.[].removed | tostring] | join(" ")' belfry mission rm --force "$one" "$two" --json)"
  same 0 "$(json length belfry mission ls --json)"
}
