# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# The inbox with 100,000 messages: 4,500 threads of twenty, and one of ten thousand.

# A mission and a thread of each, then their messages; a rare word is in one of them, a common one in all.
inbox_fill() {
  sqlite3 "$home/belfry.db" > /dev/null <<'SQL'
PRAGMA foreign_keys = ON;
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4501)
INSERT INTO missions (id, door, agent, prompt, phase, outcome, nominal, time_limit, max_attempts, retry_on,
  backoff, attempts, runs, session, cost, created_at, started_at, ended_at)
SELECT printf('mis-%06d', i), 'hand', 'bench', 'work number ' || i, 'ended', 'success', i, 0, 1, 0, 0, 1, 1,
  's' || i, 0, 1700000000000000 + i * 1000000, 1700000000000000, 1700000000000000 + i * 1000000 FROM n;
INSERT INTO threads (id, place, mission, agent, title, messages, unread, asks, waiting, wanted, last_at,
  last_sender, preview)
SELECT id, 'mission:' || id, key, agent, prompt, CASE prompt WHEN 'work number 4501' THEN 10000 ELSE 20 END,
  CASE prompt WHEN 'work number 4501' THEN 10000 ELSE 20 END, 0, 0, 0, ended_at, 'agent',
  'the report of ' || prompt FROM missions;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO messages (thread, seq, sender, author, text, size, run, ask, reply, created_at)
SELECT t.key, n.i, 'agent', 'bench',
  '## Report ' || n.i || char(10, 10) || 'Checked **' || n.i % 97 || '** repositories of `' || t.title ||
  '`; all are clean.' || char(10, 10) || '- api: fine' || char(10) || '- blog: fine' || char(10) ||
  CASE WHEN t.title = 'work number 2000' AND n.i = 7 THEN 'marmalade' ELSE '' END,
  150, 1, 'none', 'none', t.last_at + n.i
FROM threads t JOIN n ON n.i <= t.messages;
INSERT INTO message_words (message_words) VALUES ('rebuild');
COMMIT;
SQL
}

# inbox_command WHAT REACH CONDITION ARGUMENTS...: a command from its start to its end.
inbox_command() {
  local what=$1 reach=$2 condition=$3 p50 p99
  shift 3
  [ -n "$("$belfry" "$@")" ] || { say "  '$*' found nothing"; return 1; }
  read -r p50 p99 < <("$tools/raw-bench" spawn 30 "$belfry" "$@")
  row "$what, p50" "$(calc "$p50 / 1000")" ms "belfry status" "$status_ms" "$reach" "$condition"
  row "$what, p99" "$(calc "$p99 / 1000")" ms '' '' '' ''
}

bench_inbox() {
  local status_ms open50 open99
  start_daemon inbox
  stop_daemon
  say '  filling'
  inbox_fill
  start_daemon inbox
  read -r status_ms _ < <("$tools/raw-bench" spawn 50 "$belfry" status)
  status_ms=$(calc "$status_ms / 1000")
  inbox_command '100,000 messages: inbox list' '≤ 50 ms' 'v <= 50' inbox list
  inbox_command '100,000 messages: inbox show, last 200 of 10,000' '≤ 100 ms' 'v <= 100' \
    inbox show mis-004501 --peek --last 200
  inbox_command '100,000 messages: inbox show, all 10,000' '' '' inbox show mis-004501 --peek --last 10000
  inbox_command '100,000 messages: search, a word in one' '≤ 100 ms' 'v <= 100' inbox search marmalade
  inbox_command '100,000 messages: search, a word in all' '≤ 100 ms' 'v <= 100' inbox search repositories
  inbox_command '100,000 messages: search, two beginnings' '≤ 100 ms' 'v <= 100' inbox search 'clean rep'
  read -r open50 open99 < <(python3 "$here/open-thread.py" 20 "$belfry" mis-004501)
  row '10,000 messages: opening the thread on a terminal, p50' "$open50" ms '' '' '≤ 100 ms' 'v <= 100'
  row '10,000 messages: opening the thread on a terminal, p99' "$open99" ms '' '' '' ''
  stop_daemon
}
