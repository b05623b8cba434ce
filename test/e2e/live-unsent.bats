# What stands unsent in the line of a program of one's own, of which no pattern says where one types.
load helper
e2e_on_postgres='JO37:'
load tui

# p reads lines by its terminal, e edits them by itself (readline), and t is as p with a line that is known.
setup_test() {
  # shellcheck disable=SC2016
  local reads='echo $$ > NAME.pid; while OPTION line; do echo "$line" >> NAME.heard; echo "I heard: $line"; sleep $(cat pause); done'

  echo 0 > "$BATS_TEST_TMPDIR/pause"
  {
    echo agents:
    echo "  p: {command: [sh, -c, '$(edit "$reads" p 'printf "> "; read -r')'], directory: $BATS_TEST_TMPDIR}"
    echo "  e: {command: [bash, -c, '$(edit "$reads" e 'read -rep "> "')'], directory: $BATS_TEST_TMPDIR}"
    echo "  t: {adapter: known, directory: $BATS_TEST_TMPDIR}"
    echo adapters:
    echo "  known: {headless: [cat], interactive: [sh, -c, '$(edit "$reads" t 'printf "> "; read -r')'], live: {input: '^> (.*)\$', paste: false}}"
  } > "$BELFRY_HOME/config.yml"
}

edit() {
  sed "s/NAME/$2/g; s/OPTION/$3/" <<< "$1"
}

teardown_test() {
  outer kill-server 2> /dev/null || true
  end_sessions
}

# A terminal of a person: a tmux of ours around the one of Belfry.
outer() {
  tmux -S "$BATS_TEST_TMPDIR/outer" -f /dev/null "$@"
}

# attach NAME: a person looks at it.
attach() {
  outer new-session -d -s person -x 100 -y 30 "$BELFRY_BIN agent attach $1"
  wait_for 30 outer_shows '>'
}

outer_shows() {
  outer capture-pane -p -t person | grep -qF -- "$1"
}

# heard NAME: what it got, without ids.
heard() {
  sed -E 's/\[belfry m-[a-z0-9]+\]/[]/g' "$BATS_TEST_TMPDIR/$1.heard" 2> /dev/null
}

heard_is() {
  [ "$(heard "$1")" = "$2" ]
}

hears() {
  wait_for 60 heard_is "$1" "$2" || { heard "$1" >&2; belfry agent peek "$1" >&2; return 1; }
}

# shows NAME TEXT: by tmux alone: other commands may start a daemon.
shows() {
  inner capture-pane -p -t "belfry:$1" | grep -qF -- "$2"
}

# end_daemon HOW: by each of the ways in which one ends.
end_daemon() {
  if [ "$1" = stop ]; then belfry daemon stop > /dev/null; else kill_daemon; fi
}

state() {
  message "$1" .state
}

@test "JO37: what a program has not read is not delivered by a restart, and comes again when it dies" {
  local how id
  echo 600 > pause
  for how in stop kill; do
    rm -f p.heard
    live p
    delivered "$(send p first)"
    id=$(send p SECOND)
    wait_for 30 shows p SECOND
    end_daemon $how
    start_daemon
    # long enough to be seen idle
    sleep 4
    same offered "$(state "$id")"
    has "$(heard p)" '[] first'
    kill -9 "$(cat p.pid)"
    is p gone
    same queued "$(state "$id")"
    echo 0 > pause
    live p
    delivered "$id"
    hears p $'[] first\n[] SECOND'
    belfry agent stop p > /dev/null
    echo 600 > pause
  done
}

@test "JO51: what a program has read from its terminal it has, also at work: it is not told that again" {
  local id
  cat > "$BELFRY_HOME/config.yml" << EOF
agents:
  n: {command: [sh, -c, 'printf "> "; while read -r line; do echo "\$line" >> n.heard; until rm quiet; do echo "\$((i += 1))"; sleep .2; done 2> /dev/null; done'], directory: $BATS_TEST_TMPDIR}
EOF
  belfry apply > /dev/null
  live n
  id=$(send n first)
  hears n '[] first'
  delivered "$id"
  for id in SECOND THIRD; do
    id=$(send n $id)
    sleep 2
    same offered "$(state "$id")"
    touch quiet
    delivered "$id"
  done
  belfry agent stop n > /dev/null
  live n
  delivered "$(send n LAST)"
  hears n $'[] first\n[] SECOND\n[] THIRD\n[] LAST'
}

@test "JO52: a prompt that is shown, and that nobody has begun to work on, is not delivered yet" {
  local id
  mkdir bin
  cat > bin/gemini << 'EOF'
#!/bin/sh
echo $$ > g.pid
printf ' > '
while read -r line; do
  printf 'you: %s\n > ' "$line"
  until [ -e go ]; do sleep .1; done
  printf '\r\033[K✦ Working\n > '
  sleep 3
  printf '\033[1A\033[2K\r\n > '
  echo "$line" >> g.heard
done
EOF
  chmod +x bin/gemini
  export PATH=$PWD/bin:$PATH
  echo "agents: {g: {adapter: gemini, directory: $BATS_TEST_TMPDIR}}" > "$BELFRY_HOME/config.yml"
  live g
  id=$(send g first)
  wait_for 30 shows g 'you: '
  sleep 3
  same offered "$(state "$id")"
  kill -9 "$(cat g.pid)"
  is g gone
  same queued "$(state "$id")"
  touch go
  live g
  delivered "$id"
  hears g '[] first'
}

# cut_short NAME TEXT HOW: the daemon ends between the typing and Enter.
cut_short() {
  send "$1" "$2" > id
  # Enter comes a sixth of a second later
  until shows "$1" "$2"; do :; done
  end_daemon "$3"
}

@test "JO37b: a daemon that ends between typing and Enter presses it later, once, and glues nothing" {
  local name how
  for name in p e t; do
    for how in stop kill; do
      rm -f $name.heard
      live $name
      cut_short $name one $how
      start_daemon
      delivered "$(cat id)"
      send $name two --priority interrupt > id
      delivered "$(cat id)"
      hears $name $'[] one\n[] two'
      belfry agent stop $name > /dev/null
    done
  done
}

@test "JO37b: what is left in the line is not in front of a more urgent message" {
  live p
  cut_short p one kill
  start_daemon
  belfry agent send p urgent --priority interrupt > /dev/null
  all_delivered p
  wait_for 30 lines_are 2 p.heard
  same $'[] one\n[] urgent' "$(heard p | sort)"
}

@test "JO53: what was sent just before the daemon was killed is not typed again behind a more urgent message" {
  live p
  send p one > id
  until [ -s p.heard ]; do :; done
  end_daemon kill
  start_daemon
  belfry agent send p urgent --priority interrupt > /dev/null
  all_delivered p
  same $'[] one\n[] urgent' "$(heard p)"
}

@test "JO37b: text that a program has printed over is asked for, not believed" {
  local n want='[] first'
  echo 4 > pause
  live p
  delivered "$(send p first)"
  # its next prompt comes behind what stands unsent in the line; a machine that is slow may have pressed Enter before
  for n in 1 2 3 4 5 6; do
    cut_short p "second $n" kill
    want+=$'\n'"[] second $n"
    sleep 5
    shows p "second $n>" && break
    start_daemon
    delivered "$(cat id)"
  done
  shows p "second $n>"
  start_daemon
  delivered "$(cat id)"
  hears p "$want"
}

@test "N37: a half line of a person's is never sent with a message, and comes back" {
  local name
  for name in p e; do
    rm -f $name.heard
    live $name
    attach $name
    outer send-keys -t person -l 'my half line'
    wait_for 30 shows $name 'my half line'
    send $name 'normal 1' > id
    sleep 5
    same '' "$(heard $name)"
    # they go on, and send it themselves
    outer send-keys -t person -l ' and more'
    outer send-keys -t person Enter
    delivered "$(cat id)"
    hears $name $'my half line and more\n[] normal 1'
    # who leaves it there gets it back
    outer send-keys -t person -l 'left '
    outer send-keys -t person -l 'here'
    wait_for 30 shows $name 'left here'
    outer kill-server
    send $name 'normal 2' > id
    delivered "$(cat id)"
    send $name 'normal 3' > id
    delivered "$(cat id)"
    keys $name Enter
    hears $name $'my half line and more\n[] normal 1\n[] normal 2\n[] normal 3\nleft here'
    belfry agent stop $name > /dev/null
  done
}

@test "N37: what was typed while no daemon ran, or ahead of the prompt, is seen, too" {
  live p
  attach p
  belfry daemon stop > /dev/null
  outer send-keys -t person -l 'half'
  wait_for 30 shows p half
  outer kill-server
  start_daemon
  send p one > id
  delivered "$(cat id)"
  echo 3 > pause
  keys p Enter
  hears p $'[] one\nhalf'
  attach p
  outer send-keys -t person -l 'ahead'
  wait_for 30 shows p 'ahead>'
  outer kill-server
  send p two > id
  delivered "$(cat id)"
  keys p Enter
  hears p $'[] one\nhalf\n[] two\nahead'
}

@test "N37: who only looks is no reason to wait" {
  live p
  attach p
  send p one > id
  delivered "$(cat id)"
  SECONDS=0
  send p two > id
  delivered "$(cat id)"
  [ $SECONDS -lt 10 ]
  hears p $'[] one\n[] two'
}
