#!/bin/bash
# Look at every C file and script with the tools that find mistakes without running anything.
# usage: scripts/lint.sh BUILD-FOLDER   (one with tests, so that it knows how each file is compiled)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

build=$1
status=0
mapfile -t sources < <(git ls-files '*.c' '*.h')
mapfile -t scripts < <(git ls-files '*.sh' '.ci/run')
# The program itself, as this folder compiles it.
mapfile -t compiled < <(jq -r '.[].file' "$build/compile_commands.json" |
  sed 's,^\.\./,,' | grep '^src/.*\.c$' | sort -u)

step() {
  local name=$1 log
  shift
  log=$(mktemp)
  if "$@" > "$log" 2>&1; then
    echo "ok    $name"
  else
    echo "FAIL  $name"
    cat "$log"
    status=1
  fi
  rm -f "$log"
}

# shellcheck disable=SC2317 # called through step
tidy() {
  # clang does not know every warning flag that the build gives to gcc.
  printf '%s\0' "${compiled[@]}" | xargs -0 -P "$(nproc)" -n 8 \
    clang-tidy-14 --quiet -p "$build" --warnings-as-errors='*' \
    --extra-arg=-Wno-unknown-warning-option
}

step clang-format clang-format-14 --dry-run -Werror "${sources[@]}"
step clang-tidy tidy
# ctuPointerArith takes a text that grows within its buffer for one that leaves it.
step cppcheck cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 -Isrc \
  --enable=warning,portability --suppress=missingIncludeSystem --suppress=ctuPointerArith \
  -D_GNU_SOURCE src
step shellcheck shellcheck "${scripts[@]}"
exit $status
