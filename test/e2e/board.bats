#!/usr/bin/env bats
# The status board: what agents say they are doing (B9).
load helper

setup_test() {
  printf 'agents:\n  builder:\n  writer:\n' > "$BELFRY_HOME/config.yml"
}

@test "B9 a status is put on the board, replaced, shown newest first, and taken off" {
  run -0 belfry board show
  has "$output" 'the board is empty'
  belfry board set 'reviewing PRs' 'three left' --agent builder
  belfry board set writing --agent writer
  belfry board set 'almost done' --agent builder
  same 'builder almost done,writer writing' \
    "$(json '[.[] | "\(.agent) \(.status)"] | join(",")' belfry board show --json)"
  same null "$(json '.[0].detail' belfry board show builder --json)"
  belfry board clear --agent builder
  belfry board set '' --agent writer
  same 0 "$(json length belfry board show --json)"
}

@test "B9 an agent need not say who it is: its environment does" {
  BELFRY_AGENT=writer belfry board set busy 'with a text'
  same 'writer busy with a text' \
    "$(json '.[0] | "\(.agent) \(.status) \(.detail)"' belfry board show --json)"
  # a name that is given wins
  BELFRY_AGENT=writer belfry board set idle --agent builder
  same 2 "$(json length belfry board show --json)"
  BELFRY_AGENT=writer belfry board clear
  same builder "$(json '.[].agent' belfry board show --json)"
}

@test "B9 the detail may come from standard input, and stays what it was" {
  printf 'one\ntwo\n' | belfry board set busy - --agent builder
  same $'one\ntwo\n' "$(json '.[0].detail' belfry board show --json)"$'\n'
}

@test "mistakes on the board name what was typed and the next step" {
  refused 2 'no agent is named' board set busy
  refused 3 "no agent 'bulider'" board set busy --agent bulider
  refused 2 'too long' board set "$(printf 'x%.0s' {1..300})" --agent builder
  refused 2 'newline' board set $'a\nb' --agent builder
}
