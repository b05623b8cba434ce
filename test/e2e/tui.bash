# What tests of live sessions stand on, beside helper.bash: the scripted terminal agent, its records,
# and a tmux of our own.
#
#   TUI_AGENT  the agent (beside TEST_AGENT), see test/agent/tui-agent.c
#
# Every agent has a record of its own, $BATS_TEST_TMPDIR/NAME.record, one JSON object a line.
tui_default=${TEST_AGENT:-$e2e_root/build-test/test/agent/test-agent}
TUI_AGENT=$(realpath -m "${TUI_AGENT:-${tui_default%/*}/tui-agent}")

# record NAME FILTER: of every line of its record.
record() {
  jq -r "$2" "$BATS_TEST_TMPDIR/$1.record" 2> /dev/null
}

# prompts NAME: what it got, a line each: line ends are "/".
prompts() {
  record "$1" 'select(.event == "prompt") | .text | gsub("\n"; "/")'
}

# bodies NAME: those that Belfry typed, without what it puts in front.
bodies() {
  prompts "$1" | sed -nE 's/^\[belfry m-[a-z0-9]+( from [^]]*)?\] //p' | sed 's/ $//'
}

# got NAME TEXT: waits until Belfry typed this into it.
got() {
  wait_for 60 got_body "$1" "$2"
}

got_body() {
  bodies "$1" | grep -qxF -- "$2"
}

# events NAME EVENT: how many of them.
events() {
  record "$1" "select(.event == \"$2\") | .event" | wc -l
}

events_are() {
  [ "$(events "$1" "$2")" -eq "$3" ]
}

# did NAME EVENT [COUNT]: waits until it has recorded so many of them.
did() {
  wait_for 60 events_at_least "$1" "$2" "${3:-1}"
}

events_at_least() {
  [ "$(events "$1" "$2")" -ge "$3" ]
}

# pid_of NAME: of the agent that has the record.
pid_of() {
  record "$1" 'select(.event == "start") | .pid' | tail -n 1
}

# at NAME TEXT: when it got that, in µs.
at() {
  record "$1" "select(.event == \"prompt\" and (.text | endswith(\"$2\"))) | .at" | head -n 1
}

# --- live agents --------------------------------------------------------------------------------

# agents_config [LINES]: config.yml with live agents, and further lines for `agents:`.
#   a b     tui-agent, seen by its screen only
#   h       the same with hooks
#   plain   takes no paste, as most programs
#   hidden  shows nothing of what is typed
agents_config() {
  local name adapter option paste input="live: {busy: 'esc to interrupt', blocked: 'Allow .*[?]', input: '^> (.*)\$', quiet: 300ms, interrupt: ctrl-c"

  export BELFRY_STOP_GRACE_MS=${BELFRY_STOP_GRACE_MS:-5000}
  {
    echo agents:
    while read -r name adapter option; do
      echo "  $name: {adapter: $adapter, directory: $BATS_TEST_TMPDIR, args: [$option],"
      echo "    environment: {TUI_RECORD: $BATS_TEST_TMPDIR/$name.record, TUI_HOME: $BATS_TEST_TMPDIR/sessions}}"
    done << END
a tui
b tui
h hooked
plain unpasted --no-paste
hidden tui --no-echo
END
    echo "${1:-}"
    echo adapters:
    for name in tui hooked unpasted; do
      option='' paste=true
      [ $name != hooked ] || option='--settings, "{hooks}", '
      [ $name != unpasted ] || paste=false
      cat << END
  $name:
    headless: [$TUI_AGENT, -p, --session-id, "{session}", "{args}"]
    resume: [$TUI_AGENT, -p, --resume, "{session}", "{args}"]
    interactive: [$TUI_AGENT, --session-id, "{session}", $option"{args}", --, "{prompt}"]
    resume_interactive: [$TUI_AGENT, --resume, "{session}", $option"{args}", --, "{prompt}"]
    session: chosen
    output: text
    $input, paste: $paste$([ $name != hooked ] || echo ', hooks: claude')}
END
    done
  } > "$BELFRY_HOME/config.yml"
}

# The private server of the home under test.
inner() {
  tmux -S "$BELFRY_HOME/tmux.sock" "$@"
}

# keys NAME KEY...: what a person at its terminal types.
keys() {
  inner send-keys -t "belfry:$1" "${@:2}"
}

# Sessions outlive daemons, so the test ends them: the daemon first, that it does not wonder.
end_sessions() {
  local status=0

  stop_daemon || status=1
  inner kill-server 2> /dev/null || true
  wait_for 60 none_left || status=1
  return $status
}

# agent NAME FILTER: something of its row.
agent() {
  json "(.agents? // .)[] | select(.name == \"$1\") | $2" belfry agent ls --json
}

# is NAME STATE: waits until it is.
is() {
  wait_for 60 state_is "$1" "$2" || { belfry agent ls >&2; belfry agent peek "$1" >&2; return 1; }
}

state_is() {
  [ "$(agent "$1" .state)" = "$2" ]
}

# evidence_has NAME TEXT: for wait_for: by what its state is known.
evidence_has() {
  [[ $(agent "$1" .evidence) == *"$2"* ]]
}

# live NAME...: they are started, and idle.
live() {
  local name

  for name in "$@"; do
    belfry agent start "$name" --detach > /dev/null
  done
  for name in "$@"; do
    is "$name" idle
  done
}

# send NAME TEXT OPTION...: the new message's id.
send() {
  belfry agent send "$@" --json | jq -r .id
}

# message MESSAGE FILTER: something of what became of it.
message() {
  json "$2" belfry queue show "$1" --json
}

# delivered MESSAGE: waits until it is.
delivered() {
  wait_for 60 json_is delivered .state belfry queue show "$1" --json
}

# typed_in MESSAGE: waits until it is in the client's own line.
typed_in() {
  wait_for 60 json_is 'typed in; its model has not taken it up yet' .note belfry queue show "$1" --json
}

# all_delivered NAME: nothing waits for it.
all_delivered() {
  wait_for 60 queued_is 0 "$1"
}

# work NAME DIRECTIVES STATE: typed by a person; waits until Belfry sees that it is so.
work() {
  keys "$1" -l "$2"
  keys "$1" Enter
  is "$1" "$3"
}
