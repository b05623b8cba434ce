#!/usr/bin/env bats
# Deliver commands: what they get, what their failure means, and whom they may not hold up.
load helper

setup_test() {
  cat > "$BELFRY_HOME/config.yml" << EOF2
agents:
  pipe:
    directory: $BATS_TEST_TMPDIR
    environment: {FLAVOUR: mint}
    deliver:
      command: [sh, -c, 'cat > text; env > env.tmp; mv env.tmp env']
  fails:
    deliver: {command: [sh, -c, 'echo "attempt \$BELFRY_ATTEMPT" >&2; exit 9'], attempts: 2}
  flaky:
    directory: $BATS_TEST_TMPDIR
    deliver: {command: [sh, -c, 'echo \$BELFRY_ATTEMPT \$BELFRY_MESSAGE_ID >> flaky; test \$BELFRY_ATTEMPT = 2']}
  stuck:
    deliver: {command: [sleep, '60'], timeout: 1s, attempts: 1}
  absent:
    deliver: {command: [/no/such/command], attempts: 1}
  slow:
    directory: $BATS_TEST_TMPDIR
    deliver: {command: [sh, -c, 'echo begin >> slow; until [ -e go ]; do sleep 0.05; done; echo end >> slow']}
EOF2
}

now_for() {
  belfry reminder run "$(add "$1" -m "$2" --every 1h --name "$1-$2" "${@:3}")" > out
}

state_is() {
  [ "$(json '.[0].state' belfry queue list "$1" --all --json)" = "$2" ]
}

@test "H15 the text arrives byte for byte on stdin, with BELFRY_* in the environment" {
  start_daemon
  printf '  first line\n\n\ttab, "quotes" $HOME `x` \\ äöü 日本語 🔔\nlast line\n\n' > want
  id=$(belfry reminder add pipe -m - --every 1h --now --name exact --priority normal --tz Asia/Tokyo --json < want | jq -r .id)
  wait_for 30 test -e env
  cmp want text
  message=$(json '.[0].id' belfry queue list pipe --all --json)
  for line in BELFRY_AGENT=pipe BELFRY_ATTEMPT=1 "BELFRY_MESSAGE_ID=$message" BELFRY_PRIORITY=normal \
    "BELFRY_REMINDER_ID=$id" BELFRY_REMINDER_NAME=exact BELFRY_MISSED_COUNT=0 FLAVOUR=mint; do
    grep -qx -- "$line" env
  done
  grep -Eqx 'BELFRY_SCHEDULED_AT=20.*\+09:00' env
  grep -Eqx 'BELFRY_LATE_BY=.*s' env
  wait_for 30 state_is pipe delivered
  # as large as a message may be
  rm env
  head -c 1048576 /dev/zero | tr '\0' x > want
  belfry reminder run "$(belfry reminder add pipe -m - --every 1h --json < want | jq -r .id)" > out
  wait_for 30 test -e env
  cmp want text
}

@test "H15 exit status other than 0 is tried again, then failed, with the reason in queue show" {
  start_daemon
  now_for fails one
  now_for flaky two
  now_for stuck three
  now_for absent four
  for agent in fails stuck absent; do wait_for 30 state_is $agent failed; done
  wait_for 30 state_is flaky delivered
  id=$(json '.[0].id' belfry queue list fails --all --json)
  same '["failed",2,"exit status 9: attempt 2"]' "$(json '[.state, .attempts, .last_error] | tojson' belfry queue show "$id" --json)"
  has "$(belfry queue show "$id")" 'last error exit status 9: attempt 2'
  has "$(belfry why "$(json '.[0].reminder' belfry queue list fails --all --json)")" 'failed after 2 attempts, last error: exit status 9'
  same 'no end within 1s, so it was killed' "$(json '.[0].last_error' belfry queue list stuck --all --json)"
  has "$(json '.[0].last_error' belfry queue list absent --all --json)" "cannot start '/no/such/command': No such file"
  # the same message twice, under one id
  id=$(json '.[0].id' belfry queue list flaky --all --json)
  same "1 $id"$'\n'"2 $id" "$(cat flaky)"
}

@test "H15 a slow command holds up neither fires nor other agents, and its own go one by one" {
  start_daemon
  now_for slow first
  now_for slow second
  belfry reminder add me -m x --every 1s --count 2 --catchup all:9 --name tick > out
  now_for pipe quick
  wait_for 30 test -e env
  wait_for 30 json_is completed .status belfry reminder show tick --json
  why tick .slots | jq -e 'all(.outcome == "fired")'
  wait_for 30 test -s slow
  same begin "$(cat slow)" # still at its first
  touch go
  wait_for 30 json_is 2 'map(select(.state == "delivered")) | length' belfry queue list slow --all --json
  same 'begin end begin end' "$(tr '\n' ' ' < slow | sed 's/ $//')"
}

@test "H15 the queue of an agent without a command: list it, show the next, take it as it is" {
  local id
  printf 'agents:\n  worker: {}\n' > "$BELFRY_HOME/config.yml"
  belfry reminder add worker -m $'first line\n\tsecond line' --at now > out
  wait_for 30 belfry queue show worker
  id=$(belfry queue list worker --json | jq -r '.[0].id')
  same "$id" "$(belfry queue show worker --json | jq -r .id)"
  same queued "$(belfry queue show "$id" --json | jq -r .state)"
  belfry queue take worker > taken
  printf 'first line\n\tsecond line\n' | cmp - taken
  same delivered "$(belfry queue show "$id" --json | jq -r .state)"
  run -3 belfry queue show worker
  run -3 belfry queue take worker
}
