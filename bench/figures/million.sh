# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# A million active reminders: what it costs to load them, to hold them, to start with them, and
# whether what is due next is still fired on time.

million_lines() {
  awk 'BEGIN {
    for (i = 0; i < 1000000; i++)
      printf "{\"agent\":\"me\",\"message\":\"look at number %d\",\"cron\":\"%d %d %d %d *\",\"tz\":\"Europe/Berlin\"}\n",
        i, i % 60, int(i / 60) % 24, i % 28 + 1, (i + 5) % 12 + 1
  }'
}

million_import() {
  local begin
  million_lines > "$scratch/million.jsonl"
  begin=$(date +%s.%N)
  "$belfry" reminder import "$scratch/million.jsonl" > /dev/null
  row 'a million: import' "$(calc "$(date +%s.%N) - $begin" 1)" s '' '' '< 60 s' 'v < 60'
  rm "$scratch/million.jsonl"
  # What the kernel still has to write would slow every sync after it, ours and the raw ones.
  sync -f "$home"
}

million_restart() {
  local best=1000000 i
  for i in 1 2 3; do
    stop_daemon
    start_daemon million
    best=$(calc "$start_ms < $best ? $start_ms : $best" 1)
  done
  row 'a million: start until it answers' "$best" ms '' '' '≤ 100 ms' 'v <= 100'
  sleep 1
  row 'a million: memory after a start' "$(calc "$(rss_kb "$pid") / 1024")" MB '' '' '≤ 32 MB' 'v <= 32'
}

million_asks() {
  local p50 p99 raw
  read -r _ p50 p99 < <("$tools/socket-bench" add "$socket" 1 2)
  raw=$("$tools/raw-bench" insert "$scratch" 35 5 1 2)
  row 'a million: one add, p50' "$(calc "$p50 / 1000")" ms 'one raw row' "$(calc "1000 / $raw")" \
    '≤ 1 ms' 'v <= 1'
  row 'a million: one add, p99' "$(calc "$p99 / 1000")" ms '' '' '' ''
  read -r p50 p99 < <("$tools/socket-bench" ask "$socket" 20 '{"request":"status"}')
  row 'a million: status, p50' "$(calc "$p50 / 1000")" ms '' '' '≤ 50 ms' 'v <= 50'
  read -r p50 p99 < <("$tools/socket-bench" ask "$socket" 20 '{"request":"agent list"}')
  row 'a million: agent list, p50' "$(calc "$p50 / 1000")" ms '' '' '≤ 50 ms' 'v <= 50'
}

# One fire every 50 ms, each in a turn of its own.
million_lateness() {
  local count=200 first p50 p99 lost raw50 raw99
  first=$(($(date +%s) + 4))
  awk -v n=$count -v first=$first 'BEGIN {
    for (i = 0; i < n; i++) {
      at = first + i * 0.05
      printf "{\"agent\":\"me\",\"message\":\"now\",\"at\":\"%s.%06dZ\",\"tz\":\"UTC\"}\n",
        strftime("%Y-%m-%dT%H:%M:%S", int(at), 1), (at - int(at)) * 1000000 + 0.5
    }
  }' > "$scratch/late.jsonl"
  "$belfry" reminder import "$scratch/late.jsonl" > /dev/null
  read -r p50 p99 lost < <("$tools/late-bench" "$home/belfry.db" "$first" 0.05 $count)
  read -r raw50 raw99 < <("$tools/raw-bench" timer "$scratch" $count)
  [ "$lost" -eq 0 ] || say "  $lost of $count fires were not seen within 250 ms"
  row 'a million: due until durable, p50' "$p50" µs 'timerfd + fdatasync' "$raw50" '≤ 1.5 ×' 'r <= 1.5'
  row 'a million: due until durable, p99' "$p99" µs 'timerfd + fdatasync' "$raw99" '' ''
}

million_list() {
  local begin
  begin=$(date +%s.%N)
  "$belfry" reminder list > "$scratch/list"
  row 'a million: reminder list' "$(calc "$(date +%s.%N) - $begin" 1)" s '' '' '≤ 10 s' 'v <= 10'
  rm "$scratch/list"
}

bench_million() {
  start_daemon million
  say '  import'
  million_import
  say '  start'
  million_restart
  million_asks
  say '  lateness'
  million_lateness
  say '  list'
  million_list
  row 'a million: memory after all that' "$(calc "$(rss_kb "$pid") / 1024")" MB '' '' '≤ 32 MB' 'v <= 32'
  stop_daemon
  rm -rf "$home"
}
