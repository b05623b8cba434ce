#!/usr/bin/env bats
# The test runner itself: a runner that overlooks a failure is worse than none.

setup() {
  tree=$BATS_TEST_TMPDIR/tree
  mkdir -p "$tree/scripts" "$tree/test"
  cp "$BATS_TEST_DIRNAME/../../scripts/test.sh" "$tree/scripts/"
  unset BELFRY_BUILD_TEST
  export JOBS=2
}

# program NAME: a test whose body comes from standard input.
program() {
  { echo '#!/bin/bash'; cat; } > "$tree/$1.sh"
  chmod +x "$tree/$1.sh"
  echo "test('$1', find_program('./$1.sh'), suite: 'unit', timeout: ${2:-30}, env: ['WORD=a b'])" \
    >> "$tree/meson.build.tests"
}

# A process that ended but was not collected yet is not running.
is_running() {
  [ -e "/proc/$1/stat" ] && [ "$(cut -d ' ' -f 3 "/proc/$1/stat")" != Z ]
}

# Build the tree and run the runner; $last is its last line.
run_tests() {
  { echo "project('x')"; cat "$tree/meson.build.tests" 2> /dev/null || true; } > "$tree/meson.build"
  meson setup "$tree/build-test" "$tree" > "$tree/setup.log"
  run "$tree/scripts/test.sh" "$@"
  last=${lines[-1]}
}

@test "passing tests are summed over every way of counting" {
  program cmocka <<< 'printf "[==========] 3 test(s) run.\n[  PASSED  ] 3 test(s).\n"'
  program tap <<< 'printf "1..3\nok 1 a\nok 2 b\nok 3 c # skip no time\n"'
  program sum <<< 'printf "1 passed, 0 failed\nseed 7: 40 passed, 0 failed\n"'
  run_tests
  [ "$status" -eq 0 ]
  [ "$last" = '45 passed, 0 failed' ]
  [[ $output == *'ok    unit/tap'*'2 passed, 1 skipped'* ]]
}

@test "a failing program is counted test by test and shows its log" {
  program cmocka << 'EOF'
printf '[  ERROR   ] --- the reason\n[  PASSED  ] 2 test(s).\n'
printf '[  FAILED  ] 2 test(s), listed below:\n[  FAILED  ] a\n[  FAILED  ] b\n\n 2 FAILED TEST(S)\n'
exit 2
EOF
  run_tests
  [ "$status" -ne 0 ]
  [ "$last" = '2 passed, 2 failed' ]
  [[ $output == *'| [  ERROR   ] --- the reason'* ]]
}

@test "not ok is a failure even with exit status 0" {
  program tap <<< 'printf "1..2\nok 1 a\nnot ok 2 b\n"'
  run_tests
  [ "$status" -ne 0 ]
  [ "$last" = '1 passed, 1 failed' ]
}

@test "a sum with failures is a failure even with exit status 0" {
  program sum <<< 'echo "7 passed, 2 failed"'
  run_tests
  [ "$status" -ne 0 ]
  [ "$last" = '7 passed, 2 failed' ]
}

@test "results missing from a plan are failures" {
  program tap <<< 'printf "1..3\nok 1 a\n"'
  run_tests
  [ "$status" -ne 0 ]
  [ "$last" = '1 passed, 2 failed' ]
}

@test "a crash after passing tests is a failure" {
  program crash <<< 'echo "[  PASSED  ] 1 test(s)."; kill -SEGV $$'
  run_tests
  [ "$status" -ne 0 ]
  [ "$last" = '1 passed, 1 failed' ]
}

@test "a program in which no test was seen is a failure" {
  program silent <<< 'echo hello'
  run_tests
  [ "$status" -ne 0 ]
  [ "$last" = '0 passed, 1 failed' ]
  [[ $output == *'reported no test'* ]]
}

@test "a program that cannot be started is a failure" {
  program gone <<< 'echo "1 passed, 0 failed"'
  run_tests
  rm "$tree/gone.sh"
  run "$tree/scripts/test.sh"
  [ "$status" -ne 0 ]
  [ "${lines[-1]}" = '0 passed, 1 failed' ]
}

@test "out of time is a failure, and what was started ends" {
  program slow 4 << 'EOF'
echo '1 passed, 0 failed'
sleep 777 &
echo $! > "$(dirname "$0")/child"
wait
EOF
  run_tests
  [ "$status" -ne 0 ]
  [ "$last" = '1 passed, 1 failed' ]
  [[ $output == *'out of time'* ]]
  # it was told to end, which may take it a moment
  for _ in $(seq 300); do
    is_running "$(cat "$tree/child")" || break
    sleep 0.1
  done
  ! is_running "$(cat "$tree/child")"
}

@test "a log cannot pass for the result" {
  program liar <<< 'echo "[  PASSED  ] 1 test(s)."; echo "x 99 passed, 0 failed"; exit 1'
  run_tests
  [ "$status" -ne 0 ]
  [ "$last" = '1 passed, 1 failed' ]
}

@test "environment and folder of a test are as meson says" {
  program env <<< '[ "$WORD" = "a b" ] && [ -f build.ninja ] && echo "1 passed, 0 failed"'
  run_tests
  [ "$last" = '1 passed, 0 failed' ]
}

@test "only suites that match are run; none is an error" {
  program one <<< 'echo "1 passed, 0 failed"'
  program two <<< 'echo "2 passed, 0 failed"'
  run_tests two
  [ "$last" = '2 passed, 0 failed' ]
  run "$tree/scripts/test.sh" three
  [ "$status" -ne 0 ]
  [ "${lines[-1]}" = '0 passed, 1 failed' ]
}

@test "end-to-end files run on both stores, crash scripts once" {
  mkdir -p "$tree/test/e2e" "$tree/test/crash"
  for name in a b c; do
    echo "@test '$name' { [ \"\$BELFRY_TEST_STORE\" = sqlite ] || [ \"\$SERVER\" = yes ]; }" \
      > "$tree/test/e2e/$name.bats"
  done
  printf '#!/bin/bash\nSERVER=yes exec "$@"\n' > "$tree/test/with-postgres.sh"
  printf '#!/bin/bash\necho "10 passed, 0 failed"\n' > "$tree/test/crash/kill.sh"
  chmod +x "$tree/test/with-postgres.sh" "$tree/test/crash/kill.sh"
  run_tests
  [ "$status" -eq 0 ]
  [ "$last" = '16 passed, 0 failed' ]
  [[ $output == *'ok    e2e/postgres c '* ]]
}

@test "a file of end-to-end tests that has no store in it runs on SQLite only" {
  mkdir -p "$tree/test/e2e"
  printf "e2e_shown_once=1\n@test 'a' { [ \"\$BELFRY_TEST_STORE\" = sqlite ]; }\n" > "$tree/test/e2e/a.bats"
  run_tests
  [ "$status" -eq 0 ]
  [ "$last" = '1 passed, 0 failed' ]
}

@test "a file of end-to-end tests may name the part that PostgreSQL shows something of" {
  mkdir -p "$tree/test/e2e"
  printf '#!/bin/bash\nexec "$@"\n' > "$tree/test/with-postgres.sh"
  chmod +x "$tree/test/with-postgres.sh"
  printf "e2e_on_postgres='tw|x'\n@test 'one' { true; }\n@test 'two' { true; }\n" > "$tree/test/e2e/a.bats"
  run_tests
  [ "$status" -eq 0 ]
  [ "$last" = '3 passed, 0 failed' ]
}

@test "what a file names for PostgreSQL is there" {
  for file in "$BATS_TEST_DIRNAME"/../e2e/*.bats; do
    while IFS= read -r part; do
      grep -q "^@test .*$part" "$file" || { echo "$file: no test '$part'"; false; }
    done < <(sed -n "s/^e2e_on_postgres='\(.*\)'$/\1/p" "$file" | tr '|' '\n')
  done
}

@test "on SQLite commands are the release build's, where there is one, and daemons never are" {
  mkdir -p "$tree/test/e2e" "$tree/build/src/cli"
  echo "@test 'a' { echo \"\$BELFRY_BIN \${BELFRY_TEST_CLI:-none} \${BELFRY_TEST_SUCCESSOR:-none}\" > '$tree/seen'; }" \
    > "$tree/test/e2e/a.bats"
  unset BELFRY_BIN BELFRY_TEST_CLI BELFRY_TEST_SUCCESSOR
  run_tests sqlite
  [ "$(cat "$tree/seen")" = "$tree/build-test/src/cli/belfry none none" ]
  mkdir -p "$tree/build-test/test/e2e"
  touch "$tree/build/src/cli/belfry" "$tree/build-test/test/e2e/libsuccessor.so"
  chmod +x "$tree/build/src/cli/belfry"
  run "$tree/scripts/test.sh" sqlite
  [ "$status" -eq 0 ]
  [ "$(cat "$tree/seen")" = "$tree/build-test/src/cli/belfry $tree/build/src/cli/belfry $tree/build-test/test/e2e/libsuccessor.so" ]
}

@test "what failed is shown first, then the whole log; nothing is tried again" {
  program tap << 'EOF'
echo run >> "$(dirname "$0")/runs"
echo 1..200
for i in {1..199}; do echo "ok $i fine"; done
printf 'not ok 200 broken\n# the reason\n'
exit 1
EOF
  run_tests
  [ "$status" -ne 0 ]
  [ "$last" = '199 passed, 1 failed' ]
  [[ ${lines[0]} == 'FAIL  unit/tap '* ]]
  [ "${lines[1]}" = '    ! not ok 200 broken' ]
  [ "${lines[2]}" = '    ! # the reason' ]
  [ "${lines[3]}" = '    | 1..200' ]
  [ "$(cat "$tree/runs")" = run ]
}

@test "what must be alone goes first, then the longest, and what is not known in the middle" {
  for name in short long new; do
    program $name <<< "echo $name >> $tree/order; echo '1 passed, 0 failed'"
  done
  mkdir -p "$tree/test/crash"
  printf '#!/bin/bash\necho alone >> %q\necho "1 passed, 0 failed"\n' "$tree/order" > "$tree/test/crash/clock.sh"
  chmod +x "$tree/test/crash/clock.sh"
  printf '# seconds name\n1 unit/short\n90 unit/long\n' > "$tree/test/seconds"
  export JOBS=1
  run_tests
  [ "$status" -eq 0 ]
  [ "$(tr '\n' ' ' < "$tree/order")" = 'alone long new short ' ]
}

@test "without a build it says so" {
  run "$tree/scripts/test.sh"
  [ "$status" -ne 0 ]
  [[ $output == *"try 'make test'"* ]]
}
