#!/usr/bin/env bats
# The inbox in lines and questions, and answers that are written in an editor.
load helper
e2e_shown_once=1

setup_test() {
  unset VISUAL EDITOR
  scripted "$asker"
}

# plain ARGUMENT... < SCRIPT: belfry on a terminal that can only write lines; see screen.py. What it
# said is in the file `said`.
plain() {
  TERM=${term-dumb} /usr/bin/python3 "$e2e_root/test/e2e/screen.py" 80x24 "$BELFRY_BIN" "$@" > said
}

from() {
  BELFRY_AGENT=$1 belfry message send "${@:2}" > /dev/null
}

# from_one AGENT ARGUMENT...: the same; `id` is the thread's.
from_one() {
  id=$(BELFRY_AGENT=$1 belfry message send "${@:2}" --json | jq -r .thread.id)
}

# last FILTER: something of the last message of thread `id`.
last() {
  json ".messages[-1].$1" belfry inbox show "$id" --peek --json
}

# editor SCRIPT: becomes EDITOR, with the file as $1.
editor() {
  printf '#!/bin/sh\n%s\n' "$1" > editor
  chmod +x editor
  export EDITOR=$PWD/editor
}

@test "A22: a terminal that can only write lines gets numbers, words and questions" {
  from builder $'# Report\n\n- **clean**\n\n| a | b |\n|---|---|\n| 1 | 2 |'
  from single --ask --timeout 2h --default no 'Deploy now?'
  plain inbox << 'END'
see Inbox: 2 unread messages, 1 question for you.
see 1. single,
see 1 unread. Waits for your answer.
see Deploy now?
see 2. builder,
see Number to open, u unread only, a questions only, q to leave: 
type 2\r
see builder, thread thr-
see , with builder: 1 message.
see Message 1 of 1, new. [
see ] builder:
see # Report
see q back: 
type q\r
see Inbox: 1 unread message, 1 question for you.
type u\r
see u all threads
type 2\r
see A number from 1 to 1 opens a thread
type 1\r
see asks, and waits for an answer until
see then the answer is: no
type u\r
see It is unread again.
see q to leave: 
type 1\r
see q back: 
type what\r
see r replies
type \r
see Nothing new.
type q\r
see q to leave: 
type q\r
END
  # no colours, nothing moved, no boxes
  run ! grep -qE $'\e|[─│┌┐└┘├┤┬┴┼]' said
}

@test "A22: --plain is plain on any terminal, and opens the thread that is named" {
  from_one builder 'first words'
  term=xterm-256color plain inbox --plain --thread "$id" << 'END'
see first words
see q back: 
type \x04
END
  # but for the wish that pastes are marked
  run ! grep -q $'\e' <(sed 's/\x1b\[?2004[hl]//g' said)
}

@test "A22: a long thread is said from its end, the rest when asked for" {
  for i in 1 2 3 4 5 6; do from builder "words number $i"; done
  from_one builder 'words number 7'
  belfry inbox read "$id" > /dev/null
  plain inbox --thread "$id" << 'END'
see words number 3
see words number 7
see q back: 
type p\r
see words number 1
see words number 2
type p\r
see There are no messages before these.
type \x03
END
  same 5 "$(sed '/q back: p/,$d' said | grep -c 'words number')"
}

@test "A22: what retention deleted of a thread is not waited for" {
  from_one builder 'words number 1'
  sql "UPDATE messages SET seq = 8"
  sql "UPDATE threads SET messages = 8"
  plain inbox --thread "$id" << 'END'
see Message 8 of 8
see q back: 
type p\r
see There are no messages before these.
type \x03
END
}

@test "A24: a reply in lines goes to the agent; a dot ends it, Ctrl-C discards it" {
  local id

  id=$(new asker 'echo hello')
  becomes "$id" success
  BELFRY_MISSION_ID=$id belfry message send --ask 'Deploy now?' > /dev/null
  plain inbox --thread "$id" << 'END'
see q back: 
type r\r
see A line with a single dot ends it
type half an answer\r
see half an answer
type \x03
see Discarded, nothing was sent.
see q back: 
type r\r
see A line with a single dot ends it
type yes,\r
see yes,
type   go ahead\r
see go ahead
type .\r
see sent: message 2 in mis-
see q back: 
type q\r
see q to leave: 
type q\r
END
  same $'yes,\n  go ahead' "$(json '.messages[] | select(.sender == "person").text' belfry inbox show "$id" --peek --json)"
}

@test "A24: messages from Belfry have nobody who would hear an answer" {
  add me -m 'stand up' --in 1s > /dev/null
  wait_for 30 json_is 1 .unread belfry inbox list --json
  id=$(json '.threads[0].id' belfry inbox list --json)
  plain inbox --thread "$id" << 'END'
see stand up
type r\r
see Nobody would hear an answer here
type a\r
see there is nothing to go on with
type q\r
see q to leave: 
type q\r
END
}

@test "A24: inbox reply on a terminal: the editor, the quoted thread, the answer" {
  from_one builder 'Deploy now?'
  editor 'cp "$1" shown; sed -i "1s/^/yes/" "$1"'
  plain inbox reply "$id" < /dev/null
  grep -qx '<!-- Write your reply above this line\..*-->' shown
  grep -qE '^\[[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}\] builder:$' shown
  grep -qx 'Deploy now?' shown
  same '' "$(head -1 shown)"
  same yes "$(last text)"
  same person "$(last sender)"
  same '' "$(ls "$BELFRY_HOME/drafts")"
}

@test "A24: a blank answer, and an editor that fails, send nothing; the draft goes on" {
  from_one builder 'Deploy now?'
  editor 'true'
  plain inbox reply "$id" < /dev/null
  grep -q 'nothing' said
  editor 'sed -i "1s/^/half/" "$1"; kill -9 $$'
  run plain inbox reply "$id" < /dev/null
  same 7 "$status"
  grep -q "ended by signal 9" said
  grep -q "drafts/$id.md" said
  same 1 "$(json '.threads[0].messages' belfry inbox list --json)"
  editor 'grep -qx half "$1" && sed -i "1s/\$/ and the rest/" "$1"'
  plain inbox reply "$id" < /dev/null
  same 'half and the rest' "$(last text)"
  same '' "$(ls "$BELFRY_HOME/drafts")"
}

@test "A24: an answer without the line above the thread is not sent with the thread in it" {
  from_one builder $'Deploy now? The long line of a message, to be known again.\nfine'
  editor 'sed -i -e "/^<!--/d" -e "/^\[/d" -e "1s/^/no/" "$1"'
  run plain inbox reply "$id" < /dev/null
  same 2 "$status"
  same agent "$(last sender)"
  editor 'cp "$1" shown; : > "$1"'
  plain inbox reply "$id" < /dev/null
  same no "$(head -1 shown)"
}

@test "A24: two answers to one thread are not written at once" {
  from_one builder 'Deploy now?'
  editor 'touch open; until [ -e go ]; do sleep 0.05; done; sed -i "1s/^/first/" "$1"'
  plain inbox reply "$id" < /dev/null &
  wait_for 30 test -e open
  editor 'sed -i "1s/^/second/" "$1"'
  TERM=dumb run /usr/bin/python3 "$e2e_root/test/e2e/screen.py" 80x24 "$BELFRY_BIN" inbox reply "$id" < /dev/null
  same 4 "$status"
  has "$output" 'is being written already, by process'
  touch go
  wait
  same first "$(last text)"
}

@test "A24: w in plain mode is the editor" {
  from_one builder 'Deploy now?'
  editor 'sed -i "1s/^/yes/" "$1"'
  plain inbox --thread "$id" << 'END'
see q back: 
type w\r
see sent: message 2
see q back: 
type \r
see Message 2 of 2
see You:
see yes
type q\r
see q to leave: 
type q\r
END
}

@test "A22: a goes on with the mission in this terminal, and comes back" {
  scripted "  talker: {adapter: scripted, directory: $BATS_TEST_TMPDIR}
adapters:
  scripted:
    headless: [$TEST_AGENT, -p, --output-format, json, --session-id, '{session}']
    resume: [$TEST_AGENT, -p, --output-format, json, --resume, '{session}']
    resume_interactive: [$TEST_AGENT, --resume, '{session}', '{prompt}']
    session: chosen
    output: json
    session_path: session_id
    answer_path: result"
  id=$(new talker 'say hello')
  becomes "$id" success
  BELFRY_MISSION_ID=$id belfry message send 'Come and see.' > /dev/null
  plain inbox --thread "$id" << 'END'
see q back: 
type a\r
see The mission goes on here
type recall\r
see turn 1: say hello
type \x04
see You are back in the inbox.
see q back: 
type q\r
see q to leave: 
type q\r
END
}

@test "N39: lines that come at once are no answers, also where a terminal marks no pastes" {
  from_one builder --ask 'May I delete the tags?'
  plain inbox --plain --thread "$id" << 'END'
see q back: 
type r\rDelete them all\r.\r
see pasted lines are not taken for answers; nothing was done
see q back: 
type r\r
see A line with a single dot ends it
type No,\r.\rnot one.\r
see not one.
type .\r
see sent: message 2
see q back: 
type e\r
see It is put away
see q to leave: 
type q\r
END
  same $'No,\n.\nnot one.' "$(last text)"
}

@test "N44: e puts a thread away in plain mode, too, after a question about its questions; v says those, z brings back" {
  from_one builder --ask 'Deploy now?'
  plain inbox --plain --thread "$id" << 'END'
see q back: 
type e\r
see 1 question waits for your answer.
see Put it away all the same [y/N]: 
type \r
see q back: 
type e\r
see [y/N]: 
type y\r
see It is put away; z in the list brings it back.
see There are no threads.
see q to leave: 
type v\r
see Put away: 
see 1. builder,
see v the inbox
type 1\r
see q back: 
type e\r
see It is in the inbox again.
see Nothing was put away.
type v\r
see 1. builder,
type 1\r
see q back: 
type e\r
see [y/N]: 
type y\r
see There are no threads.
type z\r
see It is in the inbox again.
see 1. builder,
see q to leave: 
type q\r
END
  same false "$(json .thread.archived belfry inbox show "$id" --peek --json)"
}

@test "N40: a draft belongs to its question, and the page names that one" {
  from builder --ask 'Delete tag 14?'
  from_one builder --ask 'And tag 15?'
  editor 'printf "Half an answer\n%s" "$(cat "$1")" > new; cat new > "$1"; exit 3'
  run plain inbox reply "$id#1" < /dev/null
  same 7 "$status"
  grep -q "drafts/$id.1.md" said
  editor 'cp "$1" shown; sed -i "1s/^/yes/" "$1"'
  plain inbox reply "$id#2" < /dev/null
  same '' "$(head -1 shown)"
  grep -qx 'Your answer to #2: And tag 15?' shown
  same yes "$(last text)"
  # the first is still to be answered, and begins with its draft
  editor 'cp "$1" shown; sed -i "1s/\$/, indeed/" "$1"'
  plain inbox reply "$id" < /dev/null
  grep -qx 'Your answer to #1: Delete tag 14?' shown
  same 'Half an answer, indeed' "$(last text)"
  same '' "$(ls "$BELFRY_HOME/drafts")"
}

@test "N40: a draft that names no question is named to whoever answers one, and stays what a reply begins with" {
  from_one builder 'Look at tag 14.'
  mkdir -m 700 "$BELFRY_HOME/drafts"
  echo 'I looked' > "$BELFRY_HOME/drafts/$id.md"
  from builder --ask 'And tag 15?'
  editor 'cp "$1" shown; sed -i "1s/^/yes/" "$1"'
  plain inbox reply "$id" < /dev/null
  same yes "$(last text)"
  grep -qF "(an earlier draft, which names no question, is in $BELFRY_HOME/drafts/$id.md)" shown
  editor 'cp "$1" shown; sed -i "1s/\$/ at it/" "$1"'
  plain inbox reply "$id" < /dev/null
  same 'I looked at it' "$(last text)"
}
