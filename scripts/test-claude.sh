#!/bin/bash
# The real Claude Code against a stand-in for its model: installs the client once into build-claude/.
set -euo pipefail

version=2.1.325 # named, since npm picks a much older one on an older Node
cd "$(dirname "$0")/.."
client=$PWD/build-claude/node_modules/.bin
if [ ! -x "$client/claude" ]; then
  echo "test-claude: installing Claude Code $version into build-claude/ (about 350 MB)"
  mkdir -p build-claude
  npm install --prefix build-claude --no-audit --no-fund --silent "@anthropic-ai/claude-code@$version"
fi
CLAUDE_BIN=$client BELFRY_BIN=${BELFRY_BIN:-$PWD/build/src/cli/belfry} \
  LOOK_TOOL=${LOOK_TOOL:-$PWD/build-test/test/claude/look-tool} bats test/claude
