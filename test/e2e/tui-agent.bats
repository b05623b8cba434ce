# The scripted terminal agent itself, in a tmux of our own: what tests of live sessions rely on.
load helper
load tui
# shellcheck disable=SC2034
e2e_shown_once=1

t() {
  tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null "$@"
}

teardown_test() {
  t kill-server 2> /dev/null || true
  wait_for 60 none_left
}

screen() {
  t capture-pane -p
}

screen_has() {
  screen | grep -qF -- "$1"
}

screen_lacks() {
  ! screen_has "$1"
}

# open OPTION...: an agent that records to a.record, and shows its line.
open() {
  # the one before may still be ending, and would refuse
  [ -z "${server:-}" ] || wait_for 20 gone "$server"
  t new-session -d -x 80 -y 24 -e TUI_RECORD="$BATS_TEST_TMPDIR/a.record" \
    -e TUI_HOME="$BATS_TEST_TMPDIR/sessions" -e TUI_HOOK="${hook:-}" "$TUI_AGENT" "$@"
  wait_for 20 line_is '>'
  server=$(t display-message -p '#{pid}')
}

# line_is TEXT: the last line of the screen.
line_is() {
  [ "$(screen 2> /dev/null | grep -v '^ *$' | tail -n 1)" = "$1" ]
}

keys() {
  t send-keys "$@"
}

# enter TEXT: typed, and sent when it is there.
enter() {
  keys -l "$1"
  keys Enter
}

# paste TEXT: with brackets when the agent takes them.
paste() {
  printf '%s' "$1" > pasted
  t load-buffer pasted
  t paste-buffer -p -d
}

@test "tui-agent: what is typed is shown, and recorded when it is sent" {
  open
  keys -l 'hello there'
  wait_for 20 line_is '> hello there'
  same 0 "$(events a prompt)"
  keys Left Up F5 C-u
  wait_for 20 line_is '>'
  enter 'ünïcode 日本'
  did a 'done'
  same 'ünïcode 日本' "$(prompts a)"
  wait_for 20 screen_has '> ünïcode 日本'
  wait_for 20 line_is '>'
}

@test "tui-agent: a paste is one prompt, line ends and all, and without brackets it is several" {
  open
  paste $'one\ntwo\tthree\n\nfour'
  keys Enter
  did a 'done'
  same $'one/two\tthree//four' "$(prompts a)"
  t kill-server
  rm a.record
  open --no-paste
  paste $'one\ntwo\n'
  did a 'done' 2
  same $'one\ntwo' "$(prompts a)"
}

@test "tui-agent: what does not fit on the screen is taken whole" {
  local text
  text=$(head -c 60000 /dev/zero | tr '\0' x)
  open
  paste "$text"
  keys Enter
  did a 'done'
  same "$(cksum <<< "$text")" "$(prompts a | cksum)"
  wait_for 20 line_is '>'
}

@test "tui-agent: while it works it says so; what is sent meanwhile is taken next, in order" {
  open
  enter WORK:60s
  did a prompt
  wait_for 20 screen_has 'esc to interrupt'
  enter second
  enter third
  wait_for 20 screen_has '2 queued'
  same 1 "$(events a prompt)"
  keys C-c
  did a 'done' 2
  same $'WORK:60s\nsecond\nthird' "$(prompts a)"
  same busy "$(record a 'select(.event == "ctrl-c") | .state')"
  same 1 "$(events a interrupted)"
  wait_for 20 screen_lacks 'esc to interrupt'
}

@test "tui-agent: an interrupted prompt comes back into the line when it should" {
  open --return
  enter WORK:60s
  wait_for 20 screen_has 'esc to interrupt'
  keys C-c
  wait_for 20 line_is '> WORK:60s'
  keys C-u
  wait_for 20 line_is '>'
}

@test "tui-agent: Ctrl-C twice ends an idle one, and each is recorded" {
  local pid
  open
  pid=$(pid_of a)
  keys C-c
  wait_for 20 screen_has 'Press Ctrl-C again to exit'
  gone "$pid" && return 1
  keys C-c
  wait_for 20 gone "$pid"
  same 'idle idle' "$(record a 'select(.event == "ctrl-c") | .state' | xargs)"
  same '0 Ctrl-C twice' "$(record a 'select(.event == "exit") | "\(.status) \(.why)"')"
}

@test "tui-agent: it asks until it is answered; what else is typed then is lost" {
  open
  enter 'ASK:rm -rf ;; SAY:went on'
  wait_for 20 screen_has 'Allow rm -rf? [y/n]'
  paste 'yes, do it'
  keys x Enter
  did a stray 3
  same 0 "$(events a answer)"
  keys n
  did a 'done'
  same 'rm -rf false' "$(record a 'select(.event == "answer") | "\(.to) \(.allowed)"')"
  wait_for 20 screen_has 'went on'
  enter ASK:more
  wait_for 20 screen_has 'Allow more? [y/n]'
  keys C-c
  did a interrupted
  same asking "$(record a 'select(.event == "ctrl-c") | .state')"
  same 1 "$(events a 'done')"
}

@test "tui-agent: commands, silence, and no echo" {
  open
  enter 'RUN:echo out; exit 3 ;; SILENT:100ms NOECHO'
  did a 'done'
  same '3 out' "$(record a 'select(.event == "ran") | "\(.status) \(.output)"' | xargs)"
  wait_for 20 line_is '>'
  enter 'invisible'
  did a 'done' 2
  wait_for 20 line_is '>'
  run ! screen_has invisible
  same invisible "$(prompts a | tail -n 1)"
}

@test "tui-agent: it ends as it is told to, and by signals" {
  local pid case
  for case in 'EXIT:3 3' 'DIE:enter x' 'DIE:paste x' 'CRASH x' 'TERM 143' 'HUP 129'; do
    rm -f a.record
    open
    pid=$(pid_of a)
    case $case in
      TERM*) kill -TERM "$pid" ;;
      HUP*) kill -HUP "$pid" ;;
      *) enter "${case% *}" ;;
    esac
    if [[ $case == DIE* ]]; then
      did a 'done'
      paste more
      [[ $case != *enter* ]] || keys Enter
    fi
    wait_for 20 gone "$pid"
    if [ "${case#* }" != x ]; then
      same "${case#* }" "$(record a 'select(.event == "exit") | .status')"
    fi
    t kill-server 2> /dev/null || true
  done
}

@test "tui-agent: hooks are told in order, with claude's JSON, by a command or by settings" {
  local command='sh -c '\''cat >> told; echo >> told'\'' --'
  hook="$command" open --session-id one
  enter 'RUN:true ;; ASK:it'
  wait_for 20 screen_has 'Allow it? [y/n]'
  enter y
  did a 'done'
  keys C-d
  did a exit
  same 'SessionStart UserPromptSubmit PreToolUse PostToolUse PermissionRequest PostToolUse Stop SessionEnd' \
    "$(jq -r .hook_event_name told | xargs)"
  same "RUN:true ;; ASK:it one $PWD/sessions/one.jsonl" \
    "$(jq -r 'select(.prompt) | "\(.prompt) \(.session_id) \(.transcript_path)"' told)"
  rm told a.record
  t kill-server 2> /dev/null || true
  jq -n --arg command "$command" '{hooks: {Stop: [{hooks: [{type: "command", command: $command}]}]}}' > s.json
  open --settings "$PWD/s.json"
  enter hello
  did a 'done'
  same Stop "$(jq -r .hook_event_name told)"
}

@test "tui-agent: a conversation is begun once, and gone on with by its name" {
  open --session-id one
  enter WORK:10ms
  did a 'done'
  keys C-d
  did a exit
  export TUI_HOME=$PWD/sessions TUI_RECORD=$PWD/a.record
  run -1 "$TUI_AGENT" -p --session-id one <<< x
  has "$output" 'already in use'
  run -1 "$TUI_AGENT" -p --resume two <<< x
  has "$output" 'No conversation found'
  run -0 "$TUI_AGENT" -p --resume one <<< 'and on'
  same 'one true' "$(record a 'select(.event == "start" and .resumed) | "\(.session) \(.resumed)"')"
  same 'and on' "$(record a 'select(.event == "headless") | .text')"
}

resized_to() {
  [ "$(record a 'select(.event == "resize") | "\(.columns) \(.lines)"' | tail -n 1)" = "$1" ]
}

@test "tui-agent: another size is drawn anew" {
  open
  keys -l 'half a line'
  wait_for 20 line_is '> half a line'
  t resize-window -x 40 -y 10
  did a resize
  wait_for 20 screen_has 'tui-agent'
  wait_for 20 resized_to '40 10'
  wait_for 20 line_is '> half a line'
}
