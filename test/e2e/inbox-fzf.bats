#!/usr/bin/env bats
# The inbox by fzf, on a real terminal: the list, the thread beside it, and what is new.
load helper
e2e_shown_once=1

setup_test() {
  command -v fzf > /dev/null || skip "fzf is not installed"
  unset FZF_DEFAULT_OPTS FZF_DEFAULT_COMMAND NO_COLOR VISUAL EDITOR
  scripted
}

teardown_test() {
  local server

  server=$(tmux -S "$BATS_TEST_TMPDIR/tmux" display -p '#{pid}' 2> /dev/null) || return 0
  tmux -S "$BATS_TEST_TMPDIR/tmux" kill-server 2> /dev/null || true
  wait_for 30 gone "$server"
  wait_for 30 no_screen
}

no_screen() {
  [ -z "$(grep -lsz "^TMUX=$BATS_TEST_TMPDIR/tmux," /proc/[0-9]*/environ)" ]
}

# on_screen COLUMNSxLINES [NAME=VALUE...]: the inbox, on a terminal of that size.
on_screen() {
  local size=$1

  shift
  tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null new-session -d -x "${size%x*}" -y "${size#*x}" \
    "env TERM=xterm-256color LANG=C.UTF-8 BELFRY_HOME=$BELFRY_HOME TZ=UTC $* $BELFRY_BIN inbox; echo status=\$?; sleep 60"
}

# keys KEY...: one after the other, as fingers do.
keys() {
  local key

  for key; do
    tmux -S "$BATS_TEST_TMPDIR/tmux" send-keys "$key"
    sleep 0.1
  done
}

picture() {
  tmux -S "$BATS_TEST_TMPDIR/tmux" capture-pane -p "$@"
}

shows() {
  picture | grep -qF -- "$1"
}

# Neither fzf nor anything it started.
no_fzf() {
  [ -z "$(grep -lsz "^BELFRY_FZF=$BELFRY_HOME/" /proc/[0-9]*/environ)" ]
}

# sees TEXT: sooner or later it is on the screen.
sees() {
  wait_for 30 shows "$1" || { picture >&2; return 1; }
}

# press KEY TEXT: until that is on the screen. A key that comes while fzf takes over a list was lost once on a busy
# machine: then nothing has happened, and a person presses it again.
press() {
  keys "$1"
  for _ in 1 2 3; do
    for _ in {1..50}; do
      ! shows "$2" || return 0
      sleep 0.2
    done
    keys "$1"
  done
  sees "$2"
}

# from AGENT TEXT: a message in the agent's own thread.
from() {
  BELFRY_AGENT=$1 belfry message send "$2" > /dev/null
}

# The first N threads of the list, from above, and whether one is under the cursor.
titles() {
  picture | grep -oE '(builder|single|shell)  +' | tr -d ' ' | head -n "$1" | tr '\n' ' '
}

titles_are() {
  [ "$(titles "$2")" = "$1" ]
}

cursor_at() {
  picture | grep -qE "^> .* $1  "
}

@test "A22: fzf lists threads, newest first, with the whole of one beside it" {
  from builder 'the oldest'
  from builder $'# Weekly **report**\n\n- clean\n- green'
  BELFRY_AGENT=single belfry message send --ask 'Deploy now?' > /dev/null
  for size in 80x24 200x60; do
    on_screen $size
    sees '2 threads, 3 unread, 1 waits for an answer'
    wait_for 30 titles_are 'single builder ' 2
    sees '?  1 single'
    wait_for 30 eval "picture | grep -qE ' 2 builder .* Weekly report'"
    sees 'asks, and waits for an answer'
    keys Down
    sees 'the oldest'
    sees '• green'
    keys '?'
    wait_for 30 eval '! shows "• green"'
    keys '?'
    sees '• green'
    keys Escape
    sees 'status=0'
    teardown_test
  done
  # looking at it there is not reading it
  same 3 "$(json .unread belfry inbox list --json)"
  run ! compgen -G "$BELFRY_HOME/fzf-*"
}

@test "A22: Enter opens a thread, q finds the list again where it was" {
  from builder 'first words'
  from single 'second words'
  from shell 'third words'
  on_screen 120x30
  sees '3 threads, 3 unread'
  wait_for 30 cursor_at shell
  keys Down
  wait_for 30 cursor_at single
  keys Enter
  wait_for 30 eval '! shows "Inbox>"'
  sees 'second words'
  keys q
  sees '3 threads, 2 unread'
  wait_for 30 cursor_at single
  keys third
  wait_for 30 cursor_at shell
  keys ' no such thing'
  wait_for 30 eval '! cursor_at shell'
  # it does nothing: what is typed after it is still the query
  keys Enter
  keys s
  sees 'no such things'
  keys C-c
  sees 'status=0'
}

# rows_are NUMBER: of the list, while a query narrows it.
rows_are() {
  [ "$(picture | grep -cE '(builder|single|shell)  ')" -eq "$1" ]
}

@test "fzf finds what is typed as it is, and not in the times" {
  from builder 'report-13'
  from single 'report-150'
  from shell 'words'
  sql "UPDATE threads SET last_at = 1793000000000000 + CASE WHEN agent = 'builder' THEN 0 ELSE 13000000 END"
  on_screen 120x30
  sees '3 threads, 3 unread'
  keys 'report-13'
  wait_for 30 rows_are 1
  wait_for 30 cursor_at builder
  # its year
  keys C-u 2026
  wait_for 30 rows_are 0
}

@test "A22: the list keeps itself up to date; the query and the cursor stay where they are" {
  from builder 'first words'
  from single 'second words'
  on_screen 200x40
  sees '2 threads, 2 unread'
  wait_for 30 cursor_at single
  keys Down
  wait_for 30 cursor_at builder
  sees 'first words'
  from shell 'fresh words'
  sees '3 threads, 3 unread'
  wait_for 30 titles_are 'shell builder single ' 3
  wait_for 30 cursor_at builder
  # the one under the cursor, in its window
  from builder 'still more'
  sees '3 threads, 4 unread'
  wait_for 30 eval '[ "$(picture | grep -c "still more")" -eq 2 ]'
  keys Up words
  sees 'Inbox> words'
  from single 'last words'
  sees 'last words'
  sees 'Inbox> words'
  # what was read elsewhere
  belfry inbox read "$(json '.threads[] | select(.agent == "single").id' belfry inbox list --json)"
  sees '3 threads, 3 unread'
  keys C-r
  keys Escape
  sees 'status=0'
}

@test "A22: what is not safe on a terminal or in a shell does neither" {
  local bad=$'\e]0;owned\a\e[31mred $(touch owned) `touch owned` \'; touch owned; \' {q} {1}'
  local id

  id=$(new shell "# $bad")
  becomes "$id" success
  BELFRY_MISSION_ID=$id belfry message send "text $bad" > /dev/null
  on_screen 200x40
  sees '1 thread, 1 unread'
  sees '^[]0;owned^G^[[31mred $(touch'
  sees 'text ?]0;owned??[31mred $(touch'
  keys Enter
  wait_for 30 eval '! shows "Inbox>"'
  keys q
  sees '1 thread, 0 unread'
  [ ! -e owned ]
  same '' "$(tmux -S "$BATS_TEST_TMPDIR/tmux" display -p '#{pane_title}' | grep owned)"
}

@test "A22: without colours there are none" {
  from builder $'# head\n\n`code`'
  on_screen 120x30 NO_COLOR=1
  sees '# head'
  run ! grep -qE $'\e\\[[0-9;]*(3[0-7]|38;|9[0-7])' <(picture -e)
}

# an_fzf VERSION: one that says it is of that version, and notes how it is called.
an_fzf() {
  mkdir -p bin
  cat > bin/fzf << END
#!/bin/sh
if [ "\$1" = --version ]; then echo "$1"; exit; fi
printf '%s\n' "\$@" > $PWD/called
exec $(command -v fzf) "\$@"
END
  chmod +x bin/fzf
}

@test "A22: an old fzf, or one that does not say, is used as far as it goes" {
  from builder 'first words'
  for version in 0.20.0 unknown; do
    an_fzf $version
    on_screen 120x30 "PATH=$PWD/bin:$PATH"
    sees '1 thread'
    sees 'first words'
    run ! grep -qE 'reload|focus|sync|follow' called
    keys Enter
    wait_for 30 eval '! shows "Inbox>"'
    keys q
    sees 'Inbox>'
    keys Escape
    sees 'status=0'
    teardown_test
  done
}

@test "A22: an fzf that does not work is passed over" {
  mkdir bin
  printf '#!/bin/sh\necho "unknown option: $1" >&2\nexit 2\n' > bin/fzf
  chmod +x bin/fzf
  from builder 'first words'
  on_screen 100x30 "PATH=$PWD/bin:$PATH"
  sees 'first words'
  run ! shows 'Inbox>'
  keys q
  sees 'status=0'
}

@test "A22: what fzf began with ends with the inbox" {
  from builder 'first words'
  on_screen 100x30
  sees '1 thread'
  pkill -TERM -P "$(tmux -S "$BATS_TEST_TMPDIR/tmux" display -p '#{pane_pid}')" belfry
  wait_for 30 no_fzf
  teardown_test
  on_screen 100x30
  sees '1 thread'
  same 1 "$(compgen -G "$BELFRY_HOME/fzf-*" | wc -l)"
  keys Escape
  sees 'status=0'
}

@test "I13 fzf has the keys of the list, and --no-fzf is the list itself" {
  from builder 'first words'
  from single 'second words'
  on_screen 100x30
  sees '2 threads, 2 unread'
  press M-e '1 thread, 1 unread'
  press M-u '1 thread, 0 unread'
  keys M-v
  sees 'Archived'
  sees single
  keys v q
  sees '1 thread, 0 unread'
  press M-z '2 threads, 1 unread'
  keys M-s
  sees 'search:'
  keys second Enter
  sees '1 message with: second'
  keys q
  sees '2 threads'
  keys Escape
  sees status=0
  teardown_test
  tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null new-session -d -x 80 -y 24 \
    "env TERM=xterm-256color LANG=C.UTF-8 BELFRY_HOME=$BELFRY_HOME TZ=UTC $BELFRY_BIN inbox --no-fzf; sleep 60"
  sees 'Inbox  1 unread'
}

@test "I30 a terminal that is closed leaves no folder of fzf's" {
  from builder 'first words'
  on_screen 100x30
  sees '1 thread'
  same 1 "$(compgen -G "$BELFRY_HOME/fzf-*" | wc -l)"
  teardown_test
  wait_for 30 no_folder
}

no_folder() {
  ! compgen -G "$BELFRY_HOME/fzf-*" > /dev/null
}

# --- the place (I27)

# crowd COUNT: threads a01 (the newest), a02 … and every third is about an apple.
crowd() {
  local i lines=''

  for i in $(seq -f %02g 1 "$1"); do lines+="  a$i: {command: [sh]}"$'\n'; done
  scripted "$lines"
  start_daemon
  for i in $(seq -f %02g "$1" -1 1); do
    from "a$i" "$( ((10#$i % 3)) && echo pear || echo apple) $i"
  done
}

# under NAME: the cursor is at this thread, and stays there.
under() {
  wait_for 30 cursor_at "$1" || { picture >&2; return 1; }
  sleep 0.3
  cursor_at "$1" || { picture >&2; return 1; }
}

# The thread in the line below the cursor's.
below() {
  picture | grep -A1 -E '^> .* a[0-9]+  ' | tail -n 1 | grep -oE 'a[0-9]+  ' | head -n 1 | tr -d ' '
}

put_away() {
  json '[.threads[].agent] | sort | join(" ")' belfry inbox list --archived --json
}

@test "I27 fzf: with a filter, opening a thread and going back leaves the cursor at it" {
  crowd 12
  on_screen 160x40
  sees '12 threads, 12 unread'
  keys apple
  under a03
  keys Down
  under a06
  keys Enter
  wait_for 30 eval '! shows "Inbox>"'
  keys q
  sees 'Inbox> apple'
  sees '12 threads, 11 unread'
  under a06
  # and the next key is about it
  press M-u 'unread: a06'
  sees '12 threads, 12 unread'
  under a06
  press M-e 'put away: a06'
  under a09
  press M-e 'put away: a09'
  under a12
  press M-e 'put away: a12'
  under a03
  same 'a06 a09 a12' "$(put_away)"
}

@test "I27 fzf: Alt-E and Alt-U in the middle of the list stay there, and the header says what was done" {
  crowd 14
  on_screen 160x40
  sees '14 threads, 14 unread'
  sees 'Alt: U unread'
  for _ in 1 2 3 4 5 6 7 8 9 10; do keys Down; done
  under a11
  press M-u 'read: a11'
  sees '14 threads, 13 unread'
  under a11
  press M-e 'put away: a11'
  sees '13 threads, 13 unread'
  under a12
  # what comes in moves the others, not this one
  from a14 'pear again'
  sees '13 threads, 14 unread'
  under a12
  next=$(below)
  press M-e 'put away: a12'
  under "$next"
  press M-z 'brought back: a12'
  under "$next"
  same a11 "$(put_away)"
}

@test "I27 fzf: news above a filtered list leave the cursor at its thread, also after a thread was opened" {
  crowd 9
  on_screen 160x40
  sees '9 threads, 9 unread'
  keys apple
  under a03
  keys Down
  under a06
  from a02 'an apple, too'
  sees '9 threads, 10 unread'
  under a06
  keys Enter
  wait_for 30 eval '! shows "Inbox>"'
  keys q
  sees 'Inbox> apple'
  under a06
  # such a list is begun anew, once nobody has typed for a while
  from a01 'apple pie'
  sees 'apple pie'
  under a06
  same a09 "$(below)"
  press M-e 'put away: a06'
  under a09
}

@test "I27 fzf: a thread with a question is put away when it is said twice" {
  crowd 3
  BELFRY_AGENT=a02 belfry message send --ask 'Deploy?' > /dev/null
  on_screen 160x40
  sees '1 waits for an answer'
  under a02
  press M-e '1 question waits: Alt-E again puts it away all the same'
  same '' "$(put_away)"
  press M-e 'put away: a02'
  same a02 "$(put_away)"
}
