#!/usr/bin/env bats
# Reminders that wait for an idle agent, and those of agents without a session: what is said of them,
# and what happens while there is no session.
load helper

setup_test() {
  # command agents run, but have no sessions; claude's adapter could have one
  cat > "$BELFRY_HOME/config.yml" << YAML
agents:
  builder: {adapter: claude}
  shell: {command: [/bin/sh, -s]}
  mute: {}
YAML
}

slot_is() {
  json_is "$2" '.slots[0].outcome' belfry why "$1" --json
}

@test "H26 --idle: added, listed, shown, edited, paused, resumed, completed; it waits and never ends by itself" {
  belfry reminder add builder -m 'What is next?' --name next --idle '5 minutes' > out
  has "$(cat out)" "when idle for 5m; 'builder' is not idle now"
  has "$(belfry reminder list)" 'idle 5m   when idle  active'
  same '{"idle":"5m"} idle 5m null active' \
    "$(belfry reminder show next --json | jq -r '"\(.schedule) \(.label) \(.next_fire) \(.status)"')"
  has "$(belfry why next)" 'next: when its agent has been idle for 5m'
  same 0 "$(belfry simulate --json | jq '.fires | length')"
  belfry reminder edit next --idle 90s --count 3 > out
  has "$(cat out)" 'when idle for 1m30s'
  belfry reminder pause next > out
  has "$(cat out)" 'when idle for 1m30s; paused'
  belfry reminder resume next > out
  kill_daemon
  start_daemon
  same active "$(of next .status)"
  belfry reminder run next > out
  wait_for 20 queued_is 1 builder
  belfry reminder complete next > out
  same completed "$(of next .status)"
}

@test "H26 H6 --idle: what is refused, and why" {
  refused 2 "'0s' of idleness is too short" reminder add builder -m x --idle 0s
  refused 2 "'53w' of idleness is too long" reminder add builder -m x --idle 53w
  refused 2 "'soon'" reminder add builder -m x --idle soon
  refused 2 'two schedules: --every and --idle' reminder add builder -m x --idle 5m --every 5m
  refused 2 "'me' is you, who has no session and is not run" reminder add me -m x --idle 5m
  refused 2 'nothing would fire before its --until' reminder add builder -m x --idle 5m --until 'in 2m'
  refused 2 '--idle has no times of its own' next --idle 5m
}

@test "H15 --fallback: shown, refused where it cannot be, wait by default" {
  same wait "$(of "$(add builder -m x --in 1h)" .fallback)"
  same start "$(of "$(add builder -m x --in 1h --fallback start)" .fallback)"
  same null "$(of "$(add shell -m x --in 1h --run)" .fallback)"
  belfry reminder add shell -m x --in 1h --fallback run --name f > out
  has "$(belfry reminder show f)" 'runs a mission when the agent has no session'
  belfry reminder edit f --fallback wait > out
  same wait "$(of f .fallback)"
  refused 2 'a reminder that runs its agent has no fallback' reminder add shell -m x --in 1h --run --fallback start
  refused 2 "agent 'mute' cannot have missions" reminder add mute -m x --in 1h --fallback run
  refused 2 "agent 'mute' cannot have a session" reminder add mute -m x --in 1h --fallback start
  refused 2 'hide' reminder add shell -m x --in 1h --fallback hide
}

@test "H15 --fallback run: without a session a mission does it, and why says so" {
  belfry reminder add shell -m 'echo done' --in 1s --fallback run --name f > out
  wait_for 30 slot_is f ran
  mission=$(why f '.slots[0].mission.id')
  same "its agent had no session: run as mission $mission" "$(why f '.slots[0].note')"
  has "$(belfry why f)" "its agent had no session: run as mission $mission"
  queued_is 0 shell --all
}

@test "H2 H26 export and import know --idle and --fallback" {
  belfry reminder add builder -m a --idle 5m --count 7 --name a > out
  belfry reminder add builder -m b --idle 1h --name b > out
  belfry reminder pause b > out
  belfry reminder add builder -m c --every 1h --fallback start --name c > out
  belfry reminder add shell -m d --every 1h --fallback run --name d > out
  belfry reminder export > before
  for name in a b c d; do belfry reminder remove $name > out; done
  sed 's/"id":"r-/"id":"i-/' before > moved
  belfry reminder import moved > out
  has "$(cat out)" 'imported 4 reminders'
  belfry reminder export > after
  diff moved after
  echo '{"agent":"builder","message":"e","idle":"10m","fallback":"start"}' | belfry reminder import - > out
  wait_for 10 json_is 'idle 10m start' '.[] | select(.message == "e") | "\(.label) \(.fallback)"' belfry reminder list --json
  echo '{"agent":"me","message":"e","idle":"10m"}' > bad
  refused 2 "line 1: 'me' is you, who has no session and is not run" reminder import bad
}
