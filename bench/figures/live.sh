# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# Live sessions: how soon an idle one is told, and what many that rest cost. BENCH_TYPED and
# BENCH_LIVE make a quick look of it.

live_typed=${BENCH_TYPED:-40}  # one by one
live_held=${BENCH_LIVE:-200}

# live_home NAME COUNT: a daemon with agents s1, s2 … of which each records.
live_home() {
  local n
  mkdir -p "$scratch/$1"
  chmod 0700 "$scratch/$1"
  {
    echo agents:
    for ((n = 1; n <= $2; n++)); do
      echo "  s$n: {adapter: tui, directory: $scratch/$1, environment: {TUI_RECORD: $scratch/$1/s$n.record}}"
    done
    cat << END
adapters:
  tui:
    headless: [$tools/live-agent, -p, --session-id, "{session}"]
    interactive: [$tools/live-agent, --session-id, "{session}", --settings, "{hooks}", --, "{prompt}"]
    session: chosen
    output: text
    live: {busy: esc to interrupt, blocked: 'Allow .*[?]', input: '^> (.*)$', paste: true, quiet: 1s, hooks: claude}
END
  } > "$scratch/$1/config.yml"
  start_daemon "$1"
}

live_tmux() {
  tmux -S "$home/tmux.sock" "$@"
}

# Sessions outlive the daemon, so they are ended by hand.
live_end() {
  stop_daemon
  live_tmux kill-server 2> /dev/null || true
}

live_late() {
  local p50 p99 seen raw50 raw99
  live_home typed 1
  "$here/live.py" start "$socket" s1 > /dev/null
  read -r p50 p99 seen < <("$here/live.py" late "$socket" "$home/s1.record" "$live_typed" s1)
  live_end
  read -r raw50 raw99 _ < <("$here/live.py" raw "$scratch" "$live_typed" "$tools/live-agent")
  [ "$seen" -eq "$live_typed" ] || say "  only $seen of $live_typed were typed"
  row 'live: due until an idle session has it, p50' "$p50" ms 'sleep, tmux paste, 150 ms, Enter' "$raw50" '' ''
  row 'live: due until an idle session has it, p99' "$p99" ms 'sleep, tmux paste, 150 ms, Enter' "$raw99" '' ''
}

live_rest() {
  local server seconds=20 names=() n one took daemon_ns server_ns
  live_home rest "$live_held"
  for ((n = 1; n <= live_held; n++)); do
    names+=("s$n")
  done
  took=$("$here/live.py" start "$socket" "${names[@]}")
  server=$(live_tmux display-message -p '#{pid}')
  sleep 3
  daemon_ns=$(cpu_ns "$pid")
  server_ns=$(cpu_ns "$server")
  sleep $seconds
  row "$live_held live sessions: until all are idle" "$took" s '' '' '' ''
  row "$live_held live sessions at rest: daemon" \
    "$(calc "($(cpu_ns "$pid") - $daemon_ns) / 1000 / $seconds" 0)" 'µs CPU/s' '' '' '' ''
  row "$live_held live sessions at rest: tmux" \
    "$(calc "($(cpu_ns "$server") - $server_ns) / 1000 / $seconds" 0)" 'µs CPU/s' '' '' '' ''
  row "$live_held live sessions: daemon" "$(calc "$(rss_kb "$pid") / 1024" 1)" 'MB RSS' '' '' '' ''
  row "$live_held live sessions: tmux" "$(calc "$(rss_kb "$server") / 1024" 1)" 'MB RSS' '' '' '' ''
  n=0
  for one in $(pgrep -P "$server"); do
    n=$((n + $(private_kb "$one")))
  done
  row "$live_held live sessions: wrappers, private" "$(calc "$n / 1024" 1)" MB '' '' '' ''
  live_end
}

bench_live() {
  if ! command -v tmux > /dev/null; then
    say '  no tmux: skipped'
    return
  fi
  say '  due until typed'
  live_late
  say "  $live_held at rest"
  live_rest
}
