#!/bin/bash
# A daemon that is killed while it types into live sessions (see live.py). The store does not matter
# to what is typed: on SQLite only, unless BELFRY_TEST_POSTGRES is set.
set -uo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BELFRY_BUILD_TEST:-$root/build-test}
export CRASH_LIBRARY=$build/test/crash/libdie.so
export TUI_AGENT=${TUI_AGENT:-$build/test/agent/tui-agent}
export BELFRY_BIN=${BELFRY_BIN:-$build/src/cli/belfry}
if [ -x "$root/build/src/cli/belfry" ]; then
  BELFRY_BIN=$root/build/src/cli/belfry
fi
for file in "$CRASH_LIBRARY" "$TUI_AGENT" "$BELFRY_BIN"; do
  if [ ! -e "$file" ]; then
    echo "live: '$file' is not built" >&2
    echo "hint: make test" >&2
    echo '0 passed, 1 failed'
    exit 1
  fi
done
cd "$root/test/crash" || exit 1
exec /usr/bin/python3 live.py
