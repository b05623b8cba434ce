# Roles: the files that declare agents and their reminders, and `belfry apply`.
load helper
e2e_on_postgres='H25 changed|H25 dropped|what a person paused|take effect while'

setup_test() {
  roles=$BELFRY_HOME/roles
  mkdir "$roles"
}

# role NAME: standard input is its file, put there as an editor does it.
role() {
  cat > "$roles/.$1.tmp"
  mv "$roles/.$1.tmp" "$roles/$1.yml"
}

# The role that the tests change, with this schedule, message and further lines.
monitor() {
  role monitor << END
description: watches
reminders:
  - name: check-ci
    message: "${2:-Check the pipeline.}"
    schedule: {${1:-every: 30m}}
${3:-}
END
}

without_daemon() {
  BELFRY_NO_AUTOSTART=1 "$BELFRY_BIN" "$@"
}

# changes COMMAND...: what `apply` answers, as words.
changes() {
  without_daemon apply --json "$@" 2> /dev/null |
    jq -r '.changes[] | "\(.change) \(.what) \(.name) \(.agent)"'
}

# reminder_of NAME FILTER
reminder_of() {
  json "$2" without_daemon reminder show "$1" --json
}

@test "H24 the role of the document: its reminders are those of the agent of its name" {
  role monitor << 'END'
name: monitor
description: CI/CD monitoring agent
instructions: "You monitor CI/CD pipelines and fix issues."
reminders:
  - name: check-ci
    message: "Check the CI pipeline. If there are failures, investigate and fix them."
    schedule:
      every: 30m
    priority: idle
  - name: morning-review
    message: "Review all open PRs and summarize their status."
    schedule:
      rrule: "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"
    priority: normal
  - name: wait-for-deploy
    message: "Run post-deploy smoke tests against staging."
    schedule:
      every: 5m
    condition:
      prompt: "Check if the staging deploy has completed successfully."
      mode: once
END
  start_daemon
  wait_for 20 json_is 3 length belfry reminder list monitor --json
  same "check-ci every 30m idle role none
morning-review rrule FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0 normal role none
wait-for-deploy every 5m idle role prompt" "$(belfry reminder list monitor --json |
    jq -r '.[] | [.name, (.schedule | to_entries[0] | .key, .value), .priority, .source,
      (.condition // {none: 1} | keys_unsorted[0])] | join(" ")')"
  same "once Check if the staging deploy has completed successfully." \
    "$(json '"\(.condition.mode) \(.condition.prompt)"' belfry reminder show wait-for-deploy --json)"
  same monitor "$(json '.[].name | select(. == "monitor")' belfry agent list --json)"
}

@test "H25 absent: created; twice: nothing; unchanged: untouched" {
  monitor
  same "created reminder check-ci monitor" "$(changes --dry-run)"
  run -3 without_daemon reminder show check-ci
  same "created reminder check-ci monitor" "$(changes)"
  local before
  before=$(reminder_of check-ci 'del(.now)')
  same "" "$(changes)"
  same "$before" "$(reminder_of check-ci 'del(.now)')"
}

@test "H25 a dry run starts no daemon, which would do what is only to be shown" {
  monitor
  "$BELFRY_BIN" apply --dry-run > out 2> err
  has "$(cat out)" '+ reminder check-ci of monitor'
  same "" "$(cat err)"
  run ! "$BELFRY_BIN" daemon status
}

@test "H25 changed: text and schedule are the file's, id and counters stay" {
  monitor "every: 1s"
  start_daemon
  wait_for 30 json_is true '.fire_count >= 2' belfry reminder show check-ci --json
  local id fires
  id=$(json .id belfry reminder show check-ci --json)
  monitor "cron: '0 9 29 2 *'" "Look again." "    priority: normal"
  wait_for 20 json_is "Look again." .message belfry reminder show check-ci --json
  same "$id 0 9 29 2 * normal" "$(json '"\(.id) \(.schedule.cron) \(.priority)"' belfry reminder show check-ci --json)"
  fires=$(json .fire_count belfry reminder show check-ci --json)
  [ "$fires" -ge 2 ]
  [ "$(json .last_fired_at belfry reminder show check-ci --json)" != null ]
  monitor "cron: '0 9 29 2 *'" "And again." "    priority: normal"
  wait_for 20 json_is "And again." .message belfry reminder show check-ci --json
  same "$fires" "$(json .fire_count belfry reminder show check-ci --json)"
}

@test "H25 dropped: completed with the reason, and only what the role declared" {
  monitor
  same "created reminder check-ci monitor" "$(changes)"
  without_daemon reminder add monitor --name check-ci-too -m mine --every 2h 2> /dev/null
  role monitor <<< "reminders: []"
  same "completed reminder check-ci monitor" "$(changes)"
  same "completed taken out of role monitor
active null" "$(without_daemon reminder list --all --json |
    jq -r '.[] | "\(.status) \(.end_reason)"')"
  same "" "$(changes)"
  monitor
  same "created reminder check-ci monitor" "$(changes)"
}

@test "N32 what a role declares is not removed, completed or edited by command" {
  monitor "every: 30m" "Check." "  - {name: look, message: x, schedule: {every: 1h}, condition: {prompt: done?, mode: once}}
  - {name: off, message: x, schedule: {every: 1h}, enabled: false}"
  start_daemon
  wait_for 20 json_is active .status belfry reminder show check-ci --json
  declared=("'check-ci' is declared in a file: '$roles/monitor.yml' line 3")
  refused 4 "${declared[@]}" reminder remove check-ci
  has "$(cat stderr)" 'change the file; to stop it for now: belfry reminder pause check-ci'
  refused 4 "${declared[@]}" reminder complete check-ci
  refused 4 "${declared[@]}" reminder edit check-ci --every 5m
  same '30m active' "$(json '"\(.schedule.every) \(.status)"' belfry reminder show check-ci --json)"
  refused 4 "'off' is disabled in a file: '$roles/monitor.yml' line 7" reminder resume off
  has "$(cat stderr)" "take 'enabled: false' out of the file"
  # an agent closes what asked it to look, and that stays closed
  belfry reminder complete look > out
  belfry apply > out
  same completed "$(json .status belfry reminder show look --json)"
}

@test "N32 a home in which a role's reminder was removed or edited by hand is as the file says at the next start" {
  sqlite_only
  monitor "every: 30m" "Check." "  - {name: other, message: x, schedule: {every: 1h}}"
  changes
  sqlite3 -cmd '.timeout 10000' "$BELFRY_HOME/belfry.db" > out << 'END'
UPDATE reminders SET schedule = '5m', message = 'mine' WHERE name = 'other';
UPDATE reminders SET status = 'cancelled', end_reason = 'removed by hand', due_at = NULL, nominal_at = NULL,
  ended_at = updated_at WHERE name = 'check-ci';
END
  start_daemon
  same "1h x" "$(reminder_of other '"\(.schedule.every) \(.message)"')"
  same active "$(reminder_of check-ci .status)"
  log_has "reminder 'check-ci' of agent 'monitor' had ended (removed by hand), but its file declares it: it is back"
  log_has "reminder 'other' of agent 'monitor' is now as its file says: text, schedule"
}

@test "H25 what a person paused, and what has ended, stays so until it is declared anew" {
  monitor "every: 30m" "Check." "  - {name: other, message: x, schedule: {every: 1h}}
  - {name: once, message: x, schedule: {every: 1h}, condition: {prompt: done?, mode: once}}"
  changes
  without_daemon reminder complete once 2> /dev/null
  without_daemon reminder pause other 2> /dev/null
  same "" "$(changes)"
  same paused "$(reminder_of other .status)"
  monitor "every: 40m" "Check." "  - {name: other, message: y, schedule: {every: 1h}}
  - {name: once, message: y, schedule: {every: 1h}, condition: {prompt: done?, mode: once}}"
  same "changed reminder check-ci monitor
changed reminder other monitor
created reminder once monitor" "$(changes)"
  same "paused y" "$(reminder_of other '"\(.status) \(.message)"')"
  monitor "every: 40m" "Check." "    enabled: false"
  same "changed reminder check-ci monitor
completed reminder other monitor
completed reminder once monitor" "$(changes)"
  same paused "$(reminder_of check-ci .status)"
  monitor "every: 40m" "Check."
  changes
  same active "$(reminder_of check-ci .status)"
}

@test "H17 files that come, change and go take effect while the daemon runs" {
  rmdir "$roles"
  start_daemon
  mkdir "$roles"
  monitor
  wait_for 20 json_is active .status belfry reminder show check-ci --json
  monitor "every: 45m"
  wait_for 20 json_is 45m .schedule.every belfry reminder show check-ci --json
  sed -i 's/45m/50m/' "$roles/monitor.yml"
  wait_for 20 json_is 50m .schedule.every belfry reminder show check-ci --json
  rm "$roles/monitor.yml"
  wait_for 20 json_is "completed taken out of role monitor" '"\(.status) \(.end_reason)"' \
    belfry reminder show check-ci --json
  run -0 belfry apply
  [[ $output == *"nothing left to do"*"- reminder check-ci of monitor"*"taken out of role monitor"* ]]
}

@test "H25 an agent that is given a role, and its own words win" {
  role monitor << 'END'
instructions: You look after the pipeline.
command: [cat]
environment: {ONE: role, TWO: role}
reminders: [{name: check-ci, message: Check., schedule: {every: 30m}}]
END
  printf 'agents: {bob: {role: monitor, environment: {TWO: own}, command: [sh, -c, "cat; echo $ONE $TWO"]}}\n' \
    > "$BELFRY_HOME/config.yml"
  same "created reminder check-ci bob
created reminder check-ci monitor" "$(changes | sort)"
  start_daemon
  run -0 --separate-stderr belfry mission new bob "Begin." --wait
  [[ $output == *"You look after the pipeline.

Begin."*"role own"* ]]
  printf 'agents: {bob: }\n' > "$BELFRY_HOME/config.yml"
  wait_for 20 json_is 1 '[.[] | select(.status == "active")] | length' belfry reminder list --json
  printf 'agents: {bob: {role: monitr}}\n' > "$BELFRY_HOME/config.yml"
  run -2 belfry config check
  [[ $output == *"config.yml:1:22: unknown role 'monitr'"*"did you mean 'monitor'?"* ]]
}

@test "H24 a file that cannot be read: named with its place, the others work, nothing of it is lost" {
  monitor
  role other <<< "reminders: [{name: one, message: x, schedule: {every: 1h}}]"
  start_daemon
  wait_for 20 json_is 2 length belfry reminder list --json
  role monitor <<< "remindrs: []"
  role other <<< "reminders: [{name: one, message: x, schedule: {every: 2h}}]"
  wait_for 20 json_is 2h .schedule.every belfry reminder show one --json
  same active "$(json .status belfry reminder show check-ci --json)"
  wait_for 20 log_has "monitor.yml:1:1: unknown key 'remindrs'"
  run -2 belfry apply
  [[ $output == *"monitor.yml:1:1: unknown key 'remindrs'; did you mean 'reminders'?"*"nothing was changed"* ]]
  run -2 belfry config check
  [[ $output == *"monitor.yml:1:1: unknown key"* ]]
}

@test "H24 one reminder that cannot work does not keep the others" {
  monitor "every: 30m" "Check." "  - {name: soon, message: x, schedule: {in: 5m}}"
  run -0 --separate-stderr without_daemon apply
  [[ $output == *"+ reminder check-ci of monitor"*"! reminder soon of monitor: cannot work: "*"monitor.yml:6:45: 'in' counts"* ]]
  monitor "every: often" "Check." "  - {name: soon, message: x, schedule: {every: 5m}}"
  run -0 --separate-stderr without_daemon apply
  [[ $output == *"! reminder check-ci of monitor"*"+ reminder soon of monitor"* ]]
  [[ $(reminder_of check-ci '"\(.status) \(.end_reason)"') == "paused cannot work: "*"monitor.yml:5:23: "* ]]
  run -2 --separate-stderr without_daemon config check
  [[ $stderr == *"reminder 'check-ci' will not fire"* ]]
}

@test "A5 a FIFO among the settings stops neither the clock nor a command, and is named" {
  start_daemon
  pid=$(daemon_pid)
  mkfifo "$roles/x.yml"
  echo '# x' >> "$BELFRY_HOME/config.yml"
  wait_for 20 log_has "'$roles/x.yml' is a FIFO, not a file"
  timeout 20 "$BELFRY_BIN" status
  run -2 timeout 20 "$BELFRY_BIN" config check
  has "$output" "'$roles/x.yml' is a FIFO, not a file"
  run timeout 60 "$BELFRY_BIN" doctor
  has "$output" "'$roles/x.yml' is a FIFO, not a file"
  rm "$BELFRY_HOME/config.yml"
  mkfifo "$BELFRY_HOME/config.yml"
  wait_for 20 log_has "'$BELFRY_HOME/config.yml' is a FIFO, not a file"
  timeout 20 "$BELFRY_BIN" status
  same "$pid" "$(daemon_pid)"
  stop_daemon
  run -0 timeout 20 "$BELFRY_BIN" daemon start
  has "$output" "'$BELFRY_HOME/config.yml' is a FIFO, not a file"
}

@test "A11 a role that is skipped is no tick of doctor's, and what it leaves out is said where it is missed" {
  printf 'agents:\n  n: {}\n' > "$BELFRY_HOME/config.yml"
  printf "command: ['true']\n" | role n
  chmod 666 "$roles/n.yml"
  run belfry doctor
  [ "$status" -ne 0 ]
  has "$output" "✗ config"
  has "$output" "role 'n' cannot be used: '$roles/n.yml' may be written by others (mode 666)"
  start_daemon
  run belfry mission new n hello
  [ "$status" -ne 0 ]
  has "$output" "its role is skipped: '$roles/n.yml' may be written by others"
}

@test "N32 an export leaves out what files declare, and an import skips it and counts it" {
  monitor
  start_daemon
  wait_for 20 json_is active .status belfry reminder show check-ci --json
  belfry reminder add monitor -m mine --every 1h --name mine > out
  same mine "$(belfry reminder export | jq -r .name)"
  # one of an older version has it
  belfry reminder export > before
  printf '{"id":"%s","name":"check-ci","agent":"monitor","message":"x","schedule":{"every":"5m"},"source":"role"}\n' \
    "$(json .id belfry reminder show check-ci --json)" >> before
  run -0 belfry reminder import before --replace
  has "$output" '1 skipped'
  same '30m' "$(json .schedule.every belfry reminder show check-ci --json)"
  # and one of another home
  printf '{"id":"r-zzzzzz","name":"check-ci","agent":"monitor","message":"x","schedule":{"every":"5m"},"source":"role"}\n' > other
  run -0 belfry reminder import other
  has "$output" '1 skipped'
  run -3 belfry reminder show r-zzzzzz
}

@test "N32 a name that several have: each is named with its agent" {
  monitor
  printf 'agents: {bob: {role: monitor}}\n' > "$BELFRY_HOME/config.yml"
  start_daemon
  wait_for 20 json_is 2 length belfry reminder list --json
  refused 4 "' of 'bob'" reminder pause check-ci
  has "$(cat stderr)" "' of 'monitor'"
  has "$(cat stderr)" 'hint: give the id of the one you mean'
}

# told WORDS: how many messages in the inbox have them.
told() { belfry inbox search "$1" --json 2> /dev/null | command jq '.messages | length'; }
told_is() { [ "$(told "$2")" = "$1" ]; }

@test "N52 a mistake in a role's reminder stops that one, and everybody who looks is told" {
  monitor 'every: 30m' Check '    fallback: wait'
  start_daemon
  wait_for 20 json_is active .status belfry reminder show check-ci --json
  monitor 'evry: 30m'
  wait_for 20 json_is paused .status belfry reminder show check-ci --json
  has "$(belfry reminder list)" broken
  has "$(belfry reminder show check-ci)" "paused: cannot work: $roles/monitor.yml:5:16: unknown key 'evry'"
  has "$(belfry apply)" "! reminder check-ci of monitor"
  run -2 --separate-stderr belfry config check
  same 'config.yml can be used, but 1 of 1 reminders will not fire: 0 agents, 1 role' "$output"
  has "$stderr" "warning: reminder 'check-ci' will not fire: $roles/monitor.yml:5:16: unknown key 'evry'"
  run -2 --separate-stderr belfry config check --json
  same 'false check-ci' "$(jq -r '"\(.ok) \(.bad_reminders[0].name)"' <<< "$output")"
  run -4 belfry doctor
  has "$output" "✗ config   reminder 'check-ci' of role 'monitor' does not fire"
  has "$output" "✗ firing   'check-ci' does not fire: cannot work: "
  # once, also after a start; and of another mistake again, or of the same one that is back
  belfry daemon stop > /dev/null && start_daemon
  belfry apply > /dev/null
  same 1 "$(told 'reminder does not fire')"
  monitor 'cron: 61 * * * *'
  wait_for 20 told_is 2 'reminder does not fire'
  monitor 'every: 30m'
  wait_for 20 json_is active .status belfry reminder show check-ci --json
  run -0 belfry config check
  has "$(belfry doctor)" '✓ firing   every reminder can fire'
  monitor 'cron: 61 * * * *'
  wait_for 20 told_is 3 'reminder does not fire'
  # a line above it makes it no other mistake, and what is disabled is nobody's loss
  role monitor < <(echo '# watches'; cat "$roles/monitor.yml")
  belfry apply > /dev/null
  same 3 "$(told 'reminder does not fire')"
  monitor 'cron: 61 * * * *' Check '    enabled: false'
  wait_for 20 json_is 'disabled in its role' .end_reason belfry reminder show check-ci --json
  run -0 belfry config check
  run belfry doctor
  has "$output" '✓ firing'
}

@test "N54 reminders for an agent that nobody declares any more are told, and no tick of doctor's" {
  config() { printf 'agents:\n  %s: {deliver: {command: [cat]}}\n' "$1" > "$BELFRY_HOME/config.yml"; }
  config builder
  monitor
  start_daemon
  belfry reminder add builder -m hello --every 1h --name mine > /dev/null
  belfry reminder add builder -m paused --every 1h --name off > /dev/null
  belfry reminder pause off > /dev/null
  belfry reminder add me -m tea --every 1h > /dev/null
  belfry reminder add monitor -m more --every 1h > /dev/null
  run -0 belfry config check
  has "$(belfry doctor)" '✓ firing   every reminder can fire'
  config bulider
  run -2 --separate-stderr belfry config check
  same 'config.yml can be used, but reminders are for an agent that nobody declares: 1 agent, 1 role' "$output"
  same "warning: 1 reminder is for 'builder', whom nobody declares; declare 'builder', or remove the reminder: belfry reminder list builder" "$stderr"
  has "$(belfry apply)" "! agent builder: 1 reminder is for 'builder', whom nobody declares; declare 'builder', or remove"
  run -4 belfry doctor
  has "$output" "✗ firing   1 reminder is for 'builder', whom nobody declares"
  wait_for 20 told_is 1 'whom nobody declares'
  has "$(belfry reminder list builder)" mine
  belfry daemon stop > /dev/null && start_daemon
  belfry apply > /dev/null
  same 1 "$(told 'whom nobody declares')"
  config builder
  belfry apply > /dev/null
  run -0 belfry config check
  config bulider
  wait_for 20 told_is 2 'whom nobody declares'
  belfry reminder remove mine off > /dev/null
  run -0 belfry config check
  has "$(belfry doctor)" '✓ firing   every reminder can fire'
}

@test "N54 no tick of doctor's for firing while a cron cannot fire" {
  printf '%s\n' 'agents: {sh: {command: [sh]}}' 'crons: {bad: {schedule: "0 9 * *", agent: sh, prompt: p}}' \
    > "$BELFRY_HOME/config.yml"
  start_daemon
  run -4 belfry doctor
  has "$output" "✗ config   cron 'bad' does not fire"
  has "$output" '✗ firing   all but what the config above cannot use'
}

@test "N53 a role file with a mistake: what it said before stays in force, and it is told once" {
  role monitor << END
command: [sh]
reminders:
  - {name: check-ci, message: Check, schedule: {every: 30m}}
END
  start_daemon
  wait_for 20 json_is active .status belfry reminder show check-ci --json
  role monitor <<< 'reminders: ['
  wait_for 20 told_is 1 'role monitor cannot be used'
  stays() {
    same active "$(json .status belfry reminder show check-ci --json)"
    same 1 "$(told 'role monitor cannot be used')"
    belfry agent list --json | jq -e '.[] | select(.name == "monitor") | .adapter' > /dev/null
    run -2 belfry apply
    has "$output" "monitor.yml:2:1: flow sequence without a closing bracket"
    run -4 belfry doctor
    has "$output" "role 'monitor' cannot be used: $roles/monitor.yml:2:1: "
    run -2 belfry config check
  }
  stays
  has "$(belfry inbox search 'role monitor cannot be used')" 'monitor'
  log_has "role 'monitor' stays as it was before a mistake: $roles/monitor.yml:2:1"
  belfry daemon stop > /dev/null && start_daemon
  stays
  # another mistake is told, and one that nobody but us may have made
  role monitor <<< 'command: [sh]'
  wait_for 20 json_is completed .status belfry reminder show check-ci --json
  chmod 666 "$roles/monitor.yml"
  belfry agent list > /dev/null
  wait_for 20 told_is 2 'role monitor cannot be used'
  # what never was in force is skipped
  role fresh <<< 'heartbeat: often'
  wait_for 20 told_is 1 'role fresh cannot be used'
  wait_for 20 log_has "role 'fresh' is skipped: "
}
