#!/bin/bash
# A dead daemon's last commit on PostgreSQL, arriving after the next daemon started (see late.py).
root=$(cd "$(dirname "$0")/../.." && pwd)
export BELFRY_BIN=${BELFRY_BIN:-$root/build-test/src/cli/belfry}
if [ -x "$root/build/src/cli/belfry" ]; then
  BELFRY_BIN=$root/build/src/cli/belfry
fi
exec "$root/test/with-postgres.sh" /usr/bin/python3 "$root/test/crash/late.py"
