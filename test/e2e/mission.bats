#!/usr/bin/env bats
# Missions by hand, with a real daemon and an agent whose script is its prompt.
load helper
e2e_on_postgres='attempts: each|ls: columns|resume goes on|rm deletes|why and reminder show|stopped while no daemon|through a crash'

setup_test() {
  agent=$TEST_AGENT
  export TEST_AGENT_HOME=$BATS_TEST_TMPDIR/conversations TERM=xterm
  mkdir -p "$TEST_AGENT_HOME"
  configure
}

# configure [LINES]: config.yml, with further lines at its end.
configure() {
  cat > "$BELFRY_HOME/config.yml" << EOF
agents:
  builder: {adapter: scripted}
  plain: {command: [$agent]}
adapters:
  scripted:
    headless: [$agent, -p, --output-format, json, --session-id, "{session}"]
    resume: [$agent, -p, --output-format, json, --resume, "{session}"]
    interactive: [$agent, --session-id, "{session}", "{prompt}"]
    resume_interactive: [$agent, --resume, "{session}", "{prompt}"]
    session: chosen
    output: json
    session_path: session_id
    answer_path: result
    error_path: is_error
    cost_path: total_cost_usd
${1:-}
EOF
}

# new ARGUMENT...: a new mission's id.
new() {
  belfry mission new "$@" --json < /dev/null | jq -r .id
}

# m MISSION FILTER: something of what `show` tells.
m() {
  json "$2" belfry mission show "$1" --json
}

# becomes MISSION STATE
becomes() {
  wait_for 30 json_is "$2" .state belfry mission show "$1" --json
}

# screen SIZE ARGUMENT... < SCRIPT: belfry on a terminal; see screen.py.
screen() {
  local size=$1

  shift
  /usr/bin/python3 "$e2e_root/test/e2e/screen.py" "$size" "$BELFRY_BIN" "$@"
}

# Living processes of a mission's runs.
left_of() {
  local pid

  for pid in $(grep -lsz "^BELFRY_RUN=$1/" /proc/[0-9]*/environ | cut -d/ -f3); do
    gone "$pid" || echo "$pid"
  done
}

none_left_of() {
  [ -z "$(left_of "$1")" ]
}

@test "A15 A18 new --wait: the answer on stdout, 0 for success and 1 for everything else" {
  run -0 --separate-stderr belfry mission new builder $'say hello\nsay there' --wait
  same $'hello\nthere' "$output"
  same '' "$stderr"
  run -1 --separate-stderr belfry mission new builder 'fail no luck' --wait
  same 'no luck' "$output"
  has "$stderr" "ended: error, no luck"
  has "$stderr" 'hint: belfry mission logs mis-'
  run -1 --separate-stderr belfry mission new builder $'say half\nsleep 60' --timeout 1s --wait
  has "$stderr" 'ended: timeout'
  belfry mission new builder 'cost 1.5' --wait --json > whole
  same '["success","ended","by hand?",1.5,0,1]' \
    "$(jq -c '[.state, .phase, (.door | sub("hand"; "by hand?")), .cost_usd, .runs[0].exit_code, (.runs | length)]' whole)"
}

@test "a failure is told without control characters, and a silent run as silent" {
  printf 'agents:\n  grumbles: {command: [sh, -c, "echo oops >&2; exit 3"]}\n  silent: {command: ["true"]}\n' > "$BELFRY_HOME/config.yml"
  run -1 --separate-stderr belfry mission new grumbles x --wait
  has "$stderr" $'ended: error, oops\nhint: belfry mission logs '
  run -0 belfry mission new silent x --wait
  run -0 --separate-stderr belfry mission logs "$(json '.[0].id' belfry mission ls --json)"
  same '' "$output"
  has "$stderr" 'printed nothing'
}

@test "N14 of what an agent just prints the end is kept, and what is missing has a size and a place" {
  printf 'agents:\n  counter: {command: [sh, -c, "seq 30000"]}\n  flood: {command: [sh, -c, "seq 300000"]}\n' > "$BELFRY_HOME/config.yml"
  same 30000 "$(belfry mission new counter x --wait | wc -l)"
  id=$(json '.[0].id' belfry mission ls --json)
  run -0 belfry mission show "$id"
  has "$output" ' bytes before this are in answer.md]'
  has "$output" '  30000'
  has "$output" "… only the last "
  has "$output" "of 168893 bytes; all of it: "
  belfry mission new flood x --wait > out
  same '[… 940319 bytes before this are left out; see the log]' "$(head -n 1 out)"
  same 300000 "$(tail -n 1 out)"
}

@test "A15 N21 the prompt: as an operand, by - and by a pipe, byte for byte; an empty one and one over 1 MiB are refused" {
  printf 'prompt\n# "quotes" $(date) `id` \\ %%s ünï\n\n\ttab' > task
  head -c 200000 /dev/zero | tr '\0' x | fold -w 99 | sed 's/^/# /' >> task
  want="prompt $(cksum < task)"
  same "$want" "$(belfry mission new plain --wait < task | head -n 1)"
  same "$want" "$(belfry mission new plain - --wait < task | head -n 1)"
  printf 'prompt\n# "quotes" $(date) `id` ünï' > task
  same "prompt $(cksum < task)" "$(belfry mission new plain "$(cat task)" --wait < /dev/null | head -n 1)"
  refused 2 'the prompt is empty' mission new builder '' < /dev/null
  refused 2 'the prompt is empty' mission new builder < /dev/null
  refused 2 'the prompt is empty' mission new builder $' \n\t' < /dev/null
  head -c 1048577 /dev/zero | tr '\0' x > big
  refused 2 'larger than 1 MiB' mission new builder < big
  has "$(cat stderr)" 'hint: keep it in a file, and say where it is'
  has "$(belfry mission new --help)" 'A prompt has 1 MiB at most'
  same 3 "$(json length belfry mission ls --json)"
}

@test "A8 mistakes are refused before anything is saved, each with its next step" {
  refused 3 "no agent 'buildr'" mission new buildr x
  refused 2 "agent 'me' cannot run" mission new me x
  refused 2 "unknown repository 'x'" mission new builder x --git x
  refused 2 "--timeout" mission new builder x --timeout 5
  refused 2 "--timeout '1ms' is too short" mission new builder x --timeout 1ms
  refused 2 "--attempts cannot be 0" mission new builder x --attempts 0
  refused 2 "--attempts cannot be 21" mission new builder x --attempts 21
  refused 2 '--interactive needs a terminal' mission new builder x --interactive
  refused 2 '--wait is for a mission that runs by itself' mission new builder --wait -i
  refused 2 '--watch needs a terminal' mission ls --watch
  refused 2 'without a prompt the agent needs a terminal' mission resume mis-none
  refused 3 "mis-none" mission show mis-none
  refused 3 "mis-none" mission logs mis-none
  refused 3 "mis-none" mission rm mis-none --force
  refused 3 "no cron 'nightly'" mission ls --cron nightly
  refused 3 "no agent 'buildr'" mission ls --agent buildr
  same 0 "$(json length belfry mission ls --all --json)"
  has "$(belfry mission ls)" 'belfry mission new AGENT'
}

@test "A18 B3 attempts: each is a run with its end, and show tells them all" {
  id=$(new builder $'err oh dear\nexit 3' --attempts 2)
  # it waits before its first attempt, too
  wait_for 30 json_is 'waiting error' '"\(.state) \(.runs[0].ending)"' belfry mission show "$id" --json
  has "$(m "$id" .reason)" 'attempt 1 of 2 failed'
  run -0 belfry mission show "$id"
  has "$output" 'waiting: attempt 1 of 2 failed'
  has "$output" 'not before'
  has "$output" 'attempt 1, '
  has "$output" ': error, exit status 3, took '
  has "$output" 'oh dear'
  belfry mission stop "$id" > out
  becomes "$id" killed
  same '[1,"attempt","error",3,1]' "$(m "$id" '.runs[0] | [.number, .kind, .ending, .exit_code, .attempt] | tojson')"
}

@test "A11 N13 at maxConcurrent a mission waits, show and --wait say why, and status counts" {
  configure $'crons:\n  maxConcurrent: 1'
  first=$(new builder 'sleep 60')
  becomes "$first" running
  second=$(new builder 'say now')
  same waiting "$(m "$second" .state)"
  run -0 belfry status
  has "$output" 'missions   1 of 1 running, 1 waiting'
  third=$(new builder 'say last')
  has "$(belfry mission show "$third")" 'state      waiting: 1 of 1 running, 1 before it'
  screen 200x24 mission new builder 'say never' --wait > out << 'EOF' || true
see is waiting: 1 of 1 running, 2 before it
kill SIGINT
EOF
  has "$(cat out)" 'running, 2 before it'
  # its wrapper has yet to begin
  wait_for 30 json_is true '.runs[0].heartbeat_at != null' belfry mission show "$first" --json
  run -0 belfry mission show "$first"
  has "$output" 'state      running'
  has "$output" 'heartbeat  '
  refused 3 "mission '$second' has not run: it is waiting" mission logs "$second"
  belfry mission logs "$second" -f > log 2> told &
  belfry mission stop "$first" > out
  becomes "$second" success
  wait $!
  has "$(cat log)" '"result":"now"'
  has "$(cat told)" "belfry: $second, run 1: success, exit status 0, took "
  becomes "$first" killed
}

@test "A26 ls: columns, filters, pages, archived ones only with --all" {
  configure $'crons:\n  nightly: {schedule: "0 9 1 1 *", agent: builder, prompt: "say night"}'
  a=$(new builder $'say one\nsay two')
  becomes "$a" success
  belfry reminder run nightly > out
  wait_for 30 json_is success '.[0].state' belfry mission ls --cron nightly --json
  b=$(json '.[0].id' belfry mission ls --cron nightly --json)
  run -0 belfry mission ls
  has "${lines[0]}" 'ID          AGENT    FROM     STATE    STARTED'
  [[ ${lines[1]} =~ ^$b\ \ builder\ \ nightly\ \ success\ .*\ \$0\.01\ \ say\ night$ ]]
  [[ ${lines[2]} =~ ^$a\ \ builder\ \ by\ hand\ \ success\ .*\ say\ one\ say\ two$ ]]
  same 1 "$(json length belfry mission ls --cron nightly --json)"
  same 2 "$(json length belfry mission ls --agent builder --json)"
  same 0 "$(json length belfry mission ls --agent plain --json)"
  belfry mission archive "$a" > out
  same "$b" "$(json '[.[].id] | join(" ")' belfry mission ls --json)"
  same "$b $a" "$(json '[.[].id] | join(" ")' belfry mission ls --all --json)"
  belfry mission unarchive "${a:0:8}" > out
  same "$b $a" "$(json '[.[].id] | join(" ")' belfry mission ls --json)"
  # a page of one, and the one after it
  more=$(echo '{"request":"mission ls","args":{"limit":1}}' | talk | jq -r .result.more)
  same "$a" "$(echo "{\"request\":\"mission ls\",\"args\":{\"limit\":1,\"after\":$more}}" | talk |
    jq -r '.result.missions[0].id')"
}

@test "A26 ls on a terminal: colours, no line longer than it, at 80 columns without what it cost" {
  local titles='head -n 1 out | sed "s/\x1b\[[0-9]*m//g" | tr -s " \r" " " | sed "s/ $//"'

  configure $'crons:\n  nightly-check-of-everything: {schedule: "0 9 1 1 *", agent: builder, prompt: "say a rather long prompt that does not fit"}'
  belfry reminder run nightly-check-of-everything > out
  wait_for 30 json_is success '.[0].state' belfry mission ls --json
  screen 80x24 mission ls < /dev/null > out
  same "ID AGENT FROM STATE STARTED TOOK PROMPT" "$(eval "$titles")"
  has "$(cat out)" $'\033[32msuccess\033[0m'
  has "$(cat out)" '…'
  [ "$(sed 's/\x1b\[[0-9]*m//g' out | tr -d '\r' | LC_ALL=C.UTF-8 wc -L)" -eq 80 ]
  for list in 'mission ls' 'cron ls' 'cron history nightly-check-of-everything'; do
    # shellcheck disable=SC2086
    NO_COLOR=1 screen 40x24 $list < /dev/null > out
    [ "$(tr -d '\r' < out | LC_ALL=C.UTF-8 wc -L)" -le 40 ] || { cat out; false; }
  done
  NO_COLOR=1 screen 140x24 mission ls < /dev/null > out
  same "ID AGENT FROM STATE STARTED TOOK COST PROMPT" "$(eval "$titles")"
  [[ $(cat out) != *$'\033['* ]]
}

@test "A26 logs: bytes as they are in a pipe, harmless on a terminal, the last lines, one run" {
  id=$(new plain $'raw one\nraw \033[31mred\033[0m\nraw last\xc3\xa9')
  becomes "$id" success
  same $'one\n\033[31mred\033[0m\nlasté' "$(belfry mission logs "$id")"
  same $'lasté' "$(belfry mission logs "$id" --lines 1)"
  same '' "$(belfry mission logs "$id" -n 0)"
  same $'one\n^[[31mred^[[0m\nlasté' "$(screen 80x24 mission logs "$id" < /dev/null | tr -d '\r')"
  same 1 "$(json '.files | length' belfry mission logs "$id" --json)"
  same '1 attempt success' "$(json '"\(.number) \(.kind) \(.ending)"' belfry mission logs "$id" --json)"
  refused 3 "has no run 2" mission logs "$id" --run 2
  refused 2 "--run cannot be 0" mission logs "$id" --run 0
}

@test "A17 logs -f goes on across rotation and ends with the run" {
  id=$(new plain $'raw begun\nsleep 0.5\nflood 25000000\nraw ended')
  run -0 --separate-stderr bash -c '"$BELFRY_BIN" mission logs "$1" -f > followed' - "$id"
  has "$stderr" "belfry: $id, run 1: success, exit status 0"
  folder=$(m "$id" '.runs[0].folder')
  [ -e "$folder/output.log.2" ]
  cat "$folder"/output.log.{3,2,1} "$folder/output.log" 2> /dev/null > whole || true
  [ "$(stat -c %s whole)" -gt 25000000 ]
  cmp whole followed
}

@test "A1 A26 resume goes on in the mission's own conversation" {
  id=$(new builder 'say the first')
  becomes "$id" success
  session=$(m "$id" .session)
  other=$(new builder 'say something else')
  becomes "$other" success
  run -0 belfry mission resume "$id" recall --wait
  same $'turn 1: say the first\nturn 2: recall' "$output"
  same "$session" "$(m "$id" .session)"
  same '["attempt","resume"]' "$(m "$id" '[.runs[].kind] | tojson')"
  run -0 belfry mission show "$id"
  has "$output" '      > recall'
  echo 'sleep 60' | belfry mission resume "$id" - > out
  becomes "$id" running
  refused 4 "it is running" mission resume "$id" again
  belfry mission stop "$id" > out
  becomes "$id" killed
  plain=$(new plain 'say x')
  becomes "$plain" success
  refused 4 'no conversation to go on with' mission resume "$plain" again
}

@test "A16 an interactive mission has this terminal, and a daemon that it started outlives it" {
  screen 80x24 mission new builder $'env BELFRY_MISSION_ID\nsay ready' -i << 'EOF' > out
see ready
type say typed here\r
see typed here
see typed here
type \x04
see to go on: belfry mission resume mis-
EOF
  id=$(json '.[0].id' belfry mission ls --json)
  has "$(cat out)" "BELFRY_MISSION_ID=$id"
  has "$(cat out)" "$id: success, took"
  daemon_pid
  becomes "$id" success
  same '["interactive","success",0]' "$(m "$id" '.runs[0] | [.kind, .ending, .exit_code] | tojson')"
  refused 3 'has no log: it had a terminal' mission logs "$id"
  screen 80x24 mission resume "$id" << 'EOF' > out
type recall\r
see turn 2: say typed here
type \x04
EOF
  wait_for 30 json_is '["interactive","interactive"]' '[.runs[] | select(.ending) | .kind] | tojson' belfry mission show "$id" --json
  # headless goes on with the same conversation
  has "$(belfry mission resume "$id" recall --wait)" 'turn 3: recall'
}

@test "N5 a resume is promised where the conversation has a name, and refused with the reason where not" {
  configure '  met: {headless: [sh], resume: [sh, "{session}"], interactive: [sh], resume_interactive: [echo, again, "{session}"],
    session: read, output: json, session_path: id, answer_path: result}'
  sed -i 's/^agents:/&\n  met: {adapter: met}/' "$BELFRY_HOME/config.yml"
  screen 200x24 mission new met -i > out <<< 'type exit\r'
  has "$(cat out)" 'did not tell us the name of its conversation'
  [[ $(cat out) != *'to go on:'* ]]
  id=$(json '.[0].id' belfry mission ls --json)
  refused 4 "mission '$id' has no conversation to go on with" mission resume "$id" x
  run -4 screen 200x24 mission resume "$id" < /dev/null
  has "$output" 'its agent told no session id; begin with: belfry mission new'
  # by its hooks
  screen 200x24 mission new met -i > out << EOF
type echo '{"session_id": "s-1"}' | $BELFRY_BIN hook SessionStart; exit\r
see to go on: belfry mission resume mis-
EOF
  id=$(json '.[0].id' belfry mission ls --json)
  has "$(screen 200x24 mission resume "$id" < /dev/null)" 'again s-1'
}

@test "A16 an interactive mission can be stopped from elsewhere" {
  start_daemon
  screen 80x24 mission new builder 'say ready' -i << 'EOF' > out &
see ready
EOF
  wait_for 30 json_is running '.[0].state' belfry mission ls --json
  id=$(json '.[0].id' belfry mission ls --json)
  wait_for 30 grep -qs . "$(m "$id" '.runs[0].folder')/pid"
  wait_for 30 bash -c '[ -n "$(cat "$TEST_AGENT_HOME"/*.jsonl 2> /dev/null)" ]'
  belfry mission stop "$id" > stopped
  wait $! || true
  becomes "$id" killed
  wait_for 30 none_left_of "$id"
}

@test "A26 a mission that was stopped while no daemon ran ends with the next one" {
  id=$(new plain 'sleep 60')
  wait_for 30 json_is running .phase belfry mission show "$id" --json
  kill_daemon
  BELFRY_NO_AUTOSTART=1 belfry mission stop "$id" 2> /dev/null
  start_daemon
  wait_for 30 json_is killed .outcome belfry mission show "$id" --json
  same 'stopped by hand' "$(m "$id" .reason)"
}

@test "A26 stop ends what runs, with everything it started, and what waits" {
  configure $'crons:\n  maxConcurrent: 1'
  id=$(new builder $'fork 100\ndaemon 100\nraw begun\nsleep 100')
  wait_for 30 grep -qs begun "$BELFRY_HOME/missions/$id/runs/1/output.log"
  waiting=$(new builder 'say never')
  same 'killed: stopped by hand' "$(belfry mission stop "$waiting" | cut -d' ' -f3-)"
  same 0 "$(m "$waiting" '.runs | length')"
  run -0 belfry mission stop "$id"
  same "$id  stopping" "$output"
  becomes "$id" killed
  same 'stopped by hand' "$(m "$id" .reason)"
  none_left_of "$id"
  refused 4 "cannot stop mission '$id': it is ended" mission stop "$id"
}

@test "A26 rm deletes the folder, and refuses what is open unless it may stop it" {
  id=$(new builder 'sleep 100')
  becomes "$id" running
  refused 4 "mission '$id' is running" mission rm "$id"
  folder=$(m "$id" .folder)
  wait_for 30 test -d "$folder/runs/1"
  run -0 belfry mission rm --force "$id"
  same "$id  removed" "$output"
  refused 3 "$id" mission show "$id"
  wait_for 30 test ! -e "$folder"
  none_left_of "$id"
  id=$(new builder 'say x')
  becomes "$id" success
  same true "$(json .removed belfry mission rm "$id" --json)"
  wait_for 30 test ! -e "$(dirname "$folder")/$id"
  same 0 "$(json length belfry mission ls --all --json)"
}

@test "A10 why and reminder show name the mission of an occurrence" {
  configure 'crons:
  good: {schedule: "0 9 1 1 *", agent: builder, prompt: "say x"}
  bad: {schedule: "0 9 1 1 *", agent: builder, prompt: "fail x", max_attempts: 1}
  slow: {schedule: "0 9 1 1 *", agent: builder, prompt: "sleep 100"}'
  for name in good bad slow; do belfry reminder run $name > out; done
  wait_for 30 json_is ran '.slots[0].outcome' belfry why good --json
  wait_for 30 json_is failed '.slots[0].outcome' belfry why bad --json
  wait_for 30 json_is running '.slots[0].mission.state' belfry why slow --json
  for name in good bad slow; do
    id=$(json '.[0].id' belfry mission ls --cron $name --json)
    same "$id" "$(why $name '.slots[0].mission.id')"
    same "$id" "$(of $name .last.mission.id)"
    has "$(belfry why $name)" "mission $id: "
    has "$(belfry reminder show $name)" "mission $id"
    same "$(of $name .id)" "$(m "$id" .reminder)"
  done
  belfry mission stop "$id" > out
  wait_for 30 json_is cancelled '.slots[0].outcome' belfry why slow --json
  has "$(belfry why slow)" "mission $id: killed"
}

@test "A26 ls --watch uses the whole width of a real terminal" {
  local at="$BATS_TEST_TMPDIR/tmux"
  new plain 'say hello' > id
  wait_for 30 json_is success .state belfry mission show "$(cat id)" --json
  tmux -S "$at" -f /dev/null new-session -d -x 80 -y 12 \
    "env TERM=xterm BELFRY_HOME=$BELFRY_HOME TZ=UTC $BELFRY_BIN mission ls --watch"
  wait_for 30 eval "tmux -S '$at' capture-pane -p | grep -q '^mis-'"
  tmux -S "$at" capture-pane -p > screen
  tmux -S "$at" kill-server
  head -n 1 screen | grep -qE ' [AP]M$'
  same 80 "$(head -n 1 screen | tr -d '\n' | wc -m)"
}

@test "A26 ls --watch follows what happens, fits a new size, and leaves the terminal as it was" {
  start_daemon
  screen 100x12 mission ls --watch << 'EOF' > out &
see no missions
see running
see success
size 60x8
see STATE
kill SIGTSTP
see success
type q
EOF
  watcher=$!
  wait_for 30 grep -qs 'no missions' out
  new builder $'say ok\nshell until [ -e '"$PWD"$'/go ]; do sleep 0.05; done' > id
  wait_for 30 grep -qs running out
  touch go
  wait $watcher
  [[ $(cat out) == $'\033[?1049h\033[?25l'* ]]
  [[ $(cat out) == *$'\033[?25h\033[?1049l' ]]
  # a signal ends it too, with everything put back
  run -143 screen 80x10 mission ls --watch <<< $'see success\nkill SIGTERM'
  [[ $output == *$'\033[?25h\033[?1049l' ]]
  run -0 screen 80x10 mission ls --watch <<< $'see success\ntype \\x03'
  [[ $output == *$'\033[?25h\033[?1049l' ]]
  # nobody who watches starts a daemon that somebody stopped
  screen 80x10 mission ls --watch << 'EOF' > watched &
see success
see no daemon is running
type q
EOF
  watcher=$!
  wait_for 30 grep -qs success watched
  belfry daemon stop > stopped
  wait $watcher
  [ -z "$(daemon_pid)" ]
  run -2 --separate-stderr env TERM=dumb /usr/bin/python3 "$e2e_root/test/e2e/screen.py" 80x10 "$BELFRY_BIN" mission ls --watch < /dev/null
  has "$output" '--watch needs a terminal'
}

@test "A13 new --wait waits through a crash of the daemon" {
  start_daemon
  belfry mission new builder $'shell until [ -e '"$PWD"$'/go ]; do sleep 0.05; done\nsay survived' --wait < /dev/null > answer 2> told 3>&- &
  waiter=$!
  wait_for 30 json_is running '.[0].state' belfry mission ls --json
  kill_daemon
  start_daemon
  touch go
  wait $waiter
  same survived "$(cat answer)"
}

@test "H18 without a daemon a mission is saved, and nobody waits for ever" {
  export BELFRY_NO_AUTOSTART=1
  run -0 --separate-stderr belfry mission new builder 'say later'
  has "$stderr" 'no daemon is running'
  id=$(json '.[0].id' belfry mission ls --json)
  same waiting "$(m "$id" .state)"
  refused 6 'nobody would start the mission' mission new builder x --wait
  refused 6 'nobody would start the mission' mission resume "$id" x --wait
  start_daemon
  becomes "$id" success
}

@test "completion of missions" {
  id=$(new builder 'say x')
  becomes "$id" success
  has "$(belfry complete-words mission show mis-)" "$id"$'\t'"say x"
  has "$(belfry complete-words mission logs '')" "$id"
}
