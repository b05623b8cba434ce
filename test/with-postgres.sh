#!/bin/sh
# Run a command with a PostgreSQL server of its own: BELFRY_TEST_POSTGRES is the URL of a scratch
# cluster that lives as long as the command. The server refuses to run as root, so root lends it
# another user. Durability is off: only the tests' own crashes are tested here, not the server's.
# BELFRY_TEST_POSTGRES_DURABLE=1 turns it on, for whoever measures.
# BELFRY_TEST_POSTGRES_TEMPLATE is a folder in which an empty cluster is kept between calls: to copy
# one costs a fraction of making one.
set -eu

die() {
	echo "with-postgres: $*" >&2
	exit 1
}

[ $# -gt 0 ] || die "usage: with-postgres.sh COMMAND [ARGUMENT...]"

bin=
for dir in /usr/lib/postgresql/*/bin; do
	[ -x "$dir/initdb" ] && bin=$dir
done
[ -n "$bin" ] || die "no /usr/lib/postgresql/*/bin/initdb: install the package postgresql"

as=
if [ "$(id -u)" = 0 ]; then
	user=nobody
	! id postgres >/dev/null 2>&1 || user=postgres
	as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
fi

# In memory where there is room: each test makes a database, which is hundreds of files.
place=/tmp
room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
[ -n "${BELFRY_TEST_POSTGRES_DURABLE:-}" ] || [ "${room:-0}" -lt 4000000 ] || place=/dev/shm
scratch=$(mktemp -d "$place/belfry-pg.XXXXXX")
server=
finish() {
	if [ -n "$server" ]; then
		kill -INT "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

[ -z "$as" ] || chown "$user" "$scratch"
cd "$scratch"
make_cluster() {
	$as "$bin/initdb" -D "$scratch/data" -U belfry -A trust -E UTF8 --locale=C.UTF-8 --no-sync \
		>"$scratch/initdb.log" 2>&1 || { cat "$scratch/initdb.log" >&2; die "initdb failed"; }
}

# Whoever comes first makes it, the others wait; none sees half of one.
copy_cluster() {
	(
		flock 9
		if [ ! -d "$1" ]; then
			make_cluster
			cp -a "$scratch/data" "$1.new"
			mv "$1.new" "$1"
		fi
	) 9>"$1.lock"
	[ -d "$scratch/data" ] || cp -a "$1" "$scratch/data"
}

if [ -n "${BELFRY_TEST_POSTGRES_TEMPLATE:-}" ]; then
	copy_cluster "$BELFRY_TEST_POSTGRES_TEMPLATE"
else
	make_cluster
fi

settings='-c fsync=off -c synchronous_commit=off -c full_page_writes=off'
[ -z "${BELFRY_TEST_POSTGRES_DURABLE:-}" ] || settings=

# A port that is free now may be taken a moment later: try a few.
# shellcheck disable=SC2086 # the settings are several words
start() {
	port=$((20000 + ($$ * 7 + $1 * 1009) % 30000))
	$as "$bin/postgres" -D "$scratch/data" -p "$port" -k "$scratch" -c listen_addresses=127.0.0.1 \
		$settings -c max_connections=50 \
		>"$scratch/server.log" 2>&1 &
	server=$!
	tries=0
	until "$bin/pg_isready" -q -h "$scratch" -p "$port"; do
		kill -0 "$server" 2>/dev/null || return 1
		tries=$((tries + 1))
		[ $tries -lt 300 ] || die "the server did not start within 30 s"
		sleep 0.1
	done
}
attempt=1
until start $attempt; do
	attempt=$((attempt + 1))
	[ $attempt -le 5 ] || { cat "$scratch/server.log" >&2; die "the server did not start"; }
done

BELFRY_TEST_POSTGRES="postgres://belfry@127.0.0.1:$port/postgres"
export BELFRY_TEST_POSTGRES
cd "$OLDPWD"
"$@"
