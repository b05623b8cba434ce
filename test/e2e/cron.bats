#!/usr/bin/env bats
# Crons: agents that are run by the clock, declared in config.yml (A2 to A12).
load helper
e2e_on_postgres='cron history|rm takes it out|anchor is disabled'

setup_test() {
  agent=$TEST_AGENT
  export TEST_AGENT_HOME=$BATS_TEST_TMPDIR/conversations
  unset VISUAL EDITOR
  # In front of PATH on a terminal, unless a test wants the real one: an fzf that does not work.
  mkdir "$BATS_TEST_TMPDIR/no-fzf"
  printf '#!/bin/sh\nexit 2\n' > "$BATS_TEST_TMPDIR/no-fzf/fzf"
  chmod +x "$BATS_TEST_TMPDIR/no-fzf/fzf"
  cat > "$BELFRY_HOME/config.yml" << END
# mine, keep this
timezone: Europe/Berlin
agents:
  builder: {command: [$agent], directory: $BATS_TEST_TMPDIR}
  writer: {adapter: claude}
  talker:

crons:
  maxConcurrent: 5   # enough
  # the first one
  nightly:
    schedule: "0 9 1 1 *"   # early
    agent: builder
    prompt: write out.txt ran

# the end
END
}

teardown_test() {
  leave_screen
}

leave_screen() {
  tmux -S "$BATS_TEST_TMPDIR/tmux" kill-server 2> /dev/null || true
  # one that is still on its way out must not be asked for the next screen
  rm -f "$BATS_TEST_TMPDIR/tmux"
}

crons() {
  json "$1" belfry cron ls --json
}

cron() {
  json "$2" belfry cron show "$1" --json
}

status_is() {
  [ "$(cron "$1" .last_run.status)" = "$2" ]
}

# --- a terminal: keys KEY... types, sees TEXT waits until it is on the screen

on_screen() {
  local columns=$1
  shift
  tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null new-session -d -x "$columns" -y 50 \
    "env PATH=${picker:-$BATS_TEST_TMPDIR/no-fzf}:$PATH TERM=${term:-xterm} BELFRY_HOME=$BELFRY_HOME TZ=UTC EDITOR=${EDITOR:-} $* ; echo status=\$?; stty -a > stty.txt; sleep 60"
}

keys() {
  tmux -S "$BATS_TEST_TMPDIR/tmux" send-keys "$@"
}

screen() {
  tmux -S "$BATS_TEST_TMPDIR/tmux" capture-pane -p -J
}

shows() {
  [[ $(screen) == *"$1"* ]]
}

sees() {
  wait_for 30 shows "$1" || { screen >&2; return 1; }
}

answer() {
  sees "$1"
  shift
  keys "$@"
}

# --- looking

@test "A7 cron ls has the document's columns, at 80 columns too" {
  run -0 belfry cron ls
  [[ ${lines[0]} =~ ^NAME\ +SCHEDULE\ +ENABLED\ +LAST\ RUN\ +STATUS\ +NEXT\ RUN$ ]]
  [[ ${lines[1]} =~ ^nightly\ +'0 9 1 1 *'\ +yes\ +-\ +-\ +20[0-9-]+\ 09:00$ ]]
  run -0 belfry cron ls -v
  has "${lines[0]}" DESCRIPTION
  has "${lines[1]}" builder
}

@test "A8 a bad cron is named with its problem, and the others go on" {
  printf '\n  bad: {schedule: "0 25 * * *", agent: builder, prompt: x}\n  lost: {schedule: "@daily", agent: biulder, prompt: x}\n' \
    >> "$BELFRY_HOME/config.yml"
  run -0 belfry cron ls
  has "$output" "bad hour '25'"
  has "$output" "did you mean 'builder'?"
  same 'nightly null,bad invalid,lost invalid' "$(crons '[.[] | "\(.name) \(.status)"] | join(",")')"
  refused 2 'cannot run' cron run bad
  # it can be taken out of the way, but not enabled
  belfry cron disable lost
  same false "$(cron lost .enabled)"
  refused 2 "unknown agent 'biulder'" cron enable lost
  run -0 belfry cron show bad
  has "$output" "bad hour '25'"
}

@test "A6 cron run runs it now, whether it is enabled or not, and leaves the schedule alone" {
  belfry cron disable nightly
  next=$(cron nightly .next_run)
  same null "$next"
  id=$(belfry cron run nightly --json | jq -r .mission)
  [[ $id == mis-* ]]
  wait_for 30 status_is nightly success
  same ran "$(cat out.txt)"
  same null "$(cron nightly .next_run)"
  same "$id" "$(cron nightly .mission)"
  run -0 belfry cron ls
  [[ ${lines[1]} =~ no\ +20[0-9-]+\ [0-9:]+\ +success\ +-$ ]]
}

@test "A7 A18 cron history: runs with attempt, exit and mission, failures with their reason" {
  belfry cron edit nightly --prompt $'err no cheese\nexit 3'
  id=$(belfry cron run nightly --json | jq -r .mission)
  wait_for 30 status_is nightly failed
  belfry cron edit nightly --prompt 'say fine'
  belfry cron run nightly
  wait_for 30 status_is nightly success
  same 'success 0,failed 3' \
    "$(json '[.[] | "\(.status) \(.exit_code)"] | join(",")' belfry cron history nightly --json)"
  same "$id" "$(json '.[1].mission' belfry cron history nightly --json)"
  run -0 belfry cron history nightly
  [[ ${lines[0]} =~ ^STARTED\ +TOOK\ +STATUS\ +ATTEMPT\ +EXIT\ +COST\ +MISSION$ ]]
  has "$output" '  no cheese'
  same 1 "$(json length belfry cron history nightly -n 1 --json)"
  refused 2 '--limit 0' cron history nightly --limit 0
}

@test "A7 cron logs prints the newest mission's log, and follows it" {
  refused 3 'has not run yet' cron logs nightly
  belfry cron edit nightly --prompt $'say first\nsleep 1\nsay last'
  belfry cron run nightly
  run -0 --separate-stderr timeout 30 "$BELFRY_BIN" cron logs nightly -f
  same $'first\nlast' "$output"
  run -0 belfry cron logs nightly
  same $'first\nlast' "$output"
}

# One minute of the real clock for all that needs one.
@test "A5 A10 A11 the minute comes: a new cron fires, one that still runs is skipped, one that fails is paused" {
  belfry cron add soon --schedule '* * * * *' --agent builder --prompt 'write soon.txt fired'
  belfry cron add bad --schedule '* * * * *' --agent builder --prompt 'exit 3' --pause-after 1
  belfry cron edit nightly --schedule '* * * * *' --prompt $'write begun x\nsleep 300'
  belfry cron run nightly
  wait_for 30 test -e begun
  wait_for 75 test -s soon.txt
  same fired "$(cat soon.txt)"
  wait_for 30 status_is soon success

  # what was skipped is a line of its own, with the reason, and stays told
  # the first minute may have come before it began
  wait_for 75 json_is skipped '.[0].status' belfry cron history nightly --json
  has "$(json '.[0].reason' belfry cron history nightly --json)" 'was still going'
  same running "$(cron nightly .status)"
  belfry cron rm nightly
  same skipped "$(json '.[0].status' belfry cron history nightly --json)"
  belfry mission stop "$(json '[.[].mission | select(.)][0]' belfry cron history nightly --json)"

  wait_for 75 json_is true .paused belfry cron show bad --json
  run -0 belfry cron ls
  has "$output" paused
  has "$output" 'belfry cron enable bad'
  belfry cron edit bad --prompt 'say fine'
  run -0 belfry cron enable bad
  same 'false 0' "$(cron bad '"\(.paused) \(.failures)"')"
}

# --- changing

@test "A5 cron add writes config.yml, keeps its comments, and is in force at once" {
  cp "$BELFRY_HOME/config.yml" before
  run -0 belfry cron add weekly --schedule '0 10 * * 1' --agent builder --prompt 'Say: "hi" # now' \
    --description 'Look around' --timeout 30m --overlap queue --retention 5 --tz UTC \
    --catchup once --start-deadline 1h --max-attempts 3 --retry-on failure,timeout --on-lost skip \
    --backoff 10s --jitter 1m --pause-after 2 --disabled
  same 'weekly  at 10:00 AM on Monday, UTC; disabled' "${lines[0]}"
  # every line that was there still is, in the same order
  diff before "$BELFRY_HOME/config.yml" > changed || true
  if grep '^<' changed; then false; fi
  same 'Say: "hi" # now|Look around|30m|queue|5|UTC|once|1h|3|failure,timeout|10s|1m|2|false' "$(cron weekly \
    '"\(.prompt)|\(.description)|\(.timeout)|\(.overlap)|\(.retention)|\(.tz)|\(.catchup)|\(.start_deadline)|\(.max_attempts)|\(.retry_on | join(","))|\(.backoff)|\(.jitter)|\(.pause_after)|\(.enabled)"')"
  same null "$(cron weekly .problem)"
  same nightly,weekly "$(crons '[.[].name] | join(",")')"
}

@test "A5 cron add tells the next three fires with their zone" {
  run -0 belfry cron add morning --schedule '30 8 * * 1-5' --agent builder --prompt x
  same 'morning  at 8:30 AM on weekdays, Europe/Berlin' "${lines[0]}"
  same 4 "${#lines[@]}"
  [[ ${lines[1]} =~ 8:30\ AM\ CES?T,\ in ]]
}

@test "A5 A8 what cannot work is refused, names its flag, and changes nothing" {
  cp "$BELFRY_HOME/config.yml" before
  args=(--schedule '0 9 * * *' --agent builder --prompt x)
  refused 2 "--schedule: cron 'n': cron line '0 25 * * *'" cron add n --schedule '0 25 * * *' --agent builder --prompt x
  refused 2 "--agent: cron 'n': unknown agent 'biulder'" cron add n --schedule '@daily' --agent biulder --prompt x
  refused 2 "--agent: cron 'n'" cron add n --schedule '@daily' --agent talker --prompt x
  refused 2 '--git: ' cron add n "${args[@]}" --git nowhere
  refused 2 '--timeout: ' cron add n "${args[@]}" --timeout soon
  refused 2 '--overlap: ' cron add n "${args[@]}" --overlap maybe
  refused 2 '--retention: ' cron add n "${args[@]}" --retention 0
  refused 2 '--max-attempts: ' cron add n "${args[@]}" --max-attempts many
  refused 2 '--retry-on: ' cron add n "${args[@]}" --retry-on failure,rain
  refused 2 '--tz: ' cron add n "${args[@]}" --tz Mars/Phobos
  refused 2 "'a b' is not a name" cron add 'a b' "${args[@]}"
  refused 2 'is a setting' cron add maxConcurrent "${args[@]}"
  refused 4 "there is a cron 'nightly' already" cron add nightly "${args[@]}"
  refused 2 'NAME, --schedule, --agent, --prompt are missing' cron add
  refused 2 '--agent, --prompt are missing' cron add n --schedule '@daily'
  diff before "$BELFRY_HOME/config.yml"
}

@test "a file that cannot be used as it is is not touched" {
  belfry cron ls > /dev/null
  echo 'nonsense: [' >> "$BELFRY_HOME/config.yml"
  cp "$BELFRY_HOME/config.yml" before
  refused 2 'nothing was changed' cron add n --schedule '@daily' --agent builder --prompt x
  refused 2 'nothing was changed' cron rm nightly
  diff before "$BELFRY_HOME/config.yml"
}

@test "A6 enable and disable edit the file, and say what follows" {
  run -0 belfry cron disable nightly
  has "$output" 'disabled'
  same paused "$(json '.[] | select(.name == "nightly") | .status' belfry reminder list --json)"
  grep -q 'enabled: false' "$BELFRY_HOME/config.yml"
  same 'false null' "$(cron nightly '"\(.enabled) \(.next_run)"')"
  run -0 belfry cron enable nightly
  has "${lines[1]}" 'in '
  grep -q 'enabled: true' "$BELFRY_HOME/config.yml"
  same active "$(json '.[] | select(.name == "nightly") | .status' belfry reminder list --json)"
  grep -q '# early' "$BELFRY_HOME/config.yml"
  refused 3 "no cron 'nightl'" cron disable nightl
}

@test "A6 rm takes it out of the file; its missions and history stay" {
  id=$(belfry cron run nightly --json | jq -r .mission)
  wait_for 30 status_is nightly success
  run -0 belfry cron rm nightly
  has "$output" 'its missions stay'
  run ! grep -q nightly "$BELFRY_HOME/config.yml"
  grep -q '# mine, keep this' "$BELFRY_HOME/config.yml"
  same 0 "$(crons length)"
  same "$id" "$(json '.[0].mission' belfry cron history nightly --json)"
  same "$id" "$(json .id belfry mission show "$id" --json)"
  refused 3 "no cron 'nightly'" cron rm nightly
}

@test "cron edit by flags changes what is named, and an empty value takes it away" {
  belfry cron edit nightly --description 'At night' --schedule '30 8 * * *'
  same 'At night 30 8 * * *' "$(cron nightly '"\(.description) \(.schedule)"')"
  belfry cron edit nightly --description ''
  same null "$(cron nightly .description)"
  run ! grep -q description "$BELFRY_HOME/config.yml"
  refused 2 '--schedule: ' cron edit nightly --schedule soon
  refused 2 'nothing to change' cron edit nightly < /dev/null
}

@test "a link stays a link, and the file keeps its mode" {
  mkdir dotfiles
  mv "$BELFRY_HOME/config.yml" dotfiles/belfry.yml
  chmod 640 dotfiles/belfry.yml
  ln -s "$PWD/dotfiles/belfry.yml" "$BELFRY_HOME/config.yml"
  belfry cron disable nightly
  [ -L "$BELFRY_HOME/config.yml" ]
  grep -q 'enabled: false' dotfiles/belfry.yml
  same 640 "$(stat -c %a dotfiles/belfry.yml)"
}

@test "without a file one is made, private" {
  rm "$BELFRY_HOME/config.yml"
  refused 2 "--agent: cron 'n'" cron add n --schedule '@daily' --agent me --prompt x
  [ ! -e "$BELFRY_HOME/config.yml" ]
  printf 'agents: {builder: {command: [true]}}\n' > "$BELFRY_HOME/config.yml"
  belfry cron add n --schedule '@daily' --agent builder --prompt x
  same null "$(cron n .problem)"
}

@test "without a daemon crons are changed and shown, and said not to fire" {
  export BELFRY_NO_AUTOSTART=1
  run -0 --separate-stderr belfry cron add n --schedule '@daily' --agent builder --prompt x
  has "$stderr" 'nothing will fire'
  same nightly,n "$(crons '[.[].name] | join(",")')"
  id=$(belfry cron run n --json 2> /dev/null | jq -r .mission)
  same waiting "$(json '.[0].status' belfry cron history n --json)"
  same "$id" "$(cron n .mission)"
}

# --- on a terminal

@test "N39 pasted lines answer none of the wizard's questions, a part of a line is text" {
  on_screen 100 "$BELFRY_BIN" cron add
  sees 'name: '
  tmux -S "$BATS_TEST_TMPDIR/tmux" set-buffer $'weekly\n0 9 * * 1\nbuilder\nx\n\n\n\n\n\n\n\n\ny\n'
  tmux -S "$BATS_TEST_TMPDIR/tmux" paste-buffer -p
  sees 'pasted lines are not taken for answers'
  tmux -S "$BATS_TEST_TMPDIR/tmux" set-buffer weekly
  tmux -S "$BATS_TEST_TMPDIR/tmux" paste-buffer -p
  sees 'name: weekly'
  keys Enter
  sees 'schedule, a cron line'
  keys C-c
  sees 'nothing was added'
  run ! grep -q weekly "$BELFRY_HOME/config.yml"
}

@test "A5 the wizard: questions, a picker, a summary, and only then a change" {
  on_screen 100 "$BELFRY_BIN" cron add
  answer 'name:' 'bad name' Enter
  answer 'is not a name' nightly Enter
  answer "there is a cron 'nightly' already" weekly Enter
  answer 'schedule' '0 25 * * *' Enter
  answer "bad hour '25'" '0 10 * * 1' Enter
  sees 'at 10:00 AM on Monday'
  answer '> builder' 'buil' Enter
  answer 'prompt [' 'Look around' Enter
  answer 'description [none]:' 'Once a week' Enter
  answer 'time limit of a run [1h]:' 30m Enter
  answer '[skip]:' Enter
  answer 'attempts when it fails [1]:' 2 Enter
  answer 'time zone [Europe/Berlin]:' UTC Enter
  answer 'missions kept in sight [all]:' Enter
  sees 'at 10:00 AM on Monday, UTC'
  run ! grep -q weekly "$BELFRY_HOME/config.yml"
  answer 'add it to config.yml? [Y/n]:' y Enter
  sees 'status=0'
  same 'Look around|Once a week|30m|2|UTC|builder' \
    "$(cron weekly '"\(.prompt)|\(.description)|\(.timeout)|\(.max_attempts)|\(.tz)|\(.agent)"')"
}

@test "A5 Ctrl-C, Ctrl-D, Esc and no leave everything as it was, the terminal too" {
  cp "$BELFRY_HOME/config.yml" before
  local way=0 leave
  for leave in C-c C-d; do
    on_screen 80 "$BELFRY_BIN" cron add
    answer 'name:' "$leave"
    sees 'nothing was added'
    sees 'status=130'
    leave_screen
  done
  for leave in C-c C-d Escape; do
    on_screen 80 "$BELFRY_BIN" cron add n --schedule @daily
    answer '> builder' "$leave"
    sees 'status=130'
    wait_for 30 grep -q ' icanon' stty.txt
    grep -q ' echo ' stty.txt
    rm stty.txt
    leave_screen
  done
  on_screen 80 "$BELFRY_BIN" cron add n --schedule @daily --agent builder
  answer 'prompt [' hello Enter
  answer 'add it to config.yml?' n Enter
  sees 'status=130'
  diff before "$BELFRY_HOME/config.yml"
}

@test "A5 a killed picker gives the terminal back" {
  on_screen 80 "$BELFRY_BIN" cron add n --schedule @daily
  sees '> builder'
  kill -TERM "$(pgrep -f "^$BELFRY_BIN cron add n ")"
  wait_for 30 test -s stty.txt
  grep -q ' icanon' stty.txt
}

@test "A5 a terminal that knows only lines gets a list with numbers" {
  term=dumb on_screen 80 "$BELFRY_BIN" cron add n --schedule @daily --prompt x
  sees '1  builder'
  answer 'agent:' 7 Enter
  answer 'a number from 1 to 2' 2 Enter
  answer 'add it to config.yml?' Enter
  sees 'status=0'
  same writer "$(cron n .agent)"
}

@test "A5 fzf picks where it is installed" {
  picker=/usr/bin on_screen 80 "$BELFRY_BIN" cron add a --schedule @daily --prompt x
  sees '2/2'
  answer builder 'wri'
  sees '1/2'
  keys Enter
  # N20: what was chosen stays, as an answered line
  sees 'agent: writer'
  answer 'add it to config.yml?' Enter
  sees 'status=0'
  same writer "$(cron a .agent)"
  leave_screen
  picker=/usr/bin on_screen 80 "$BELFRY_BIN" cron add b --schedule @daily --prompt x
  answer '2/2' Escape
  sees 'status=130'
}

@test "A5 an fzf that does not work is passed over" {
  printf '#!/bin/sh\necho "unknown option: --height" >&2\nexit 2\n' > no-fzf/fzf
  on_screen 80 "$BELFRY_BIN" cron add b --schedule @daily --prompt x
  answer '> builder' Enter
  answer 'add it to config.yml?' Enter
  sees 'status=0'
  same builder "$(cron b .agent)"
}

@test "A5 an empty prompt opens the editor" {
  printf '#!/bin/sh\nprintf "one\\ntwo\\n" > "$1"\n' > editor
  chmod +x editor
  EDITOR=$PWD/editor on_screen 80 "$BELFRY_BIN" cron add n --schedule @daily --agent builder
  answer 'prompt [' Enter
  answer 'add it to config.yml?' Enter
  sees 'status=0'
  same $'one\ntwo' "$(cron n .prompt)"
}

@test "cron edit in an editor: only that cron, checked, opened again with the error on top" {
  cat > editor << 'END'
#!/bin/sh
cp "$1" "shown.$(ls shown.* 2> /dev/null | wc -l)"
if grep -q '^# schedule: ' "$1"; then sed -i 's/99 9/45 9/' "$1"; else sed -i 's/0 9/99 9/' "$1"; fi
END
  chmod +x editor
  EDITOR=$PWD/editor on_screen 80 "$BELFRY_BIN" cron edit nightly
  sees 'at 9:45 AM every year on January 1st'
  sees 'status=0'
  grep -q 'nightly:' shown.0
  run ! grep -q maxConcurrent shown.0
  grep -q "bad minute '99'" shown.1
  same '45 9 1 1 *' "$(cron nightly .schedule)"
  grep -q '# early' "$BELFRY_HOME/config.yml"
  grep -q '# the first one' "$BELFRY_HOME/config.yml"
}

@test "cron edit in an editor that changes nothing, or fails, changes nothing" {
  cp "$BELFRY_HOME/config.yml" before
  EDITOR=true on_screen 80 "$BELFRY_BIN" cron edit nightly
  sees 'nothing was changed'
  sees 'status=0'
  leave_screen
  EDITOR=false on_screen 80 "$BELFRY_BIN" cron edit nightly
  sees "the editor 'false' failed"
  sees 'status=7'
  diff before "$BELFRY_HOME/config.yml"
}

@test "N15 a cron with an anchor is disabled in the store, and enabled again" {
  sed -i 's/^crons:$/crons:\n  tied: \&t {schedule: "0 9 1 1 *", agent: builder, prompt: p}\n  twin: *t/' "$BELFRY_HOME/config.yml"
  agent=$(belfry agent ls --json | jq -r '[.[].name // .[].agent | select(. != "me")][0]')
  sed -i "s/agent: builder, prompt: p}/agent: $agent, prompt: p}/" "$BELFRY_HOME/config.yml"
  cp "$BELFRY_HOME/config.yml" before
  belfry cron disable twin
  has "$(belfry cron ls)" 'disabled by command, but not in config.yml'
  diff before "$BELFRY_HOME/config.yml"
  belfry cron enable twin
  run ! grep -q 'disabled by command' <(belfry cron ls)
}

# --- what the file declares is changed in the file

# armed NAME: what is armed of it, by the reminder itself.
armed() {
  json "[.[] | select(.name == \"$1\") | \"\(.status) \(.schedule | to_entries[0] | .value)\"] | join(\",\")" \
    belfry reminder list --json
}

declared_here() {
  refused 4 "'nightly' is declared in a file: '$BELFRY_HOME/config.yml' line 11" "$@"
}

@test "N30 no command of reminders or tasks removes, completes or edits what config.yml declares" {
  start_daemon
  same 'active 0 9 1 1 *' "$(armed nightly)"
  declared_here reminder remove nightly
  has "$(cat stderr)" 'hint: change the file: belfry cron rm nightly'
  declared_here reminder complete nightly
  has "$(cat stderr)" 'belfry cron disable nightly'
  declared_here reminder edit nightly --every 5m
  has "$(cat stderr)" 'belfry cron edit nightly'
  declared_here reminder edit nightly --name other
  declared_here task cancel nightly
  declared_here task edit nightly --in 1h
  same 'active 0 9 1 1 *' "$(armed nightly)"
  same 'true null' "$(cron nightly '"\(.enabled) \(.differs)"')"
  # what the file does not declare is the person's
  belfry reminder add me -m x --every 1h --name mine > out
  belfry reminder edit mine --every 2h > out
  belfry reminder remove mine > out
  # a heartbeat, too
  sed -i 's/^  writer: .*/  writer: {adapter: claude, heartbeat: 30m}/' "$BELFRY_HOME/config.yml"
  wait_for 20 json_is active .status belfry reminder show heartbeat-writer --json
  refused 4 "'heartbeat-writer' is declared in a file: '$BELFRY_HOME/config.yml'" reminder remove heartbeat-writer
  has "$(cat stderr)" "change 'heartbeat' in the file"
}

@test "N30 a home in which a cron was removed or edited by hand is as the file says at the next start, and the log says so" {
  sqlite_only
  belfry cron add m2 --schedule '30 8 1 1 *' --agent builder --prompt x
  belfry cron add gone --schedule '30 7 1 1 *' --agent builder --prompt x
  stop_daemon
  sqlite3 -cmd '.timeout 10000' "$BELFRY_HOME/belfry.db" > out << 'END'
UPDATE reminders SET schedule_kind = 'every', schedule = '5m', count_max = 3, due_at = due_at + 1 WHERE name = 'm2';
UPDATE reminders SET status = 'cancelled', end_reason = 'removed by hand', due_at = NULL, nominal_at = NULL,
  ended_at = updated_at WHERE name = 'gone';
END
  start_daemon
  same 'active 30 8 1 1 *' "$(armed m2)"
  same 'active 30 7 1 1 *' "$(armed gone)"
  same null "$(json .count belfry reminder show m2 --json)"
  log_has "cron 'm2' of agent 'builder' is now as its file says: schedule, count"
  log_has "cron 'gone' of agent 'builder' had ended (removed by hand), but its file declares it: it is back"
}

@test "N30 cron ls and show tell what is armed, with the file's wish beside it where they differ" {
  sqlite_only
  belfry cron add off --schedule '30 8 1 1 *' --agent builder --prompt x --disabled
  belfry cron add other --schedule '30 8 1 1 *' --agent builder --prompt x
  # Somebody writes the database while the daemon runs; again if it was just reading the file that
  # the commands above have changed, and made everything as that says.
  meddled() {
    sqlite3 -cmd '.timeout 10000' "$BELFRY_HOME/belfry.db" > out << 'END'
UPDATE reminders SET status = 'cancelled', end_reason = 'removed by hand', due_at = NULL, nominal_at = NULL,
  ended_at = updated_at WHERE name = 'nightly';
UPDATE reminders SET status = 'active', end_reason = NULL, due_at = nominal_at WHERE name = 'off';
UPDATE reminders SET schedule = '45 8 1 1 *' WHERE name = 'other';
END
    sleep 0.3
    same 'false null 0' "$(cron nightly '"\(.enabled) \(.next_run) \(.next | length)"')"
  }
  wait_for 10 meddled
  same true "$(cron nightly .file.enabled)"
  same 'true false' "$(cron off '"\(.enabled) \(.file.enabled)"')"
  [[ $(cron off .next_run) == *T08:30* ]]
  [[ $(cron other '"\(.next_run) \(.file.next_run)"') == *T08:45*\ *T08:30* ]]
  run -0 belfry cron ls
  has "$output" 'config.yml declares it, but it is not armed; make it so: belfry apply'
  has "$output" 'config.yml disables it, but it is armed'
  has "$output" "config.yml says '30 8 1 1 *', but it runs by '45 8 1 1 *'"
  has "$(belfry cron show nightly)" 'it is not armed'
  # N31: enable arms what had ended, disable disarms what the file disabled already
  run -0 belfry cron enable nightly
  has "${lines[1]}" 'in '
  run -0 belfry cron disable off
  has "$output" '; disabled'
  same 'active 0 9 1 1 *' "$(armed nightly)"
  same 'paused 30 8 1 1 *' "$(armed off)"
  belfry apply > out
  same 'active 30 8 1 1 *' "$(armed other)"
  same '' "$(crons '[.[].differs | select(.)] | join(",")')"
}

@test "N31 what the file disables is not resumed, and enable and disable do what they say" {
  belfry cron disable nightly > out
  refused 4 "'nightly' is disabled in a file: '$BELFRY_HOME/config.yml'" reminder resume nightly
  has "$(cat stderr)" 'belfry cron enable nightly'
  same 'paused 0 9 1 1 *' "$(armed nightly)"
  belfry cron enable nightly > out
  # a pause is the person's: it survives apply, and is told
  belfry reminder pause nightly > out
  belfry apply > out
  same 'true true null' "$(cron nightly '"\(.enabled) \(.paused) \(.next_run)"')"
  run -0 belfry cron ls
  has "$output" paused
  belfry reminder resume nightly > out
  same 'active 0 9 1 1 *' "$(armed nightly)"
  # paused by hand, and then disabled: still not resumed
  belfry reminder pause nightly > out
  belfry cron disable nightly > out
  refused 4 'is disabled in a file' reminder resume nightly
  run -0 belfry cron disable nightly
  has "$output" '; disabled'
  run -0 belfry cron enable nightly
  has "${lines[1]}" 'in '
  same 'active 0 9 1 1 *' "$(armed nightly)"
}

@test "N30 cron add without --agent takes defaultAgent" {
  sed -i '1a defaultAgent: builder' "$BELFRY_HOME/config.yml"
  belfry cron add n --schedule '0 9 1 1 *' --prompt x > out
  same 'builder null' "$(cron n '"\(.agent) \(.problem)"')"
}

@test "N31 a run by hand that fails does not count towards pause_after" {
  belfry cron edit nightly --prompt 'exit 3' --pause-after 1 > out
  belfry cron run nightly > out
  wait_for 30 status_is nightly failed
  same 'false 0' "$(cron nightly '"\(.paused) \(.failures)"')"
}

# --- N35: a file that is away

away() {
  mv "$BELFRY_HOME/$1" "$BELFRY_HOME/$1~"
  [ -z "${2:-}" ] || wait_for 20 log_has "configuration '$BELFRY_HOME/config.yml' read again"
  belfry status > out
  cp "$BELFRY_HOME/$1~" "$BELFRY_HOME/$1"
  rm "$BELFRY_HOME/$1~"
  belfry apply > out
}

log_has() {
  grep -qF -- "$1" "$BELFRY_HOME/daemon.log"
}

rows_of() {
  json "[.[] | select(.name == \"$1\")] | map(\"\\(.id) \\(.status)\") | join(\",\")" belfry reminder list --all --json
}

@test "N35 a config.yml that is away for a moment, or for long, leaves a cron its id and its pause" {
  start_daemon
  belfry reminder pause nightly > out
  id=$(rows_of nightly)
  id=${id%% *}
  away config.yml
  same "$id paused" "$(rows_of nightly)"
  : > "$BELFRY_HOME/daemon.log"
  away config.yml long
  same "$id paused" "$(rows_of nightly)"
}

@test "N35 a run that goes on is not doubled by a config.yml that was away" {
  sed -i 's/prompt: write out.txt ran/prompt: sleep 60/' "$BELFRY_HOME/config.yml"
  start_daemon
  belfry cron run nightly > out
  wait_for 30 status_is nightly running
  id=$(rows_of nightly)
  away config.yml
  same "$id" "$(rows_of nightly)"
  : > "$BELFRY_HOME/daemon.log"
  away config.yml long
  same "$id" "$(rows_of nightly)"
  status_is nightly running
}

@test "N35 count: 1 of a role does not fire again because its file was away" {
  mkdir -p "$BELFRY_HOME/roles"
  echo 'reminders: [{name: once, message: Hello., schedule: {every: 1s}, count: 1}]' > "$BELFRY_HOME/roles/greeter.yml"
  start_daemon
  wait_for 20 json_is 'completed 1' '"\(.status) \(.fire_count)"' belfry reminder show once --json
  id=$(rows_of once)
  away roles/greeter.yml
  : > "$BELFRY_HOME/daemon.log"
  away roles/greeter.yml long
  sleep 2
  same "$id" "$(rows_of once)"
}

@test "N36 a config.yml that is gone for good is told, with what it took along" {
  [ "${BELFRY_TEST_STORE:-sqlite}" = sqlite ] || skip "the store does not matter"
  scripted $'crons:\n  a: {schedule: "0 9 1 1 *", agent: shell, prompt: x}\n  b: {schedule: "0 9 1 1 *", agent: shell, prompt: x}'
  start_daemon
  id=$(of a .id)
  mv "$BELFRY_HOME/config.yml" away.yml
  told() {
    belfry queue list me --json | grep -qF "is gone. 2 crons and reminders that it declared fire no more"
  }
  wait_for 30 told
  mv away.yml "$BELFRY_HOME/config.yml"
  wait_for 30 json_is "$id active" '"\(.id) \(.status)"' belfry reminder show a --json
}
