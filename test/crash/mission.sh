#!/bin/bash
# Missions whose daemon, nursery, wrapper and agent are killed: between every two steps of a start
# and an end, and at random with crons and tasks due all along; both on SQLite and on PostgreSQL. No
# attempt runs twice, nothing is lost, nobody is left (see mission_steps.py, mission_kills.py).
# usage: mission.sh [KILLS [KILLS-ON-POSTGRES]]
set -uo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BELFRY_BUILD_TEST:-$root/build-test}
export CRASH_LIBRARY=$build/test/crash/libdie.so CRASH_AGENT=$build/test/agent/test-agent
logs=$(mktemp -d "${TMPDIR:-/tmp}/belfry-mission.XXXXXX")
trap 'rm -rf "$logs"' EXIT
if [ -x "$root/build/src/cli/belfry" ]; then
  BELFRY_BIN=$root/build/src/cli/belfry
fi
export BELFRY_BIN=${BELFRY_BIN:-$build/src/cli/belfry}
if [ ! -e "$CRASH_LIBRARY" ] || [ ! -x "$CRASH_AGENT" ] || [ ! -x "$BELFRY_BIN" ]; then
  echo "mission: '$CRASH_LIBRARY', '$CRASH_AGENT' or '$BELFRY_BIN' is not built" >&2
  echo "hint: make test" >&2
  echo '0 passed, 1 failed'
  exit 1
fi
cd "$root/test/crash" || exit 1
unset BELFRY_TEST_POSTGRES

# part NAME COMMAND...: all at once, for they mostly wait.
parts=()
pids=()
part() {
  parts+=("$logs/$1")
  "${@:2}" > "$logs/$1" 2>&1 &
  pids+=($!)
}
part 1-steps /usr/bin/python3 mission_steps.py
part 2-steps-on-postgres ../with-postgres.sh /usr/bin/python3 mission_steps.py
part 3-kills /usr/bin/python3 mission_kills.py "${1:-60}"
part 4-kills-on-postgres ../with-postgres.sh /usr/bin/python3 mission_kills.py "${2:-30}"
failed=0
for pid in "${pids[@]}"; do
  wait "$pid" || failed=1
done

sed '/^[0-9]* passed, [0-9]* failed$/d' "${parts[@]}"
# A part that died before its sum counts as one failure.
awk -v parts=${#parts[@]} '/^[0-9]+ passed, [0-9]+ failed$/ { seen++; passed += $1; failed += $3 }
  END { failed += parts - seen; print passed + 0 " passed, " failed " failed" }' "${parts[@]}"
exit $failed
