# `me: {deliver: …}`: whose words its command is given, and so what it may do with them.
load helper
# shellcheck disable=SC2034
e2e_shown_once=1

setup_test() {
  unset BELFRY_MISSION_ID BELFRY_RUN BELFRY_AGENT BELFRY_USER BELFRY_SESSION CLAUDE_CODE_SESSION_ID CLAUDE_PID
  # It reads, as the person, and does what is the person's alone; one line each, after what it was given.
  cat > "$BATS_TEST_TMPDIR/hand" << EOF
words=\$(head -n 1)
export BELFRY_HOME=$BELFRY_HOME
read=refused
if $BELFRY_BIN inbox list > /dev/null 2>&1; then read=read; fi
act=refused
if $BELFRY_BIN token add --user me > /dev/null 2> $BATS_TEST_TMPDIR/err.\$\$; then act=ACTED; fi
grep -q 'may not' $BATS_TEST_TMPDIR/err.\$\$ || [ \$act = ACTED ] || act="failed: \$(cat $BATS_TEST_TMPDIR/err.\$\$)"
echo "\$words|\$read|\$act" >> $BATS_TEST_TMPDIR/handed
EOF
  scripted "$asker
  me: {deliver: {command: [sh, $BATS_TEST_TMPDIR/hand]}}
  clerk: {deliver: {command: [sh, $BATS_TEST_TMPDIR/hand]}}
users:
  alice: {trust: inner}
  bob: {trust: full}"
  handed=$BATS_TEST_TMPDIR/handed
}

# is_handed WORDS HOW: the command was given that, and this is what it could do.
is_handed() {
  wait_for 30 grep -qs "$1" "$handed"
  same "$2" "$(grep "$1" "$handed" | head -n 1 | sed 's/^[^|]*|//')"
}

@test "A28 words of a run or of another user, handed to me, do nothing in my name" {
  start_daemon
  id=$(new asker 'belfry message send "words of a run"; belfry message send "a question of a run" --ask')
  becomes "$id" success || { belfry mission logs "$id" >&2; false; }
  is_handed 'words of a run' 'read|refused'
  is_handed 'a question of a run' 'read|refused'
  id=$(BELFRY_USER=alice new shell 'belfry message send "words of a run of hers"; echo "her answer"')
  becomes "$id" success || { belfry mission logs "$id" >&2; false; }
  is_handed 'words of a run of hers' 'read|refused'
  printf '{"request":"tool message_send","args":{"text":"words of hers"},"caller":{"surface":"mcp","user":"alice","session":"s-a"}}\n' | talk > /dev/null
  is_handed 'words of hers' 'read|refused'
  BELFRY_USER=bob belfry reminder add me -m 'a reminder of his' --in 1s > /dev/null
  is_handed 'a reminder of his' 'read|refused'
  # a failure quotes what the run said
  task 'echo quoted >&2; exit 3' --agent shell --in 1s --max-attempts 1 > /dev/null
  is_handed " failed: " "read|refused"
  run ! grep -q ACTED "$handed"
  same 0 "$(belfry token list --json | jq length)"
}

@test "A40 what I alone have written is read for me, and does nothing in my name either" {
  start_daemon
  belfry reminder add me -m 'a reminder of mine' --in 1s > /dev/null
  is_handed 'a reminder of mine' 'read|refused'
  belfry agent send clerk 'an errand of mine'
  is_handed 'an errand of mine' 'read|refused'
}

@test "A28 a reminder of mine that a run has written into is the run's, and show and why say so" {
  start_daemon
  for name in told named moved; do belfry reminder add me -m "mine $name" --in 9d --name $name > /dev/null; done
  belfry task add 'say mine' --agent builder --in 9d --name errand > /dev/null
  id=$(new shell 'belfry reminder edit told -m "words of the run"; belfry reminder edit named --name "renamed"; belfry reminder edit moved --in 8d; belfry task edit errand --prompt "say theirs"')
  becomes "$id" success || { belfry mission logs "$id" >&2; false; }
  same "$id" "$(of told .made_by)"
  same "$id" "$(of renamed .made_by)"
  same null "$(of moved .made_by)"
  same "$id" "$(of errand .made_by)"
  has "$(belfry reminder show told)" "written by $id"
  has "$(belfry why told)" "made or changed by a run: $id"
  run ! grep -q 'by a run' <<< "$(belfry why moved)"
  belfry reminder run told > /dev/null
  is_handed 'words of the run' 'read|refused'
  belfry reminder run moved > /dev/null
  is_handed 'mine moved' 'read|refused'
  # also when its mission is gone
  belfry mission rm "$id" --force > /dev/null
  wait_for 20 json_is unknown .made_by belfry reminder show renamed --json
  has "$(belfry why renamed)" 'made or changed by a run: of a mission that is gone'
  belfry reminder run renamed > /dev/null
  is_handed 'mine named' 'read|refused'
}
