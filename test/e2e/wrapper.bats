# The wrapper by itself: one order, carried out without a daemon, by the scripted test agent.
load helper
e2e_shown_once=1

run_id=mis-test01
number=1

setup_test() {
  missions=$BELFRY_HOME/missions
  agent=$TEST_AGENT
  export TEST_AGENT_HOME=$BATS_TEST_TMPDIR/conversations
  export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c
  export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
}

# Nothing of a run may be left, whatever became of its wrapper.
teardown_test() {
  local left

  left=$(left_of "$run_id/$number")
  [ -z "$left" ] || { echo "left of the run: $left" >&2; return 1; }
}

# Living processes that carry a run in their environment.
left_of() {
  local pid

  for pid in $(grep -lsz "^BELFRY_RUN=$1\$" /proc/[0-9]*/environ | cut -d/ -f3); do
    gone "$pid" || echo "$pid"
  done
}

# order SCRIPT [FILTER]: order.json, with what the jq filter changes.
order() {
  printf '%s' "$1" > prompt
  jq -n --arg mission "$run_id" --argjson number "$number" --arg agent "$agent" \
    --rawfile prompt prompt '{
      mission: $mission, number: $number, interactive: false, use: "headless", args: null,
      prompt: $prompt, instructions: null, session: null, environment: null, secrets: null, directory: null,
      template: null, git: null, time_limit: 0, grace: 300000,
      adapter: {
        name: "command", headless: [$agent], resume: null, interactive: [$agent],
        resume_interactive: null, session: "none", output: "text", session_path: null,
        answer_path: null, error_path: null, cost_path: null, cost_total: false, instructions: null,
        denials_path: null, denial_line: null, may: null, may_beside: null, hooks: null}
    } | '"${2:-.}" > order.json
}

carry_out() {
  order "$@"
  belfry wrapper run --order order.json
}

# In the background, until the agent has said so.
begin() {
  order "$@"
  "$BELFRY_BIN" wrapper run --order order.json 3>&- &
  wrapper=$!
  wait_for 30 grep -qs '^begun$' "$(folder)/output.log"
}

# carry_out_limited SCRIPT [FILTER]: with a time limit, $limit, within which the agent has said so.
carry_out_limited() {
  limit=200000
  until carry_out "$1" ".time_limit = $limit | ${2:-.}" && grep -qsx begun "$(folder)/output.log"; do
    number=$((number + 1)) limit=$((limit * 4))
    [ $number -lt 6 ]
  done
}

folder() {
  echo "$missions/$run_id/runs/$number"
}

# ended FILTER: of end.json.
ended() {
  jq -r "$1" "$(folder)/end.json"
}

# log_size: all of the run's log files together.
log_size() {
  cat "$(folder)"/output.log* | wc -c
}

as_claude='.adapter += {output: "json", session: "chosen", session_path: "session_id",
  answer_path: "result", error_path: "is_error", cost_path: "total_cost_usd", cost_total: true,
  headless: [$agent, "-p", "--output-format", "json", "--session-id", "{session}"],
  resume: [$agent, "-p", "--output-format", "json", "--resume", "{session}"]}
  | .session = "11111111-2222-4333-8444-555555555555"'

@test "A15: a run has its input, its log, its answer, its pid and its heartbeat" {
  carry_out $'say hello\nerr careful\nenv BELFRY_MISSION_ID\nenv BELFRY_RUN\nenv BELFRY_WORKSPACE\ncwd'
  same "success 0 0 null" "$(ended '"\(.reason) \(.exit_code) \(.signal) \(.error)"')"
  same "hello
BELFRY_MISSION_ID=$run_id
BELFRY_RUN=$run_id/1
BELFRY_WORKSPACE=$missions/$run_id/agent
$missions/$run_id/agent" "$(cat "$(folder)/answer.md")"
  same "$(cat "$(folder)/answer.md")" "$(ended .answer)"
  grep -qx careful "$(folder)/output.log"
  [[ $(cat "$(folder)/pid") =~ ^[0-9]+\ [0-9]+\ $(cat /proc/sys/kernel/random/boot_id)$ ]]
  [ "$(ended .started_at)" -le "$(ended .finished_at)" ]
  same "700 600 600 600 600 600" "$(cd "$(folder)" && stat -c %a . pid heartbeat output.log answer.md end.json | xargs)"
}

@test "A15: order environment and the secrets command reach the agent, and PATH is the order's" {
  mkdir bin
  ln -s "$agent" bin/the-agent
  carry_out $'env ONE\nenv TWO\nenv BELFRY_RUN' '
    .environment = ["ONE=1", "BELFRY_RUN=forged", "PATH='"$PWD"'/bin:/usr/bin:/bin"]
    | .secrets = ["env", "TWO=2"] | .adapter.headless = ["the-agent"]'
  same "ONE=1 TWO=2 BELFRY_RUN=$run_id/1" "$(ended .answer | xargs)"
}

@test "A1: a conversation goes on in a later run of the mission, with its cost and session" {
  carry_out 'say one' "$as_claude"
  same "one 12500 11111111-2222-4333-8444-555555555555" "$(ended '"\(.answer) \(.cost) \(.session)"')"
  number=2
  carry_out 'recall' "$as_claude | .use = \"resume\""
  has "$(ended .answer)" "say one"
}

@test "A18: an exit status other than 0 is an error, with the last words" {
  carry_out $'err it went wrong\nexit 3'
  same "error 3 0 it went wrong" "$(ended '"\(.reason) \(.exit_code) \(.signal) \(.error)"')"
}

@test "A18: exit 0 is no success when the agent itself says that it failed" {
  carry_out 'fail out of credit' "$as_claude"
  same "error" "$(ended .reason)"
  has "$(ended .error)" "out of credit"
}

@test "A18: a signal of its own is an error that names it" {
  carry_out 'signal 9'
  same "error -1 9" "$(ended '"\(.reason) \(.exit_code) \(.signal)"')"
  has "$(ended .error)" "ended by signal 9"
}

@test "A18: last words are clean and bounded" {
  carry_out 'ignored' '.adapter.headless = ["sh", "-c", "head -c 100000 /dev/zero | tr \"\\\\0\" x >&2; printf \"\\\\n\\\\377\\\\001end\" >&2; exit 1"]'
  has "$(ended .error)" '??end'
  [ "$(ended .error | wc -c)" -le 2049 ]
}

@test "A15: the time limit ends an agent that listens" {
  carry_out_limited $'raw begun\nsleep 60' '.grace = 20000000'
  same "timeout 143" "$(ended '"\(.reason) \(.exit_code)"')"
}

@test "A15: the time limit ends an agent that ignores SIGTERM, after the grace" {
  carry_out_limited $'ignore TERM INT HUP\nraw begun\nsleep 60' '.grace = 300000'
  same "timeout -1 9" "$(ended '"\(.reason) \(.exit_code) \(.signal)"')"
  # the limit counts from before the agent is started, which takes its time on a busy machine
  [ $(($(ended .finished_at) - $(ended .started_at))) -ge 300000 ]
}

@test "A15: SIGTERM to the wrapper is killed" {
  begin $'raw begun\nsleep 60'
  kill -TERM "$wrapper"
  wait "$wrapper"
  same "killed" "$(ended .reason)"
}

@test "A14: SIGINT to the wrapper is daemon_shutdown, whatever the agent exits with" {
  begin $'raw begun\nsleep 60'
  kill -INT "$wrapper"
  wait "$wrapper"
  same "daemon_shutdown 0" "$(ended '"\(.reason) \(.exit_code)"')"
}

@test "A15: a second signal ends the grace" {
  begin 'ignored' '.grace = 60000000 | .adapter.headless = ["sh", "-c",
    "trap \"echo told\" TERM; echo begun; while :; do sleep 0.05; done"]'
  kill -TERM "$wrapper"
  wait_for 30 grep -qx told "$(folder)/output.log" # or both would be one signal
  kill -TERM "$wrapper"
  wait_for 30 gone "$wrapper"
  same "killed 9" "$(ended '"\(.reason) \(.signal)"')"
}

@test "A8: a missing command is an error that says so, and no agent was started" {
  carry_out 'say hello' '.adapter.headless = ["no-such-agent"]'
  same "error -1 null" "$(ended '"\(.reason) \(.exit_code) \(.started_at)"')"
  has "$(ended .error)" "cannot start 'no-such-agent': No such file or directory"
}

@test "A8: a vanished directory is an error that says so" {
  carry_out 'say hello' '.directory = "/no/such/folder"'
  same "error null" "$(ended '"\(.reason) \(.started_at)"')"
  has "$(ended .error)" "cannot enter folder '/no/such/folder'"
}

@test "A15 L13: it runs in the directory of the order, and PWD says so" {
  mkdir place
  PWD=/ carry_out $'cwd\nenv PWD' ".directory = \"$PWD/place\""
  same "$PWD/place"$'\n'"PWD=$PWD/place" "$(ended .answer)"
}

@test "A15: a prompt arrives byte for byte: quotes, newlines, dollars, and a megabyte" {
  local text

  text=$'prompt\nexit 0\n"quotes" \'too\' `id` $(id) $HOME \\n %s {prompt} {session}\n\n\ttab ü €  '
  carry_out "$text"
  same "prompt $(printf '%s' "$text" | cksum)" "$(ended .answer)"
  number=2
  text=$'prompt\nexit 0\n'$(yes 'line "of" $(nothing) ä' | head -c 1000000)
  carry_out "$text"
  same "prompt $(printf '%s' "$text" | cksum)" "$(ended .answer)"
}

@test "A15: a prompt among the arguments is one argument, byte for byte" {
  local text=$'prompt\nexit 0\n"quotes" \'too\' `id` $(id) $HOME \\n %s\n'

  carry_out "$text" '.adapter.headless += ["-p", "{prompt}"]'
  same "prompt $(printf '%s' "$text" | cksum)" "$(ended .answer)"
}

@test "A15: an agent that exits at once, without reading anything" {
  carry_out "$(yes | head -c 1000000)" '.adapter.headless = ["true"]'
  same "success" "$(ended .reason)"
}

@test "A15: an agent that closes its output goes on" {
  carry_out $'say first\nclose\nsleep 0.2\nwrite here.txt done\nexit 4'
  same "error 4" "$(ended '"\(.reason) \(.exit_code)"')"
  same "done" "$(cat "$missions/$run_id/agent/here.txt")"
}

@test "A16: what the agent leaves behind is gone with it, and does not hold the end" {
  local before=$SECONDS

  carry_out $'fork 60\ndaemon 60\nfork 60\nsay bye'
  same "success bye" "$(ended '"\(.reason) \(.answer)"')"
  same "" "$(left_of "$run_id/1")"
  [ $((SECONDS - before)) -lt 55 ]
}

@test "A16: a time limit ends daemons and those that fork without end" {
  carry_out 'ignored' '.time_limit = 300000 | .grace = 100000 | .adapter.headless = ["sh", "-c",
    "for i in 1 2 3 4 5; do (while :; do (setsid sleep 60 &); sleep 0.02; done) & done; sleep 60"]'
  same "timeout" "$(ended .reason)"
  same "" "$(left_of "$run_id/1")"
}

@test "A16: the wrapper is killed: the agent dies with it, a sweep ends the rest" {
  local agent_pid

  two_left() { [ "$(left_of "$run_id/1" | wc -l)" -le 2 ]; }
  begin $'daemon 60\nfork 60\nraw begun\nsleep 60'
  agent_pid=$(pgrep -o -P "$wrapper" -x test-agent)
  kill -KILL "$wrapper"
  wait "$wrapper" || true
  [ ! -e "$(folder)/end.json" ]
  wait_for 30 gone "$agent_pid"
  belfry wrapper sweep "$run_id/2"
  BELFRY_HOME=$PWD/other belfry wrapper sweep "$run_id/1"
  # between the agent and its daemon there was a third
  wait_for 30 two_left
  same 2 "$(left_of "$run_id/1" | wc -l)"
  belfry wrapper sweep "$run_id/1"
  same "" "$(left_of "$run_id/1")"
}

@test "A10: a second wrapper on the same run refuses, and touches nothing" {
  local before

  export BELFRY_HEARTBEAT_MS=600000 # or it is the first that touches something
  begin $'raw begun\nsleep 60'
  before=$(cd "$missions" && find . -printf '%p %T@ %s\n' | sort)
  run -1 --separate-stderr belfry wrapper run --order order.json
  same "$before" "$(cd "$missions" && find . -printf '%p %T@ %s\n' | sort)"
  kill -TERM "$wrapper"
  wait "$wrapper"
}

@test "A15: the heart beats" {
  local first

  export BELFRY_HEARTBEAT_MS=50
  begin $'raw begun\nsleep 60'
  first=$(stat -c %.9Y "$(folder)/heartbeat")
  later() { [ "$(stat -c %.9Y "$(folder)/heartbeat")" != "$first" ]; }
  wait_for 30 later
  kill -TERM "$wrapper"
  wait "$wrapper"
}

@test "A17: a gigabyte of output leaves at most forty megabytes" {
  carry_out 'ignored' '.adapter.headless = ["sh", "-c",
    "yes \"a line of the gigabyte that an agent may say\" | head -c 1000000000; echo; echo the end"]'
  same "success" "$(ended .reason)"
  [ "$(log_size)" -le 40000000 ]
  [ "$(log_size)" -ge 30000000 ]
  [ ! -e "$(folder)/output.log.4" ]
  [ "$(stat -c %s "$(folder)/output.log.3")" -le 10000000 ]
  tail -n 1 "$(folder)/output.log" | grep -q 'the end'
}

@test "A17: rotation loses nothing and cuts no line" {
  carry_out 'ignored' '.adapter.headless = ["seq", "3000000"]'
  (cd "$(folder)" && cat output.log.2 output.log.1 output.log) | cmp - <(seq 3000000)
  [ "$(stat -c %s "$(folder)/output.log.2")" -le 10000000 ]
  tail -c 1 "$(folder)/output.log.2" | cmp - <(echo)
}

@test "A17: a log that cannot grow does not stop the agent, and says how much is missing" {
  order 'ignored' '.adapter.headless = ["sh", "-c",
    "echo begun; seq 100000; touch said; until test -e go; do sleep 0.02; done; echo after; exit 5"]'
  (ulimit -S -f 100; exec "$BELFRY_BIN" wrapper run --order order.json) 3>&- &
  wrapper=$!
  wait_for 30 test -e "$missions/$run_id/agent/said"
  [ "$(log_size)" -le 102400 ]
  prlimit --pid "$wrapper" --fsize=unlimited:
  touch "$missions/$run_id/agent/go"
  wait "$wrapper"
  same "error 5" "$(ended '"\(.reason) \(.exit_code)"')"
  grep -q '^\[belfry: [0-9]* bytes are missing here: File too large\]$' "$(folder)/output.log"
  same after "$(tail -n 1 "$(folder)/output.log")"
}

@test "A2: a template is copied once, with its links and modes, and a later run finds it" {
  mkdir -p template/sub
  echo text > template/sub/file
  chmod 751 template/sub/file
  chmod 500 template/sub
  ln -s ../outside template/link
  carry_out $'write made.txt by the agent' ".template = {name: \"t\", origin: \"$PWD/template\", is_git: false}"
  same "751 500" "$(cd "$missions/$run_id/agent" && stat -c %a sub/file sub | xargs)"
  same "../outside" "$(readlink "$missions/$run_id/agent/link")"
  number=2
  echo changed > template/new
  carry_out 'cwd' ".template = {name: \"t\", origin: \"$PWD/template\", is_git: false}"
  same "by the agent" "$(cat "$missions/$run_id/agent/made.txt")"
  [ ! -e "$missions/$run_id/agent/new" ]
}

@test "A8: a template with a pipe in it, or with the missions in it, is refused" {
  mkdir template
  mkfifo template/pipe
  carry_out 'cwd' ".template = {name: \"t\", origin: \"$PWD/template\", is_git: false}"
  has "$(ended .error)" "'$PWD/template/pipe' is a pipe"
  number=2
  rm -r template
  carry_out 'cwd' ".template = {name: \"t\", origin: \"$BELFRY_HOME\", is_git: false}"
  has "$(ended .error)" "is inside of"
  [ ! -e "$missions/$run_id/agent" ]
  number=3
  carry_out 'cwd' ".template = {name: \"t\", origin: \"/no/such\", is_git: false}"
  has "$(ended .error)" "cannot copy template 't': cannot enter folder '/no/such'"
}

# commit TEXT: in the repository `source`.
commit() {
  [ -d source ] || git init -q -b main source
  echo "$1" > source/file
  git -C source add file
  git -C source commit -qm "$1"
}

@test "A2: a repository is cloned by way of a cache, refreshed, and used when its source is away" {
  local lib=".git = {name: \"me/lib\", origin: \"$PWD/source\", is_git: true}"

  commit one
  printf '#!/bin/sh\ntouch %s/hook-ran\n' "$PWD" > hook
  chmod +x hook
  mkdir -p templates/hooks
  cp hook templates/hooks/post-checkout
  printf '[init]\n\ttemplateDir = %s/templates\n' "$PWD" > gitconfig
  GIT_CONFIG_GLOBAL=$PWD/gitconfig carry_out $'write me/lib/own x' "$lib"
  same "success" "$(ended .reason)"
  [ ! -e hook-ran ]
  [ -d "$BELFRY_HOME/repos/me%2Flib.git" ]
  same "one $PWD/source" "$(cat "$missions/$run_id/agent/me/lib/file") $(git -C "$missions/$run_id/agent/me/lib" remote get-url origin)"

  commit two
  number=2
  carry_out 'cwd' "$lib"
  same "one x" "$(cd "$missions/$run_id/agent/me/lib" && cat file own | xargs)"

  git -C source branch -m trunk
  run_id=mis-test02 number=1
  carry_out 'cwd' "$lib"
  same "two trunk" "$(cd "$missions/$run_id/agent/me/lib" && echo "$(cat file) $(git symbolic-ref --short HEAD)")"

  mv source away
  run_id=mis-test03
  carry_out 'cwd' "$lib"
  same "success two" "$(ended .reason) $(cat "$missions/$run_id/agent/me/lib/file")"
  grep -q "repository 'me/lib' could not be refreshed" "$(folder)/output.log"
}

@test "A8: a repository that cannot be cloned is an error that says why" {
  carry_out 'cwd' ".git = {name: \"lib\", origin: \"$PWD/nowhere\", is_git: true}"
  same "error null" "$(ended '"\(.reason) \(.started_at)"')"
  has "$(ended .error)" "cannot copy repository 'lib'"
  has "$(ended .error)" "does not exist"
}

@test "A2: a cache of another origin under the same name is not used" {
  commit one
  carry_out 'cwd' ".git = {name: \"lib\", origin: \"$PWD/source\", is_git: true}"
  number=2 run_id=mis-test02
  carry_out 'cwd' ".git = {name: \"lib\", origin: \"$PWD/other\", is_git: true}"
  same "error" "$(ended .reason)"
}

@test "A15: a run can be ended while it still prepares" {
  commit one
  mkdir -p -m 700 "$BELFRY_HOME/repos"
  order 'cwd' ".git = {name: \"lib\", origin: \"$PWD/source\", is_git: true}"
  exec 9> "$BELFRY_HOME/repos/lib.git.lock"
  flock 9
  "$BELFRY_BIN" wrapper run --order order.json 3>&- 9>&- &
  wait_for 30 test -e "$(folder)/heartbeat"
  kill -TERM $!
  wait $!
  exec 9>&-
  same "killed null" "$(ended '"\(.reason) \(.started_at)"')"
}

@test "N7 the time limit covers copying, and the end says so" {
  commit one
  mkdir -p -m 700 "$BELFRY_HOME/repos"
  order 'cwd' ".time_limit = 300000 | .git = {name: \"lib\", origin: \"$PWD/source\", is_git: true}"
  exec 9> "$BELFRY_HOME/repos/lib.git.lock"
  flock 9
  "$BELFRY_BIN" wrapper run --order order.json 3>&- 9>&-
  exec 9>&-
  same "timeout its time limit passed while copying repository 'lib'" "$(ended '"\(.reason) \(.error)"')"
}

@test "N7 a git that hangs is ended by the time limit" {
  mkdir bin
  printf '#!/bin/sh\nexec sleep 60\n' > bin/git
  chmod +x bin/git
  PATH=$PWD/bin:$PATH carry_out 'cwd' ".time_limit = 300000 | .git = {name: \"lib\", origin: \"$PWD/source\", is_git: true}"
  same "timeout" "$(ended .reason)"
}

@test "N2 the session is noted when it passes by, however much follows" {
  printf '#!/bin/sh\necho \x27{"id":"th-1"}\x27\nseq 1 400000\necho \x27{"text":"done"}\x27\n' > lines
  chmod +x lines
  carry_out 'x' ".adapter += {output: \"lines\", session: \"read\", session_path: \"id\", answer_path: \"text\", headless: [\"$PWD/lines\"]}"
  same "success th-1 done" "$(ended '"\(.reason) \(.session) \(.answer)"')"
  same "th-1" "$(cat "$(folder)/session")"
}

@test "N4 what the agent may do is a file beside the person's own" {
  mkdir -p home/.gemini/policies
  printf '#!/bin/sh\necho "$@"\n' > words
  chmod +x words
  HOME=$PWD/home carry_out 'x' ".adapter += {headless: [\"$PWD/words\", \"--policy={may}\"], may: \"rule\", may_beside: \".gemini/policies\"}"
  same "--policy=$missions/$run_id/may.toml,$PWD/home/.gemini/policies" "$(ended .answer)"
  same "rule" "$(cat "$missions/$run_id/may.toml")"
}

# on_terminal AWAIT TYPE... -- PROGRAM...: what the screen got is in the file `screen`.
on_terminal() {
  /usr/bin/python3 "$e2e_root/test/e2e/terminal.py" "$@" > screen
}

@test "A16: an interactive agent has the terminal, and Ctrl-C is its own" {
  order '' '.interactive = true | .use = "interactive" | .grace = 5000000
    | .adapter.interactive = ["sh", "-c", "test -t 0 && test -t 1 && echo on a terminal; trap \"exit 7\" INT; echo ready; while :; do sleep 0.1; done"]'
  on_terminal ready $'\x03' -- "$BELFRY_BIN" wrapper run --order order.json
  grep -q 'on a terminal' screen
  same "error 7 0" "$(ended '"\(.reason) \(.exit_code) \(.signal)"')"
  [ ! -e "$(folder)/output.log" ]
  [ -e "$(folder)/pid" ]
}

# Not with sh: dash starts programs by vfork, and a child that is stopped between that and its exec
# holds its parent in the kernel, so that no shell would ever see this job stopped.
@test "A16: an interactive agent can be stopped by Ctrl-Z and brought back by the shell" {
  order '' '.interactive = true | .use = "interactive" | .adapter.interactive = ["bash", "-c",
    "trap \"exit 7\" INT; n=0; while :; do sleep 0.05; n=$((n + 1)); echo tick $n; done"]'
  on_terminal '$ ' "$BELFRY_BIN wrapper run --order order.json"$'\r' 'tick 2' $'\x1a' Stopped $'fg\r' \
    'tick ' $'\x03' '$ ' $'exit\r' -- /usr/bin/env PS1='$ ' bash --norc --noprofile -i
  same "error 7" "$(ended '"\(.reason) \(.exit_code)"')"
}

@test "A15: the program's own nursery starts a gated wrapper, and ends with its socket" {
  order $'say hello\nenv BELFRY_RUN'
  /usr/bin/python3 "$e2e_root/test/e2e/nursery.py" "$BELFRY_BIN" order.json "$missions"
  same "hello BELFRY_RUN=$run_id/1" "$(ended .answer | xargs)"
}

@test "A25: a mission's folder is removed, and nothing that a link in it names" {
  mkdir outside
  echo keep > outside/file
  carry_out 'ignored' '.adapter.headless = ["sh", "-c", "ln -s '"$PWD"'/outside l; mkdir -p a/b; touch a/b/c; chmod 500 a/b a"]'
  belfry wrapper remove "$run_id"
  [ ! -e "$missions/$run_id" ]
  same keep "$(cat outside/file)"
  belfry wrapper remove "$run_id"
  refused 2 "is no mission's id" wrapper remove "../../outside"
  refused 2 "is no mission's id" wrapper remove "mis-../x"
}

@test "A22: the folder of a thread is removed the same way, and no other" {
  local threads=$BELFRY_HOME/threads

  mkdir -p outside "$threads/thr-abc123/1.files" "$threads/thr-other1" "$missions/thr-abc123"
  echo keep > outside/file
  ln -s "$PWD/outside" "$threads/thr-abc123/1.files/link"
  ln -s "$PWD/outside" "$threads/thr-link01"
  belfry wrapper remove thr-abc123
  same 'thr-link01 thr-other1' "$(ls "$threads" | xargs)"
  [ -d "$missions/thr-abc123" ]
  run -7 belfry wrapper remove thr-link01
  same keep "$(cat outside/file)"
  refused 2 "and no thread's" wrapper remove "thr-../thr-other1"
}

# A folder of the unified hierarchy in which we may make groups.
make_cgroup() {
  local mount

  mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
  [ -n "$mount" ] || skip "no cgroup2 is mounted"
  cgroup=$mount/belfry-test-$$
  mkdir "$cgroup" 2> /dev/null || skip "may not make a control group"
  [ -e "$cgroup/cgroup.kill" ] || { rmdir "$cgroup"; skip "this kernel has no cgroup.kill"; }
}

@test "A16: in a control group, a sweep also ends who gave up its environment" {
  make_cgroup
  export BELFRY_CGROUP=$cgroup
  begin 'ignored' '.adapter.headless = ["sh", "-c", "(setsid env -i sleep 60 &); echo begun; sleep 60"]'
  wait_for 30 grep -q . "$cgroup/belfry-$run_id.1/cgroup.procs"
  kill -KILL "$wrapper"
  wait "$wrapper" || true
  [ -n "$(cat "$cgroup/belfry-$run_id.1/cgroup.procs")" ]
  belfry wrapper sweep "$run_id/1"
  [ ! -e "$cgroup/belfry-$run_id.1" ]
  number=2
  carry_out 'say hello'
  same "success" "$(ended .reason)"
  rmdir "$cgroup"
}
