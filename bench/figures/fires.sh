# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# Many reminders due at the same instant, on SQLite with synchronous=FULL. When the last turn begins,
# the fires of all turns before it are durable: those are counted, over the time since they were due.

fires_count=25600 # a hundred turns of 256

fires_done() {
  sqlite3 -readonly "$home/belfry.db" 'SELECT count(*) FROM slots'
}

# fires_once NUMBER AGENT
fires_once() {
  local due=$(($(date +%s) + 5)) tries=0
  start_daemon "fires-$2-$1"
  reminders_at $fires_count $due "$2" > "$scratch/fires.jsonl"
  "$belfry" reminder import "$scratch/fires.jsonl" > /dev/null
  while [ "$(fires_done)" -lt $fires_count ] && [ $((tries++)) -lt 100 ]; do
    sleep 0.3
  done
  sqlite3 -readonly "$home/belfry.db" "SELECT CAST((count(*) - 256) * 1000000.0 /
    (max(decided_at) - ${due}000000) AS INTEGER) FROM slots"
  stop_daemon
}

bench_fires() {
  local best=0 best_me=0 raw=0 got i
  for i in 1 2; do
    got=$(fires_once $i bench)
    [ "$got" -le "$best" ] || best=$got
    got=$(fires_once $i me)
    [ "$got" -le "$best_me" ] || best_me=$got
    got=$("$tools/raw-bench" insert "$scratch" 15 3 256 2)
    [ "$got" -le "$raw" ] || raw=$got
  done
  row 'durable fires, SQLite' "$best" /s 'raw rows (15 columns, 3 indexes), groups of 256' "$raw" \
    '≥ 20,000/s' 'v >= 20000'
  # The person's own are messages in the inbox as well, each in a thread of its own here.
  row 'durable fires for me, SQLite' "$best_me" /s '' '' '' ''
}
