#!/usr/bin/env bats
# References that lead nowhere, prompts that look like something else, and agents that behave badly.
load helper
e2e_on_postgres='put in by SQL|by task add|a megabyte of prompt'

setup_test() {
  mkdir source vanished
  scripted "  recorder: {command: [sh, -c, 'cat > got'], directory: $BATS_TEST_TMPDIR}
  deaf: {command: ['true'], directory: $BATS_TEST_TMPDIR}
  absent: {command: [no-such-program-here], directory: $BATS_TEST_TMPDIR}
  lost: {command: [sh], directory: $BATS_TEST_TMPDIR/vanished}
  talker:
syncedRepos:
  lib: {source: $BATS_TEST_TMPDIR/source}
crons:
  maxConcurrent: 10"
}

# quick COMMAND...: long before what holds it up would end, at least once in three times: the machine
# may be busy.
quick() {
  local from

  for _ in 1 2 3; do
    from=$(date +%s%N)
    "$@" > quick.out || return 1
    [ $((($(date +%s%N) - from) / 1000000)) -ge 10000 ] || return 0
  done
  echo "slow: $*" >&2
  return 1
}

# Everything a shell, YAML, SQL or printf might take for its own.
nasty() {
  printf '%s\n' 'first: "line" # {not} [yaml]' "it's \$(touch harmed) \`touch harmed\` \${HOME} \\n %s %n" \
    "'; DROP TABLE runs; --" '- --flag' '{{name}} is not a variable' $'\ttab\r' 'ünïcödé 🔔' '' '  last  '
}

# got_is FILE: what the recorder read ends with exactly these bytes.
got_is() {
  [ -e got ] && tail -c "$(stat -c %s "$1")" got | cmp -s - "$1"
}

# recorded FILE TASK: a task's run reads them, after what it is told of the moment.
recorded() {
  task_becomes "$2" completed
  got_is "$1" || { diff "$1" got >&2; return 1; }
  rm got
}

quoted() {
  sed "s/'/''/g" "$1"
}

@test "A9 an unknown agent, or one that cannot run, is refused by every command" {
  refused 3 "no agent 'nobody'" mission new nobody x
  refused 2 "agent 'talker' cannot run" mission new talker x
  refused 3 "no agent 'nobody'" task add x --in 1h --agent nobody
  refused 2 "agent 'talker' can be reminded, but not run" task add x --in 1h --agent talker
  refused 3 "no agent 'nobody'" reminder add nobody -m x --every 1h --run
  refused 2 "talker" reminder add talker -m x --every 1h --run
  refused 3 "no agent 'nobody'" mission ls --agent nobody
  refused 2 "nobody" cron add x --schedule '0 9 * * *' --agent nobody --prompt x
  refused 2 "talker" cron add x --schedule '0 9 * * *' --agent talker --prompt x
  id=$(task x --in 1h)
  refused 3 "no agent 'nobody'" task edit "$id" --agent nobody
  same builder "$(json .agent belfry task show "$id" --json)"
  same 0 "$(json length belfry mission ls --all --json)"
}

@test "A9 an unknown repository is refused by every command" {
  refused 2 "unknown repository 'libb'" mission new builder x --git libb
  refused 2 "libb" cron add x --schedule '0 9 * * *' --agent builder --prompt x --git libb
  same 0 "$(json length belfry cron ls --json)"
}

@test "A9 an agent that is gone at fire time: a failed run that says so" {
  start_daemon
  id=$(task x --in 1h --agent recorder --max-attempts 1)
  sed -i '/recorder:/d' "$BELFRY_HOME/config.yml"
  wait_for 30 refused 3 "no agent 'recorder'" mission ls --agent recorder
  belfry task edit "$id" --in 1s > out
  task_becomes "$id" failed
  has "$(json .last_error belfry task show "$id" --json)" "no agent 'recorder'"
  mission=$(json .mission belfry task show "$id" --json)
  same "error 1" "$(m "$mission" '"\(.state) \(.runs | length)"')"
  [ -n "$(m "$mission" '.runs[0].finished_at')" ]
  has "$(json 'map(.body) | join("; ")' belfry queue list me --json)" "no agent 'recorder'"
}

@test "A9 an agent that never was, put in by SQL: a failed run that says so" {
  start_daemon
  sql "INSERT INTO scheduled_tasks (id, fire_at, prompt, agent, max_attempts)
    VALUES ('t-nobody', '2020-01-01T00:00:00Z', 'x', 'nobody', 1)"
  task_becomes t-nobody failed
  has "$(json .last_error belfry task show t-nobody --json)" "no agent 'nobody'"
  same 1 "$(m "$(json .mission belfry task show t-nobody --json)" '.runs | length')"
}

@test "A9 a repository that is gone at fire time: a failed run that says so" {
  sed -i 's/maxConcurrent: 10/maxConcurrent: 1/' "$BELFRY_HOME/config.yml"
  hold=$(new shell "$held")
  becomes "$hold" running
  id=$(new builder x --git lib)
  sed -i '/lib: /d; s/syncedRepos:/syncedRepos: []/' "$BELFRY_HOME/config.yml"
  wait_for 30 refused 2 "unknown repository 'lib'" mission new builder x --git lib 2> /dev/null
  touch go
  becomes "$id" error
  has "$(m "$id" '.runs[0].error')" "unknown repository 'lib'"
}

@test "A9 A18 a command that is not there, and a folder that has gone: failed runs that say so" {
  start_daemon
  rmdir vanished
  a=$(new absent x) b=$(new lost x)
  becomes "$a" error
  becomes "$b" error
  has "$(m "$a" '.runs[0].error')" 'no-such-program-here'
  has "$(m "$b" '.runs[0].error')" "$BATS_TEST_TMPDIR/vanished"
  same '1 1' "$(m "$a" '.runs | length') $(m "$b" '.runs | length')"
}

@test "A15 a prompt is bytes: by mission new, as an argument and on standard input" {
  start_daemon
  nasty > prompt
  printf %s "$(cat prompt)" > chomped
  becomes "$(new recorder "$(cat prompt)")" success
  cmp got chomped
  becomes "$(belfry mission new recorder - --json < prompt | jq -r .id)" success
  cmp got prompt
  [ ! -e harmed ]
}

@test "B1 a prompt is bytes: by task add, as an argument and on standard input, and by SQL" {
  start_daemon
  # a carriage return is refused, as in every message, rather than lost
  refused 2 'control character 0x0d' task add $'a\r' --in 1s --agent recorder
  nasty | tr -d '\r' > prompt
  printf %s "$(cat prompt)" > chomped
  recorded chomped "$(task "$(cat prompt)" --in 1s --agent recorder)"
  recorded prompt "$(task - --in 1s --agent recorder < prompt)"
  sql "INSERT INTO scheduled_tasks (id, fire_at, agent, prompt)
    VALUES ('by-sql', '2020-01-01T00:00:00Z', 'recorder', '$(quoted chomped)')"
  recorded chomped by-sql
  [ ! -e harmed ]
}

@test "A5 a prompt is bytes: by cron add, and by cron run" {
  start_daemon
  # what YAML cannot carry is not what a person types
  nasty | tr -d '\r' > prompt
  printf %s "$(cat prompt)" > chomped
  belfry cron add nasty --schedule '0 9 * * *' --agent recorder --prompt "$(cat prompt)" > out
  belfry cron run nasty > out
  wait_for 30 json_is success '.[0].state' belfry mission ls --cron nasty --json
  cmp got chomped
  [ ! -e harmed ]
}

@test "A15 a megabyte of prompt: by mission new, task add and SQL" {
  start_daemon
  base64 -w 80 < /dev/urandom | head -c 1000000 > prompt
  becomes "$(belfry mission new recorder - --json < prompt | jq -r .id)" success
  cmp got prompt
  recorded prompt "$(task - --in 1s --agent recorder < prompt)"
  sql "INSERT INTO scheduled_tasks (id, fire_at, agent, prompt)
    VALUES ('by-sql', '2020-01-01T00:00:00Z', 'recorder', '$(cat prompt)')"
  recorded prompt by-sql
  # an agent that does not read it
  becomes "$(belfry mission new deaf - --json < prompt | jq -r .id)" success
}

@test "A15 A16 A17 agents that behave badly all end, leave nothing behind, and hold nobody up" {
  start_daemon
  # 200 MB; the wrapper by itself is tested with a gigabyte
  flood=$(new shell 'yes "a line of an agent that does not stop talking" | head -c 200000000; echo; echo done')
  deaf=$(new builder $'ignore TERM INT HUP\nraw begun\nsleep 100')
  daemon=$(new builder $'fork 100\ndaemon 100\ndaemon 100\nsay left them')
  mute=$(new builder $'close\nsleep 0.2\nsay nobody hears this')
  quick belfry status
  bang=$(new builder 'signal 11')
  bomb=$(new shell 'f() { sleep 100 & setsid sleep 100 & [ $1 -gt 20 ] || f $(($1 + 1)); }; f 1; exit 4')
  quick belfry status
  wait_for 30 grep -qs begun "$BELFRY_HOME/missions/$deaf/runs/1/output.log"
  for id in $daemon $mute; do becomes "$id" success; done
  for id in $bang $bomb; do becomes "$id" error; done
  # it has half a minute to end, in which others go on
  belfry mission stop "$deaf" > out
  once=$(new builder 'exit 0')
  becomes "$once" success
  quick belfry status
  same stopping "$(m "$deaf" .state)"
  belfry mission stop "$deaf" > out
  becomes "$deaf" killed
  wait_for 120 json_is success .state belfry mission show "$flood" --json
  same '0 null 4 null' "$(m "$once" '.runs[0] | "\(.exit_code) \(.signal)"') $(m "$bomb" '.runs[0] | "\(.exit_code) \(.signal)"')"
  same '11' "$(m "$bang" '.runs[0].signal')"
  same 'left them' "$(m "$daemon" '.runs[0].answer')"
  for id in $flood $deaf $daemon $mute $once $bang $bomb; do wait_for 30 none_left_of "$id"; done
  [ "$(cat "$BELFRY_HOME/missions/$flood/runs/1"/output.log* | wc -c)" -le 42000000 ]
  same 'done' "$(tail -n 1 "$BELFRY_HOME/missions/$flood/runs/1/output.log")"
  [ "$(m "$flood" '.runs[0].answer | length')" -le 16384 ]
}

@test "A15 a flood does not keep the clock from firing" {
  start_daemon
  flood=$(new shell 'yes 2> /dev/null')
  id=$(task 'mark marks' --in 1s)
  task_becomes "$id" completed
  belfry mission stop "$flood" > out
  becomes "$flood" killed
  wait_for 30 none_left_of "$flood"
}
