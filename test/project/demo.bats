#!/usr/bin/env bats
# `make run`: the first thing a person sees.

setup() {
  root=$BATS_TEST_DIRNAME/../..
  export BELFRY_BIN=${BELFRY_BIN:-$root/build-test/src/cli/belfry}
  export TMPDIR=$BATS_TEST_TMPDIR
}

@test "the demonstration shows its messages, ends by itself and leaves nothing behind" {
  BELFRY_DEMO_SECONDS=6 run "$root/scripts/run.sh" < /dev/null
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *'Hello from belfry'* ]]
  [[ $output == *'a mission has ended'* ]]
  [[ $output == *'Count the open issues.'* ]]
  [[ $output == *'the inbox, as'*'Whom do I let in?'* ]]
  [[ $output == *"export BELFRY_HOME=$TMPDIR/belfry-demo."* ]]
  [ -z "$(find "$TMPDIR" -maxdepth 1 -name 'belfry-demo.*')" ]
  daemon=$(sed -n 's/^The daemon runs (process \([0-9]*\)).*/\1/p' <<< "$output")
  [ -n "$daemon" ]
  [ ! -e "/proc/$daemon" ]
}

@test "a signal ends the demonstration cleanly" {
  "$root/scripts/run.sh" > "$TMPDIR/out" 2>&1 < /dev/null &
  demo=$!
  for _ in $(seq 100); do
    ! grep -q 'The daemon runs' "$TMPDIR/out" || break
    sleep 0.1
  done
  daemon=$(sed -n 's/^The daemon runs (process \([0-9]*\)).*/\1/p' "$TMPDIR/out")
  [ -n "$daemon" ]
  kill -TERM "$demo"
  wait "$demo"
  [ ! -e "/proc/$daemon" ]
  [ -z "$(find "$TMPDIR" -maxdepth 1 -name 'belfry-demo.*')" ]
}

@test "without a build it says what to do" {
  BELFRY_BIN=/nonexistent run "$root/scripts/run.sh"
  [ "$status" -eq 1 ]
  [[ $output == *"try 'make build'"* ]]
}
