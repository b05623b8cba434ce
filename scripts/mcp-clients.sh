#!/bin/bash
# The real clients of MCP that tests use, at pinned versions: installed once into build-mcp/, and again when
# test/mcp/package-lock.json is another one.
set -euo pipefail

cd "$(dirname "$0")/.."
folder=$PWD/build-mcp
if cmp -s test/mcp/package-lock.json "$folder/installed"; then exit 0; fi
echo "mcp-clients: installing the SDK, the conformance suite and their Node into build-mcp/ (about 240 MB)"
mkdir -p "$folder"
rm -f "$folder/installed"
cp test/mcp/package.json test/mcp/package-lock.json "$folder"
# Node itself comes with its folder, without the scripts of packages.
npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error > /dev/null
# Last, and as a whole: what was cut off is done again.
cp test/mcp/package-lock.json "$folder/installed.new"
mv "$folder/installed.new" "$folder/installed"
