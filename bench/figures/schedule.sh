# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# When is it due next: our own schedules beside those of other libraries.

# ours NAME: nanoseconds of one question, asked in a row.
ours() {
  awk -v name="$1" 'substr($0, 1, length(name)) == name && substr($0, length(name) + 1, 1) == " " {
    print $(NF - 1) }' "$scratch/schedule"
}

peer() {
  awk -v name="$2" '$1 == name { print $2 }' "$scratch/$1"
}

go_peers() {
  if ! command -v go > /dev/null; then
    say "  skipped robfig/cron and rrule-go: no go"
    return
  fi
  (cd "$here/peers" && GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE="$scratch/go-cache" \
    go build -o "$scratch/go-peer" schedule.go) 2> "$scratch/go-log" ||
    { say "  skipped robfig/cron and rrule-go: $(head -1 "$scratch/go-log")"; return; }
  "$scratch/go-peer" > "$scratch/go"
}

beside_both() {
  local what=$1 name=$2 key=$3 reach=$4 go=$5 python=$6
  row "$what" "$(ours "$name")" ns "$go" "$(peer go "$key")" "≤ $reach ns" "v <= $reach"
  row "$what" "$(ours "$name")" ns "$python" "$(peer python "$key")" "≤ $reach ns" "v <= $reach"
}

bench_schedule() {
  touch "$scratch/go" "$scratch/python"
  "$tools/schedule-bench" > "$scratch/schedule"
  go_peers
  /usr/bin/python3 "$here/peers/schedule.py" > "$scratch/python" 2> "$scratch/python-log" || true
  [ ! -s "$scratch/python-log" ] || say "  $(tail -1 "$scratch/python-log")"
  beside_both 'cron next, daily' 'cron, daily' cron-daily 60 robfig/cron croniter
  beside_both 'cron next, weekdays' 'cron, weekdays' cron-weekdays 60 robfig/cron croniter
  beside_both 'cron next, every 15 minutes' 'cron, every 15 minutes' cron-quarters 60 \
    robfig/cron croniter
  beside_both 'RRULE next, daily, near' 'rrule daily, near' rrule-daily-near 500 rrule-go dateutil
  beside_both 'RRULE next, daily, ten years on' 'rrule daily, ten years on' rrule-daily-far 500 \
    rrule-go dateutil
  beside_both 'RRULE next, weekly, near' 'rrule weekly, near' rrule-weekly-near 500 rrule-go dateutil
  beside_both 'RRULE next, weekly, ten years on' 'rrule weekly, ten years on' rrule-weekly-far 500 \
    rrule-go dateutil
}
