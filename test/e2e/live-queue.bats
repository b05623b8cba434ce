# What is typed into a live agent, and when: every row of the queue's rule.
#
#               idle      busy      blocked
#   interrupt   typed     Ctrl-C    Ctrl-C
#   normal      typed     typed     waits
#   idle-first  typed     waits     waits
#   idle        typed     waits     waits
load helper
load tui
# shellcheck disable=SC2034
e2e_shown_once=1

setup_test() {
  agents_config
}

teardown_test() {
  end_sessions
}

# states ID...: what became of them, in one line.
states() {
  local id

  for id in "$@"; do message "$id" .state; done | xargs
}

@test "H5 H15: idle: every priority is typed, one turn at a time" {
  local priority name
  live a h
  for name in a h; do
    for priority in interrupt normal idle-first idle; do
      run -0 --separate-stderr timeout 60 "$BELFRY_BIN" agent send "$name" "as $priority" --priority $priority --wait
    done
    all_delivered "$name"
    same $'as interrupt\nas normal\nas idle-first\nas idle' "$(bodies "$name")"
    same 0 "$(events "$name" ctrl-c)"
  done
}

@test "H5 H16: what waited is taken by priority, idle-first newest first, the others oldest first" {
  local text
  start_daemon
  for text in idle:1 idle-first:1 normal:1 idle-first:2 interrupt:1 idle:2 normal:2; do
    send a "$text" --priority "${text%:*}" > /dev/null
  done
  live a
  got a idle:2
  all_delivered a
  same 'interrupt:1 normal:1 normal:2 idle-first:2 idle-first:1 idle:1 idle:2' "$(bodies a | xargs)"
  same 0 "$(events a ctrl-c)"
}

@test "H5 H15: busy: normal is typed, idle-first and idle wait until it is idle" {
  local idle first normal
  live a
  work a WORK:600s busy
  idle=$(send a 'an idle one' --priority idle)
  first=$(send a 'an idle-first one' --priority idle-first)
  normal=$(send a 'a normal one')
  typed_in "$normal"
  same 'queued queued' "$(states "$idle" "$first")"
  same 0 "$(events a ctrl-c)"
  keys a C-c
  got a 'an idle one'
  same $'a normal one\nan idle-first one\nan idle one' "$(bodies a)"
  same 1 "$(events a ctrl-c)"
}

@test "L2 F1 what a busy agent did not take up goes back with its session, and is typed into the next" {
  local name id status
  local -A waits
  live a h
  for name in a h; do
    work "$name" WORK:600s busy
    id=$(send "$name" "for $name")
    typed_in "$id"
  done
  # both at once: each waits for all of its time, in which it has to be typed on a slow machine, too
  for name in a h; do
    "$BELFRY_BIN" agent send "$name" 'for both' --wait --timeout 15s > "$name.out" 2> "$name.err" 3>&- &
    waits[$name]=$!
  done
  for name in a h; do
    status=0
    wait "${waits[$name]}" || status=$?
    same 1 $status
    has "$(cat "$name.err")" 'typed in; its model has not taken it up yet'
  done
  run -0 belfry queue list a
  [[ $output == *'typed in'* ]]
  run -0 --separate-stderr belfry agent restart a
  [[ $output == *'2 messages that it was not seen to take up go back'* ]]
  kill -KILL "$(pid_of h)"
  is h gone
  same 2 "$(queued h)"
  run -1 --separate-stderr timeout 60 "$BELFRY_BIN" agent send h 'to nobody' --wait
  [[ $stderr == *'h has no session'*'belfry agent start h'* ]]
  belfry agent start h --detach > /dev/null
  for name in a h; do
    got "$name" 'for both'
    all_delivered "$name"
    same 1 "$(bodies "$name" | grep -cxF "for $name")"
  done
}

@test "H5 H15: busy: an interrupt is one Ctrl-C and the message, nothing of the old prompt" {
  local name
  agents_config "  back: {adapter: tui, directory: $PWD, args: [--return],
    environment: {TUI_RECORD: $PWD/back.record, TUI_HOME: $PWD/sessions}}"
  live a h back
  for name in a h back; do
    work "$name" 'WORK:600s' busy
    send "$name" 'stop that' --priority interrupt > /dev/null
  done
  for name in a h back; do
    got "$name" 'stop that'
    all_delivered "$name"
    same 'busy' "$(record "$name" 'select(.event == "ctrl-c") | .state')"
    same 'WORK:600s|stop that' "$(prompts "$name" | sed -E 's/^\[belfry [^]]*\] //' | paste -sd '|')"
    is "$name" idle
  done
}

@test "F10 busy: where a key would make it forget, none is pressed, and agent send says so" {
  agents_config "  ge: {adapter: gemini, directory: $PWD,
    environment: {TUI_RECORD: $PWD/ge.record, TUI_HOME: $PWD/sessions}}"
  cat >> "$BELFRY_HOME/config.yml" << END
  gemini:
    interactive: [$TUI_AGENT, --session-id, "{session}", "{args}", --, "{prompt}"]
    live: {busy: 'esc to interrupt', blocked: 'Allow .*[?]', input: '^> (.*)\$', quiet: 300ms}
END
  live ge
  # it works until all of it was sent, however long that takes
  send ge 'FIRST RUN:until [ -e go ]; do sleep 0.05; done' > /dev/null
  is ge busy
  send ge 'later' --priority idle > /dev/null
  belfry agent send ge 'URGENT' --priority interrupt > out
  grep -q 'is busy, and is not interrupted: it would forget what it was told' out
  typed_in "$(json 'map(select(.body | contains("URGENT"))) | .[0].id' belfry queue list ge --json)"
  touch go
  all_delivered ge
  got ge later
  same 'URGENT|later' "$(bodies ge | sed 1d | paste -sd '|')"
  same '0 0' "$(events ge ctrl-c) $(events ge interrupted)"
}

@test "H5 H15: blocked: only an interrupt gets through, and nothing answers the question" {
  local name
  local -A waiting
  live a h
  for name in a h; do
    work "$name" 'ASK:rm -rf /' blocked
  done
  for name in a h; do
    waiting[$name]="$(send $name 'an idle one' --priority idle) \
      $(send $name 'an idle-first one' --priority idle-first) $(send $name 'a normal one')"
  done
  # longer than it takes to be silent: a permission prompt is not idleness
  sleep 2
  for name in a h; do
    state_is $name blocked
    # shellcheck disable=SC2086
    same 'queued queued queued' "$(states ${waiting[$name]})"
    same '0 0 0' "$(events $name stray) $(events $name answer) $(events $name ctrl-c)"
    send $name 'an interrupt' --priority interrupt > /dev/null
  done
  for name in a h; do
    got $name 'an idle one'
    same 'asking' "$(record $name 'select(.event == "ctrl-c") | .state')"
    same 'an interrupt|a normal one|an idle-first one|an idle one' "$(bodies $name | paste -sd '|')"
    same '0 0' "$(events $name stray) $(events $name answer)"
  done
}

@test "H15: a reminder fires on the wall clock while its agent is blocked; it is told when that is over" {
  local id
  live a
  work a ASK:it blocked
  id=$(add a -m 'in time' --in 100ms)
  wait_for 30 json_is 1 .fire_count belfry reminder show "$id" --json
  same 1 "$(queued a)"
  keys a y
  got a 'in time'
  all_delivered a
  same 'true 0' "$(record a 'select(.event == "answer") | .allowed') $(events a stray)"
}

@test "H15: a reminder waits for idleness by default, and can be told not to" {
  local id
  live a
  work a WORK:600s busy
  add a -m 'when idle' --in 50ms > id
  id=$(add a -m 'at once' --in 100ms --priority interrupt)
  got a 'at once'
  got a 'when idle'
  same 'at once|when idle' "$(bodies a | paste -sd '|')"
  same interrupt "$(of "$id" .priority)"
}

@test "H16: with hooks, a turn without output is no idleness, and delivery is told by the prompt hook" {
  live h
  wait_for 30 evidence_has h hook
  send h SILENT:1500ms > /dev/null
  got h SILENT:1500ms
  send h 'after it' --priority idle > /dev/null
  got h 'after it'
  [ "$(record h 'select(.event == "done") | .at' | head -n 1)" -lt "$(at h 'after it')" ]
  all_delivered h
  same 2 "$(events h prompt)"
}

@test "H16: many messages arrive once each, in order" {
  local n
  live a h
  for n in $(seq 8); do
    send a "number $n" > /dev/null
    send h "number $n" > /dev/null
  done
  got a 'number 8'
  got h 'number 8'
  all_delivered a
  all_delivered h
  same "$(seq -f 'number %g' 8)" "$(bodies a)"
  same "$(seq -f 'number %g' 8)" "$(bodies h)"
}

# Both take a while in which there is nothing to do, so they are waited for together.
@test "H16: unseen messages are offered a bounded number of times and then told; a long turn is no failure" {
  local unseen slow
  export BELFRY_CONFIRM_MS=4000
  live hidden h
  work h WORK:600s busy
  slow=$(send h 'after a long turn')
  unseen=$(send hidden 'can you hear me')
  wait_for 90 json_is failed .state belfry queue show "$unseen" --json
  [ "$(message "$unseen" .attempts)" -le 3 ]
  [ -n "$(message "$unseen" .last_error)" ]
  [ "$(bodies hidden | wc -l)" -le 3 ]
  has "$(belfry inbox list --json)" hidden
  is h busy
  keys h C-c # the turn was longer than all of that
  got h 'after a long turn'
  delivered "$slow"
  same 1 "$(bodies h | wc -l)"
}
