# What tests of live sessions stand on, beside helper.bash: the scripted terminal agent, its records,
# and a tmux of our own.
#
#   TUI_AGENT  the agent (build-test/test/agent/tui-agent), see test/agent/tui-agent.c
#
# Every agent has a record of its own, $BATS_TEST_TMPDIR/NAME.record, one JSON object a line.
TUI_AGENT=$(realpath -m "${TUI_AGENT:-$e2e_root/build-test/test/agent/tui-agent}")

# record NAME FILTER: of every line of its record.
record() {
  jq -r "$2" "$BATS_TEST_TMPDIR/$1.record" 2> /dev/null
}

# prompts NAME: what it got, a line each: line ends are "/".
prompts() {
  record "$1" 'select(.event == "prompt") | .text | gsub("\n"; "/")'
}

# bodies NAME: the same without what Belfry puts in front.
bodies() {
  prompts "$1" | sed -E 's/^\[belfry m-[a-z0-9]+( from [^]]*)?\] //'
}

# got NAME COUNT: so many prompts; got_body NAME TEXT: this one among them.
got() {
  [ "$(prompts "$1" | wc -l)" -ge "$2" ]
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
  wait_for 30 events_at_least "$1" "$2" "${3:-1}"
}

events_at_least() {
  [ "$(events "$1" "$2")" -ge "$3" ]
}

# pid_of NAME: of the agent that has the record.
pid_of() {
  record "$1" 'select(.event == "start") | .pid' | tail -n 1
}
