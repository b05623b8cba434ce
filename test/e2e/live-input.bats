# What people, programs and bad luck bring to a live agent's terminal.
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

# No byte that a terminal would obey reached it, and nothing was interrupted or answered by it.
unharmed() {
  # as JSON writes them, and those that it leaves alone
  run ! grep -qP '\\(u00[01]|[bfr])|\x7f|[\x{80}-\x{9f}]' "$1.record"
  same '0 0 0' "$(events "$1" ctrl-c) $(events "$1" stray) $(events "$1" exit)"
}

# line_is NAME TEXT: the last line of its screen.
line_is() {
  [ "$(inner capture-pane -p -t "belfry:$1" | grep -v '^ *$' | tail -n 1)" = "$2" ]
}

# file_of NAME: the file that it was told to read last.
file_of() {
  bodies "$1" | sed -nE 's/^Read (.*)$/\1/p' | tail -n 1
}

@test "live: escape sequences, tabs and control characters are text or nothing" {
  live a
  send a $'a\033[31mred\033[0m\tb\001\003\004\025\033[201~\r/exit\177c\u009bd\u202ee' > /dev/null
  wait_for 30 events_at_least a 'done' 1
  all_delivered a
  unharmed a
  same 1 "$(events a prompt)"
  has "$(bodies a)" red
  # the agent is as it was
  send a 'and now' > /dev/null
  got a 'and now'
}

@test "live: what would be a command of the agent's is a message" {
  local text
  live a
  for text in /exit '!ls' '#note' '-v' '@file'; do
    belfry agent send a -- "$text" > /dev/null
    got a "$text"
  done
  same 5 "$(prompts a | grep -c '^\[belfry m-')"
  same 0 "$(events a exit)"
}

@test "live: several lines are one message where pastes are taken, and a file where they are not" {
  local text=$'first line\n\n  third, "quoted" $HOME `x` über 日本 🔔'
  live a plain
  send a "$text" > /dev/null
  got a "${text//$'\n'//}"
  send plain "$text" > /dev/null
  wait_for 30 file_is_there plain
  same "$text" "$(cat "$(file_of plain)")"
  send plain 'one line' > /dev/null
  got plain 'one line'
  all_delivered plain
  same '1 2' "$(events a prompt) $(events plain prompt)"
}

file_is_there() {
  [ -n "$(file_of "$1")" ]
}

@test "live: long messages are a file to read, 200 KB too" {
  local size id
  live a
  for size in 2500 200000; do
    head -c $size /dev/urandom | base64 -w 76 | head -c $size > "body.$size"
    id=$(belfry agent send a - --json < "body.$size" | jq -r .id)
    delivered "$id"
    has "$(file_of a)" "$id"
    # trailing line ends are nothing
    same "$(cat "body.$size")" "$(cat "$(file_of a)")"
    same 600 "$(stat -c %a "$(file_of a)")"
    is a idle
  done
  same 2 "$(events a prompt)"
}

@test "live: white space is no message" {
  local text
  live a
  for text in ' ' $'\n\t \n' ''; do
    refused 2 '' agent send a "$text"
  done
  same 0 "$(queued a)"
}

@test "live: what a person has half typed is neither sent nor lost" {
  live a
  keys a -l 'half a thought'
  wait_for 30 line_is a '> half a thought'
  send a 'in between' --priority interrupt > /dev/null
  got a 'in between'
  all_delivered a
  wait_for 30 line_is a '> half a thought'
  same 0 "$(events a ctrl-c)"
  keys a Enter
  wait_for 30 grep -q '"half a thought"' a.record
}

@test "live: nor is it when it has several lines, nor an interrupted prompt that has" {
  local text=$'one\n\nthree thoughts'
  agents_config "  back: {adapter: tui, directory: $PWD, args: [--return],
    environment: {TUI_RECORD: $PWD/back.record, TUI_HOME: $PWD/sessions}}"
  live a back
  inner set-buffer -b half "$text"
  inner paste-buffer -rp -b half -t belfry:a
  wait_for 30 line_is a '  three thoughts'
  send a 'in between' --priority interrupt > /dev/null
  got a 'in between'
  all_delivered a
  wait_for 30 line_is a '  three thoughts'
  keys a Enter
  wait_for 30 grep -q '"one\\n\\nthree thoughts"' a.record
  send back $'please\n\nWORK:600s' > /dev/null
  is back busy
  send back 'stop that' --priority interrupt > /dev/null
  got back 'stop that'
  did back prompt 3 # L5: the message that came back is told again
  wait_for 30 line_is back '>'
}

@test "live: a person who types on and sends gets their turn, and then the message is typed" {
  local n
  local -a typing=()
  live a
  keys a -l 'I am'
  send a 'a message' > /dev/null
  # by one command: a pause that becomes long would be that of somebody who has left
  for n in 1 2 3 4 5 6; do
    typing+=(send-keys -t belfry:a -l " $n" ';' run-shell 'sleep 0.2' ';')
  done
  inner "${typing[@]}" send-keys -t belfry:a Enter
  got a 'a message'
  all_delivered a
  same 2 "$(events a prompt)"
  wait_for 30 grep -q '"I am 1 2 3 4 5 6"' a.record
}

@test "live: an agent that dies while it is typed to gets the message in its next session, once" {
  local how id
  for how in paste enter; do
    live a
    send a "DIE:$how" > /dev/null
    got a "DIE:$how"
    all_delivered a
    is a idle
    id=$(send a "the one after $how")
    is a gone
    [ "$(message "$id" .state)" != delivered ]
    live a
    got a "the one after $how"
    delivered "$id"
    same 1 "$(bodies a | grep -c "the one after $how")"
    belfry agent stop a > /dev/null
    is a gone
  done
}

@test "live: an agent that does not read its terminal for a while still gets the message once" {
  live a
  send a FREEZE:3s > /dev/null
  got a FREEZE:3s
  send a 'after the frost' > /dev/null
  got a 'after the frost'
  all_delivered a
  same 1 "$(bodies a | grep -c 'after the frost')"
}

@test "live: an agent that never becomes idle keeps what waits for that, and says why" {
  local id
  live a
  work a WORK:600s busy
  id=$(send a 'some day' --priority idle)
  is a busy
  same queued "$(message "$id" .state)"
  same 1 "$(agent a .queued)"
  wait_for 30 evidence_has a screen
  run -0 belfry agent ls
  has "$output" busy
}

@test "L8 live: an agent that ends at once is told as such, with its last words" {
  agents_config "  broken: {command: [sh, -c, 'echo no such option; exit 7']}"
  # whether it was seen to run before it had ended, nobody knows
  timeout 60 "$BELFRY_BIN" agent start broken --detach > out 2>&1 || grep 'has ended' out
  is broken gone
  has "$(agent broken .end_reason)" 7
  words='exit status 7; its screen showed: no such option'
  refused 4 "$words" agent peek broken
  mission=$(agent broken .mission)
  has "$(belfry mission show "$mission")" "$words"
  has "$(belfry inbox show "$mission")" "$words"
}

@test "live: a small terminal, and one that changes" {
  live a
  inner resize-window -t belfry:a -x 30 -y 8
  did a resize
  send a "$(printf 'word %.0s' $(seq 40))end" > /dev/null
  wait_for 30 events_at_least a 'done' 1
  all_delivered a
  same 1 "$(bodies a | grep -c 'word end')"
}
