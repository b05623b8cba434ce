# Roles of live agents: who is declared by a start, what it is told, and when its role changes.
load helper
load tui
# shellcheck disable=SC2034
e2e_shown_once=1

setup_test() {
  roles=$BELFRY_HOME/roles
  agents_config
  mkdir "$roles"
}

teardown_test() {
  end_sessions
}

# role NAME AGENT [LINES]: a role whose agent is the scripted one, with the record of AGENT; standard
# input is the rest of it.
role() {
  {
    printf 'adapter: tui\ndirectory: %s\nenvironment: {TUI_RECORD: %s/%s.record, TUI_HOME: %s/sessions}\n' \
      "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR" "$2" "$BATS_TEST_TMPDIR"
    cat
  } > "$roles/.$1.tmp"
  mv "$roles/.$1.tmp" "$roles/$1.yml"
}

# bob NAME FILTER: something of a reminder of his, the newest of that name.
bob() {
  json "[.[] | select(.name == \"$1\")] | last | $2" belfry reminder list bob --all --json
}

bob_is() {
  [ "$(bob "$1" "$2")" = "$3" ]
}

prompts_have() {
  prompts "$1" | grep -qF -- "$2"
}

@test "H24 H25 H26 H17: a role's heartbeat and its idle reminder are told to the session, and follow the file" {
  role monitor bob << 'END'
heartbeat: {idle: 1s, message: anything new}
reminders:
  - {name: tidy, message: tidy up, schedule: {idle: 1s}, count: 1}
END
  belfry agent start bob --role monitor --detach > /dev/null
  got bob 'anything new'
  got bob 'tidy up'
  same 'idle completed role' "$(bob tidy '"\(.schedule | keys[0]) \(.status) \(.source)"')"
  # what it says again and again is the heartbeat: every turn ends in idleness
  wait_for 30 told_again bob 'anything new'
  role monitor bob <<< 'reminders: [{name: other, message: something else, schedule: {idle: 1s}, count: 1}]'
  got bob 'something else'
  wait_for 30 bob_is heartbeat-bob .status completed
  same 1 "$(events bob start)"
}

told_again() {
  [ "$(bodies "$1" | grep -cxF -- "$2")" -ge 2 ]
}

@test "H25 H11 H17: an agent that only its role declares: known across daemons, until it is removed" {
  local id pid
  role monitor bob << 'END'
instructions: You look after the pipeline.
reminders: [{name: check, message: Check., schedule: {every: 1h}}]
END
  start_daemon
  refused 3 "no agent 'nobody'" agent start nobody --detach
  has "$(cat stderr)" '--role'
  refused 3 "no role 'monitr'" agent start bob --role monitr --detach
  run -3 belfry reminder add bob -m x --in 1h
  same $'monitor\t' "$(belfry complete-words agent start bob --role mon)"
  belfry agent start bob --role monitor --detach > /dev/null
  same $'bob\t' "$(belfry complete-words agent attach bo)"
  is bob idle
  wait_for 30 prompts_have bob 'You look after the pipeline.'
  wait_for 30 bob_is check .status active
  id=$(bob check .id)
  stop_daemon
  start_daemon
  is bob idle
  same 'monitor 1' "$(agent bob '"\(.role) \(.reminders)"')"
  add bob -m mine --every 2h > /dev/null
  # the role changes while it runs
  role monitor bob << 'END'
reminders: [{name: check, message: Look., schedule: {every: 90m}}, {name: more, message: m, schedule: {every: 1h}}]
END
  wait_for 30 bob_is check .schedule.every 1h30m
  wait_for 30 bob_is more .status active
  same "$id Look." "$(bob check '"\(.id) \(.message)"')"
  is bob idle
  # removed: it has ended when that returns, its reminders stay, and nobody knows it
  pid=$(pid_of bob)
  run -0 belfry agent rm bob
  has "$output" '3 reminders for it stay'
  gone "$pid"
  refused 3 bob reminder add bob -m x --in 1h
  refused 3 bob agent send bob hello
  refused 3 bob agent start bob --detach
  same "$id active" "$(bob check '"\(.id) \(.status)"')"
  # what is taken out of the role still goes
  role monitor bob <<< 'reminders: [{name: check, message: Look., schedule: {every: 90m}}]'
  wait_for 30 bob_is more .status completed
  # back again: the same reminders; and gone with them
  belfry agent start bob --role monitor --detach > /dev/null
  wait_for 30 json_is monitor '.[] | select(.name == "bob") | .role' belfry agent ls --json
  same "$id active" "$(bob check '"\(.id) \(.status)"')"
  run -0 belfry agent rm bob --with-reminders
  has "$output" '2 reminders for it are cancelled'
  same "$id cancelled" "$(bob check '"\(.id) \(.status)"')"
  # a new one of that name gets what its role has
  belfry agent start bob --role monitor --detach > /dev/null
  wait_for 30 bob_is check .status active
  [ "$(bob check .id)" != "$id" ]
}

@test "H24: fallback of a role's reminder: wait, run, start, as the file says now" {
  start_daemon
  role monitor monitor <<< 'reminders: [{name: check, message: do it, schedule: {every: 1s}, priority: normal}]'
  wait_for 30 queued_at_least monitor 1
  same 'wait 0' "$(of check .fallback) $(events monitor headless)"
  role monitor monitor <<< 'reminders: [{name: check, message: do it, schedule: {every: 1s}, fallback: run}]'
  did monitor headless
  same run "$(of check .fallback)"
  role monitor monitor <<< 'reminders: [{name: check, message: now here, schedule: {every: 1s}, fallback: start, count: 1000}]'
  got monitor 'now here'
  same start "$(of check .fallback)"
  # a run without a terminal records its start, too
  wait_for 30 sessions_are 1
}

sessions_are() {
  [ $(($(events monitor start) - $(events monitor headless))) -eq "$1" ]
}

queued_at_least() {
  [ "$(queued "$1")" -ge "$2" ]
}

@test "live: --fallback start: one that ends again and again is given up, and the person is told" {
  agents_config "  crash: {command: [sh, -c, 'echo x >> starts; exit 3'], directory: $BATS_TEST_TMPDIR}"
  start_daemon
  add crash -m 'wake up' --every 1s --fallback start > id
  wait_for 90 inbox_has 'started again and again'
  same 3 "$(wc -l < starts)"
  sleep 2
  same '3 1' "$(wc -l < starts) $(belfry inbox search 'started again and again' | wc -l)"
  queued_at_least crash 1
}

inbox_has() {
  [[ $(belfry inbox search "$1" 2> /dev/null) == thr-* ]]
}

@test "H24: instructions that a command has no place for are its first message, in each new session once" {
  cat > "$roles/clerk.yml" << END
command: [$TUI_AGENT]
directory: $BATS_TEST_TMPDIR
environment: {TUI_RECORD: $BATS_TEST_TMPDIR/clerk.record, TUI_HOME: $BATS_TEST_TMPDIR/sessions}
instructions: You keep the books.
END
  start_daemon
  belfry agent send clerk 'first task' --priority idle > /dev/null
  belfry agent start clerk --detach > /dev/null
  got clerk 'You keep the books.'
  got clerk 'first task'
  same $'You keep the books.\nfirst task' "$(bodies clerk)"
  all_delivered clerk
  stop_daemon
  start_daemon
  belfry agent restart clerk > /dev/null
  wait_for 60 told_twice
  same 2 "$(events clerk start)"
}

told_twice() {
  [ "$(bodies clerk | grep -c 'keep the books')" -eq 2 ]
}

@test "H17: what is added, edited and removed takes effect while the agent works" {
  local edited removed
  live a
  work a WORK:600s busy
  edited=$(add a -m edited --in 1h --priority normal)
  removed=$(add a -m removed --in 8s --priority normal)
  belfry reminder remove "$removed" > /dev/null
  # due after it, and so told after it
  add a -m later --in 8s --priority normal > /dev/null
  belfry reminder edit "$edited" --in 100ms > /dev/null
  add a -m added --in 100ms --priority normal > /dev/null
  wait_for 30 json_is 1 .fire_count belfry reminder show "$edited" --json
  wait_for 60 json_is 3 '[.[] | select(.note | startswith("typed in"))] | length' belfry queue list a --json
  is a busy
  keys a C-c
  got a edited
  got a added
  got a later
  same 0 "$(bodies a | grep -c removed)"
}
