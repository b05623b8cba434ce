#!/bin/bash
# A daemon that is killed between every two steps of a message, on both databases (see message.py).
set -uo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BELFRY_BUILD_TEST:-$root/build-test}
export CRASH_LIBRARY=$build/test/crash/libdie.so
export BELFRY_BIN=${BELFRY_BIN:-$build/src/cli/belfry}
if [ -x "$root/build/src/cli/belfry" ]; then
  BELFRY_BIN=$root/build/src/cli/belfry
fi
if [ ! -e "$CRASH_LIBRARY" ] || [ ! -x "$BELFRY_BIN" ]; then
  echo "message: '$CRASH_LIBRARY' or '$BELFRY_BIN' is not built" >&2
  echo "hint: make test" >&2
  echo '0 passed, 1 failed'
  exit 1
fi
cd "$root/test/crash" || exit 1
log=$(mktemp "${TMPDIR:-/tmp}/belfry-message.XXXXXX")
trap 'rm -f "$log"' EXIT
failed=0
env -u BELFRY_TEST_POSTGRES /usr/bin/python3 message.py > "$log" 2>&1 || failed=1
../with-postgres.sh /usr/bin/python3 message.py >> "$log" 2>&1 || failed=1
sed '/^[0-9]* passed, [0-9]* failed$/d' "$log"
# A part that died before its sum counts as one failure.
awk '/^[0-9]+ passed, [0-9]+ failed$/ { seen++; passed += $1; failed += $3 }
  END { failed += 2 - seen; print passed + 0 " passed, " failed " failed" }' "$log"
exit $failed
