#!/usr/bin/env bats
# Commands that the daemon runs, conditions and deliver commands: none of them outlives its end, its time or its
# daemon, nor does anything that it has started.
load helper
e2e_shown_once=1

setup_test() {
  # by these the processes of this very test are known
  nap=101.$$
  short=7.$$
  scripted "  deaf:
    directory: $BATS_TEST_TMPDIR
    deliver:
      command: [sh, -c, 'trap \"\" TERM; echo begin >> deaf; setsid -f sleep $short; sleep $short; echo end >> deaf']
      timeout: 1s
      attempts: 1
$asker"
}

# ask NAME COMMAND [ARGUMENT...]: due now, and not again during the test.
ask() {
  belfry reminder add builder -m "$1" --every 1h --now --name "$1" --condition "$2" "${@:3}" > out 2>&1
}

decided() {
  [[ $(why "$1" '.slots[0].outcome') =~ ^(fired|skipped|failed)$ ]]
}

# sleeps SECONDS: processes that sleep for just so long; sleeping and slept are for wait_for.
sleeps() {
  pgrep -cfx "sleep $1" || true
}

sleeping() {
  [ "$(sleeps "$1")" -gt 0 ]
}

slept() {
  [ "$(sleeps "$1")" -eq 0 ]
}

@test "JO38 a condition ends with its daemon, however that ends, and the next runs one, not two" {
  echo "trap '' TERM HUP; echo begin >> begun; sleep $nap; echo end >> begun" > slow.sh
  start_daemon
  ask slow 'sh slow.sh' --condition-timeout 10s
  for end in kill_daemon stop_daemon; do
    wait_for 30 sleeping $nap
    $end
    # nothing has to be waited for but the kernel
    sleep 1
    same 0 "$(sleeps $nap)"
    start_daemon
  done
  wait_for 30 lines_are 3 begun
  wait_for 30 sleeping $nap
  same 1 "$(sleeps $nap)"
  wait_for 60 decided slow
  same 'no end within 10s, so it was killed' "$(why slow '.slots[0].verdict_detail')"
  same 0 "$(sleeps $nap)"
}

@test "JO38 a deliver command ends with its daemon: none runs beside another, and its limit holds" {
  start_daemon
  belfry agent send deaf one > out
  belfry agent send deaf two > out
  wait_for 30 sleeping $short
  kill_daemon
  sleep 1
  same 0 "$(sleeps $short)"
  start_daemon
  wait_for 30 json_is '["failed","failed"]' 'map(.state) | tojson' belfry queue list deaf --all --json
  same 0 "$(sleeps $short)"
  # the one that was cut short, and each of the two once more
  same 'begin begin begin' "$(paste -sd' ' deaf)"
  has "$(belfry queue show "$(json '.[0].id' belfry queue list deaf --all --json)")" 'no end within 1s, so it was killed'
}

@test "JO38 a clean stop leaves nothing of a deliver command" {
  start_daemon
  belfry agent send deaf one > out
  wait_for 30 sleeping $short
  stop_daemon
  same 0 "$(sleeps $short)"
  same 0 "$(grep -c end deaf)"
}

@test "JO38 a nursery that is killed takes no command along, and the next one is had from another" {
  start_daemon
  ask held "touch held; until [ -e go ]; do sleep 0.05; done; $BELFRY_BIN token add --label mine > token 2>&1; true"
  wait_for 30 test -e held
  nursery=$(pgrep -P "$(daemon_pid)" -fx 'belfry wrapper nursery --fd 3')
  kill -9 "$nursery"
  wait_for 30 gone "$nursery"
  ask next 'exit 125'
  wait_for 30 decided next
  touch go
  wait_for 30 decided held
  same 'false true' "$(why next '.slots[0].verdict') $(why held '.slots[0].verdict')"
  # and it is still known for whom it ran
  has "$(cat token)" "a command run for user 'me' may not 'token add'"
}

@test "A34 what a condition leaves behind ends with it, however it was started" {
  cat > left.sh << END
trap "" TERM HUP INT
setsid -f sh -c 'trap "" TERM HUP; sleep $nap; sleep $nap' > /dev/null 2>&1
(setsid env -i sleep $nap < /dev/null > /dev/null 2>&1 &)
(sleep $nap &) &
sleep 0.3
END
  start_daemon
  ask leaver 'sh left.sh'
  wait_for 30 decided leaver
  same true "$(why leaver '.slots[0].verdict')"
  same 0 "$(sleeps $nap)"
}

@test "A34 a condition that kills what keeps it leaves nothing either, and the daemon goes on" {
  start_daemon
  daemon=$(daemon_pid)
  ask killer "setsid -f sh -c 'trap \"\" TERM HUP; sleep $nap; sleep $nap'; sleep 0.3; kill -9 \$PPID; sleep 9"
  wait_for 30 decided killer
  has "$(why killer '.slots[0].verdict_detail')" 'ended by signal 9'
  same 0 "$(sleeps $nap)"
  same "$daemon" "$(daemon_pid)"
}

@test "A34 what is left when keeper and daemon are killed together is gone when the next one is there" {
  cat > left.sh << END
[ ! -e keeper ] || exit 125
setsid -f sh -c 'trap "" TERM HUP; sleep $nap; sleep $nap'
echo \$PPID > keeper.tmp && mv keeper.tmp keeper
sleep $short
END
  start_daemon
  ask killer 'exec sh left.sh'
  wait_for 30 test -e keeper
  wait_for 30 sleeping $nap
  # held, so that it ends nothing
  kill -STOP "$(cat keeper)"
  kill_daemon
  kill -KILL "$(cat keeper)"
  wait_for 30 slept $short
  same 1 "$(sleeps $nap)"
  start_daemon
  same 0 "$(sleeps $nap)"
  wait_for 30 decided killer
  same false "$(why killer '.slots[0].verdict')"
}

@test "A34 what the condition of a run has left answers no question, also after a restart" {
  cat > late.sh << END
trap "" TERM HUP
while sleep 0.2; do
  env -i BELFRY_HOME=$BELFRY_HOME BELFRY_NO_AUTOSTART=1 $BELFRY_BIN inbox reply "\$1" Yes >> $PWD/replied 2>&1 && break
done
END
  start_daemon
  id=$(new asker "belfry message send --ask 'Q3?'
belfry reminder add asker -m x --in 1s --name c3 --condition \"touch $PWD/begun; setsid -f sh $PWD/late.sh \$BELFRY_MISSION_ID > /dev/null 2>&1; sleep 0.5\"")
  wait_for 30 test -e begun
  wait_for 30 json_is true '.fire_count > 0' belfry reminder show c3 --json
  same '' "$(pgrep -f "$PWD/late.sh")"
  stop_daemon
  start_daemon
  sleep 1.5
  same '["agent"]' "$(belfry inbox show "$id" --peek --json | jq -c '[.messages[].sender] | unique')"
  # while it ran it was the run's
  run ! grep -v "may not 'inbox reply'\|^hint: " replied
}

@test "JO38 nothing that the daemon has open reaches a condition, and its starter waits for no one else" {
  # what whoever starts the daemon has open neither
  exec 8> by-chance
  start_daemon
  exec 8>&-
  ask look "ls -l /proc/self/fd > fds; sleep $nap"
  wait_for 30 sleeping $nap
  # its own three, and that of the folder it lists
  same 4 "$(grep -c -- '->' fds)"
  # the next is checked as soon as there is a daemon, before that is ready
  kill_daemon
  rm fds
  start_daemon
  wait_for 30 sleeping $nap
  same 4 "$(grep -c -- '->' fds)"
}
