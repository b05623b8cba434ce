# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# Reminders added through the socket, each durable before its answer. Beside it: rows as wide as a
# reminder's, with as many indexes as one touches, in groups of as many as there are clients.

adds_beside() {
  local clients=$1 reach=$2 best=0 best50=0 raw=0 got p50 i
  for i in 1 2 3; do
    read -r got p50 _ < <("$tools/socket-bench" add "$socket" "$clients" 2)
    if [ "$got" -gt "$best" ]; then
      best=$got
      best50=$p50
    fi
    got=$("$tools/raw-bench" insert "$scratch" 35 5 "$clients" 2)
    [ "$got" -le "$raw" ] || raw=$got
  done
  row "adds, $clients client(s)" "$best" /s "raw rows (35 columns, 5 indexes), groups of $clients" \
    "$raw" "≥ $reach ×" "r >= $reach"
  row "adds, $clients client(s), p50" "$(calc "$best50 / 1000")" ms '' '' '' ''
}

bench_adds() {
  start_daemon adds
  adds_beside 1 0.8
  adds_beside 64 0.4
  stop_daemon
}
