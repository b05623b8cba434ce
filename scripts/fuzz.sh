#!/bin/bash
# Run every fuzzer for a while, each from its corpus. What it learns stays in the build folder; an
# input that breaks something is named, and ends the run with an error. Then the real daemon is asked for
# every request there is, by each of its doors (test/fuzz/requests.py): the seed replays what it found.
# usage: scripts/fuzz.sh BUILD-FOLDER SECONDS [NAME...]
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
seconds=$2
shift 2
status=0
found=0

for program in "$build"/test/fuzz/fuzz-*; do
  name=$(basename "$program")
  name=${name#fuzz-}
  if [ ! -f "$program" ] || [ ! -x "$program" ]; then
    continue
  fi
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  found=$((found + 1))
  learned=$build/corpus/$name
  mkdir -p "$learned"
  corpora=("$learned")
  [ ! -d "$root/test/fuzz/corpus/$name" ] || corpora+=("$root/test/fuzz/corpus/$name")
  echo "fuzz: $name for ${seconds}s"
  if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/found-$name-" "${corpora[@]}" > "$build/fuzz-$name.log" 2>&1; then
    grep -h '^Done ' "$build/fuzz-$name.log"
  else
    status=1
    echo "fuzz: $name FAILED:" >&2
    tail -n 40 "$build/fuzz-$name.log" >&2
  fi
done
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0} UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}
for door in socket stdio http; do
  [ $# -eq 0 ] || [[ " $* " == *" requests "* ]] || continue
  found=$((found + 1))
  echo "fuzz: requests by $door for ${seconds}s"
  /usr/bin/python3 "$root/test/fuzz/requests.py" "$root/build-test/src/cli/belfry" --seconds "$seconds" \
    --doors "$door" || status=1
done
if [ "$found" -eq 0 ]; then
  echo "fuzz: no fuzzer in '$build/test/fuzz'" >&2
  exit 1
fi
exit $status
