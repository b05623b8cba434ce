#!/usr/bin/env bats
# What reads answers for the end-to-end tests says what jq says, word for word.

setup() {
  pick=${BELFRY_BUILD_TEST:-$BATS_TEST_DIRNAME/../../build-test}/test/e2e/pick
}

# as_jq INPUT ARGUMENT...: the same output, errors and status.
as_jq() {
  local input=$1 want got
  shift
  want=$(printf '%s' "$input" | jq "$@" 2>&1; echo "status $?")
  got=$(printf '%s' "$input" | "$pick" "$@" 2>&1; echo "status $?")
  [ "$want" = "$got" ] || { printf 'jq %s on %s\nwant: %s\n got: %s\n' "$*" "$input" "$want" "$got" >&2; return 1; }
}

@test "one value at a path, and what is left to jq" {
  input='{"id":"r-1","n":5,"big":12345678901234567890,"x":1.5,"e":2e3,"neg":-3,"b":true,"nul":null,
    "o":{"a":[1,{"k":"ä\n\"q\""}]},"l":[]}'
  for filter in .id .n .big .x .e .neg .b .nul .o .o.a '.o.a[0]' '.o.a[1].k' '.o.a[7].z' .missing.deep .id.x '.l[0]' \
    length . '.[0]' '.o.a[]' .n.x .l.a '.nul[0]' ..id '.o.a.[1]' '.o[0]' .0; do
    as_jq "$input" -r "$filter"
  done
}

@test "lists, nothing, several values and what is no JSON" {
  as_jq '[1,2]' -r length
  as_jq '[{"id":"a"}]' -r '.[0].id'
  as_jq '[]' -r '.[0].id'
  as_jq '[[1]]' -r '.[0][0]'
  for input in '' null garbage '"text"' '{"id":1}{"id":2}' '{"id":1,"id":2}' $'{"id":"x"}\n'; do
    as_jq "$input" -r .id
    as_jq "$input" -r length
  done
  as_jq '{"a":"b"}' .a
  as_jq '{"a":"b"}' -c '[.a]'
}
