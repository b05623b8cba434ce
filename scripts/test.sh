#!/bin/bash
# Run every suite there is and count the tests in it.
# usage: scripts/test.sh [PATTERN...]   only suites whose name contains one of the patterns
#
# The build in build-test/ says which programs it has; the other suites are found by their files:
# simulation, end-to-end (on both stores), crash, and the project's own scripts. A suite is quiet
# when it passes; when it does not it shows what failed, then its whole log. One that dies, or in
# which no test was seen, counts as a failure; nothing is tried twice. The last line is the sum.
# Suites that must be alone go first, while nobody has to be waited for; then the longest by
# test/seconds, so that none is left over at the end.
# JOBS sets how many suites run at a time (default: twice the number of processors and one, since most of them
# wait more than they work).
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BELFRY_BUILD_TEST:-$root/build-test}
jobs_max=${JOBS:-$(($(nproc) * 2 + 1))}
patterns=("$@")
logs=$(mktemp -d "${TMPDIR:-/tmp}/belfry-test.XXXXXX")
passed_total=0
failed_total=0
running=0
failed_line='^not ok|^\[  (ERROR |FAILED)  \]|Sanitizer|^FAIL|[Aa]ssert'
declare -A name_of start_of # by pid
declare -a alone=() planned=() # suites to be run: name, limit and command, quoted
declare -A seconds_of

export BELFRY_BIN=${BELFRY_BIN:-$build/src/cli/belfry}
export TEST_AGENT=${TEST_AGENT:-$build/test/agent/test-agent}
# Tests have characters in them that are read when their file is, not when they run.
export LC_ALL=C.UTF-8
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0}
# One empty cluster, made by whoever needs it first.
export BELFRY_TEST_POSTGRES_TEMPLATE=$logs/cluster
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}
cd "$root" || exit 1

# What the suites started is ended with us, whatever ends us.
cleanup() {
  local pid
  for pid in "${!name_of[@]}"; do
    kill -TERM -- "-$pid" 2> /dev/null
  done
  rm -rf "$logs"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

wanted() {
  local pattern
  [ ${#patterns[@]} -gt 0 ] || return 0
  for pattern in "${patterns[@]}"; do
    [[ $1 == *"$pattern"* ]] && return 0
  done
  return 1
}

log_of() {
  echo "$logs/$(tr -c 'A-Za-z0-9\n' _ <<< "$1")"
}

now() {
  date +%s.%N
}

seconds_since() {
  awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1fs", b - a }'
}

# Print "PASSED FAILED SKIPPED" from what a suite wrote, by whichever of the four ways it counts.
count() {
  awk '
    /(^|: )[0-9]+ passed, [0-9]+ failed$/ { sum = 1; sum_ok = $(NF - 3); sum_bad = $(NF - 1) }
    /^\[  PASSED  \] [0-9]+ test\(s\)/ { cmocka = 1; cm_ok += $4 }
    /^\[  FAILED  \] [0-9]+ test\(s\)/ { cmocka = 1; cm_bad += $4 }
    /^\[  SKIPPED \] [0-9]+ test\(s\)/ { cm_skip += $4 }
    /^ok [0-9]+/ { if (tolower($0) ~ /# skip/) tap_skip++; else tap_ok++ }
    /^not ok [0-9]+/ { if (tolower($0) !~ /# todo/) tap_bad++ }
    END {
      if (sum) print sum_ok, sum_bad, 0
      else if (cmocka) print cm_ok + 0, cm_bad + 0, cm_skip + 0
      else print tap_ok + 0, tap_bad + 0, tap_skip + 0
    }' "$1"
}

# A plan of 5 and 3 results: the other two did not run.
tap_missing() {
  awk '/^1\.\.[0-9]+$/ { plan += substr($0, 4) } /^(not )?ok [0-9]+/ { seen++ }
    END { print (plan > seen + 0 ? plan - seen : 0) }' "$1"
}

report() {
  local name=$1 status=$2 seconds=$3 log passed failed skipped note='' missing
  log=$(log_of "$name")
  read -r passed failed skipped < <(count "$log")
  missing=$(tap_missing "$log")
  if [ "$missing" -gt 0 ]; then
    note=", $missing did not run"
    failed=$((failed + missing))
  fi
  [ "$skipped" -eq 0 ] || note+=", $skipped skipped"
  if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
    note+=', out of time'
  fi
  if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
    failed=1
    note+=", exit status $status"
  elif [ "$status" -eq 0 ] && [ $((passed + failed)) -eq 0 ]; then
    failed=1
    note+=', reported no test'
  fi
  passed_total=$((passed_total + passed))
  failed_total=$((failed_total + failed))
  if [ "$failed" -eq 0 ]; then
    printf 'ok    %-28s %7d passed%s  %s\n' "$name" "$passed" "$note" "$seconds"
    return
  fi
  printf 'FAIL  %-28s %7d passed, %d failed%s  %s\n' "$name" "$passed" "$failed" "$note" "$seconds"
  # What failed comes first: whoever reads only the beginning has it. All of it is indented, so that
  # no line of a log can be taken for our own.
  grep -E -A 6 "$failed_line" "$log" | head -n 60 | sed 's/^/    ! /'
  sed 's/^/    | /' "$log"
}

reap_one() {
  local pid='' status
  wait -n -p pid "${!name_of[@]}"
  status=$?
  running=$((running - 1))
  report "${name_of[$pid]}" "$status" "$(seconds_since "${start_of[$pid]}")"
  unset "name_of[$pid]" "start_of[$pid]"
}

reap_all() {
  while [ "$running" -gt 0 ]; do
    reap_one
  done
}

# suite NAME SECONDS COMMAND...: to be run; suite_alone: while no other does.
suite() {
  ! wanted "$1" || planned+=("${*@Q}")
}

suite_alone() {
  ! wanted "$1" || alone+=("${*@Q}")
}

# start NAME SECONDS COMMAND...: when there is room.
start() {
  local name=$1 limit=$2
  shift 2
  while [ "$running" -ge "$jobs_max" ]; do
    reap_one
  done
  # With job control on, it leads a process group of its own: when its time is up or ours is,
  # everything it started ends with it.
  set -m
  timeout --kill-after=10 "$limit" "$@" > "$(log_of "$name")" 2>&1 < /dev/null &
  set +m
  name_of[$!]=$name
  start_of[$!]=$(now)
  running=$((running + 1))
}

# What is not in the list (a new suite, another machine's) is taken for neither short nor long.
read_seconds() {
  local seconds name
  while read -r seconds name; do
    [[ $seconds == '#'* ]] || seconds_of[$name]=$seconds
  done < <(cat test/seconds 2> /dev/null)
}

run_all() {
  local line
  local -a words
  for line in "${alone[@]}"; do
    eval "words=($line)"
    start "${words[@]}"
    reap_all
  done
  while IFS=$'\t' read -r _ line; do
    eval "words=($line)"
    start "${words[@]}"
  done < <(for line in "${planned[@]}"; do
    eval "words=($line)"
    printf '%s\t%s\n' "${seconds_of[${words[0]}]:-10}" "$line"
  done | sort -s -k1,1nr)
  reap_all
}

# The programs meson knows: unit tests, oracles, replays of the fuzzers, the store on PostgreSQL.
meson_suites() {
  local name limit parallel directory
  local -a command
  # One test a line: name, limit, parallel, folder, then environment and command, all quoted.
  while IFS=$'\t' read -r name limit parallel directory command_text; do
    eval "command=($command_text)"
    if [ "$parallel" = true ]; then
      suite "$name" "$limit" env -C "$directory" "${command[@]}"
    else
      suite_alone "$name" "$limit" env -C "$directory" "${command[@]}"
    fi
  done < <(meson introspect --tests "$build" | jq -r --arg build "$build" '
    sort_by(-.priority)[] | [
      (((.suite[0] // "unit") | sub("^.*:"; "")) + "/" + .name),
      (if .timeout > 0 then .timeout else 600 end | tostring),
      (.is_parallel | tostring),
      (.workdir // $build),
      ([(.env | to_entries[] | .key + "=" + .value), .cmd[]] | @sh)
    ] | join("\t")')
}

# The worlds that are not the sanitized build's: see test/sim/meson.build.
sim_suites() {
  local sim=$root/build/test/sim/sim
  [ -x "$sim" ] || sim=$build/test/sim/sim
  [ -x "$sim" ] || return 0
  suite sim/more 900 "$sim" --seeds 201..600
  suite sim/selftest 600 "$sim" --selftest
  suite sim/year 600 "$sim" --year
}

# Every file of end-to-end tests is a suite, on both stores; on PostgreSQL each has a server of its
# own. On SQLite daemons and wrappers have the sanitizers in them, and the many commands that ask them
# do not (see helper.bash); on PostgreSQL all is the release build, as people run it.
e2e_suites() {
  local file name part release=$root/build/src/cli/belfry successor=$build/test/e2e/libsuccessor.so
  local -a quick=()
  if [ -x "$build/test/e2e/pick" ]; then
    export BELFRY_TEST_PICK=$build/test/e2e/pick
  fi
  if [ -x "$release" ] && [ -e "$successor" ]; then
    quick=("BELFRY_TEST_CLI=$release" "BELFRY_TEST_SUCCESSOR=$successor")
  fi
  for file in test/e2e/*.bats; do
    [ -e "$file" ] || return 0
    name=$(basename "$file" .bats)
    suite "e2e/sqlite $name" 1200 env BELFRY_TEST_STORE=sqlite "${quick[@]}" bats --tap "$file"
    # it would skip every test
    ! grep -q '^e2e_shown_once=' "$file" || continue
    # what it names by a part of its name; else all
    part=$(sed -n "s/^e2e_on_postgres='\(.*\)'$/\1/p" "$file")
    suite "e2e/postgres $name" 1200 env BELFRY_TEST_STORE=postgres BELFRY_BIN="$release" \
      test/with-postgres.sh bats --tap ${part:+--filter "$part"} "$file"
  done
}

# MCP by its official clients (scripts/mcp-clients.sh), and HTTP by raw bytes.
mcp_suites() {
  local file release=$root/build/src/cli/belfry successor=$build/test/e2e/libsuccessor.so
  local -a quick=()
  if [ -x "$release" ] && [ -e "$successor" ]; then
    quick=("BELFRY_TEST_CLI=$release" "BELFRY_TEST_SUCCESSOR=$successor")
  fi
  for file in test/mcp/*.bats; do
    [ ! -e "$file" ] || suite "mcp/$(basename "$file" .bats)" 600 env BELFRY_TEST_STORE=sqlite "${quick[@]}" bats --tap "$file"
  done
}

script_suites() {
  local file run
  for file in test/crash/*.sh; do
    run=suite
    # It sets the clock (to what it is), which wakes every daemon there is.
    [ "$file" != test/crash/clock.sh ] || run=suite_alone
    [ ! -x "$file" ] || $run "crash/$(basename "$file" .sh)" 1800 "$file"
  done
  for file in test/project/*.bats; do
    [ ! -e "$file" ] || suite "project/$(basename "$file" .bats)" 600 bats --tap "$file"
  done
}

if [ ! -f "$build/build.ninja" ]; then
  echo "test: '$build' is not built; try 'make test'" >&2
  echo '0 passed, 1 failed'
  exit 1
fi
started=$(now)
meson_suites
sim_suites
e2e_suites
mcp_suites
script_suites
read_seconds
run_all
if [ $((passed_total + failed_total)) -eq 0 ]; then
  echo "test: no suite matches '${patterns[*]}'" >&2
  failed_total=1
fi
echo "all suites: $(seconds_since "$started")"
echo "$passed_total passed, $failed_total failed"
[ "$failed_total" -eq 0 ]
