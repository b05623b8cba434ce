# The real Claude Code on a terminal, against a stand-in for its model: what its hooks tell, and what its
# screen looks like. Part of `make test-claude`.
#
#   CLAUDE_BIN   the folder that has `claude`
#   LOOK_TOOL    what Belfry sees on a screen (test/claude/look-tool.c)
load ../e2e/helper
load client

setup_test() {
  client_config
  on_tmux -f /dev/null new-session -d -x 100 -y 30 -s claude "'$BELFRY_BIN' mission new claude 'hello' --interactive"
}

teardown_test() {
  on_tmux kill-server 2> /dev/null || true
  kill "$model"
  # its wrapper, which has lost its terminal, ends the rest
  wait_for 60 has_ended
}

has_ended() {
  compgen -G "$BELFRY_HOME/missions/*/runs/1/end.json" > /dev/null
}

on_tmux() {
  tmux -S "$BATS_TEST_TMPDIR/tmux" "$@"
}

# look [MESSAGE]: what is seen now.
look() {
  local title x y
  title=$(on_tmux display-message -p -t claude '#{pane_title}')
  read -r x y <<< "$(on_tmux display-message -p -t claude '#{cursor_x} #{cursor_y}')"
  on_tmux capture-pane -e -p -t claude | "$LOOK_TOOL" "$title" "$x" "$y" "$@"
}

looks() {
  [[ $(look) == $1 ]]
}

# paste TEXT: as Belfry types it.
paste() {
  printf %s "$1" > "$BATS_TEST_TMPDIR/typed"
  on_tmux load-buffer "$BATS_TEST_TMPDIR/typed"
  on_tmux paste-buffer -p -d -t claude
}

@test "H15 H16: hooks tell what it does, and its screen shows it" {
  # it is told its first prompt as it starts
  wait_for 60 told '.means == "started" and (.transcript | startswith("/"))'
  wait_for 60 told '.means == "prompt" and (has("message") | not)'
  wait_for 60 told '.means == "stopped"'
  wait_for 20 looks 'idle '

  # typed, not yet sent
  paste $'[belfry m-abcd1234] please\nwait 600'
  wait_for 20 looks $'typed ?belfry m-abcd1234? please\nwait 600'
  same typed "$(look m-abcd1234)"
  same nowhere "$(look m-other123)"

  # at work, and what it was told is above its input line
  on_tmux send-keys -t claude Enter
  wait_for 20 looks 'busy *'
  wait_for 20 told '.message == "m-abcd1234"'
  same sent "$(look m-abcd1234)"
  # typed while it works: still at work
  paste 'a person types'
  wait_for 20 looks 'busy a person types'
}

@test "H15: a permission prompt is seen, by a hook and on its screen" {
  wait_for 60 told '.means == "stopped"'
  wait_for 20 looks 'idle '
  paste 'run touch here'
  wait_for 20 looks 'typed run touch here'
  on_tmux send-keys -t claude Enter
  wait_for 60 looks 'blocked -'
  wait_for 20 told '.event == "PermissionRequest" and .means == "asking"'
  # turned down: no hook tells it, and its screen does
  on_tmux send-keys -t claude Escape
  wait_for 60 looks 'idle '
  [ ! -e "$BATS_TEST_TMPDIR/work/here" ]
}

@test "H15: an interrupted turn ends without a hook, and gives its prompt back" {
  wait_for 60 told '.means == "stopped"'
  wait_for 20 looks 'idle '
  paste 'wait 600'
  wait_for 20 looks 'typed wait 600'
  on_tmux send-keys -t claude Enter
  wait_for 20 looks 'busy *'
  wait_for 20 told '.means == "prompt" and .at > 0'
  sleep 1
  on_tmux send-keys -t claude C-c
  wait_for 20 looks 'typed wait 600'
  same '1' "$(jq -s 'map(select(.means == "stopped")) | length' "$BELFRY_HOME"/missions/*/events)"
  # twice, when it has nothing to do, is its end
  on_tmux send-keys -t claude C-u
  wait_for 20 looks 'idle '
  on_tmux send-keys -t claude C-c
  sleep 0.3
  on_tmux send-keys -t claude C-c
  wait_for 60 told '.means == "ended"'
}
