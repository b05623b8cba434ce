#!/bin/bash
# Measure the figures Belfry wants to reach, each beside a peer or a raw limit of the same run.
# usage: bench/run.sh [NAME...]   of: schedule idle cli fires adds million postgres; all by default
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
names=(schedule idle cli fires adds million postgres)
wanted=("$@")
started=$SECONDS
export TZ=UTC BELFRY_NO_AUTOSTART=1
unset BELFRY_STORE XDG_RUNTIME_DIR
touch "$rows"

cleanup() {
  local lock
  for lock in "$scratch"/*/belfry.lock; do
    [ ! -e "$lock" ] || BELFRY_HOME=$(dirname "$lock") "$belfry" daemon stop > /dev/null 2>&1 || true
  done
  rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
  printf '[%3ds] %s\n' $((SECONDS - started)) "$*" >&2
}

calc() {
  awk "BEGIN { printf \"%.${2:-2}f\", $1 }"
}

# row WHAT BELFRY UNIT BESIDE BESIDE_VALUE REACH CONDITION: CONDITION is about v (ours), b (beside)
# and r (ours / beside's), as awk reads it.
row() {
  local what=$1 value=$2 unit=$3 beside=$4 peer=$5 reach=$6 condition=$7 ratio=- reached=-
  if [ -n "$peer" ]; then
    ratio=$(awk "BEGIN { printf \"%.3g\", $peer ? $value / $peer : 0 }")
  fi
  if [ -n "$condition" ]; then
    reached=$(awk -v v="$value" -v b="${peer:-0}" -v r="${ratio/-/0}" \
      "BEGIN { print ($condition) ? \"yes\" : \"no\" }")
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$what" "$value" "$unit" "$beside" "${peer:--}" \
    "$ratio" "$reach" "$reached" >> "$rows"
}

# start_daemon NAME: a home and a daemon in it. Sets home, socket, pid, start_ms.
start_daemon() {
  home=$scratch/$1
  socket=$home/belfry.sock
  mkdir -p -m 0700 "$home"
  export BELFRY_HOME=$home
  read -r start_ms pid < <("$tools/socket-bench" start "$socket" "$belfry" daemon run 2>> "$home/log")
}

stop_daemon() {
  "$belfry" daemon stop > /dev/null
}

rss_kb() {
  awk '/^VmRSS/ { print $2 }' "/proc/$1/status"
}

# reminders_at COUNT INSTANT: lines for import; every one fires at INSTANT (epoch seconds), daily.
reminders_at() {
  awk -v n="$1" -v rule="$(date -u -d "@$2" '+FREQ=DAILY;BYHOUR=%-H;BYMINUTE=%-M;BYSECOND=%-S')" '
    BEGIN {
      for (i = 0; i < n; i++)
        printf "{\"agent\":\"me\",\"message\":\"look at number %d\",\"rrule\":\"%s\",\"tz\":\"UTC\"}\n",
          i, rule
    }'
}

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
[ -x "$belfry" ] && [ -x "$tools/raw-bench" ] || {
  echo "bench: '$build' is not built; try 'make bench'" >&2
  exit 1
}
load=$(cut -d ' ' -f 1-3 /proc/loadavg)
say "$(machine); load $load"
! is_wanted idle || idle_begin
for name in "${names[@]}"; do
  if is_wanted "$name" && [ "$name" != idle ]; then
    say "$name"
    "bench_$name"
  fi
done
! is_wanted idle || idle_end
print_table
write_json "$load"
say "written to ${here#"$PWD"/}/results/latest.json"
