#!/bin/bash
# Make sure that the Debian packages for a purpose are here; install what is missing.
# usage: scripts/setup.sh [--list] [build|run|test|bench|lint|fuzz|claude]
# --list only prints the packages. BELFRY_SETUP_DRY_RUN=1 only says what would be done.
set -euo pipefail

list=
if [ "${1:-}" = --list ]; then
  list=1
  shift
fi

build='git gcc make meson ninja-build pkg-config libuv1-dev libsqlite3-dev libpq-dev
  libjansson-dev libfyaml-dev libmicrohttpd-dev tzdata'
run='tmux' # for the live agent of the demo
fuzz='clang-14 libclang-rt-14-dev'
test="libcmocka-dev bats $fuzz python3 python3-dateutil python3-tz postgresql-15
  postgresql-client-15 sqlite3 jq curl tmux fzf git mandoc strace procps bsdextrautils util-linux patch"
bench='golang-go golang-github-robfig-cron-dev golang-github-teambition-rrule-go-dev
  python3-croniter python3-dateutil python3-tz postgresql-15
  postgresql-client-15 sqlite3 jq tmux procps bsdextrautils'
claude='bats jq procps util-linux'
node='nodejs npm'
# A Node from elsewhere brings its own npm.
if [ -z "$list" ] && command -v npm > /dev/null; then node=; fi
lint='clang-format-14 clang-tidy-14 cppcheck shellcheck mandoc libcmocka-dev'

purpose=${1:-build}
case $purpose in
  build) wanted=$build ;;
  run) wanted="$build $run" ;;
  test) wanted="$build $test $node" ;;
  bench) wanted="$build $bench" ;;
  lint) wanted="$build $lint" ;;
  fuzz) wanted="$build $fuzz" ;;
  claude) wanted="$build $claude $node" ;;
  *)
    echo "setup: unknown purpose '$purpose'; one of: build run test bench lint fuzz claude" >&2
    exit 2
    ;;
esac
read -r -a packages <<< "$(tr '\n' ' ' <<< "$wanted")"
if [ -n "$list" ]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "setup: this is not Debian, so nothing can be installed here." >&2
  echo "setup: 'make $purpose' needs what Debian 12 calls: ${packages[*]}" >&2
  exit 1
fi

# One question for all of them; what dpkg has never heard of is an error we can do without.
known=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2> /dev/null || true)
missing=()
for package in "${packages[@]}"; do
  [[ $'\n'$known$'\n' == *$'\n'"$package installed"$'\n'* ]] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  # Without a terminal sudo must not wait for a password that nobody can type.
  if command -v sudo > /dev/null && { [ -t 0 ] || sudo -n true 2> /dev/null; }; then
    as_root=(sudo)
  else
    echo "setup: missing packages, and neither root nor sudo to install them. Run as root:" >&2
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi

run() {
  [ -z "${BELFRY_SETUP_DRY_RUN:-}" ] || return 0
  "${as_root[@]}" "$@"
}

# The tests start PostgreSQL servers of their own. The package would make one for the whole
# machine and start it, unless told not to before it is installed.
keep_postgres_quiet() {
  local conf=/etc/postgresql-common/createcluster.conf
  [[ " ${missing[*]} " == *" postgresql-15 "* ]] && [ ! -e $conf ] || return 0
  echo "setup: telling PostgreSQL not to start a server ($conf)"
  run mkdir -p "${conf%/*}"
  run sh -c "echo 'create_main_cluster = false' > $conf"
}

echo "setup: reading the package lists"
run apt-get -qq update
keep_postgres_quiet
echo "setup: installing ${missing[*]}"
run env DEBIAN_FRONTEND=noninteractive \
  apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold \
  install --no-install-recommends "${missing[@]}" > /dev/null
