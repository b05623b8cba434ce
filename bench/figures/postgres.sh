# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# Fires on PostgreSQL, one node, with a server of its own that syncs as it should.

postgres_count=25600

postgres_ask() {
  psql -qtAX "$BELFRY_STORE" -c "$1"
}

# Runs inside with-postgres.sh: prints fires a second, then raw rows a second.
postgres_inside() {
  local due tries=0
  export BELFRY_STORE=$BELFRY_TEST_POSTGRES
  start_daemon postgres
  due=$(($(date +%s) + 12))
  reminders_at $postgres_count $due > "$scratch/fires.jsonl"
  "$belfry" reminder import "$scratch/fires.jsonl" > /dev/null
  while [ "$(postgres_ask 'SELECT count(*) FROM slots')" -lt $postgres_count ] &&
    [ $((tries++)) -lt 100 ]; do
    sleep 0.5
  done
  postgres_ask "SELECT CAST((count(*) - 256) * 1000000.0 / (max(decided_at) - ${due}000000) AS BIGINT)
    FROM slots"
  stop_daemon
  "$tools/postgres-bench" "$BELFRY_STORE" 256 3
}

bench_postgres() {
  local figures
  if ! compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null; then
    say "  skipped: the package postgresql is not installed"
    return
  fi
  # shellcheck disable=SC2016 # expanded by the other shell: functions do not survive the script between.
  mapfile -t figures < <(BELFRY_TEST_POSTGRES_DURABLE=1 "$root/test/with-postgres.sh" bash -euc \
    '. "$here/lib.sh"; . "$here/figures/postgres.sh"; postgres_inside')
  [ ${#figures[@]} -eq 2 ] || { say "  it failed"; return; }
  row 'durable fires, PostgreSQL, one node' "${figures[0]}" /s \
    'raw rows (15 columns, 4 indexes), groups of 256' "${figures[1]}" '≥ 10,000/s' 'v >= 10000'
}
