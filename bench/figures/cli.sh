# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# One command, from start to end, and how much of that is starting a program at all.

bench_cli() {
  local ours ours99 true99 true50
  start_daemon cli
  "$tools/raw-bench" spawn 50 "$belfry" status > /dev/null
  read -r ours ours99 < <("$tools/raw-bench" spawn 200 "$belfry" status)
  read -r true50 true99 < <("$tools/raw-bench" spawn 200 /bin/true)
  row 'belfry status, p50' "$(calc "$ours / 1000")" ms '/bin/true' "$(calc "$true50 / 1000")" \
    '≤ 5 ms' 'v <= 5'
  row 'belfry status, p99' "$(calc "$ours99 / 1000")" ms '/bin/true' "$(calc "$true99 / 1000")" '' ''
  stop_daemon
}
