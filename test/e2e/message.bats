#!/usr/bin/env bats
# An agent writes to the person: what arrives, in what order, and what is refused (A19 to A21).
load helper
e2e_on_postgres='byte for byte|the thread of a cron|twenty senders|fifty megabytes|--ask'

setup_test() {
  scripted "$asker"
  unset BELFRY_MISSION_ID BELFRY_RUN BELFRY_AGENT
}

# mission [AGENT]: the id of one that has ended, and this test as its agent.
mission() {
  id=$(new "${1:-shell}" 'echo done')
  becomes "$id" success
  export BELFRY_MISSION_ID=$id
  messages=$BELFRY_HOME/missions/$id/messages
}

# text SEQ FILTER: something of a message.
message() {
  json ".messages[0]$2" belfry inbox show "$id" --message "$1" --peek --json
}

nothing_is_left() {
  [ -z "$(ls -A "$BELFRY_HOME/spool" 2> /dev/null)" ] || { ls -la "$BELFRY_HOME/spool" >&2; return 1; }
}

@test "A19: a message is an argument, or standard input, byte for byte in messages/SEQ.md" {
  mission
  same "sent: message 1 in $id" "$(belfry message send '# All *is* well')"
  printf '# Report\r\n\n\ttab\n\n' > report
  belfry message send < report > /dev/null
  belfry message send - --title 'A title' < report > /dev/null
  same '4 person' "$(json '"\(.message.seq) \(.message.sender)"' env -u BELFRY_MISSION_ID "$BELFRY_BIN" inbox reply "$id" - --json < report)"
  same '# All *is* well' "$(cat "$messages/1.md")"
  for n in 2 3 4; do cmp report "$messages/$n.md"; done
  cmp report <(belfry inbox show "$id" --message 3 --raw)
  same 'agent shell A title false' \
    "$(json '.messages[2] | "\(.sender) \(.author) \(.title) \(.read)"' belfry inbox show "$id" --peek --json)"
  # without its first line a long one is shown as it was written
  yes 'a line with ü in it' | head -c 300001 > long
  belfry message send < long > /dev/null
  cmp <(cat long; echo) <(belfry inbox show "$id" --message 5 | tail -n +2)
  same '700 600' "$(stat -c %a "$messages" "$messages/1.md" | xargs)"
  nothing_is_left
}

@test "A19: the thread of a cron has its name, and the number of the run is kept" {
  scripted 'crons:
  nightly: {schedule: "0 3 * * *", agent: shell, prompt: "\"$BELFRY_BIN\" message send from-$BELFRY_RUN"}'
  wait_for 30 belfry cron show nightly > /dev/null
  belfry cron run nightly > /dev/null
  wait_for 30 json_is 1 '.threads | length' belfry inbox list --cron nightly --json
  belfry inbox list --cron nightly --json > list
  same nightly "$(jq -r '.threads[0] | select(.title == .mission.cron) | .title' list)"
  id=$(jq -r '.threads[0].id' list)
  same "$id/1 from-$id/1" "$(message 1 '| "\(.run) \(.text)"')"
  becomes "$id" success
}

@test "A20: messages need a mission: none, an unknown, a removed one, half an id are refused" {
  refused 2 'neither BELFRY_MISSION_ID nor BELFRY_AGENT is set' message send x
  BELFRY_MISSION_ID=mis-nobody refused 3 "no mission 'mis-nobody'" message send x
  BELFRY_MISSION_ID=../x refused 3 "no mission '../x'" message send x
  mission
  BELFRY_MISSION_ID=${id%?} refused 3 "no mission '${id%?}'" message send x
  belfry message send x > /dev/null
  env -u BELFRY_MISSION_ID "$BELFRY_BIN" mission rm "$id" --force > /dev/null
  refused 3 "$id" message send x
  wait_for 30 test ! -e "$BELFRY_HOME/missions/$id"
  # its row goes after its folder
  wait_for 30 refused 3 "no mission '$id'" message send x
  same 0 "$(json '.threads | length' belfry inbox list --all --json)"
}

@test "A20: an agent outside of a mission has a thread of its own" {
  BELFRY_AGENT=builder belfry message send 'from outside' > /dev/null
  BELFRY_AGENT=nobody refused 3 "no agent 'nobody'" message send x
  BELFRY_AGENT=me refused 2 "'me' is the person" message send x
  id=$(json '.threads[0].id' belfry inbox list --json)
  same 'builder null' "$(json '.threads[0] | "\(.agent) \(.mission)"' belfry inbox list --json)"
  same 'from outside' "$(cat "$BELFRY_HOME/threads/$id/1.md")"
  has "$(belfry inbox reply "$id" 'and back')" 'queued for builder'
  # N60
  refused 4 "thread '$id' has no mission to go on with" inbox reply "$id" 'and back' --run
  same 'and back' "$(belfry queue take builder)"
}

@test "A19: mistakes are refused before anything is saved, each with its next step" {
  mission
  refused 2 'the message is empty' message send ''
  refused 2 'the message is empty' message send $' \n\t'
  refused 2 'the message is empty' message send < /dev/null
  head -c 100000 /dev/zero | tr '\0' '\n' > blank
  refused 2 'the message is empty' message send - < blank
  refused 2 '--timeout is for a question' message send x --timeout 1h
  refused 2 '--default is for a question' message send x --default no
  refused 2 '--default needs --timeout' message send x --ask --default no
  refused 2 '--timeout' message send x --ask --timeout 5
  refused 2 'too short' message send x --ask --timeout 1ms
  refused 2 'the default is empty' message send x --ask --timeout 1h --default ' '
  refused 2 'newline' message send x --title $'a\nb'
  refused 2 'control character' message send x --title $'a\e[31mb'
  refused 2 'too long' message send x --title "$(printf 'x%.0s' {1..201})"
  refused 2 "unexpected argument 'y'" message send x y
  refused 3 "no messages" inbox show "$id"
  nothing_is_left
}

@test "A19: twenty senders at once: every message is there, whole, in the order of its sender" {
  mission
  sender() {
    seq -f "$1 %g" 10 | jq -cR --arg m "$id" '{request: "message send", args: {mission: $m, body: .}}' |
      talk | jq -e .ok > /dev/null || touch failed
  }
  for s in $(seq 20); do sender "$s" & done
  belfry message send '21 1' > /dev/null
  wait
  [ ! -e failed ]
  belfry inbox show "$id" --peek --json | jq -r '.messages[] | "\(.seq) \(.text)"' > rows
  same "$(seq 201)" "$(cut -d' ' -f1 rows)"
  for s in $(seq 20); do
    same "$(seq 10)" "$(awk -v s="$s" '$2 == s { print $3 }' rows)"
  done
  for n in $(seq 201); do echo "$n $(< "$messages/$n.md")"; done | cmp - rows
  same 201 "$(find "$messages" -type f | wc -l)"
}

@test "A19: fifty megabytes are on disk as they came, and the row has their beginning" {
  mission
  { printf 'begin ü\n'; yes 'line of a very long message, in order to get to fifty megabytes'; } | head -c 50000000 > big
  start=$(date +%s%N)
  belfry message send < big > /dev/null
  took=$((($(date +%s%N) - start) / 1000000))
  cmp big "$messages/1.md"
  [ $took -lt 60000 ] || { echo "took $took ms" >&2; return 1; }
  same '50000000 false true' "$(json '.messages[0] | "\(.size) \(.whole) \((.text | utf8bytelength) <= 65536)"' \
    belfry inbox show "$id" --peek --json)"
  has "$(belfry inbox show "$id" --peek)" 'the beginning of 50.0 MB; all of it: belfry inbox show'
  cmp big <(belfry inbox show "$id" --message 1 --raw)
  nothing_is_left
}

@test "A19: bodies are data: nothing a terminal obeys is printed, whatever was sent" {
  mission
  printf 'a\0b \e[31mred\e]0;title\a \xc2\x9b2J \xff\xfe \xe2\x80\xaegnp.exe\r\nnext\x7f\n' > hostile
  belfry message send --title 'fine' < hostile > /dev/null
  cat hostile <(head -c 70000 /dev/zero | tr '\0' y) hostile | belfry message send > /dev/null
  cmp hostile "$messages/1.md"
  { belfry inbox show "$id"; belfry inbox show "$id" --message 2; belfry inbox list; belfry inbox search red; } > shown
  has "$(cat shown)" 'gnp.exe'
  if LC_ALL=C grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae|[\xfe\xff]' shown; then
    cat -v shown | cut -c 1-300 >&2
    return 1
  fi
  # on a terminal, too
  TERM=xterm /usr/bin/python3 "$e2e_root/test/e2e/terminal.py" -- "$BELFRY_BIN" inbox show "$id" > terminal
  has "$(tr -d '\0' < terminal)" 'next'
  if LC_ALL=C grep -aqP '\x1b\]|\x1b\[31mred|\xc2\x9b|\x07|\xe2\x80\xae' terminal; then
    cat -v terminal | cut -c 1-300 >&2
    return 1
  fi
  belfry inbox show "$id" --json | jq -e '.messages[0].text' > /dev/null
}

@test "A19: attachments are copies in SEQ.files, by harmless names, never through a path" {
  mission
  mkdir deep && echo one > report.pdf && echo two > deep/report.pdf && echo hidden > .profile
  printf x > $'new\nline\e[31m'
  ln -s deep/report.pdf link
  same "sent: message 1 in $id, with 5 files" "$(belfry message send 'see' --attach report.pdf \
    --attach deep/report.pdf --attach .profile --attach $'new\nline\e[31m' --attach=link)"
  same 'report.pdf,report (2).pdf,profile,new_line_[31m,link' \
    "$(message 1 '.attachments | map(.name) | join(",")')"
  same 'one two' "$(cat "$messages/1.files/report.pdf" "$messages/1.files/report (2).pdf" | xargs)"
  same 600 "$(stat -c %a "$messages/1.files/report.pdf")"
  [ ! -L "$messages/1.files/link" ]
  echo changed > report.pdf
  same one "$(cat "$messages/1.files/report.pdf")"
  has "$(belfry inbox show "$id")" "attached: report.pdf (4 bytes), $messages/1.files/report.pdf"
  belfry message send 'a path is only text: ~/.ssh/id_rsa, file:///etc/passwd' > /dev/null
  same 0 "$(message 2 '.attachments | length')"
  nothing_is_left
}

@test "A19: what cannot be attached is named, with the limit" {
  mission
  mkfifo pipe
  mkdir folder
  truncate -s 25000001 large
  truncate -s 25000000 fits
  refused 3 "cannot attach 'nowhere'" message send x --attach nowhere
  refused 2 "cannot attach 'pipe': it is no plain file" message send x --attach pipe
  refused 2 "cannot attach 'folder': it is a folder" message send x --attach folder
  refused 2 "cannot attach '/dev/null': it is no plain file" message send x --attach /dev/null
  refused 2 "cannot attach 'large': it is larger than 25 MB" message send x --attach large
  refused 2 '11 files are attached, at most 10' message send x $(printf -- '--attach=fits %.0s' {1..11})
  same 0 "$(json '.threads | length' belfry inbox list --json)"
  belfry message send x --attach fits > /dev/null
  same 25000000 "$(message 1 '.attachments[0].size')"
  nothing_is_left
}

@test "A19: what other programs put into the spool is taken only when it is a plain file of ours" {
  mission
  start_daemon
  mkdir -p -m 700 "$BELFRY_HOME/spool"
  echo secret > outside
  ln -s "$PWD/outside" "$BELFRY_HOME/spool/link"
  ln outside "$BELFRY_HOME/spool/twice"
  mkdir "$BELFRY_HOME/spool/folder"
  mkfifo "$BELFRY_HOME/spool/pipe"
  echo fine > "$BELFRY_HOME/spool/fine"
  # ask: each line is the rest of the arguments of a request; one answer a line
  ask() {
    jq -c --arg m "$id" '{request: "message send", args: ({mission: $m} + .)}' | talk |
      jq -r 'if .ok then "ok" else .error.code + ": " + .error.message end'
  }
  for name in ../config.yml /etc/passwd . .. '' a/b "$(printf 'x%.0s' {1..100})" link folder pipe twice none; do
    jq -cn --arg n "$name" '{spool: $n}'
  done > requests
  cat >> requests << 'END'
{"body": "x", "attach": ["/etc/passwd"]}
{"body": "x", "spooled_files": [{"spool": "../config.yml", "name": "c"}]}
{"body": "x", "spooled_files": [{"spool": 7}]}
{"body": "x", "spooled_files": "fine"}
{"body": "x", "spool": "fine"}
{"spool": 7}
END
  ask < requests > answers
  same 18 "$(grep -c '^invalid: ' answers)"
  same 7 "$(grep -c 'has no plain name' <(head -n 7 answers))"
  same 3 "$(sed -n '8,10p' answers | grep -c 'is no plain file')"
  has "$(sed -n 11p answers)" 'has another name'
  has "$(sed -n 12p answers)" 'is not there'
  has "$(sed -n 13p answers)" "'attach' is for the command line"
  same 0 "$(json '.threads | length' belfry inbox list --json)"
  same ok "$(ask <<< '{"spool": "fine", "spooled_files": []}')"
  same fine "$(cat "$messages/1.md")"
  same 1 "$(find "$messages" -name '*.md' | wc -l)"
}

@test "A19: a folder that was deleted by hand is told, not made again in part" {
  mission
  rm -r "$BELFRY_HOME/missions/$id"
  refused 4 "the folder of mission '$id' is gone" message send x
  [ ! -e "$BELFRY_HOME/missions/$id" ]
}

@test "A19: a disk that refuses leaves neither row nor spool" {
  mission
  belfry message send one > /dev/null
  # what is in the way cannot be replaced, whoever asks
  mkdir -p "$messages/2.md/full"
  refused_twice() {
    run -7 belfry message send two
    has "$output" "$messages/2.md"
    head -c 100000 /dev/zero | tr '\0' x > long
    run -7 belfry message send - < long
  }
  refused_twice
  rm -r "$messages/2.md"
  nothing_is_left
  same 1 "$(json '.thread.messages' belfry inbox show "$id" --peek --json)"
  belfry message send three > /dev/null
  same three "$(cat "$messages/2.md")"
}

@test "A19: inside a run no daemon is started: the message is saved all the same" {
  mission
  stop_daemon
  export BELFRY_RUN=$id/1
  echo x > attached
  run -0 --separate-stderr belfry message send --attach attached 'no daemon here'
  same '' "$stderr"
  head -c 100000 /dev/zero | tr '\0' x | belfry message send > /dev/null
  if daemon_pid; then return 1; fi
  unset BELFRY_RUN
  same '2 2' "$(json '.thread | "\(.messages) \(.unread)"' belfry inbox show "$id" --peek --json)"
}

@test "A21: --ask: the thread waits for an answer, with a time limit and a default" {
  mission asker
  has "$(belfry message send --ask 'Deploy?' --timeout 2h --default 'no')" 'end your run'
  same 'open no true' "$(message 1 '| "\(.ask) \(.ask_default) \(.ask_until != null)"')"
  same 1 "$(json '.asks' belfry inbox list --asks --json)"
  has "$(belfry inbox list)" '[asks, 1 unread]'
  has "$(belfry status)" '1 unread, 1 question'
  has "$(belfry mission show "$id")" "1 unread, waits for an answer: belfry inbox show $id"
  has "$(belfry inbox show "$id" --peek)" 'then the answer is: no'
}

@test "A21: who keeps no conversation cannot ask from a mission: nothing is saved, and all else can be sent" {
  mission
  refused 4 "agent 'shell' keeps no conversation" message send --ask 'Deploy?'
  has "$(cat stderr)" 'leave out --ask'
  head -c 100000 /dev/zero | tr '\0' x > long
  refused 4 "no answer can reach mission '$id'" message send --ask --attach long < long
  nothing_is_left
  [ ! -e "$messages" ]
  refused 3 'has no messages' inbox show "$id"
  belfry message send 'Deploy: belfry mission new shell deploy' > /dev/null
  # outside of a mission the answer has a queue to wait in
  unset BELFRY_MISSION_ID
  thread=$(BELFRY_AGENT=shell belfry message send --ask 'Deploy?' --json | jq -r .thread.id)
  belfry inbox reply "$thread" yes > /dev/null
  same yes "$(json .body belfry queue take shell --json)"
}

@test "what crashes left in the spool is removed after a day" {
  mission
  mkdir -p -m 700 "$BELFRY_HOME/spool"
  touch -d '25 hours ago' "$BELFRY_HOME/spool/s-old" "$BELFRY_HOME/spool/other"
  touch "$BELFRY_HOME/spool/s-new"
  belfry message send x > /dev/null
  same 'other s-new' "$(ls "$BELFRY_HOME/spool" | xargs)"
}
