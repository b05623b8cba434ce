#!/bin/bash
# Run every suite there is and count the tests in it.
# usage: scripts/test.sh [PATTERN...]   only suites whose name contains one of the patterns
#
# The build in build-test/ says which programs it has; the other suites are found by their files:
# simulation, end-to-end (on both stores), crash, and the project's own scripts. A suite is quiet
# when it passes and shows its whole log when it does not. One that dies, or in which no test was
# seen, counts as a failure. The last line is the sum.
# JOBS sets how many suites run at a time (default: twice the number of processors, since half of them
# wait more than they work).
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BELFRY_BUILD_TEST:-$root/build-test}
jobs_max=${JOBS:-$(($(nproc) * 2))}
patterns=("$@")
logs=$(mktemp -d "${TMPDIR:-/tmp}/belfry-test.XXXXXX")
passed_total=0
failed_total=0
running=0
failed_line='^not ok|^\[  FAILED  \]|Sanitizer|^FAIL|[Aa]ssert'
declare -A name_of start_of # by pid

export BELFRY_BIN=${BELFRY_BIN:-$build/src/cli/belfry}
export TEST_AGENT=${TEST_AGENT:-$build/test/agent/test-agent}
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0}
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

# suite NAME SECONDS COMMAND...: start it when there is room.
suite() {
  local name=$1 limit=$2
  shift 2
  wanted "$name" || return 0
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

suite_alone() {
  reap_all
  suite "$@"
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

# bats files in as many shards as run at a time; every shard has a PostgreSQL of its own. The longest
# files are dealt first, each to the shard that has the least, so that none is waited for. On SQLite
# the program has the sanitizers in it, on PostgreSQL it is the release build, as people run it.
e2e_suites() {
  local store=$1 program=$2 shards shard name
  local -a files=(test/e2e/*.bats) mine with=()
  [ -e "${files[0]}" ] || return 0
  if [ "$store" = postgres ]; then
    with=(test/with-postgres.sh)
  fi
  shards=$((${#files[@]} < jobs_max ? ${#files[@]} : jobs_max))
  for ((shard = 0; shard < shards; shard++)); do
    mapfile -t mine < <(wc -l "${files[@]}" | sort -rn | awk -v shards="$shards" -v wanted="$shard" '
      $2 == "total" { next }
      {
        least = 0
        for (i = 1; i < shards; i++) if (sum[i] + 0 < sum[least] + 0) least = i
        sum[least] += $1
        if (least == wanted) print $2
      }')
    name="e2e/$store"
    [ "$shards" -eq 1 ] || name+=" $((shard + 1)) of $shards"
    suite "$name" 1800 env BELFRY_TEST_STORE="$store" BELFRY_BIN="$program" "${with[@]}" bats --tap "${mine[@]}"
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
if [ -x "$build/test/sim/sim" ] &&
  ! meson introspect --tests "$build" | grep -q '/test/sim/sim"'; then
  suite sim 1800 "$build/test/sim/sim"
fi
e2e_suites sqlite "$BELFRY_BIN"
e2e_suites postgres "$root/build/src/cli/belfry"
script_suites
reap_all
if [ $((passed_total + failed_total)) -eq 0 ]; then
  echo "test: no suite matches '${patterns[*]}'" >&2
  failed_total=1
fi
echo "all suites: $(seconds_since "$started")"
echo "$passed_total passed, $failed_total failed"
[ "$failed_total" -eq 0 ]
