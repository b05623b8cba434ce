#!/usr/bin/env bats
# `make run`: the first thing a person sees.

setup() {
  root=$BATS_TEST_DIRNAME/../..
  export BELFRY_BIN=${BELFRY_BIN:-$root/build-test/src/cli/belfry}
  export TMPDIR=$BATS_TEST_TMPDIR
}

@test "the demonstration ends by itself and leaves nothing behind" {
  BELFRY_DEMO_SECONDS=1 run "$root/scripts/run.sh" < /dev/null
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"export BELFRY_HOME=$TMPDIR/belfry-demo."* ]]
  [ -z "$(find "$TMPDIR" -maxdepth 1 -name 'belfry-demo.*')" ]
  daemon=$(sed -n 's/^The daemon runs (process \([0-9]*\)).*/\1/p' <<< "$output")
  [ -n "$daemon" ]
  [ ! -e "/proc/$daemon" ]
}

# shown: everything it has to show so far.
shown() {
  local output
  output=$(cat "$TMPDIR/out")
  [[ $output == *'The daemon runs'* ]] && [[ $output == *'a message for me'*'Hello from belfry'* ]] &&
    [[ $output == *'a mission has ended'* ]] && [[ $output == *'Count the open issues.'* ]] &&
    [[ $output == *'set_reminder_boundary'*'its hook puts this'*'REMINDER YOU SET FOR YOURSELF'*'Run the tests'* ]] &&
    [[ $output == *'the inbox, as'*'Whom do I let in?'* ]]
}

@test "the demonstration shows its messages, and a signal ends it cleanly" {
  "$root/scripts/run.sh" > "$TMPDIR/out" 2>&1 < /dev/null &
  demo=$!
  for _ in $(seq 600); do
    ! shown || break
    sleep 0.1
  done
  daemon=$(sed -n 's/^The daemon runs (process \([0-9]*\)).*/\1/p' "$TMPDIR/out")
  kill -TERM "$demo"
  wait "$demo"
  cat "$TMPDIR/out"
  shown
  [ -n "$daemon" ]
  [ ! -e "/proc/$daemon" ]
  [ -z "$(find "$TMPDIR" -maxdepth 1 -name 'belfry-demo.*')" ]
}

@test "without a build it says what to do" {
  BELFRY_BIN=/nonexistent run "$root/scripts/run.sh"
  [ "$status" -eq 1 ]
  [[ $output == *"try 'make build'"* ]]
}

@test "the demonstration leaves nothing behind when nobody reads on" {
  BELFRY_DEMO_SECONDS=60 "$root/scripts/run.sh" 2> /dev/null < /dev/null | head -n 1
  for _ in $(seq 600); do
    [ -n "$(find "$TMPDIR" -maxdepth 1 -name 'belfry-demo.*')" ] || break
    sleep 0.1
  done
  [ -z "$(find "$TMPDIR" -maxdepth 1 -name 'belfry-demo.*')" ]
}
