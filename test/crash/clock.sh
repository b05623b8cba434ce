#!/bin/bash
# Set the clock, to what it says, under the real daemon (see clock.py).
root=$(cd "$(dirname "$0")/../.." && pwd)
export BELFRY_BIN=${BELFRY_BIN:-$root/build-test/src/cli/belfry}
if [ -x "$root/build/src/cli/belfry" ]; then
  BELFRY_BIN=$root/build/src/cli/belfry
fi
exec /usr/bin/python3 "$root/test/crash/clock.py"
