#!/bin/bash
# Measure the figures Belfry wants to reach, each beside a peer or a raw limit of the same run.
# usage: bench/run.sh [NAME...]   of: schedule idle cli hook mcp fires adds million missions inbox live postgres; all by default
#
# Prints a table and writes bench/results/latest.json. Nothing here passes or fails: figures depend
# on the machine and on what else it does, so look at the ratios, and at the load that is printed.
# BENCH_BUILD is the build folder (build-bench), BENCH_SCRATCH where the stores are made: the disk
# that is measured (default: a folder in TMPDIR or /tmp).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
build=${BENCH_BUILD:-$root/build-bench}
belfry=$build/src/cli/belfry
tools=$build/bench
scratch=$(mktemp -d "${BENCH_SCRATCH:-${TMPDIR:-/tmp}}/belfry-bench.XXXXXX")
rows=$scratch/rows.tsv
export here root build belfry tools scratch rows
names=(schedule idle cli hook mcp fires adds million missions inbox live postgres)
wanted=("$@")
export TZ=UTC BELFRY_NO_AUTOSTART=1
unset BELFRY_STORE XDG_RUNTIME_DIR
touch "$rows"

# What was measured until then is shown however it ends.
finish() {
  local lock
  [ ! -s "$rows" ] || print_table
  [ ! -s "$rows" ] || write_json "$load"
  for lock in "$scratch"/*/belfry.lock; do
    [ ! -e "$lock" ] || BELFRY_HOME=$(dirname "$lock") "$belfry" daemon stop > /dev/null 2>&1 || true
  done
  for lock in "$scratch"/*/tmux.sock; do
    [ ! -e "$lock" ] || tmux -S "$lock" kill-server > /dev/null 2>&1 || true
  done
  rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# shellcheck source=bench/lib.sh
. "$here/lib.sh"
for file in "$here"/figures/*.sh; do
  # shellcheck source=/dev/null
  . "$file"
done

is_wanted() {
  [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]
}

machine() {
  local cpu
  cpu=$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)
  echo "$(nproc) × $cpu, $(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1048576 }' /proc/meminfo)," \
    "$(df --output=fstype "$scratch" | tail -1), Linux $(uname -r)"
}

write_json() {
  mkdir -p "$here/results"
  jq -R -s --arg machine "$(machine)" --arg date "$(date -u +%FT%TZ)" --arg load "$1" '
    {date: $date, machine: $machine, load: $load, figures: [split("\n")[] | select(. != "") |
      split("\t") | {what: .[0], belfry: (.[1] | tonumber), unit: .[2], beside: .[3],
        beside_value: (.[4] | tonumber? // null), ratio: (.[5] | tonumber? // null), reach: .[6],
        reached: ({"yes": true, "no": false}[.[7]])}]}' "$rows" > "$here/results/latest.json"
}

print_table() {
  {
    printf 'what\tbelfry\tunit\tbeside it\t\tratio\treach\treached\n'
    cat "$rows"
  } | column -t -s $'\t'
}

for name in "${wanted[@]}"; do
  if [[ " ${names[*]} " != *" $name "* ]]; then
    echo "bench: no figure '$name'; one of: ${names[*]}" >&2
    exit 2
  fi
done
if [ ! -x "$belfry" ] || [ ! -x "$tools/raw-bench" ]; then
  echo "bench: '$build' is not built; try 'make bench'" >&2
  exit 1
fi
load=$(cut -d ' ' -f 1-3 /proc/loadavg)
say "$(machine); load $load"
failed=()
! is_wanted idle || idle_begin
for name in "${names[@]}"; do
  if is_wanted "$name" && [ "$name" != idle ]; then
    say "$name"
    # In a shell of its own: one that fails leaves the others to be measured.
    set +e
    (set -e && "bench_$name")
    rc=$?
    set -e
    [ $rc -eq 0 ] || failed+=("$name")
  fi
done
! is_wanted idle || idle_end
say "written to ${here#"$PWD"/}/results/latest.json"
if [ ${#failed[@]} -gt 0 ]; then
  say "not measured to the end: ${failed[*]}"
  exit 1
fi
