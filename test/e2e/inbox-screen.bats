#!/usr/bin/env bats
# The inbox on a whole terminal: the real program in tmux, without fzf.
load helper
e2e_shown_once=1

setup_test() {
  export TEST_AGENT_HOME=$BATS_TEST_TMPDIR/conversations
  mkdir -p "$TEST_AGENT_HOME" bin
  cat > "$BELFRY_HOME/config.yml" << EOF
agents:
  builder: {adapter: scripted}
  plain: {command: [$TEST_AGENT]}
adapters:
  scripted:
    headless: [$TEST_AGENT, -p, --output-format, json, --session-id, "{session}"]
    resume: [$TEST_AGENT, -p, --output-format, json, --resume, "{session}"]
    interactive: [$TEST_AGENT, --session-id, "{session}", "{prompt}"]
    resume_interactive: [$TEST_AGENT, --resume, "{session}", "{prompt}"]
    session: chosen
    output: json
    session_path: session_id
    answer_path: result
    error_path: is_error
EOF
  local program
  for program in sh cat env stty sleep touch; do
    ln -s "$(command -v $program)" bin/
  done
  # an editor that writes above what is there, as a person does
  printf '#!/bin/sh\nold=$(cat "$1")\nprintf "%%s\\n%%s\\n" "my **answer**" "$old" > "$1"\n' > bin/writes
  printf '#!/bin/sh\necho half >> "$1"\nkill -9 $$\n' > bin/crashes
  printf '#!/bin/sh\ncat > paged\n' > bin/pages
  chmod +x bin/writes bin/crashes bin/pages
  start_daemon
}

teardown_test() {
  local server

  server=$(tmux -S "$BATS_TEST_TMPDIR/tmux" display -p '#{pid}' 2> /dev/null) || return 0
  tmux -S "$BATS_TEST_TMPDIR/tmux" kill-server 2> /dev/null || true
  wait_for 30 gone "$server"
  wait_for 30 no_screen
  rm -f "$BATS_TEST_TMPDIR/tmux"
}

no_screen() {
  [ -z "$(grep -lsz "^TMUX=$BATS_TEST_TMPDIR/tmux," /proc/[0-9]*/environ)" ]
}

# --- a terminal

# inbox_on COLUMNS LINES [ARGUMENT...]
inbox_on() {
  local columns=$1 lines=$2
  shift 2
  tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null new-session -d -x "$columns" -y "$lines" \
    "env PATH=$BATS_TEST_TMPDIR/bin TERM=xterm-256color BELFRY_HOME=$BELFRY_HOME TZ=${zone:-UTC} \
     EDITOR=${EDITOR:-writes} PAGER=pages ${NO_COLOR:+NO_COLOR=1} $BELFRY_BIN inbox $* ; \
     echo status=\$?; stty -a > stty.txt; exec sleep 60"
}

# keys KEY...: one after the other, as fingers do; keys -l TEXT: each of its characters.
keys() {
  local key

  # shellcheck disable=SC2046
  [ "$1" != -l ] || set -- $(sed 's/./& /g' <<< "$2")
  for key; do
    tmux -S "$BATS_TEST_TMPDIR/tmux" send-keys "$key"
    sleep 0.1
  done
}

size() {
  tmux -S "$BATS_TEST_TMPDIR/tmux" resize-window -x "$1" -y "$2"
}

pane() {
  tmux -S "$BATS_TEST_TMPDIR/tmux" capture-pane -p "$@"
}

shows() {
  [[ $(pane) == *"$1"* ]]
}

lacks() {
  [[ $(pane) != *"$1"* ]]
}

sees() {
  wait_for 30 shows "$1" || { pane >&2; return 1; }
}

loses() {
  wait_for 30 lacks "$1" || { pane >&2; return 1; }
}

# line TEXT: the first line on the screen that has it.
line() {
  pane | grep -m1 -F -- "$1"
}

# line_has TEXT PART, row_has NUMBER PART: so that a screen that is half drawn is not taken for it.
line_has() {
  wait_for 30 part_of "$2" line "$1" || { pane >&2; return 1; }
}

row_has() {
  wait_for 30 part_of "$2" row "$1" || { pane >&2; return 1; }
}

row() {
  pane | sed -n "$1p"
}

part_of() {
  [[ $("${@:2}") == *"$1"* ]]
}

# --- messages

# mission PROMPT: one that has ended.
mission() {
  local id
  id=$(new builder "$1")
  becomes "$id" success > /dev/null || return 1
  echo "$id"
}

# says MISSION ARGUMENT...
says() {
  BELFRY_MISSION_ID=$1 belfry message send "${@:2}" > /dev/null
}

unread_of() {
  json .thread.unread belfry inbox show "$1" --peek --json
}

@test "A22: threads newest first, with unread counts, questions, local time and a preview, and they update themselves" {
  local first second at zone=America/New_York
  first=$(mission 'say first')
  says "$first" 'I finished checking **all** repos.'
  says "$first" 'Nothing else.'
  second=$(mission '日本語 second')
  says "$second" --ask 'Deploy now?'
  at=$(TZ=America/New_York date -d "$(json '.threads[0].last_at' belfry inbox list --json)" '+%Y-%m-%d %H:%M')
  zone=$zone inbox_on 80 24
  sees 'Inbox  3 unread, 1 question'
  line_has second "> [1 unread]  ? 日本語 second"
  line_has second "  $at  Deploy now?"
  line_has 'say first' '  [2 unread]    say first'
  line_has 'say first' 'Nothing else.'
  # in columns, also beside wide characters
  same "$(line second | sed "s/$at.*//" | wc -L)" "$(line 'say first' | sed "s/$at.*//" | wc -L)"
  row_has 3 second
  # a question stays first, whatever is newer
  says "$first" 'One more thing.'
  sees '[3 unread]'
  row_has 3 '> [1 unread]  ? 日本語 second'
  row_has 4 '  [3 unread]    say first'
  keys u
  sees '3 unread, 1 question'
  row_has 3 '>             ? 日本語'
  keys '/' fst
  loses second
  sees 'filter: fst'
  keys Escape
  sees second
  keys '?'
  sees 'Keys of the list'
  keys x
  sees 'Inbox'
  keys q
  sees status=0
  wait_for 30 grep -q ' icanon' stty.txt
  grep -q ' echo ' stty.txt
}

@test "A22: any size: messages beside the list or below it, tiny, too small, and back" {
  local id
  id=$(mission 'say wide')
  says "$id" $'# Report\n\n- one\n- two'
  inbox_on 200 60
  sees '• two'
  line_has 'say wide' '│'
  size 100 34
  sees '────────────────────'
  sees '• two'
  row_has 3 '> [1 unread]  say wide'
  size 20 5
  loses '• two'
  sees 'say wide'
  [ "$(pane | wc -L)" -le 20 ]
  keys Enter
  sees '> builder:'
  row_has 1 '─── say wide'
  size 15 4
  sees 'too small'
  size 80 24
  sees '─── say wide (mission '"$id"', ended: success) ───'
  sees '• two'
  keys C-c
  sees status=0
}

@test "A23: a thread is rendered for the screen, opens at what is new, and is read then" {
  local id
  id=$(mission 'say sync')
  says "$id" 'Old news.'
  belfry inbox read "$id" > /dev/null
  seq 1 40 | sed 's/$/\n/' | says "$id" -
  head -c 100000 /dev/zero | tr '\0' x > big
  says "$id" --title 'Git Sync' --attach big $'## Results\n\n| repo | ahead |\n|---|--:|\n| 日本 | 3 |\n\nsee **bold** `code`'
  same 2 "$(unread_of "$id")"
  inbox_on 80 24 --thread "$id"
  # the first one that is new is at the top, under a line that says so
  sees '── new ──'
  row_has 3 '── new ──'
  row_has 4 '> [20'
  row_has 4 '] builder:'
  sees '  2/3'
  wait_for 30 json_is 0 .thread.unread belfry inbox show "$id" --peek --json
  keys n
  sees '│ 日本 │     3 │'
  sees '  Results'
  sees 'see bold code'
  sees '+ big (100.0 kB)'
  sees "$BELFRY_HOME/missions/$id/messages/3.files/big"
  sees '> [20'
  line_has 'Git Sync' '] builder: Git Sync'
  sees '  3/3'
  keys g
  sees 'Old news.'
  keys Space Space
  loses 'Old news.'
  keys k G
  sees '100.0 kB'
  # one that comes while the end is seen is shown and read; further up it is only told
  says "$id" 'Fourth one.'
  sees 'Fourth one.'
  wait_for 30 json_is 0 .thread.unread belfry inbox show "$id" --peek --json
  keys g
  sees 'Old news.'
  says "$id" 'Fifth one.'
  sees '1 new below'
  lacks 'Fifth one.'
  same 1 "$(unread_of "$id")"
  keys G
  sees 'Fifth one.'
  wait_for 30 json_is 0 .thread.unread belfry inbox show "$id" --peek --json
  keys u
  sees 'Inbox  5 unread'
  keys Enter
  sees 'Old news.'
  keys q
  sees 'nothing unread'
  keys q
  sees status=0
}

@test "A23: what a message says is data: the terminal obeys none of it" {
  local id
  id=$(mission 'say evil')
  printf 'before\033]0;pwned\007\033[31mred\033[0m\033[2J\033[1;1Hhome \302\233 eight \033]52;c;cHduZWQ=\007 \342\200\256flip\r\nafter' > evil
  says "$id" - < evil
  inbox_on 80 24
  tmux -S "$BATS_TEST_TMPDIR/tmux" select-pane -T calm
  sees 'before'
  keys Enter
  sees 'after'
  # all of it, byte for byte, in the pager: the bytes are told, not done
  keys o
  wait_for 30 grep -qs after paged
  sees 'say evil'
  has "$(cat paged)" 'before^[]0;pwned^G^[[31mred'
  [[ $(cat paged) != *$'\033'* ]]
  same calm "$(tmux -S "$BATS_TEST_TMPDIR/tmux" display -p '#{pane_title}')"
  row_has 1 '─── say evil'
  [[ $(pane -e) != *$'\033[31m'* ]]
  [[ $(pane) != *$'\342\200\256'* ]]
  [ -z "$(tmux -S "$BATS_TEST_TMPDIR/tmux" show-buffer 2> /dev/null)" ]
}

@test "A24: r answers in the editor, later or at once; a takes the answer along into the conversation" {
  local id
  id=$(mission 'say done')
  says "$id" 'All is clean.'
  inbox_on 80 24
  sees 'say done'
  keys Enter
  sees 'All is clean.'
  keys r
  sees 'send: [l]ater'
  keys l
  sees 'You:  waiting: goes with the next resume'
  sees 'my answer'
  sees 'saved: builder gets it with the next resume'
  # the agent has the terminal, and the answer; afterwards the thread is there again
  keys a
  sees 'echo: my **answer**'
  keys 'say from here' Enter
  sees 'from here'
  lacks 'All is clean.'
  keys C-d
  sees 'you are back from'
  # an agent without hooks: nobody has seen that it was told
  sees 'cannot be seen to have reached the agent'
  # at once, without a terminal: its answer comes by itself
  keys r
  sees 'send: [l]ater'
  keys n
  sees 'sent: builder goes on with it'
  sees 'echo: my answer'
  same 3 "$(m "$id" '.runs | length')"
  # a question needs no further one
  says "$id" --ask 'And now?'
  sees 'asks, and waits for an answer'
  keys r
  sees '? asked, and was answered'
  wait_for 30 json_is 4 '.runs | length' belfry mission show "$id" --json
  keys q q
  sees status=0
}

@test "A24: blank sends nothing, a crashed editor keeps the draft, and Belfry's own threads have no answer" {
  local id
  id=$(mission 'say done')
  says "$id" 'All is clean.'
  EDITOR="touch" inbox_on 80 24 --thread "$id"
  sees 'All is clean.'
  keys r
  sees 'nothing is sent'
  same 1 "$(json .thread.messages belfry inbox show "$id" --peek --json)"
  teardown_test
  EDITOR=crashes inbox_on 80 24 --thread "$id"
  sees 'All is clean.'
  keys r
  sees 'nothing was sent'
  sees 'All is clean.'
  keys q q
  sees status=0
  wait_for 30 grep -q ' icanon' stty.txt
  teardown_test
  belfry reminder add me -m 'stand up' --in 0s > /dev/null
  wait_for 30 json_is 2 '.threads | length' belfry inbox list --json
  inbox_on 80 24
  sees 'stand up'
  keys Enter
  sees '] Belfry:'
  keys r
  sees 'nobody would hear an answer here'
  keys a
  sees 'of no mission'
}

@test "A23: of ten thousand messages the newest are there at once, and the oldest with one key" {
  local id
  id=$(mission 'say long')
  says "$id" 'the oldest'
  # copies of it, as far as anybody can see: the same row with other numbers
  sql "INSERT INTO messages (thread, seq, sender, author, size, run, ask, reply, read_at, created_at, text)
    WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 9999)
    SELECT thread, n.n, sender, author, 10, run, ask, reply, created_at, created_at, 'a *message*'
    FROM messages, n WHERE seq = 1"
  sql "UPDATE threads SET messages = 9999 WHERE id = '$id'"
  belfry inbox read "$id" > /dev/null
  says "$id" 'the newest'
  inbox_on 80 24 --thread "$id"
  sees 'the newest'
  sees '  10000/10000'
  keys g
  sees '  1/10000'
  sees 'the oldest'
  row_has 3 '> ['
  keys n n
  sees '  3/10000'
  keys G
  sees 'the newest'
  keys PPage PPage PPage PPage PPage PPage PPage PPage PPage PPage
  loses 'the newest'
  keys p
  sees '/10000'
  keys End
  sees '  10000/10000'
}

@test "A23: gaps in the numbers, where retention deleted something, change nothing" {
  local id n
  for n in one two three; do
    id=$(BELFRY_AGENT=builder belfry message send "number $n" --json | jq -r .thread.id)
  done
  sql "UPDATE messages SET seq = seq * 20"
  sql "UPDATE threads SET messages = 60"
  inbox_on 80 24 --thread "$id"
  sees '  20/60'
  sees 'number three'
  keys n
  sees '  40/60'
  keys n
  sees '  60/60'
  BELFRY_AGENT=builder belfry message send 'number four' > /dev/null
  sees 'number four'
  sees '/61'
  keys g
  sees '  20/61'
  keys k k p PPage
  sees 'number one'
  keys G
  sees '  61/61'
}

@test "A22: without a daemon it says so and goes on when there is one; signals leave the terminal as it was" {
  local id
  id=$(mission 'say there')
  says "$id" 'Here I am.'
  inbox_on 80 24
  sees 'say there'
  stop_daemon
  sees 'no daemon is running'
  sees 'say there'
  keys Enter
  sees 'no daemon is running'
  # nobody who looks starts one
  run -1 daemon_pid
  start_daemon
  sees 'Inbox  1 unread'
  keys Enter
  sees 'Here I am.'
  keys C-c
  sees status=0
  for signal in SIGTERM SIGHUP SIGABRT; do
    run env PATH="$BATS_TEST_TMPDIR/bin" TERM=xterm /usr/bin/python3 "$e2e_root/test/e2e/screen.py" 80x24 "$BELFRY_BIN" inbox --thread "$id" <<< $'see Here I am\nkill '$signal
    same $((128 + $(kill -l ${signal#SIG}))) "$status"
    has "$output" $'\033[?1049l'
  done
}

@test "A22: no colours when none are wanted, and lines where there is no terminal" {
  local id
  id=$(mission 'say plain')
  says "$id" $'# Head\n\n**bold** text'
  NO_COLOR=1 inbox_on 80 24
  sees '> [1 unread]  say plain'
  [[ $(pane -e) != *$'\033['* ]]
  keys Enter
  sees bold
  [[ $(pane -e) != *$'\033['* ]]
  has "$(belfry inbox)" 'say plain'
  same "$id" "$(belfry inbox --json | jq -r '.threads[0].id')"
  refused 3 "nope" inbox --thread nope
}

@test "A22: s finds words in all messages and opens the thread there" {
  local id other
  id=$(mission 'say haystack')
  for n in $(seq 30); do
    printf '{"request":"message send","args":{"mission":"%s","body":"straw %s"}}\n' "$id" "$n"
    [ "$n" -ne 7 ] || printf '{"request":"message send","args":{"mission":"%s","body":"a shiny needle"}}\n' "$id"
  done | talk > /dev/null
  other=$(mission 'say other')
  says "$other" 'nothing here'
  inbox_on 80 24
  sees 'say other'
  keys s 'shiny need' Enter
  sees 'Search  1 message with: shiny need'
  keys Enter
  sees '> ['
  sees 'a shiny needle'
  sees '  8/31'
  keys q
  sees 'Search  1 message'
  keys Escape
  sees 'Inbox'
  keys s zebra Enter
  sees 'no message has: zebra'
}

# paste TEXT: as a terminal does that knows bracketed paste.
# paste TEXT [unmarked]
paste() {
  [ "${2:-}" != unmarked ] || { tmux -S "$BATS_TEST_TMPDIR/tmux" send-keys -l "$1"; return; }
  tmux -S "$BATS_TEST_TMPDIR/tmux" set-buffer "$1"
  tmux -S "$BATS_TEST_TMPDIR/tmux" paste-buffer -p
}

@test "I3 a question is put away only after one more, has a key wherever it is, and a paste is no keys" {
  local old new
  old=$(mission 'say old')
  says "$old" --ask 'Deploy now?'
  new=$(mission 'say new')
  says "$new" 'hello'
  inbox_on 80 24
  row_has 3 'say old'
  row_has 4 'say new'
  paste 'every e'
  sees 'not taken for keys'
  row_has 3 'say old'
  keys G n
  row_has 3 '> [1 unread]'
  keys e
  sees '1 question waits for your answer'
  keys Escape
  loses 'waits for your answer'
  row_has 3 'say old'
  keys e
  sees '[y] puts it away'
  keys y
  sees 'put away: say old'
  row_has 3 'say new'
  keys e
  sees 'put away: say new'
  sees '1 question'
  # what was put away has a view, and Tab finds the question there
  keys Tab
  sees 'Archived  2 threads'
  row_has 3 '> [1 unread]  ? say old'
  sees 'say new'
  keys Down
  sees 'e bring back'
  keys v
  sees 'No messages.'
  # back one by one
  keys z
  row_has 3 'say new'
  keys z
  row_has 3 'say old'
  keys Enter
  sees 'Deploy now?'
  paste 'eru'
  sees 'not taken for keys'
  keys e
  sees '[y] puts it away'
  keys Escape
  loses '[y]'
  keys q
  sees 'Inbox'
  keys /
  paste $'say new\nq'
  sees 'filter: say new'
  loses 'say old'
}

@test "I3 an old question is on the first screen, and everything is reached, behind more than two thousand threads" {
  local id
  id=$(mission 'say old')
  says "$id" --ask 'Deploy now?'
  stop_daemon
  sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100) INSERT INTO threads
    (id, place, title, messages, unread, asks, waiting, wanted, last_at, last_sender, preview)
    SELECT 'thr-' || n.i, 'agent:' || n.i, 'many ' || n.i, 0, 0, 0, 0, 0, 9000000000000000 + n.i, 'agent', 'x' FROM n"
  start_daemon
  inbox_on 80 24
  row_has 3 '? say old'
  row_has 4 'many 2100'
  keys G
  sees '2101/2101'
  sees 'many 1 '
  lacks '2101/2101+'
  keys Tab
  row_has 3 '> [1 unread]  ? say old'
  keys / 'say old'
  loses many
  row_has 3 '> [1 unread]  ? say old'
}

@test "I12 r answers the question that has the mark, I18 and says that its default was given meanwhile" {
  local id
  id=$(mission 'say done')
  says "$id" --ask 'First?'
  says "$id" --ask --timeout 2h --default no 'Second?'
  printf '#!/bin/sh\ntouch begun\nwhile [ ! -e given ]; do sleep 0.1; done\nold=$(cat "$1")\nprintf "late\\n%%s\\n" "$old" > "$1"\n' > bin/waits
  chmod +x bin/waits
  EDITOR=waits inbox_on 80 24 --thread "$id"
  sees '#2 asks'
  keys Tab r
  wait_for 30 test -e begun
  stop_daemon
  sql 'UPDATE messages SET ask_until = 1 WHERE seq = 2'
  start_daemon
  wait_for 30 expired "$id"
  touch given
  sees 'the default was already given: no'
  keys l
  sees 'late'
  same 'open expired' "$(json '"\(.messages[0].ask) \(.messages[1].ask)"' belfry inbox show "$id" --peek --json)"
}

expired() {
  [ "$(json '.messages[1].ask' belfry inbox show "$1" --peek --json)" = expired ]
}

@test "Tab goes on to the next thread with a question, and the list keeps its place" {
  local first second third
  first=$(mission 'say first')
  says "$first" --ask 'Apples?'
  second=$(mission 'say second')
  says "$second" --ask 'Bananas?'
  third=$(mission 'say third')
  says "$third" --ask 'Cherries?'
  inbox_on 80 24
  sees 'say first'
  keys Enter
  sees 'Cherries?'
  lacks 'say first'
  keys r
  sees '? asked, and was answered'
  keys Tab
  sees 'Bananas?'
  sees '─── say second'
  keys r
  sees '? asked, and was answered'
  keys q
  # the cursor is where the answered one was: at the next question, which Tab does not pass over
  sees 'say third'
  keys Tab
  sees 'this is the next question'
  keys Enter
  sees '─── say first'
  keys r
  sees '? asked, and was answered'
  keys Tab
  sees 'no further question waits for an answer'
}

# marked TEXT: the current message says it below its name.
marked() {
  pane | grep -A1 '^> ' | grep -qF -- "$1"
}

@test "the draft quotes the question that is answered, and the mark stays where it was" {
  local id
  id=$(mission 'say done')
  says "$id" --ask 'First?'
  says "$id" --ask 'Second?'
  says "$id" --ask 'Third?'
  printf '#!/bin/sh\ncat "$1" > drafted\n[ ! -e write ] || exec writes "$1"\n' > bin/keeps
  chmod +x bin/keeps
  EDITOR=keeps inbox_on 80 40 --thread "$id"
  sees 'Third?'
  keys Tab
  wait_for 30 marked '#2 asks'
  keys r
  sees 'nothing was written'
  same 'Second? Third? First?' "$(grep '^[A-Z][a-z]*?$' drafted | xargs)"
  wait_for 30 marked '#2 asks'
  touch write
  keys r
  sees 'echo: my answer'
  wait_for 30 marked '? asked, and was answered'
}

@test "N43 a paste without marks is no keys either; a key that is held down still is" {
  local old
  old=$(mission 'say old')
  says "$old" --ask 'Deploy now?'
  for i in 1 2 3 4; do says "$(mission "say $i")" 'hello'; done
  inbox_on 80 24
  row_has 3 '> [1 unread]  ? say old'
  paste every unmarked
  sees 'not taken for keys'
  paste ey unmarked
  sleep 0.5
  row_has 3 '> [1 unread]  ? say old'
  same false "$(json .thread.archived belfry inbox show "$old" --peek --json)"
  paste jjj unmarked
  row_has 6 '> [1 unread]'
  paste $'\e[A\e[A' unmarked
  row_has 4 '> [1 unread]'
  keys g e
  sees '[y] puts it away'
  paste yes unmarked
  sleep 0.5
  same false "$(json .thread.archived belfry inbox show "$old" --peek --json)"
  keys y
  sees 'put away: say old'
}

@test "N39 a paste into the plain inbox is no commands, and in a reply it is text, with its dots" {
  local id
  id=$(mission 'say hello')
  says "$id" --ask 'Delete tag 14?'
  says "$id" --ask 'And tag 15?'
  inbox_on 100 40 --plain
  sees 'q to leave:'
  paste $'1\nr\n1\nDelete them all\n.\n'
  sees 'pasted lines are not taken for answers; nothing was done'
  lacks 'Message 1 of'
  # a part of a line is text: Enter is the person's
  paste 1
  keys Enter
  sees 'Message 2 of 2'
  keys r Enter
  sees 'Which one do you answer?'
  keys 1 Enter
  sees 'A line with a single dot ends it'
  paste $'No:\n.\n\tkeep them'
  sees 'keep them'
  keys Enter
  paste .
  keys Enter . Enter
  sees 'sent: message 3'
  same $'No:\n.\n\tkeep them\n.' "$(json '.messages[] | select(.sender == "person").text' belfry inbox show "$id" --peek --json)"
  same 1 "$(json .thread.asks belfry inbox show "$id" --peek --json)"
  paste $'e\ny\n'
  sees 'nothing was done'
  keys z z BSpace BSpace b Space b C-w C-u q Enter
  sees 'Inbox: '
  keys C-d
  sees status=0
  lacks '2004'
}

@test "the search line has Ctrl-U and Ctrl-W" {
  says "$(mission 'say hello')" 'needle here'
  inbox_on 80 24
  sees 'say hello'
  keys s
  keys -l 'wrong'
  keys C-u
  keys -l 'needle'
  keys Space x C-w Enter
  sees '1 message with: needle'
}

@test "N40 r in a thread begins with the draft of its own question" {
  local id
  id=$(mission 'say hello')
  says "$id" --ask 'Delete tag 14?'
  says "$id" --ask 'And tag 15?'
  # one that fails at the first question only
  printf '#!/bin/sh\ncat "$1" > shown\nold=$(cat "$1")\nprintf "%%s\\n%%s\\n" half "$old" > "$1"\ncase $old in *"answer to #1"*) exit 3 ;; esac\n' > bin/half
  chmod +x bin/half
  EDITOR=half inbox_on 100 30 --thread "$id"
  sees '> ['
  keys g r
  sees 'exit status 3'
  grep -qx 'Your answer to #1: Delete tag 14?' shown
  keys Tab r
  sees 'sent:'
  grep -qx 'Your answer to #2: And tag 15?' shown
  same half "$(json '.messages[] | select(.sender == "person").text' belfry inbox show "$id" --peek --json)"
}
