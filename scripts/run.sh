#!/bin/bash
# Show belfry at work in a scratch home: a daemon, a reminder in three seconds, one every ten, a
# small agent that is run by a task in two seconds and by a cron every minute, another one that asks
# a question and goes on when it is answered, a client's agent that reminds itself by a tool and is told
# by its hook, and where there is tmux, one that stays and is reminded.
# usage: scripts/run.sh   (make run)
# It stays until Ctrl-C, or for BELFRY_DEMO_SECONDS seconds, and leaves nothing behind.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
belfry=${BELFRY_BIN:-$root/build/belfry}
seconds=${BELFRY_DEMO_SECONDS:-}
home=$(mktemp -d "${TMPDIR:-/tmp}/belfry-demo.XXXXXX")
daemon=
inbox_shown=
parrot=
parrot_shown=

export BELFRY_HOME=$home
# What the demo does must not depend on the person's own settings.
unset BELFRY_STORE BELFRY_NO_AUTOSTART BELFRY_USER BELFRY_SESSION BELFRY_AGENT BELFRY_MISSION_ID \
  CLAUDE_CODE_SESSION_ID CLAUDE_PID

stop() {
  trap - EXIT INT TERM HUP
  trap '' PIPE # whoever reads this may have gone: the rest is still done
  if [ -n "$daemon" ]; then
    echo
    echo "Stopping the daemon and removing $home"
    # It would outlive the daemon, as live agents do.
    if [ -n "$parrot" ]; then "$belfry" agent stop parrot > /dev/null 2>&1; fi
    if [ -S "$home/tmux.sock" ]; then tmux -S "$home/tmux.sock" kill-server 2> /dev/null; fi
    kill -TERM "$daemon" 2> /dev/null
    wait "$daemon" 2> /dev/null
  fi
  rm -rf "$home"
}
trap stop EXIT
trap 'exit 0' INT TERM HUP PIPE

fail() {
  echo "run: $1" >&2
  tail -n 20 "$home/daemon.log" >&2 2> /dev/null
  exit 1
}

[ -x "$belfry" ] || fail "'$belfry' is not built; try 'make build'"

wait_until_ready() {
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    "$belfry" daemon status > /dev/null 2>&1 && return 0
    kill -0 "$daemon" 2> /dev/null || return 1
    sleep 0.1
  done
  return 1
}

# Everything that waits for me, one message a call; 3 means that the queue is empty.
show_messages() {
  local text status
  while :; do
    text=$("$belfry" queue take me 2>> "$home/demo.log")
    status=$?
    [ "$status" -ne 3 ] || return 0
    [ "$status" -eq 0 ] || fail "'belfry queue take me' failed: $(tail -n 1 "$home/demo.log")"
    echo
    echo "$(date +%H:%M:%S)  a message for me"
    # shellcheck disable=SC2001 # every line, not the first
    sed 's/^/          /' <<< "$text"
  done
}

# How each mission ended, once: its line of the list.
show_missions() {
  local id rest
  "$belfry" mission ls 2>> "$home/demo.log" | grep -E ' (success|error|timeout|killed) ' |
    while read -r id rest; do
      ! grep -qsx "$id" "$home/told" || continue
      echo "$id" >> "$home/told"
      echo
      echo "$(date +%H:%M:%S)  a mission has ended: $id $rest"
      "$belfry" mission logs "$id" 2>> "$home/demo.log" | sed 's/^/          /'
    done
}

# The porter's line of the inbox, whenever it changes.
show_inbox() {
  local text
  text=$("$belfry" inbox list --agent porter 2>> "$home/demo.log")
  if [ -z "$text" ] || [ "$text" = "$inbox_shown" ]; then return 0; fi
  inbox_shown=$text
  echo
  echo "$(date +%H:%M:%S)  the inbox, as 'belfry inbox list' shows it"
  # shellcheck disable=SC2001 # every line, not the first
  sed 's/^/          /' <<< "$text"
}

# The last lines of the parrot's screen, whenever they change.
show_parrot() {
  local text
  [ -n "$parrot" ] || return 0
  text=$("$belfry" agent peek parrot --lines 4 2>> "$home/demo.log")
  if [ -z "$text" ] || [ "$text" = "$parrot_shown" ]; then return 0; fi
  parrot_shown=$text
  echo
  echo "$(date +%H:%M:%S)  the parrot's screen, as 'belfry agent peek parrot' shows it"
  # shellcheck disable=SC2001 # every line, not the first
  sed 's/^/          /' <<< "$text"
}

# What 'belfry setup claude' makes Claude Code do: its agent calls a tool of 'belfry mcp', and its hook asks
# at every prompt what there is to tell.
show_client() {
  local message='Run the tests before you say that you are done.' text
  text=$("$belfry" mcp --session demo 2>> "$home/demo.log" << CALLS | sed -n 's/.*"id":2.*"text":"\([^"]*\)".*/\1/p'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"demo","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"set_reminder_boundary","arguments":{"suppress_for_calls":1,"message":"$message"}}}
CALLS
  )
  [ -n "$text" ] || fail "'belfry mcp' did not answer"
  echo
  echo "An agent in a client calls the tool set_reminder_boundary, and is answered:"
  echo "          $text"
  text=$("$belfry" hook UserPromptSubmit <<< '{"session_id":"demo","hook_event_name":"UserPromptSubmit","prompt":"And now?"}' |
    sed -n 's/.*"additionalContext":"\(.*\)"}}.*/\1/p')
  [ -n "$text" ] || fail "'belfry hook' told nothing"
  echo "At the next prompt its hook puts this into the conversation:"
  # shellcheck disable=SC2001 # every line, not the first
  printf '%b\n' "$text" | sed 's/^/          /'
}

# An agent is any program that reads what to do; a real one would be 'adapter: claude'.
cat > "$home/config.yml" << 'CONFIG'
agents:
  clerk:
    command: [sh, -c, 'echo "Run at $(date +%T), as $BELFRY_MISSION_ID. I was told:"; tail -n 1']
  # With {session} among its words it has conversations: this one asks first, and is told the answer
  # when it is run again.
  porter:
    command:
      - sh
      - -c
      - |
        if [ -e "asked-$1" ]; then
          echo "Thank you. I open the door to: $(cat)"
        else
          touch "asked-$1"
          belfry message send --ask 'Somebody is **at the door**. Whom do I let in?'
        fi
      - porter
      - "{session}"
  # One that stays, on a terminal of its own: it repeats what it hears.
  parrot:
    command: [sh, -c, 'while printf "> "; read -r line; do echo "I heard: $line"; done']
crons:
  minutely: {schedule: "* * * * *", agent: clerk, prompt: "Say what time it is."}
CONFIG

# The terminal sends Ctrl-C to every process of the group; the daemon is to be stopped by us.
setsid "$belfry" daemon run > "$home/daemon.log" 2>&1 < /dev/null &
daemon=$!
wait_until_ready || fail 'the daemon did not start'
"$belfry" reminder add me -m 'Hello from belfry' --in 3s --name hello ||
  fail 'cannot add a reminder'
"$belfry" reminder add me -m 'Ten more seconds have passed' --every 10s --name tick ||
  fail 'cannot add a reminder'
"$belfry" task add 'Count the open issues.' --in 2s --agent clerk || fail 'cannot add a task'
"$belfry" mission new porter 'Mind the door.' || fail 'cannot run an agent'

show_client

cat << TEXT

The daemon runs (process $daemon) and its home is $home.
In another terminal, try:

  export BELFRY_HOME=$home
  $belfry reminder list
  $belfry reminder add me -m 'stretch' --in 20s
  $belfry why tick
  $belfry next --cron '0 9 * * 1-5' -n 3
  $belfry reminder pause tick
  $belfry cron ls
  $belfry mission new clerk 'Water the plants.' --wait
  $belfry mission ls --watch
  $belfry inbox
  $belfry agent ls --watch
  $belfry run parrot
  $belfry agent send parrot 'Hello'
  $belfry status

The porter asks something: it is in the inbox, Enter opens it and r answers.
Messages appear here as they arrive. Ctrl-C ends the demo.
TEXT

# Without it, or with one that is too old, the demo has the other agents.
if command -v tmux > /dev/null; then
  echo
  # By a pipe: on a terminal it would say that Ctrl-C does something else.
  if "$belfry" agent start parrot --detach < /dev/null 2>&1 | cat; then
    parrot=1
    "$belfry" reminder add parrot -m 'Stretch your wings' --every 20s --now ||
      fail 'cannot remind the parrot'
  fi
fi

started=$SECONDS
while [ -z "$seconds" ] || [ $((SECONDS - started)) -lt "$seconds" ]; do
  kill -0 "$daemon" 2> /dev/null || fail 'the daemon has gone'
  show_messages
  show_missions
  show_inbox
  show_parrot
  sleep 1
done
show_messages
show_missions
show_inbox
show_parrot
