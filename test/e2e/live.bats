# Live agents: how a session begins, is found again, and ends. The agent is test/agent/tui-agent.c.
load helper
e2e_on_postgres='seen and stopped|survives the daemon|with the conversation|outlives its agent'
load tui

setup_test() {
  agents_config
}

teardown_test() {
  outer kill-server 2> /dev/null || true
  end_sessions
}

# A terminal of a person: a tmux of ours around the one of Belfry.
outer() {
  tmux -S "$BATS_TEST_TMPDIR/outer" -f /dev/null "$@"
}

outer_shows() {
  outer capture-pane -p -t "$1" | grep -qF -- "$2"
}

peek_has() {
  belfry agent peek "$1" | grep -qF -- "$2"
}

session_is_over() {
  ! outer has-session -t "$1" 2> /dev/null
}

# session_starts NAME: "SESSION RESUMED" of every start.
session_starts() {
  record "$1" 'select(.event == "start") | "\(.session) \(.resumed)"'
}

@test "H15 H16: a live agent is started, reminded, seen and stopped" {
  local id pid
  run -0 belfry agent start a --detach
  has "$output" a
  is a idle
  [ -n "$(agent a .evidence)" ]
  same '' "$(prompts a)"
  id=$(add a -m 'look at the logs' --in 100ms)
  got a 'look at the logs'
  all_delivered a
  same 'completed 1 fired' "$(of "$id" '"\(.status) \(.fire_count)"') $(why "$id" '[.. | .outcome? // empty] | first')"
  same 1 "$(bodies a | wc -l)"
  same "$(json '.[0].id' belfry queue list a --all --json)" \
    "$(prompts a | sed -E 's/^\[belfry (m-[a-z0-9]+)\].*/\1/')"
  wait_for 30 peek_has a 'look at the logs'
  run -0 belfry agent peek a
  [[ $output != *$'\033'* ]]
  pid=$(pid_of a)
  run -0 belfry agent stop a
  wait_for 30 gone "$pid"
  is a gone
  [ -n "$(agent a .end_reason)" ]
  same 0 "$(events a ctrl-c)"
}

@test "live: a session survives the daemon, is found again, and is told what came meanwhile" {
  local pid
  live a
  pid=$(pid_of a)
  belfry daemon stop > /dev/null
  gone "$pid" && return 1
  inner has-session -t belfry
  start_daemon
  is a idle
  send a 'after the stop' > /dev/null
  got a 'after the stop'
  kill_daemon
  gone "$pid" && return 1
  start_daemon
  send a 'after the kill' > /dev/null
  got a 'after the kill'
  all_delivered a
  same $'after the stop\nafter the kill' "$(bodies a)"
  same "1 $pid" "$(events a start) $(pid_of a)"
}

@test "live: a restart goes on with the conversation, and so does a later start; --fresh does not" {
  local first
  live a
  first=$(session_starts a)
  send a remember > /dev/null
  got a remember
  is a idle
  belfry agent restart a > /dev/null
  did a start 2
  is a idle
  same "${first% *} true" "$(session_starts a | sed -n 2p)"
  belfry agent stop a > /dev/null
  is a gone
  live a
  same "${first% *} true" "$(session_starts a | sed -n 3p)"
  belfry agent stop a > /dev/null
  is a gone
  belfry agent start a --detach --fresh > /dev/null
  did a start 4
  has "$(session_starts a | sed -n 4p)" ' false'
  [ "$(session_starts a | sed -n 4p)" != "$first" ]
}

@test "live: what is there is not started again, what is not cannot be attached to, peeked at or stopped" {
  live a
  refused 4 "'a'" agent start a --detach
  same 1 "$(events a start)"
  refused 4 "'b'" agent stop b
  refused 4 "'b'" agent peek b
  run ! /usr/bin/python3 "$e2e_root/test/e2e/screen.py" 80x24 "$BELFRY_BIN" agent attach b < /dev/null
  has "$output" 'belfry agent start b'
  refused 3 nobody agent start nobody --detach
  refused 3 nobody agent send nobody hello
}

@test "live: one that ends by itself is told once in the inbox, and its messages wait" {
  local id
  live a
  # by a person: a message that ends its session before it is seen to arrive is typed again
  keys a -l EXIT:3
  keys a Enter
  is a gone
  has "$(agent a .end_reason)" 3
  id=$(send a 'for the next one')
  same queued "$(message "$id" .state)"
  has "$(belfry inbox list --json)" '"a"'
  live a
  got a 'for the next one'
  delivered "$id"
}

@test "H11: a reminder outlives its agent's session; removing the agent takes it along only when asked" {
  local id
  live a
  id=$(add a -m 'still here' --every 1h)
  belfry agent stop a > /dev/null
  is a gone
  same active "$(of "$id" .status)"
  live a
  run -0 belfry agent rm a
  has "$output" 1
  wait_for 30 gone "$(pid_of a)"
  same active "$(of "$id" .status)"
  wait_for 30 state_is a null
  live a
  run -0 belfry agent rm a --with-reminders
  wait_for 30 gone "$(pid_of a)"
  same cancelled "$(of "$id" .status)"
}

@test "N30 H11: removing an agent with its reminders leaves what config.yml declares" {
  local id
  printf 'crons:\n  tick: {schedule: "0 9 1 1 *", agent: a, prompt: x}\n' >> "$BELFRY_HOME/config.yml"
  live a
  id=$(of tick .id)
  add a -m x --every 1h --name mine > /dev/null
  run -0 belfry agent rm a --with-reminders
  has "$output" '1 reminder for it is cancelled'
  same "active $id" "$(of tick '"\(.status) \(.id)"')"
  same cancelled "$(of mine .status)"
}

@test "live: a killed tmux is noticed, nothing is lost, and a start begins anew" {
  local id pid
  live a b
  pid=$(pid_of a)
  inner kill-server
  is a gone
  is b gone
  wait_for 30 gone "$pid"
  id=$(send a 'after the server')
  same queued "$(message "$id" .state)"
  live a
  got a 'after the server'
  delivered "$id"
}

@test "live: a tmux that was killed while no daemon ran is noticed by the next one" {
  live a
  stop_daemon
  inner kill-server
  wait_for 30 gone "$(pid_of a)"
  start_daemon
  is a gone
}

@test "live: without tmux, or with an old one, a start says what to do" {
  local tool
  mkdir bin
  for tool in sh cat; do ln -s "$(command -v $tool)" bin/; done
  PATH=$PWD/bin "$BELFRY_BIN" daemon start > /dev/null
  run ! "$BELFRY_BIN" agent start a --detach
  has "$output" tmux
  has "$output" 'hint: '
  same 0 "$(events a start)"
  # a remark where nobody needs it, else what is wrong
  PATH=$PWD/bin run -4 "$BELFRY_BIN" doctor
  has "$output" '✗ tmux'
  "$BELFRY_BIN" agent rm a > /dev/null
  PATH=$PWD/bin run -0 "$BELFRY_BIN" doctor
  has "$output" '✓ tmux     tmux is not installed'
  stop_daemon
  printf '#!/bin/sh\necho tmux 2.9\n' > bin/tmux
  chmod +x bin/tmux
  PATH=$PWD/bin "$BELFRY_BIN" daemon start > /dev/null
  run ! "$BELFRY_BIN" agent start a --detach
  has "$output" '3.2'
}

@test "live: several people are attached, each to the agent they chose; one leaves, the agents stay" {
  live a b
  outer new-session -d -s one -x 90 -y 20 "$BELFRY_BIN" agent attach a
  outer new-session -d -s two -x 90 -y 20 "$BELFRY_BIN" agent attach b
  outer new-session -d -s three -x 90 -y 20 "$BELFRY_BIN" agent attach a
  send a 'seen by two' > /dev/null
  wait_for 30 outer_shows one 'seen by two'
  wait_for 30 outer_shows three 'seen by two'
  got a 'seen by two' # not only shown: nobody types between a message and its Enter
  all_delivered a
  send b 'seen by one' > /dev/null
  wait_for 30 outer_shows two 'seen by one'
  run ! outer_shows two 'seen by two'
  outer send-keys -t three -l 'from a person'
  outer send-keys -t three Enter
  wait_for 30 outer_shows one 'from a person'
  wait_for 30 grep -q 'from a person' a.record
  outer kill-session -t three
  outer send-keys -t one C-b d
  wait_for 30 session_is_over one
  same '1 2' "$(events a start) $(events a prompt)"
  outer kill-server
  is a idle
  is b idle
}

# client_of AGENT: the process and the terminal of who looks at it.
client_of() {
  inner list-clients -F '#{client_control_mode} #{window_name} #{client_pid} #{client_tty}' | sed -n "s/^0 $1 //p" | grep .
}

has_view() {
  inner list-sessions -F '#{session_name}' | grep -q '^view-'
}

has_no_view() {
  ! has_view
}

# A tmux that looks for sessions nobody is in, while a client is on its way out, dies with all that is in it.
@test "F8: people leave at the same moment, or are killed, and the agents stay" {
  local one tty two
  live a b
  outer new-session -d -s one -x 90 -y 20 "$BELFRY_BIN" agent attach a
  outer new-session -d -s two -x 90 -y 20 "$BELFRY_BIN" agent attach b
  wait_for 30 client_of a
  wait_for 30 client_of b
  wait_for 30 outer_shows one tui-agent
  wait_for 30 outer_shows two tui-agent
  read -r one tty < <(client_of a)
  read -r two _ < <(client_of b)
  kill -STOP "$one"
  inner detach-client -t "$tty"
  kill -HUP "$two"
  wait_for 30 session_is_over two
  kill -CONT "$one" 2> /dev/null || true # the tmux around it may have done so
  wait_for 30 gone "$one"
  is a idle
  is b idle
  wait_for 30 has_no_view
  # a view whose maker was killed goes with the next one
  outer new-session -d -s one -x 90 -y 20 "$BELFRY_BIN" agent attach a
  wait_for 30 outer_shows one tui-agent
  kill -9 "$(outer list-panes -t one -F '#{pane_pid}')"
  wait_for 30 has_view
  outer new-session -d -s two -x 90 -y 20 "$BELFRY_BIN" agent attach b
  wait_for 30 outer_shows two tui-agent
  outer kill-server
  wait_for 30 has_no_view
  same '1 1' "$(events a start) $(events b start)"
}

# What a run of `shell` writes to FILE.
as_run() {
  local file=$1 id

  shift
  id=$(new shell "{ $*; } > $PWD/$file 2>&1; true")
  becomes "$id" success || { belfry mission logs "$id" >&2; false; }
}

@test "A11 A17 A19: a run neither sits down at an agent, nor asks through one who does, nor removes it" {
  local who
  printf '  shell: {command: [sh]}\n' > more
  sed -i '/^agents:/r more' "$BELFRY_HOME/config.yml"
  live a
  as_run attach "script -qec '$BELFRY_BIN agent attach a' /dev/null < /dev/null"
  has "$(cat attach)" "may not 'live attach'"
  as_run rm "belfry agent rm a"
  has "$(cat rm)" "may not 'live remove'"
  outer new-session -d -s one -x 90 -y 20 "$BELFRY_BIN" agent attach a
  wait_for 30 outer_shows one tui-agent
  read -r _ who < <(client_of a)
  as_run tmux "cd \$BELFRY_HOME && tmux -S tmux.sock detach-client -t $who -E 'env -i BELFRY_HOME=\$BELFRY_HOME $BELFRY_BIN token add --user me > $PWD/asked 2>&1'"
  wait_for 30 grep -qs 'or started by its tmux' asked
  same 0 "$(belfry token list --json | jq length)"
  is a idle
}

@test "live: belfry run starts it and is attached, and a second one only attaches" {
  start_daemon
  outer new-session -d -s one -x 90 -y 20 "$BELFRY_BIN" run a
  did a start
  wait_for 30 outer_shows one 'tui-agent'
  outer new-session -d -s two -x 90 -y 20 "$BELFRY_BIN" run a
  wait_for 30 outer_shows two 'tui-agent'
  same 1 "$(events a start)"
  outer kill-server
  is a idle
}

# One that ends when its terminal does, and says that all is well.
polite_agent() {
  echo 'agents: {bob: {command: [sh, -c, "trap \"exit 0\" HUP TERM; while printf \"> \"; read -r line; do echo \"$line\"; done; exit 0"]}}' \
    > "$BELFRY_HOME/config.yml"
}

told_of_bob() {
  belfry inbox list --json | grep -c "\"preview\": \"The session of 'bob' is gone" || true
}

told_of_bob_is() {
  [ "$(told_of_bob)" = "$1" ]
}

@test "JO21 an agent that ended by itself is named by doctor and told once, when something waits for it" {
  polite_agent
  belfry agent start bob --detach > out
  wait_for 30 is bob idle
  inner send-keys -t "$(agent bob .pane)" C-d
  wait_for 30 is bob gone
  same 'it ended by itself' "$(agent bob .end_reason)"
  # left on purpose: nothing waits, nobody has to know
  run belfry doctor
  has "$output" 'no live agent is blocked'
  same 0 "$(told_of_bob)"
  belfry agent send bob hi > out
  run -4 belfry doctor
  has "$output" '✗ agents   ended, and not started again: bob (1 message waits)'
  has "$output" 'belfry agent start NAME'
  same 1 "$(told_of_bob)"
  belfry agent send bob 'hi again' > out
  same 1 "$(told_of_bob)"
  same 1 "$(json '.threads[0].messages' belfry inbox list --json)"
  # one that is stopped on purpose stays so
  belfry agent start bob --detach > out
  wait_for 30 is bob idle
  belfry agent stop bob > out
  belfry agent send bob 'later' > out
  run belfry doctor
  has "$output" 'no live agent is blocked'
}

@test "JO21 an agent whose tmux was killed did not end by itself, however well it takes that" {
  polite_agent
  belfry agent start bob --detach > out
  wait_for 30 is bob idle
  kill -KILL "$(inner display-message -p '#{pid}')"
  wait_for 30 is bob gone
  [[ $(agent bob .end_reason) != *'by itself'* ]]
  run -4 belfry doctor
  has "$output" 'ended, and not started again: bob'
  wait_for 30 told_of_bob_is 1
}

@test "N38: a session that is older than its agent's time limit has none" {
  local id
  echo 'agents: {bob: {timeout: 1s, command: [sh, -c, "while printf \"> \"; read -r line; do echo \"$line\"; done"]}}' \
    > "$BELFRY_HOME/config.yml"
  live bob
  sleep 1.5
  run -0 belfry mission ls
  has "$output" running
  [[ $output != *timeout* ]]
  id=$(json '.[0].id' belfry mission ls --json)
  run -0 belfry mission show "$id"
  has "$output" running
  [[ $output != *timeout* && $output != *'time limit'* && $output != *attempts* ]]
  same null "$(json '.[0].limit_at' belfry mission ls --json)"
}

@test "N41: without a daemon nobody is told now; N46: an answer to an agent that was removed waits, and says so" {
  local id
  live a
  BELFRY_AGENT=a belfry message send 'from outside' > /dev/null
  id=$(json '.threads[0].id' belfry inbox list --json)
  belfry daemon stop > /dev/null
  BELFRY_NO_AUTOSTART=1 run -0 belfry agent send a x
  has "$output" 'a is told once a daemon runs'
  [[ $output != *'told now'* ]]
  BELFRY_NO_AUTOSTART=1 run -0 belfry inbox reply "$id" y
  has "$output" 'queued for a, which is told once a daemon runs'
  start_daemon
  all_delivered a
  belfry agent stop a > /dev/null
  belfry agent remove a > /dev/null
  run -0 belfry inbox reply "$id" z
  has "$output" "a has no session: it waits until 'belfry agent start a'"
}

@test "JO44: a session that outlived a restore of the store is told, can be seen, and ends before the next begins" {
  local pid
  sqlite_only
  live b # so that there is a store
  belfry agent stop b > /dev/null
  belfry daemon stop > /dev/null
  cp "$BELFRY_HOME/belfry.db" before
  start_daemon
  live a
  pid=$(pid_of a)
  belfry daemon stop > /dev/null
  rm -f "$BELFRY_HOME"/belfry.db*
  cp before "$BELFRY_HOME/belfry.db"
  start_daemon
  wait_for 30 told_of_session
  gone "$pid" && return 1
  belfry agent peek a > /dev/null
  live a
  gone "$pid"
  send a hello > /dev/null
  got a hello
}

told_of_session() {
  belfry inbox list --json | grep -qF "'a' has a session that the store does not know"
}
