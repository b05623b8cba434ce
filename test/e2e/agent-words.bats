#!/usr/bin/env bats
# The commands around live agents, as a person meets them: what they ask for, what they say, how they
# wait and how they refuse. A stand-in answers for the daemon, so that every answer can be had; the
# windows are those of a real tmux. What a session does is shown by the files named live*.
load helper
# shellcheck disable=SC2034
e2e_shown_once=1

setup_test() {
  export BELFRY_NO_AUTOSTART=1
  unset TMUX BELFRY_AGENT BELFRY_RUN
}

teardown_test() {
  if [ -n "${stand_in:-}" ]; then
    kill "$stand_in" 2> /dev/null
    wait "$stand_in" 2> /dev/null || true
  fi
  if [ -n "${windows:-}" ]; then (cd "$BELFRY_HOME" && tmux -S tmux.sock kill-server 2> /dev/null) || true; fi
}

# stand_in JSON: request -> answers, see stand-in.py. $A is what an answer about an agent begins with.
stand_in() {
  printf '%s' "$1" > answers.json
  /usr/bin/python3 "$e2e_root/test/e2e/stand-in.py" "$BELFRY_HOME/belfry.sock" "$PWD/answers.json" \
    "$PWD/asked" 3>&- &
  stand_in=$!
  # bound is not yet listening
  wait_for 20 listens
}

listens() {
  (cd "$BELFRY_HOME" && /usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("belfry.sock")') 2> /dev/null
}

A='"name": "builder", "queued": 0, "adapter": "claude", "deliver": "queue"'
there() {
  echo "{$A, \"state\": \"$1\", \"pane\": \"%0\", \"mission\": \"mis-1\"${2:+, $2}}"
}
agents() {
  local IFS=,

  echo "{\"agents\": [$*]}"
}

# window NAME COMMAND...: of the session that live agents have.
window() {
  windows=1
  (
    cd "$BELFRY_HOME" || exit 1
    if tmux -S tmux.sock has-session -t =belfry 2> /dev/null; then
      tmux -S tmux.sock new-window -d -t =belfry: -n "$@"
    else
      tmux -S tmux.sock -f /dev/null new-session -d -x 80 -y 10 -s belfry -n "$@"
      tmux -S tmux.sock set-option -g automatic-rename off
      # a test types faster than people: tmux would take its keys for a paste
      tmux -S tmux.sock set-option -g assume-paste-time 0
    fi
  )
}

sessions_are() {
  [ "$(cd "$BELFRY_HOME" && tmux -S tmux.sock list-sessions -F '#S')" = "$1" ]
}

shows() {
  [[ $(belfry agent peek builder 2> /dev/null) == *"$1"* ]]
}

# on_terminal [AWAIT TYPE]... -- ARGUMENT...
on_terminal() {
  local words=()

  while [ "$1" != -- ]; do
    words+=("$1")
    shift
  done
  shift
  TERM=${term:-xterm-256color} timeout 60 /usr/bin/python3 "$e2e_root/test/e2e/terminal.py" "${words[@]}" -- \
    "$BELFRY_BIN" "$@"
}

@test "every command of agents says what it is for, with examples" {
  local command

  for command in start attach ls peek send stop restart rm; do
    has "$(belfry agent $command --help)" $'\nexamples\n  belfry agent '$command
    has "$(belfry agent --help)" "  agent $command"
  done
  has "$(belfry run --help)" $'\nexamples\n  belfry run '
  has "$(belfry agent start --help)" "Ctrl-B d leaves"
}

@test "what is typed wrong is named" {
  local want text arguments

  while IFS='|' read -r want text arguments; do
    eval "refused \"\$want\" \"\$text\" $arguments < /dev/null"
  done << 'TABLE'
2|NAME is missing|agent start
2|unexpected argument 'b'|agent stop a b
2|unknown flag '--fersh'|agent start a --fersh
2|--priority cannot be 'urgent'|agent send me x --priority urgent
2|--timeout is for --wait|agent send me x --timeout 5s
2|--timeout: |agent send me x --wait --timeout soon
2|--lines cannot be 0|agent peek me --lines 0
2|--lines takes a whole number|agent peek me --lines all
2|'agent attach' needs a terminal|agent attach me
2|'belfry run' needs a terminal|run me
TABLE
}

@test "L20 without a daemon: sessions need one, the list does not, and a message that waits for one says so" {
  refused 6 "no daemon is running: it is what opens a session" agent start builder
  refused 6 "no daemon is running: it is what ends a session" agent stop builder
  refused 6 "no daemon is running" agent restart builder
  refused 6 "no daemon is running" agent rm builder
  refused 6 "no daemon is running: it is what delivers messages" agent send builder x --wait
  same me "$(json '.[].name' belfry agent ls --json)"
  has "$(belfry agent ls)" "STATE"
  refused 3 "there is no agent 'builder'" agent peek builder
  refused 4 "agent 'me' has no session" agent peek me
  echo 'agents: {builder: {}}' > "$BELFRY_HOME/config.yml"
  BELFRY_RUN=mis-1/1 BELFRY_AGENT=critic run -0 --separate-stderr belfry agent send builder x
  has "$stderr" 'warning: no daemon is running: saved, but '
  start_daemon
  refused 3 "no agent 'nosuch'" agent stop nosuch
}

@test "agent ls: states, since when, how we know, as a table and as JSON" {
  stand_in "{\"agent list\": [$(agents "$(there blocked '"since": "2020-01-01T00:00:00Z", "evidence": "hook PermissionRequest", "role": "fixer"')" \
    '{"name": "me", "state": null, "queued": 3, "deliver": "inbox"}')]}"
  has "$(belfry agent ls)" "hook PermissionRequest"
  [[ $(belfry agent ls | grep ^builder) =~ ^builder\ +blocked\ +[0-9]+w?.*d?\ .*\ 0\ +fixer\ +claude ]]
  [[ $(belfry agent ls | grep ^me) =~ ^me\ +-\ +-\ +-\ +3\ +-\ +- ]]
  has "$(belfry agent ls --verbose)" DELIVERY
  same '["builder","me"]' "$(belfry agent ls --json | jq -c 'map(.name)')"
  refused 2 "--watch needs a terminal" agent ls --watch
  has "$(on_terminal 'q leaves' q -- agent ls --watch)" "1 blocked"
}

@test "agent start: waits until it is there, and says so" {
  stand_in "{\"live start\": [$(there starting)], \"agent list\": [$(agents "{$A, \"state\": \"starting\", \"pane\": null}"), $(agents "$(there starting)"), $(agents "$(there idle)")]}"
  same "builder is idle; to see it: belfry agent attach builder" \
    "$(belfry agent start builder --role fixer --fresh --detach < /dev/null)"
  same '{"agent":"builder","role":"fixer","fresh":true}' "$(sed -n 2p asked | jq -c .args)"
  same idle "$(json .state belfry agent start builder --json)"
}

@test "agent start: what fails is told with its reason" {
  stand_in "{\"live start\": [$(there starting)], \"agent list\": [$(agents "{$A, \"state\": \"gone\", \"end_reason\": \"tmux is not installed\"}")]}"
  refused 6 "'builder' was started, and has ended: tmux is not installed" agent start builder
}

@test "agent start: a refusal of the daemon is passed on" {
  stand_in '{"live start": [{"error": {"code": "conflict", "message": "it is there", "hint": "look"}}]}'
  refused 4 "it is there" agent start builder
}

@test "agent restart returns when the next session is there" {
  local first='"started_at": "2026-01-01T10:00:00Z"' second='"started_at": "2026-01-01T10:00:05Z"'
  stand_in "{\"live restart\": [$(there idle "$first")], \"agent list\": [$(agents "$(there idle "$first")"),
    $(agents "$(there starting '"started_at": null')"), $(agents "$(there idle "$second")")]}"
  same "builder is idle; to see it: belfry agent attach builder" "$(belfry agent restart builder)"
  same 3 "$(grep -c 'agent list' asked)"
}

@test "agent rm forgets it when it has ended" {
  stand_in "{\"live remove\": [{\"ending\": true}, {\"ending\": false, \"cancelled\": 0, \"kept\": 1}],
    \"agent list\": [$(agents "$(there busy)"), $(agents "$(there gone)")]}"
  same "builder is removed; 1 reminder for it stays: belfry reminder list builder" "$(belfry agent rm builder)"
  same 'live remove,agent list,agent list,live remove' "$(jq -r .request asked | paste -sd,)"
}

@test "agent stop returns when it has ended; rm says what happens" {
  stand_in "{\"live stop\": [$(there busy)],
    \"live remove\": [{\"cancelled\": 0, \"kept\": 2}, {\"cancelled\": 1, \"kept\": 0}],
    \"agent list\": [$(agents "$(there busy)"), $(agents "$(there busy)"), $(agents "$(there gone)")]}"
  same "builder is stopped; to start it again: belfry agent start builder" \
    "$(belfry agent stop builder)"
  same 3 "$(grep -c 'agent list' asked)"
  same "builder is removed; 2 reminders for it stay: belfry reminder list builder" \
    "$(belfry agent rm builder)"
  same "builder is removed; 1 reminder for it is cancelled" \
    "$(belfry agent rm builder --with-reminders)"
  same '{"agent":"builder","with_reminders":true}' "$(tail -n 1 asked | jq -c .args)"
}

M='"id": "m-1", "agent": "builder", "priority": "idle", "body": "x"'

@test "H5 L19 agent send: what will happen, and to control characters; the sender is the agent that sends" {
  stand_in "{\"live send\": [{$M, \"delivery\": \"queued\", \"state\": \"busy\"}], \"agent list\": [$(agents "$(there busy)")]}"
  same "m-1  builder is busy: it is told when it is idle" \
    "$(belfry agent send builder 'hello there' --priority idle)"
  same '{"agent":"builder","text":"hello there","priority":"idle"}' "$(head -n 1 asked | jq -c .args)"
  : > asked
  same '["m-1","queued","busy"]' "$(printf 'two\nlines\n' | BELFRY_AGENT=critic belfry agent send builder --json |
    jq -c '[.id, .state, .agent_state]')"
  same '{"agent":"builder","text":"two\nlines\n","from":"critic"}' "$(head -n 1 asked | jq -c .args)"
  printf 'dash' | belfry agent send builder - > /dev/null
  same dash "$(jq -r 'select(.request == "live send").args.text' asked | tail -n 1)"
  for text in $'a\rb' $'a\033[1mb' $'a\u009bb'; do
    run -0 --separate-stderr belfry agent send builder "$text"
    same "belfry: control characters of the text reach the agent as '?'" "$stderr"
  done
  run -0 --separate-stderr belfry agent send builder $'a\tb\r\nc'
  same '' "$stderr"
}

@test "H5 agent send --wait: delivered, given up, or not in time" {
  stand_in "{\"live send\": [{$M, \"delivery\": \"queued\", \"state\": \"busy\"}], \"agent list\": [$(agents "$(there busy)")],
    \"queue show\": [{$M, \"state\": \"queued\"}, {$M, \"state\": \"offered\"}, {$M, \"state\": \"delivered\"},
      {$M, \"state\": \"failed\", \"last_error\": \"not confirmed\"}, {$M, \"state\": \"queued\"}]}"
  same "m-1  delivered" "$(belfry agent send builder x --wait)"
  run -1 --separate-stderr belfry agent send builder x --wait
  same $'belfry: m-1 was not delivered: not confirmed\nhint: belfry queue show m-1' "$stderr"
  run -1 --separate-stderr belfry agent send builder x --wait --timeout 100ms --json
  same queued "$(jq -r .state <<< "$output")"
  has "$stderr" "it stays in the queue"
}

@test "agent peek: the screen as text, and what has scrolled away" {
  stand_in "{\"agent list\": [$(agents "$(there idle)")]}"
  refused 6 "the window of 'builder' is not there" agent peek builder
  window a.b sleep 600
  window builder sh -c "seq 30; printf '\033[31mred\033[0m \$ '; exec sleep 600"
  wait_for 20 shows 'red $'
  same $'22\n23\n24\n25\n26\n27\n28\n29\n30\nred $' "$(belfry agent peek builder | sed 's/ $//')"
  same $'30\nred $' "$(belfry agent peek builder --lines 2 | sed 's/ $//')"
  same 25 "$(belfry agent peek builder --lines 25 | wc -l)"
  same 31 "$(belfry agent peek builder --lines 1000 | wc -l)"
  same '["builder","idle",10,"22"]' \
    "$(belfry agent peek builder --json | jq -c '[.name, .state, (.lines | length), .lines[0]]')"
}

@test "L10 L15 L18 agent attach: a view of one's own, which leaving removes; also from inside tmux" {
  stand_in "{\"agent list\": [$(agents "$(there idle)" '{"name": "ticker", "state": "busy"}')]}"
  window a.b sh -c 'echo the wrong one; exec sleep 600'
  window builder sh -c 'echo ready; exec cat'
  wait_for 20 shows ready
  has "$(on_terminal ready $'typed by a person\r' 'a person' $'\002d' -- agent attach builder)" detached
  has "$(on_terminal ready $'\002d' -- agent attach builder)" "builder goes on; to come back: belfry agent attach builder"
  wait_for 20 shows 'typed by a person'
  wait_for 20 sessions_are belfry
  same 120x40 "$(cd "$BELFRY_HOME" && tmux -S tmux.sock display-message -p -t belfry:builder '#{window_width}x#{window_height}')"
  for term in dumb nosuchterm; do
    run on_terminal -- agent attach builder
    has "$output" 'this terminal cannot show a window: '
    has "$output" "'belfry agent peek' prints what it shows"
  done
  unset term
  # the second window goes on writing, so that there is a moment after the key
  window ticker sh -c 'while sleep 0.2; do printf .; done & exec cat'
  TMUX=/nowhere,1,0 on_terminal . z . $'\002d' -- agent attach ticker --read-only > seen
  has "$(cat seen)" "this is inside tmux already"
  has "$(cat seen)" ' Ctrl-b Ctrl-b d '
  run ! grep -q z <(belfry agent peek ticker)
  BELFRY_AGENT=builder BELFRY_RUN=mis-1/1 run -0 on_terminal -- agent attach builder
  has "$output" "this is the terminal of 'builder' already"
}

@test "belfry run attaches to what is there, and starts what is not" {
  stand_in "{\"live start\": [$(there starting)], \"agent list\": [$(agents "{$A, \"state\": \"gone\"}"), $(agents "$(there starting)")]}"
  window builder sh -c 'echo ready; exec cat'
  wait_for 20 test -S "$BELFRY_HOME/tmux.sock"
  has "$(on_terminal ready $'\002d' -- run builder)" detached
  same 1 "$(grep -c 'live start' asked)"
  has "$(on_terminal ready $'\002d' -- run builder)" detached
  same 1 "$(grep -c 'live start' asked)"
  has "$(on_terminal -- run builder --role fixer)" "'builder' is there already, without a role"
}

@test "agent attach: one that ends while somebody looks: why is told" {
  stand_in "{\"agent list\": [$(agents "$(there idle)"), $(agents "$(there idle)"), $(agents "$(there gone '"end_reason": "exit status 3"')")]}"
  # what is shown then, and not before: names of windows always are
  window a.b sh -c 'echo the other one; exec sleep 600'
  window builder sh -c 'echo ready; read line'
  # the first answer is used up, the others are for afterwards
  has "$(on_terminal ready $'\r' 'other one' $'\002d' -- agent attach builder)" \
    "builder has ended: exit status 3; to start it again: belfry agent start builder"
}

@test "a home whose socket has a long path" {
  local deep

  deep=$BATS_TEST_TMPDIR/$(printf 'd%.0s' {1..120})
  mkdir -m 700 "$deep"
  export BELFRY_HOME=$deep
  stand_in "{\"agent list\": [$(agents "$(there idle)")]}"
  window builder sh -c 'echo ready; exec sleep 600'
  wait_for 20 shows ready
  has "$(on_terminal ready $'\002d' -- agent attach builder)" detached
}

@test "tmux that is not installed is an error with the remedy" {
  stand_in "{\"agent list\": [$(agents "$(there idle)")]}"
  mkdir empty
  PATH=$PWD/empty run ! "$BELFRY_BIN" agent peek builder
  has "$output" "tmux is not installed"
  has "$output" "apt-get install tmux"
}

@test "wrapper host: what is refused is told in the window" {
  stand_in '{"live host": [{"error": {"code": "conflict", "message": "builder is hosted already"}}]}'
  run -4 belfry wrapper host builder
  has "$output" "belfry: builder cannot be started: builder is hosted already"
  same '["agent","boot","pid","pid_start"]' "$(head -n 1 asked | jq -c '.args | keys')"
}
