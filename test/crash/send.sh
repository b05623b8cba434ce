#!/bin/bash
# A daemon that is killed again and again while others send (see send.py). What it shows is the same on both databases.
set -uo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BELFRY_BUILD_TEST:-$root/build-test}
export CRASH_LIBRARY=$build/test/crash/libdie.so
export BELFRY_BIN=${BELFRY_BIN:-$build/src/cli/belfry}
if [ -x "$root/build/src/cli/belfry" ]; then
  BELFRY_BIN=$root/build/src/cli/belfry
fi
if [ ! -e "$CRASH_LIBRARY" ] || [ ! -x "$BELFRY_BIN" ]; then
  echo "send: '$CRASH_LIBRARY' or '$BELFRY_BIN' is not built" >&2
  echo "hint: make test" >&2
  echo '0 passed, 1 failed'
  exit 1
fi
cd "$root/test/crash" || exit 1
exec /usr/bin/python3 send.py
