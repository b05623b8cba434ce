# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# Missions: how soon one runs, how many start a second, what its log costs, what many of them hold.
# BENCH_STARTS, BENCH_MANY and BENCH_LOG_BYTES make a quick look of it.

missions_starts=${BENCH_STARTS:-300}      # one by one
missions_many=${BENCH_MANY:-1000}         # at once
missions_log=${BENCH_LOG_BYTES:-2000000000}
missions_at_once=32
missions_held=200

# missions_home NAME MAX: a daemon that runs bench-agent, MAX at a time.
missions_home() {
  mkdir -p "$scratch/$1"
  chmod 0700 "$scratch/$1"
  cat > "$scratch/$1/config.yml" << END
agents:
  bench: {}
  stamper: {command: [$tools/bench-agent, stamp, $scratch/stamps]}
  quick: {command: [$tools/bench-agent]}
  writer: {command: [$tools/bench-agent, write, "$missions_log"]}
  sleeper: {command: [$tools/bench-agent, sleep, "600"]}
crons: {maxConcurrent: $2}
END
  start_daemon "$1"
  # The first mission also starts the nursery; that is done once, not with every mission.
  "$belfry" mission new quick 'go' --wait > /dev/null
}

missions_sql() {
  sqlite3 -readonly "$home/belfry.db" "$1"
}

# missions_await SQL COUNT: until the query answers at least COUNT; a minute at most.
missions_await() {
  local tries=0
  while [ "$(missions_sql "$1")" -lt "$2" ] && [ $((tries++)) -lt 300 ]; do
    sleep 0.2
  done
}

# One at a time: nobody else is due, and the one before it is over.
missions_lateness() {
  local first step=0.06 p50 p99 seen raw50 raw99
  missions_home late 10
  first=$(($(date +%s) + 3 + missions_starts / 500))
  "$tools/mission-bench" add "$socket" "$missions_starts" "$first" $step stamper
  missions_await "SELECT count(*) FROM runs WHERE finished_at IS NOT NULL" $((missions_starts + 1))
  read -r p50 p99 seen < <("$tools/mission-bench" stamps "$scratch/stamps")
  "$tools/mission-bench" late "$scratch" "$missions_starts" 0.02 "$tools/bench-agent" stamp \
    "$scratch/raw-stamps"
  read -r raw50 raw99 _ < <("$tools/mission-bench" stamps "$scratch/raw-stamps")
  [ "$seen" -eq "$missions_starts" ] || say "  only $seen of $missions_starts were started"
  row 'mission: due until it runs, p50' "$(calc "$p50 / 1000")" ms \
    'timerfd + 2 fdatasync + posix_spawn' "$(calc "$raw50 / 1000")" '≤ 3 ms' 'v <= 3'
  row 'mission: due until it runs, p99' "$(calc "$p99 / 1000")" ms \
    'timerfd + 2 fdatasync + posix_spawn' "$(calc "$raw99 / 1000")" '' ''
  stop_daemon
}

# missions_rate: so many due at once; how many a second began and ended, the last one included.
missions_rate() {
  local due begun=$((missions_many + 1))
  due=$(($(date +%s) + 3 + missions_many / 500))
  "$tools/mission-bench" add "$socket" "$missions_many" "$due" 0 quick
  missions_await 'SELECT count(*) FROM runs WHERE finished_at IS NOT NULL' $begun
  missions_sql "SELECT CAST($missions_many * 1000000.0 / (max(finished_at) - ${due}000000) AS INTEGER)
    FROM runs"
}

missions_starts() {
  local got raw large rss
  missions_home many $missions_at_once
  got=$(missions_rate)
  raw=$("$tools/mission-bench" spawn "$missions_many" $missions_at_once "$tools/bench-agent")
  stop_daemon
  row "mission: starts a second, $missions_at_once at a time" "$got" /s \
    'posix_spawn and wait' "$raw" '≥ 0.6 ×' 'r >= 0.6'
  say '  the same beside 300,000 reminders'
  missions_home large $missions_at_once
  reminders_at 300000 $(($(date +%s) + 80000)) > "$scratch/large.jsonl"
  "$belfry" reminder import "$scratch/large.jsonl" > /dev/null
  sync -f "$home"
  rss=$(rss_kb "$pid")
  large=$(missions_rate)
  stop_daemon
  row "mission: the same, a daemon of $((rss / 1024)) MB" "$large" /s 'the row above' "$got" \
    '≥ 0.9 ×' 'r >= 0.9'
}

missions_output() {
  local begin ours raw
  missions_home log 10
  begin=$(date +%s.%N)
  "$belfry" mission new writer 'go' --wait > /dev/null
  ours=$(calc "$missions_log / 1000000 / ($(date +%s.%N) - $begin)" 0)
  stop_daemon
  begin=$(date +%s.%N)
  "$tools/bench-agent" write "$missions_log" | cat > "$scratch/raw-log"
  raw=$(calc "$missions_log / 1000000 / ($(date +%s.%N) - $begin)" 0)
  rm "$scratch/raw-log"
  row 'mission: output into its log' "$ours" MB/s 'the same | cat > file' "$raw" '' ''
}

# cpu_ns PID...: the processor time they have used.
cpu_ns() {
  local one
  for one in "$@"; do
    cat "/proc/$one/schedstat"
  done | awk '{ sum += $1 } END { printf "%.0f", sum }'
}

private_kb() {
  awk '/^Private/ { sum += $2 } END { print sum + 0 }' "/proc/$1/smaps_rollup"
}

missions_memory() {
  local nursery wrappers one sum=0 before seconds=35 # with one beat of each heart
  missions_home held $missions_held
  "$tools/mission-bench" add "$socket" $missions_held $(($(date +%s) + 2)) 0 sleeper
  missions_await "SELECT count(*) FROM missions WHERE phase = 'running'" $missions_held
  nursery=$(pgrep -P "$pid")
  mapfile -t wrappers < <(pgrep -P "$nursery")
  for one in "${wrappers[@]}"; do
    sum=$((sum + $(private_kb "$one")))
  done
  row "${#wrappers[@]} missions: daemon" "$(calc "$(rss_kb "$pid") / 1024" 1)" 'MB RSS' '' '' '' ''
  row "${#wrappers[@]} missions: nursery" "$(calc "$(rss_kb "$nursery") / 1024" 1)" 'MB RSS' '' '' '' ''
  row "${#wrappers[@]} missions: wrappers, private" "$(calc "$sum / 1024" 1)" MB '' '' '' ''
  sleep 2
  before=$(cpu_ns "$pid" "$nursery" "${wrappers[@]}")
  sleep $seconds
  row "${#wrappers[@]} missions: all of these at rest" \
    "$(calc "($(cpu_ns "$pid" "$nursery" "${wrappers[@]}") - $before) / 1000 / $seconds" 0)" \
    'µs CPU/s' '' '' '' ''
  stop_daemon
}

bench_missions() {
  say '  lateness'
  missions_lateness
  say '  starts'
  missions_starts
  say '  output'
  missions_output
  say '  many at once'
  missions_memory
}
