#!/usr/bin/env bats
# scripts/setup.sh, with a package manager and a user of our own making.

setup() {
  script=$BATS_TEST_DIRNAME/../../scripts/setup.sh
  bin=$BATS_TEST_TMPDIR/bin
  mkdir "$bin"
  # Nothing but these is found, so nothing real can be installed.
  for tool in bash tr env sh mkdir cat grep; do
    ln -s "$(command -v "$tool")" "$bin/$tool"
  done
  calls=$BATS_TEST_TMPDIR/calls
  touch "$calls"
}

fake() {
  { echo '#!/bin/bash'; cat; } > "$bin/$1"
  chmod +x "$bin/$1"
}

# debian MISSING...: a Debian on which these packages are missing, and a user id.
debian() {
  local user=$1
  shift
  fake id <<< "echo $user"
  fake dpkg-query << EOF
shift 3 # -W -f FORMAT
for package; do
  [[ " $* " == *" \$package "* ]] || echo "\$package installed"
done
EOF
  fake apt-get <<< "echo \"apt-get \$*\" >> $calls"
}

@test "nothing is missing: nothing is done or said" {
  debian 0
  for purpose in build test bench lint fuzz claude; do
    PATH=$bin run "$script" "$purpose"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
  done
  [ ! -s "$calls" ]
}

@test "root installs what is missing, after reading the lists" {
  debian 0 meson jq
  PATH=$bin run "$script" build
  [ "$status" -eq 0 ]
  [[ $output == *'setup: installing meson' ]]
  [ "$(sed -n 1p "$calls")" = 'apt-get -qq update' ]
  [[ $(sed -n 2p "$calls") == *'install --no-install-recommends meson' ]]
  [ "$(wc -l < "$calls")" -eq 2 ]
}

@test "a purpose brings its own packages" {
  debian 0 jq golang-go cppcheck
  PATH=$bin run "$script" test
  [[ $output == *'installing jq' ]]
  PATH=$bin run "$script" lint
  [[ $output == *'installing cppcheck' ]]
  PATH=$bin run "$script" bench
  [[ $output == *'installing golang-go jq' ]]
}

@test "Node comes with npm, unless there is one from elsewhere" {
  debian 0 nodejs npm
  PATH=$bin run "$script" test
  [[ $output == *'installing nodejs npm' ]]
  fake npm <<< true
  PATH=$bin run "$script" test
  [ -z "$output" ]
  PATH=$bin run "$script" claude
  [ -z "$output" ]
}

@test "a failing installation is a failure" {
  debian 0 meson
  fake apt-get <<< '[[ $* != *install* ]]'
  PATH=$bin run "$script" build
  [ "$status" -ne 0 ]
}

@test "another user installs through sudo" {
  debian 1000 meson
  fake sudo <<< "echo \"sudo \$*\" >> $calls"
  PATH=$bin run "$script" build
  [ "$status" -eq 0 ]
  grep -q '^sudo apt-get -qq update$' "$calls"
  grep -q '^sudo env DEBIAN_FRONTEND=noninteractive apt-get .* meson$' "$calls"
}

@test "without root and sudo it gives the command" {
  debian 1000 meson libuv1-dev
  PATH=$bin run "$script" build
  [ "$status" -eq 1 ]
  [[ $output == *'apt-get install --no-install-recommends meson libuv1-dev'* ]]
  [ ! -s "$calls" ]
}

@test "sudo that would ask for a password is not waited for" {
  debian 1000 meson
  fake sudo <<< 'exit 1'
  PATH=$bin run "$script" build < /dev/null
  [ "$status" -eq 1 ]
  [[ $output == *'apt-get install --no-install-recommends meson'* ]]
}

@test "not Debian: it names the packages" {
  PATH=$bin run "$script" build
  [ "$status" -eq 1 ]
  [[ $output == *'libfyaml-dev'* ]]
}

@test "an unknown purpose is refused" {
  debian 0
  PATH=$bin run "$script" bulid
  [ "$status" -eq 2 ]
  [[ $output == *"unknown purpose 'bulid'"* ]]
}

@test "a dry run changes nothing" {
  debian 0 postgresql-15
  BELFRY_SETUP_DRY_RUN=1 PATH=$bin run "$script" test
  [ "$status" -eq 0 ]
  [[ $output == *'installing postgresql-15' ]]
  [ ! -s "$calls" ]
}

# A machine that happens to have more installed must not hide a missing package.
missing() {
  /usr/bin/python3 "$BATS_TEST_DIRNAME/packages.py" "$BATS_TEST_DIRNAME/../.." "$@"
}

@test "K35 every program that the tests call is in a package that the setup names" {
  run missing test 'scripts/*.sh' 'test/*.sh' 'test/*/*.sh' 'test/*/*.bats' 'test/*/*.bash' 'test/*/*.py'
  echo "$output"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "K35 every program that the figures call is in a package that the setup names" {
  run missing bench 'bench/*.sh' 'bench/*/*.sh' 'bench/*.py'
  echo "$output"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "K35 a program of a package that nobody names is found" {
  mkdir -p "$BATS_TEST_TMPDIR/root/scripts" "$BATS_TEST_TMPDIR/root/test"
  cp "$script" "$BATS_TEST_TMPDIR/root/scripts/setup.sh"
  # shellcheck disable=SC2016
  printf '%s\n' 'x="it is $(tmux -V) there"' "echo 'strace'; y=1 fzf" > "$BATS_TEST_TMPDIR/root/test/a.sh"
  run /usr/bin/python3 "$BATS_TEST_DIRNAME/packages.py" "$BATS_TEST_TMPDIR/root" build 'test/*.sh'
  echo "$output"
  [ "$output" = "'fzf' of package 'fzf', in test/a.sh
'tmux' of package 'tmux', in test/a.sh" ]
}
