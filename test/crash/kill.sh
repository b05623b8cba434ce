#!/bin/bash
# The real daemon, killed a hundred times on SQLite and fifteen times on PostgreSQL while reminders
# are due, clients ask and commands run: nothing is lost, nothing doubled (see kill.py, oracle.py).
# usage: kill.sh [KILLS [KILLS-ON-POSTGRES]]
# The release build is killed where there is one: it is faster, so more happens between two kills.
set -uo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
export CRASH_LIBRARY=${BELFRY_BUILD_TEST:-$root/build-test}/test/crash/libdie.so
logs=$(mktemp -d "${TMPDIR:-/tmp}/belfry-kill.XXXXXX")
trap 'rm -rf "$logs"' EXIT
if [ -x "$root/build/src/cli/belfry" ]; then
  BELFRY_BIN=$root/build/src/cli/belfry
fi
export BELFRY_BIN=${BELFRY_BIN:-$root/build-test/src/cli/belfry}
if [ ! -e "$CRASH_LIBRARY" ] || [ ! -x "$BELFRY_BIN" ]; then
  echo "kill: '$CRASH_LIBRARY' or '$BELFRY_BIN' is not built; try 'make test'" >&2
  echo '0 passed, 1 failed'
  exit 1
fi

unset BELFRY_TEST_POSTGRES
# Both at once: a killed daemon mostly waits for its next instant.
/usr/bin/python3 "$root/test/crash/kill.py" "${1:-100}" > "$logs/sqlite" 2>&1 &
sqlite=$!
"$root/test/with-postgres.sh" /usr/bin/python3 "$root/test/crash/kill.py" "${2:-15}" \
  > "$logs/postgres" 2>&1
statuses=$?
wait "$sqlite"
statuses+=" $?"

sed '/^[0-9]* passed, [0-9]* failed$/d' "$logs/sqlite" "$logs/postgres"
# A part that died before its sum counts as one failure.
awk -v parts=2 '/^[0-9]+ passed, [0-9]+ failed$/ { seen++; passed += $1; failed += $3 }
  END { failed += parts - seen; print passed + 0 " passed, " failed " failed" }' \
  "$logs/sqlite" "$logs/postgres"
[ "$statuses" = "0 0" ]
