# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# A daemon that has nothing to do: how often it wakes and what it holds. It rests in the background
# while the other figures are measured.

idle_seconds=65

switches() {
  awk '/^voluntary_ctxt_switches/ { print $2 }' "/proc/$1/status"
}

idle_begin() {
  start_daemon idle
  idle_pid=$pid
  "$belfry" reminder add me -m 'far away' --cron '0 0 1 1 *' > /dev/null
  sleep 1
  idle_switches=$(switches "$idle_pid")
  idle_since=$SECONDS
}

idle_end() {
  local rest=$((idle_seconds - (SECONDS - idle_since))) woke minutes
  if [ "$rest" -gt 0 ]; then
    say "idle: $rest s more"
    sleep "$rest"
  fi
  woke=$(($(switches "$idle_pid") - idle_switches))
  minutes=$(calc "($SECONDS - $idle_since) / 60")
  # An interval of 65 s may hold two wake-ups that are 60 s apart.
  row 'idle, wake-ups a minute' "$(calc "$woke / $minutes")" '' '' '' '≤ 1' 'v <= 1.1'
  row 'idle, resident memory' "$(calc "$(rss_kb "$idle_pid") / 1024")" MB '' '' '≤ 6 MB' 'v <= 6'
  BELFRY_HOME=$scratch/idle stop_daemon
}
