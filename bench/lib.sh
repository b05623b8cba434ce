# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# What run.sh and its figures share. `here`, `scratch`, `rows`, `belfry` and `tools` are run.sh's.

: "${scratch:?}" "${rows:?}" "${belfry:?}" "${tools:?}"
started=${started:-$(date +%s)}
export started

say() {
  printf '[%3ds] %s\n' $(($(date +%s) - started)) "$*" >&2
}

calc() {
  awk "BEGIN { printf \"%.${2:-2}f\", $1 }"
}

# row WHAT BELFRY UNIT BESIDE BESIDE_VALUE REACH CONDITION: CONDITION is about v (ours), b (beside)
# and r (ours / beside's), as awk reads it.
row() {
  local what=$1 value=$2 unit=$3 beside=$4 peer=$5 reach=$6 condition=$7 ratio=- reached=-
  if [ -n "$peer" ]; then
    ratio=$(awk "BEGIN { printf \"%.3g\", $peer ? $value / $peer : 0 }")
  fi
  if [ -n "$condition" ]; then
    reached=$(awk -v v="$value" -v b="${peer:-0}" -v r="${ratio/-/0}" \
      "BEGIN { print ($condition) ? \"yes\" : \"no\" }")
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$what" "$value" "$unit" "$beside" "${peer:--}" \
    "$ratio" "$reach" "$reached" >> "$rows"
}

# start_daemon NAME: a home with an agent `bench`, and a daemon in it. Sets home, socket, pid, start_ms.
start_daemon() {
  home=$scratch/$1
  socket=$home/belfry.sock
  mkdir -p "$home"
  chmod 0700 "$home"
  [ -e "$home/config.yml" ] || echo 'agents: {bench: {}}' > "$home/config.yml"
  export BELFRY_HOME=$home
  read -r start_ms pid < <("$tools/socket-bench" start "$socket" "$belfry" daemon run 2>> "$home/log")
}

stop_daemon() {
  "$belfry" daemon stop > /dev/null
}

rss_kb() {
  awk '/^VmRSS/ { print $2 }' "/proc/$1/status"
}

# reminders_at COUNT INSTANT [AGENT]: lines for import; every one fires at INSTANT (epoch seconds), daily.
reminders_at() {
  awk -v n="$1" -v agent="${3:-bench}" -v rule="$(date -u -d "@$2" '+FREQ=DAILY;BYHOUR=%-H;BYMINUTE=%-M;BYSECOND=%-S')" '
    BEGIN {
      for (i = 0; i < n; i++)
        printf "{\"agent\":\"%s\",\"message\":\"look at number %d\",\"rrule\":\"%s\",\"tz\":\"UTC\"}\n",
          agent, i, rule
    }'
}
