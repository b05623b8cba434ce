#!/usr/bin/env bats
# Missions across the daemon's crash, stop and restart, and what it notices by itself. The agent is
# a shell, whose script is its prompt.
load helper

setup_test() {
  cd "$BATS_TEST_TMPDIR" || return 1
  printf 'agents:\n  sh: {command: [sh], directory: %s}\n' "$PWD" > "$BELFRY_HOME/config.yml"
}

new() {
  belfry mission new sh "$@" --json < /dev/null | jq -r .id
}

# m MISSION FILTER
m() {
  json "$2" belfry mission show "$1" --json
}

becomes() {
  wait_for 30 json_is "$2" .state belfry mission show "$1" --json
}

left_of() {
  grep -lsz "^BELFRY_RUN=$1/" /proc/[0-9]*/environ
}

none_left_of() {
  [ -z "$(left_of "$1")" ]
}

until_go='echo start >> ran; until [ -e go ]; do sleep 0.05; done; echo done'

@test "A13 a mission lives through kill -9 of the daemon, and the next one hears its end" {
  start_daemon
  id=$(new "$until_go")
  wait_for 30 test -e ran
  kill_daemon
  start_daemon
  same running "$(m "$id" .state)"
  touch go
  becomes "$id" success
  same 'done 1' "$(m "$id" '.answer + " " + (.runs | length | tostring)')"
  same start "$(cat ran)"
}

@test "A13 a mission that ended while no daemon ran is collected" {
  start_daemon
  id=$(new "$until_go")
  wait_for 30 test -e ran
  kill_daemon
  touch go
  wait_for 30 none_left_of "$id"
  start_daemon
  becomes "$id" success
  same 'done' "$(m "$id" .answer)"
}

@test "A13 a mission whose wrapper was killed with the daemon is orphaned, and nothing of it is left" {
  start_daemon
  id=$(new 'setsid sleep 300 & echo start >> ran; sleep 300')
  wait_for 30 test -e ran
  wrapper=$(cut -d' ' -f1 "$BELFRY_HOME/missions/$id/runs/1/pid")
  kill_daemon
  kill -KILL "$wrapper"
  start_daemon
  becomes "$id" orphaned
  wait_for 30 none_left_of "$id" # killed is not yet gone
}

@test "A14 stop asks missions to end, and waits for them" {
  start_daemon
  id=$(new 'trap "echo told; exit 0" INT; echo start >> ran; while :; do sleep 0.05; done')
  wait_for 30 test -e ran
  belfry daemon stop
  none_left_of "$id"
  same daemon_shutdown "$(jq -r .reason "$BELFRY_HOME/missions/$id/runs/1/end.json")"
  same daemon_shutdown "$(BELFRY_NO_AUTOSTART=1 m "$id" .state)"
}

@test "A14 stop says what it waits for; a mission that does not end is killed and swept up" {
  export BELFRY_STOP_GRACE_MS=3000
  start_daemon
  id=$(new "$until_go")
  wait_for 30 test -e ran
  kill -STOP "$(cut -d' ' -f1 "$BELFRY_HOME/missions/$id/runs/1/pid")"
  run -0 --separate-stderr belfry daemon stop
  same 'waiting for 1 mission to end' "$stderr"
  wait_for 30 none_left_of "$id" # killed is not yet gone
  same daemon_shutdown "$(BELFRY_NO_AUTOSTART=1 m "$id" .state)"
}

@test "A14 stop --leave-missions: they go on, and the next daemon takes them over" {
  start_daemon
  id=$(new "$until_go")
  wait_for 30 test -e ran
  run -0 --separate-stderr belfry daemon stop --leave-missions
  same '' "$stderr"
  [ -n "$(left_of "$id")" ]
  start_daemon
  same running "$(m "$id" .state)"
  touch go
  becomes "$id" success
  same start "$(cat ran)"
}

@test "H17 an edit of config.yml takes effect by itself" {
  start_daemon
  printf 'timezone: Asia/Tokyo\n' >> "$BELFRY_HOME/config.yml"
  wait_for 30 log_has "config.yml' read again"
  printf 'tiemzone: UTC\n' >> "$BELFRY_HOME/config.yml"
  wait_for 30 log_has "unknown key 'tiemzone'"
}
