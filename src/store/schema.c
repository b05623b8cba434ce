/*
 * schema.c: the tables, how they come to be and how they change.
 * One text serves both databases: {int}, {text} and the like are the places where they differ, and
 * {word status status} is a column with a word of words.h, which cannot disagree with the enum.
 * Version n+1 is reached from n by one step in one transaction; SQLite keeps the version in
 * user_version, PostgreSQL in belfry_meta, where nodes that start together take turns.
 *
 * Indexes, each for a named reader, since a fire pays for every one it touches:
 *	reminders_due       the timer; rows of an unfinished import are not in it
 *	reminders_status    how many there are of each status and agent (PostgreSQL; see tally.h)
 *	reminders_name      finding by name, and reminders_agent, listing: both without rows of an
 *	                    unfinished import, so that loading touches two indexes instead of six
 *	reminders_ended     retention
 *	slots_reminder      the ledger of one reminder, newest first
 *	slots_checking      recovery
 *	slots_decided       retention; new entries go to its end
 *	queue_attempt       the second timer
 *	queue_line          an agent's line, by priority
 *	queue_offered       recovery, and whether a line has a head
 *	queue_done          retention
 *	policies_door       crons, tasks and heartbeats, listed
 *	missions_slot       the mission of a slot, at most one; and the deletion of a slot
 *	missions_reminder   what came of one reminder, newest first; and the view scheduled_tasks
 *	missions_origin     what came of one name, newest first
 *	missions_line       the line, in which missions wait for their turn
 *	missions_ready      the timer of the line, and missions_until, of those that give up
 *	missions_open       overlap; recovery; what still waits or runs
 *	missions_kept       which of a reminder are archived next
 *	missions_ended      retention
 *	runs_mission        the runs of a mission, newest first
 *	runs_open           recovery, how many run, and that no mission has two at a time
 *	runs_overdue        the timer of the time limits
 *	threads_list        the inbox, newest first; threads_archived, what was put away
 *	threads_mission     the deletion of a mission
 *	threads_alone       retention of those without one
 *	threads_wanted      which missions go on as soon as they can
 *	threads_unread      how much is unread; threads_asks, which wait for an answer
 *	messages_thread     a thread, in order
 *	messages_unread     marking a thread read
 *	messages_undelivered what a resume takes along
 *	messages_asks       what is open in a thread; messages_expiry, the timer of that
 *	messages_answered   which questions a reply was for
 *	messages_run        whether a run wrote in its thread
 *	messages_queue      the message of a row in a queue
 *	messages_over       retention: what was read, and is no file
 *	live_mission        which live agent a run is of
 *	queue_sender        how much an agent has written lately
 *	reminders_idle      what waits for an agent to be idle
 *	reminders_owner     what belongs to a user other than the person at this machine
 *	reminders_made      how many reminders the runs of a user have made lately; reminders_pending,
 *	                    how many of these are still to come; missions_made, likewise of missions
 *	missions_owner      what belongs to a user other than the person at this machine
 *	queue_session       what was offered to a session by its hook
 *	sessions_pid        which session a process belongs to; sessions_seen, retention
 *	boundaries_session  what is pending for a session
 *	boundaries_due      the timer of sessions that Belfry hosts; boundaries_queued, their end
 *	boundaries_ended    retention
 *	troubles_reminder   the deletion of a reminder
 *	message_words       looking for words: an FTS5 table, or a GIN index
 */
#include "store/schema.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "store/driver.h"
#include "store/store.h"
#include "store/tasks.h"
#include "store/words.h"

/* PostgreSQL's advisory lock of whoever migrates: "belfry" as a number. */
#define MIGRATION_LOCK 0x62656c667279

/* clang-format off */
/*
 * What is looked for: the words of titles and texts. The table keeps no copy of them, and search.c
 * keeps it: a trigger may not, since nothing that is stored in the file is trusted with that.
 */
static const char search_sqlite[] =
	"CREATE VIRTUAL TABLE message_words USING fts5(title, text, content='messages',"
	" content_rowid='key', tokenize='unicode61 remove_diacritics 2');"
	"INSERT INTO message_words (message_words) VALUES ('rebuild');";
/* Its parser would take paths, hosts and tags for one word each: without punctuation it cuts as
 * FTS5 does. chr(123) is the bracket that begins a token here. */
static const char search_postgres[] =
	"ALTER TABLE messages ADD COLUMN words tsvector GENERATED ALWAYS AS"
	" (to_tsvector('simple', translate(coalesce(title, '') || ' ' || text,"
	" '!\"#$%&''()*+,-./:;<=>?@[\\]^_`|}~' || chr(123), repeat(' ', 32)))) STORED;"
	"CREATE INDEX message_words ON messages USING gin (words);";

/*
 * Again, with a third column: titles of threads, what missions were told, words far down in long
 * files, and pairs of characters where a script has no blanks (search.c).
 */
static const char terms_sqlite[] =
	"DROP TABLE message_words;"
	"CREATE VIRTUAL TABLE message_words USING fts5(title, text, terms, content='messages',"
	" content_rowid='key', tokenize='unicode61 remove_diacritics 2');"
	"INSERT INTO message_words (message_words) VALUES ('rebuild');";
static const char terms_postgres[] =
	"ALTER TABLE messages DROP COLUMN words;"
	"ALTER TABLE messages ADD COLUMN words tsvector GENERATED ALWAYS AS"
	" (to_tsvector('simple', translate(coalesce(title, '') || ' ' || text || ' ' || coalesce(terms, ''),"
	" '!\"#$%&''()*+,-./:;<=>?@[\\]^_`|}~' || chr(123), repeat(' ', 32)))) STORED;"
	"CREATE INDEX message_words ON messages USING gin (words);";

static const char step_1[] =
	"{words 1}"
	"CREATE TABLE reminders ("
	" key {lasting key},"
	" id {ctext} NOT NULL UNIQUE,"
	" name {ctext},"
	" agent {ctext} NOT NULL,"
	" message {text} NOT NULL,"
	" {word priority priority},"
	" {word source source},"
	" schedule_kind {text} NOT NULL,"
	" schedule {text} NOT NULL,"
	" zone {text},"
	" zone_source {text},"
	" anchor {int},"
	" count_max {int} NOT NULL CHECK (count_max >= 0),"
	" until {int},"
	" {word catchup catchup},"
	" catchup_max {int} NOT NULL,"
	" start_deadline {int} NOT NULL,"
	" jitter {int} NOT NULL,"
	" {word condition_kind condition},"
	" condition {text},"
	" {word mode mode},"
	" condition_limit {int} NOT NULL,"
	" {word status status},"
	" end_reason {text},"
	" generation {int} NOT NULL,"
	" cursor {int},"
	" nominal_at {int},"
	" due_at {int},"
	" open_slot {int},"
	" fire_count {int} NOT NULL,"
	" last_fired_at {int},"
	" created_at {int} NOT NULL,"
	" updated_at {int},"
	" ended_at {int},"
	" batch {int},"
	" CHECK (due_at IS NULL OR status = 'active')"
	"){strict};"
	"CREATE INDEX reminders_due ON reminders (due_at{,key})"
	" WHERE due_at IS NOT NULL AND batch IS NULL;"
	"CREATE INDEX reminders_batch ON reminders (batch{,key}) WHERE batch IS NOT NULL;"
	"CREATE INDEX reminders_name ON reminders (name)"
	" WHERE name IS NOT NULL AND batch IS NULL;"
	"CREATE INDEX reminders_agent ON reminders (agent{,key}) WHERE batch IS NULL;"
	"{tally}"
	"CREATE INDEX reminders_ended ON reminders (ended_at) WHERE ended_at IS NOT NULL;"

	"CREATE TABLE slots ("
	" key {key},"
	" reminder {int} NOT NULL REFERENCES reminders (key) ON DELETE CASCADE,"
	" generation {int} NOT NULL,"
	" nominal {int} NOT NULL,"
	" first_nominal {int} NOT NULL,"
	" occurrences {int} NOT NULL CHECK (occurrences >= 1),"
	" more {int} NOT NULL CHECK (more IN (0, 1)),"
	" {word outcome outcome},"
	" reason {text},"
	" decided_at {int} NOT NULL,"
	" lateness {int} NOT NULL CHECK (lateness >= 0),"
	" missed_before {int} NOT NULL,"
	" attempts {int} NOT NULL,"
	" {word verdict verdict},"
	" verdict_detail {text},"
	" UNIQUE (reminder, generation, nominal)"
	"){strict};"
	"CREATE INDEX slots_reminder ON slots (reminder{,key});"
	"CREATE INDEX slots_checking ON slots (reminder) WHERE outcome = 'checking';"
	"CREATE INDEX slots_decided ON slots (decided_at);"

	"CREATE TABLE queue ("
	" key {key},"
	" id {ctext} NOT NULL UNIQUE,"
	" slot {int} REFERENCES slots (key) ON DELETE SET NULL,"
	" reminder {int},"
	" agent {ctext} NOT NULL,"
	" body {text} NOT NULL,"
	" {word priority priority},"
	" {word state delivery},"
	" attempts {int} NOT NULL,"
	" attempt_at {int},"
	" queued_at {int} NOT NULL,"
	" offered_at {int},"
	" done_at {int},"
	" last_error {text}"
	"){strict};"
	"CREATE UNIQUE INDEX queue_slot ON queue (slot) WHERE slot IS NOT NULL;"
	"CREATE INDEX queue_attempt ON queue (attempt_at{,key}) WHERE attempt_at IS NOT NULL;"
	"CREATE INDEX queue_line ON queue (agent, priority{,key}) WHERE state = 'queued';"
	"CREATE INDEX queue_offered ON queue (agent) WHERE state = 'offered';"
	"CREATE INDEX queue_done ON queue (done_at) WHERE done_at IS NOT NULL;"

	"CREATE TABLE kv (name {ctext} NOT NULL PRIMARY KEY, text {text} NOT NULL){strict};";

/*
 * The ledger learns two outcomes. PostgreSQL adds them to the type, and may not use them before
 * this step is committed; SQLite has them in a CHECK, and so the table is made anew.
 */
static const char slots_again[] =
	"CREATE TABLE slots_again ("
	" key {key},"
	" reminder {int} NOT NULL REFERENCES reminders (key) ON DELETE CASCADE,"
	" generation {int} NOT NULL,"
	" nominal {int} NOT NULL,"
	" first_nominal {int} NOT NULL,"
	" occurrences {int} NOT NULL CHECK (occurrences >= 1),"
	" more {int} NOT NULL CHECK (more IN (0, 1)),"
	" {word outcome outcome},"
	" reason {text},"
	" decided_at {int} NOT NULL,"
	" lateness {int} NOT NULL CHECK (lateness >= 0),"
	" missed_before {int} NOT NULL,"
	" attempts {int} NOT NULL,"
	" {word verdict verdict},"
	" verdict_detail {text},"
	" UNIQUE (reminder, generation, nominal)"
	"){strict};"
	"INSERT INTO slots_again (key, reminder, generation, nominal, first_nominal, occurrences,"
	" more, outcome, reason, decided_at, lateness, missed_before, attempts, verdict,"
	" verdict_detail) SELECT key, reminder, generation, nominal, first_nominal, occurrences,"
	" more, outcome, reason, decided_at, lateness, missed_before, attempts, verdict,"
	" verdict_detail FROM slots ORDER BY key;"
	"DROP TABLE slots;"
	"ALTER TABLE slots_again RENAME TO slots;"
	"CREATE INDEX slots_reminder ON slots (reminder{,key});"
	"CREATE INDEX slots_checking ON slots (reminder) WHERE outcome = 'checking';"
	"CREATE INDEX slots_decided ON slots (decided_at);";

/* Missions: reminders can run an agent. */
static const char step_2[] =
	"{words 2}"
	"{outcomes}"
	"ALTER TABLE reminders ADD COLUMN {word action action} DEFAULT 'deliver';"

	"CREATE TABLE policies ("
	" reminder {int} NOT NULL PRIMARY KEY REFERENCES reminders (key) ON DELETE CASCADE,"
	" {word door door},"
	" description {text},"
	" git {text},"
	" {word overlap overlap},"
	" time_limit {int} NOT NULL CHECK (time_limit >= 0),"
	" max_attempts {int} NOT NULL CHECK (max_attempts >= 1),"
	" retry_on {int} NOT NULL,"
	" backoff {int} NOT NULL,"
	" wait_limit {int} NOT NULL,"
	" retention {int} NOT NULL,"
	" pause_after {int} NOT NULL,"
	" failures {int} NOT NULL"
	"){strict};"
	"CREATE INDEX policies_door ON policies (door, reminder);"

	"CREATE TABLE missions ("
	" key {lasting key},"
	" id {ctext} NOT NULL UNIQUE,"
	" reminder {int},"
	" slot {int} REFERENCES slots (key) ON DELETE SET NULL,"
	" {word door door},"
	" origin {ctext},"
	" agent {ctext} NOT NULL,"
	" prompt {text} NOT NULL,"
	" git {text},"
	" {word phase phase},"
	" {word outcome ending},"
	" reason {text},"
	" stop_reason {text},"
	" nominal {int} NOT NULL,"
	" ready_at {int},"
	" wait_until {int},"
	" time_limit {int} NOT NULL,"
	" max_attempts {int} NOT NULL,"
	" retry_on {int} NOT NULL,"
	" backoff {int} NOT NULL,"
	" attempts {int} NOT NULL,"
	" runs {int} NOT NULL,"
	" session {text},"
	" cost {int} NOT NULL,"
	" created_at {int} NOT NULL,"
	" started_at {int},"
	" ended_at {int},"
	" archived_at {int}"
	"){strict};"
	"CREATE UNIQUE INDEX missions_slot ON missions (slot) WHERE slot IS NOT NULL;"
	"CREATE INDEX missions_reminder ON missions (reminder{,key}) WHERE reminder IS NOT NULL;"
	"CREATE INDEX missions_origin ON missions (origin{,key}) WHERE origin IS NOT NULL;"
	"CREATE INDEX missions_line ON missions (nominal{,key}) WHERE phase = 'waiting';"
	"CREATE INDEX missions_ready ON missions (ready_at) WHERE phase = 'waiting';"
	"CREATE INDEX missions_until ON missions (wait_until{,key}) WHERE wait_until IS NOT NULL;"
	"CREATE INDEX missions_open ON missions (reminder{,key}) WHERE phase <> 'ended';"
	"CREATE INDEX missions_kept ON missions (reminder{,key})"
	" WHERE phase = 'ended' AND archived_at IS NULL;"
	"CREATE INDEX missions_ended ON missions (ended_at{,key}) WHERE ended_at IS NOT NULL;"

	"CREATE TABLE runs ("
	" key {lasting key},"
	" mission {int} NOT NULL REFERENCES missions (key) ON DELETE CASCADE,"
	" number {int} NOT NULL CHECK (number >= 1),"
	" attempt {int} NOT NULL,"
	" {word kind run_kind},"
	" prompt {text},"
	" pid {int},"
	" pid_start {int} NOT NULL,"
	" boot {text},"
	" begun_at {int} NOT NULL,"
	" started_at {int},"
	" finished_at {int},"
	" overdue_at {int},"
	" {word ending ending},"
	" exit_code {int} NOT NULL,"
	" signal {int} NOT NULL,"
	" answer {text},"
	" error {text},"
	" session {text},"
	" cost {int} NOT NULL"
	"){strict};"
	"CREATE UNIQUE INDEX runs_mission ON runs (mission, number);"
	"CREATE UNIQUE INDEX runs_open ON runs (mission) WHERE finished_at IS NULL;"
	"CREATE INDEX runs_overdue ON runs (overdue_at{,key})"
	" WHERE finished_at IS NULL AND overdue_at IS NOT NULL;"

	"CREATE TABLE board ("
	" agent {ctext} NOT NULL PRIMARY KEY,"
	" status {text} NOT NULL,"
	" detail {text},"
	" at {int} NOT NULL"
	"){strict};"
	"{tasks}";

/* The inbox. */
static const char step_3[] =
	"{words 3}"
	"CREATE TABLE threads ("
	" key {lasting key},"
	" id {ctext} NOT NULL UNIQUE,"
	" place {ctext} NOT NULL UNIQUE,"
	" mission {int} REFERENCES missions (key) ON DELETE CASCADE,"
	" agent {ctext},"
	" title {text} NOT NULL,"
	" messages {int} NOT NULL CHECK (messages >= 0),"
	" unread {int} NOT NULL CHECK (unread BETWEEN 0 AND messages),"
	" asks {int} NOT NULL CHECK (asks BETWEEN 0 AND messages),"
	" waiting {int} NOT NULL CHECK (waiting BETWEEN 0 AND messages),"
	" wanted {int} NOT NULL CHECK (wanted IN (0, 1)),"
	" last_at {int} NOT NULL,"
	" {word last_sender sender},"
	" preview {text} NOT NULL,"
	" archived_at {int}"
	"){strict};"
	"CREATE INDEX threads_list ON threads (last_at{,key}) WHERE archived_at IS NULL;"
	"CREATE INDEX threads_archived ON threads (last_at{,key}) WHERE archived_at IS NOT NULL;"
	"CREATE INDEX threads_mission ON threads (mission) WHERE mission IS NOT NULL;"
	"CREATE INDEX threads_alone ON threads (last_at{,key}) WHERE mission IS NULL;"
	"CREATE INDEX threads_wanted ON threads (last_at{,key}) WHERE wanted = 1;"
	"CREATE INDEX threads_unread ON threads (archived_at, unread, asks)"
	" WHERE unread > 0 OR asks > 0;"

	"CREATE TABLE messages ("
	" key {lasting key},"
	" thread {int} NOT NULL REFERENCES threads (key) ON DELETE CASCADE,"
	" seq {int} NOT NULL CHECK (seq >= 1),"
	" {word sender sender},"
	" author {text},"
	" title {text},"
	" size {int} NOT NULL,"
	" file {text},"
	" attachments {text},"
	" run {int} NOT NULL,"
	" {word ask asking},"
	" ask_until {int},"
	" ask_default {text},"
	" {word reply handover},"
	" carrier {int},"
	" queue {int},"
	" read_at {int},"
	" created_at {int} NOT NULL,"
	/* Last, so that nobody who wants something else reads through it. */
	" text {text} NOT NULL"
	"){strict};"
	"CREATE UNIQUE INDEX messages_thread ON messages (thread, seq);"
	"CREATE INDEX messages_unread ON messages (thread) WHERE read_at IS NULL;"
	"CREATE INDEX messages_undelivered ON messages (thread, seq)"
	" WHERE reply IN ('waiting', 'offered');"
	"CREATE INDEX messages_asks ON messages (thread, seq) WHERE ask = 'open';"
	"CREATE INDEX messages_expiry ON messages (ask_until{,key})"
	" WHERE ask = 'open' AND ask_until IS NOT NULL;"
	"CREATE INDEX messages_run ON messages (thread, run) WHERE sender = 'agent';"
	"CREATE UNIQUE INDEX messages_queue ON messages (queue) WHERE queue IS NOT NULL;"
	"CREATE INDEX messages_over ON messages (created_at{,key})"
	" WHERE read_at IS NOT NULL AND file IS NULL;"

	/* What already waits for the person is in the inbox too. A preview of 50 characters, and a
	 * text of 16384, have no more bytes than allowed, whatever characters they are. */
	"INSERT INTO threads (id, place, title, messages, unread, asks, waiting, wanted, last_at,"
	" last_sender, preview) SELECT 'thr-before', 'belfry', 'Before the inbox', count(*),"
	" count(*), 0, 0, 0, max(queued_at), 'belfry', (SELECT substr(replace(replace(replace(body,"
	" '\n', ' '), '\r', ' '), '\t', ' '), 1, 50) FROM queue WHERE agent = 'me'"
	" AND state = 'queued' ORDER BY key DESC LIMIT 1)"
	" FROM queue WHERE agent = 'me' AND state = 'queued' GROUP BY agent;"
	"INSERT INTO messages (thread, seq, sender, size, run, ask, reply, queue, created_at, text)"
	" SELECT threads.key, row_number() OVER (ORDER BY queue.key), 'belfry', {body bytes}, 0,"
	" 'none', 'none', queue.key, queued_at,"
	" CASE WHEN {body bytes} > 65536 THEN substr(body, 1, 16384) ELSE body END"
	" FROM queue JOIN threads ON place = 'belfry'"
	" WHERE queue.agent = 'me' AND state = 'queued' ORDER BY queue.key;"
	"{search}";

/* Live agents. */
static const char step_4[] =
	"{words 4}"
	"CREATE TABLE live ("
	" agent {ctext} NOT NULL PRIMARY KEY,"
	" role {text},"
	" mission {int} REFERENCES missions (key) ON DELETE SET NULL,"
	" pane {text},"
	" {word state presence},"
	" evidence {text} NOT NULL,"
	" since {int} NOT NULL,"
	" idle_at {int},"
	" wanted {int} NOT NULL CHECK (wanted IN (0, 1)),"
	" again {int} NOT NULL CHECK (again IN (0, 1)),"
	" end_reason {text},"
	" starts {int} NOT NULL,"
	" created_at {int} NOT NULL,"
	" started_at {int},"
	" ended_at {int}"
	"){strict};"
	"CREATE UNIQUE INDEX live_mission ON live (mission) WHERE mission IS NOT NULL;"
	"ALTER TABLE queue ADD COLUMN sender {ctext};"
	"CREATE INDEX queue_sender ON queue (sender, queued_at) WHERE sender IS NOT NULL;"
	"ALTER TABLE reminders ADD COLUMN {word fallback fallback} DEFAULT 'wait';"
	"CREATE INDEX reminders_idle ON reminders (agent{,key})"
	" WHERE schedule_kind = 'idle' AND batch IS NULL;";

/* Callers, their sessions, and what agents set for themselves. */
static const char step_5[] =
	"{words 5}"
	"ALTER TABLE reminders ADD COLUMN owner {ctext} NOT NULL DEFAULT 'me';"
	"ALTER TABLE reminders ADD COLUMN {word trust trust} DEFAULT 'full';"
	"ALTER TABLE reminders ADD COLUMN targets {text};"
	"ALTER TABLE reminders ADD COLUMN session {text};"
	"ALTER TABLE reminders ADD COLUMN transcript {text};"
	"ALTER TABLE reminders ADD COLUMN made_by {int};"
	"CREATE INDEX reminders_owner ON reminders (owner{,key})"
	" WHERE owner <> 'me' AND batch IS NULL;"
	"CREATE INDEX reminders_made ON reminders (owner, created_at) WHERE made_by IS NOT NULL;"
	"CREATE INDEX reminders_pending ON reminders (owner)"
	" WHERE made_by IS NOT NULL AND status = 'active';"
	"ALTER TABLE missions ADD COLUMN owner {ctext} NOT NULL DEFAULT 'me';"
	"ALTER TABLE missions ADD COLUMN {word trust trust} DEFAULT 'full';"
	"ALTER TABLE missions ADD COLUMN made_by {int};"
	"CREATE INDEX missions_owner ON missions (owner{,key}) WHERE owner <> 'me';"
	"CREATE INDEX missions_made ON missions (owner, created_at) WHERE made_by IS NOT NULL;"
	"ALTER TABLE queue ADD COLUMN session {ctext};"
	"ALTER TABLE queue ADD COLUMN printed {int} NOT NULL DEFAULT 0;"
	"CREATE INDEX queue_session ON queue (session{,key})"
	" WHERE session IS NOT NULL AND state = 'offered';"
	"ALTER TABLE messages ADD COLUMN unprinted_at {int};"

	"CREATE TABLE sessions ("
	" id {ctext} NOT NULL PRIMARY KEY,"
	" owner {ctext} NOT NULL,"
	" agent {ctext},"
	" mission {int} REFERENCES missions (key) ON DELETE SET NULL,"
	" directory {text},"
	" transcript {text},"
	" pid {int} NOT NULL,"
	" pid_start {int} NOT NULL,"
	" boot {text},"
	" calls {int} NOT NULL CHECK (calls >= 0),"
	" created_at {int} NOT NULL,"
	" seen_at {int} NOT NULL,"
	" ended_at {int},"
	" heard {text}"
	"){strict};"
	"CREATE INDEX sessions_pid ON sessions (pid, seen_at) WHERE pid > 0;"
	"CREATE INDEX sessions_seen ON sessions (seen_at);"
	"CREATE INDEX sessions_mission ON sessions (mission) WHERE mission IS NOT NULL;"

	"CREATE TABLE boundaries ("
	" key {lasting key},"
	" id {ctext} NOT NULL UNIQUE,"
	" session {ctext} NOT NULL,"
	" owner {ctext} NOT NULL,"
	" host {ctext},"
	" set_call {int} NOT NULL,"
	" due_call {int},"
	" due_at {int},"
	" message {text},"
	" lessons {text},"
	" step {text},"
	" note {text},"
	" {word state boundary},"
	" printed {int} NOT NULL CHECK (printed IN (0, 1)),"
	" queue {int},"
	" created_at {int} NOT NULL,"
	" updated_at {int} NOT NULL,"
	" offered_at {int},"
	" ended_at {int},"
	" CHECK (due_call IS NOT NULL OR due_at IS NOT NULL)"
	"){strict};"
	"CREATE INDEX boundaries_session ON boundaries (session{,key}) WHERE ended_at IS NULL;"
	"CREATE INDEX boundaries_due ON boundaries (due_at{,key})"
	" WHERE state = 'waiting' AND host IS NOT NULL AND due_at IS NOT NULL;"
	"CREATE INDEX boundaries_queued ON boundaries (host{,key}) WHERE state = 'queued';"
	"CREATE INDEX boundaries_ended ON boundaries (ended_at) WHERE ended_at IS NOT NULL;"

	"CREATE TABLE tokens ("
	" id {ctext} NOT NULL PRIMARY KEY,"
	" hash {ctext} NOT NULL UNIQUE,"
	" owner {ctext} NOT NULL,"
	" session {ctext},"
	" label {text},"
	" created_at {int} NOT NULL,"
	" used_at {int}"
	"){strict};";

/* What Belfry says of agents, people and time is true: evidence where there was none. */
static const char step_6[] =
	"{words 6}"
	/* What was carried out lately, by the id its caller gave it: see answered.h. */
	"CREATE TABLE answered ("
	" key {int} NOT NULL PRIMARY KEY,"
	" id {ctext} NOT NULL,"
	" at {int} NOT NULL,"
	" digest {int} NOT NULL,"
	" result {text}"
	"){strict};"
	/* Answers: to which question, and what follows when the run that carried one failed. */
	"ALTER TABLE messages ADD COLUMN answered_by {int};"
	"ALTER TABLE threads ADD COLUMN tries {int} NOT NULL DEFAULT 0;"
	"ALTER TABLE threads ADD COLUMN retry_at {int};"
	"CREATE INDEX messages_answered ON messages (thread, answered_by) WHERE answered_by IS NOT NULL;"
	"CREATE INDEX threads_asks ON threads (last_at{,key}) WHERE asks > 0;"
	/* What else messages are found by. */
	"ALTER TABLE messages ADD COLUMN terms {text};"
	"UPDATE messages SET terms = (SELECT t.title || ' ' || coalesce((SELECT substr(m.prompt, 1, 32768)"
	" FROM missions AS m WHERE m.key = t.mission), '') FROM threads AS t WHERE t.key = messages.thread)"
	" WHERE seq = 1 OR thread IN (SELECT key FROM threads WHERE mission IS NULL);"
	"{terms}"
	/* Whose a message of the queue is, NULL: the person's; until when a token opens, NULL: for good. */
	"ALTER TABLE queue ADD COLUMN owner {text};"
	"ALTER TABLE tokens ADD COLUMN expires_at {int};"
	/* Tool calls that were denied: of a run in words, of the last run of a mission in number, and
	 * what the person was last told of a reminder. */
	"ALTER TABLE runs ADD COLUMN denied {text};"
	"ALTER TABLE missions ADD COLUMN denied {int};"
	"ALTER TABLE policies ADD COLUMN denied {text};"
	/* A clock that was ahead: by how much, of what it fired before its time. */
	"ALTER TABLE slots ADD COLUMN early {int};"
	/* What is wrong, so that it is told once; what waits collapses; a single time is checked again. */
	"CREATE TABLE troubles ("
	" name {ctext} NOT NULL PRIMARY KEY,"
	" reminder {int} REFERENCES reminders (key) ON DELETE CASCADE,"
	" what {text} NOT NULL,"
	" since {int} NOT NULL,"
	" told_at {int} NOT NULL,"
	" over {int} NOT NULL DEFAULT 0"
	"){strict};"
	"CREATE INDEX troubles_reminder ON troubles (reminder) WHERE reminder IS NOT NULL;"
	"ALTER TABLE queue ADD COLUMN earlier {int} NOT NULL DEFAULT 0;"
	"ALTER TABLE queue ADD COLUMN earlier_at {int};"
	"ALTER TABLE slots ADD COLUMN again_at {int};"
	/* Live agents: a message that an interrupt took back, and a question that was told. */
	"ALTER TABLE queue ADD COLUMN returned_at {int};"
	"ALTER TABLE live ADD COLUMN told_at {int};"
	/* Whether a mission was ordered for an occurrence: the mission itself may be removed. */
	"ALTER TABLE slots ADD COLUMN ordered {int} NOT NULL DEFAULT 0;"
	"UPDATE slots SET ordered = 1 WHERE key IN (SELECT slot FROM missions WHERE slot IS NOT NULL);";

/* A session is of the user whose client it is: the same id said by another is another session. */
static const char sessions_again[] =
	"CREATE TABLE sessions_again ("
	" id TEXT NOT NULL,"
	" owner TEXT NOT NULL,"
	" agent TEXT,"
	" mission INTEGER REFERENCES missions (key) ON DELETE SET NULL,"
	" directory TEXT,"
	" transcript TEXT,"
	" pid INTEGER NOT NULL,"
	" pid_start INTEGER NOT NULL,"
	" boot TEXT,"
	" calls INTEGER NOT NULL CHECK (calls >= 0),"
	" created_at INTEGER NOT NULL,"
	" seen_at INTEGER NOT NULL,"
	" ended_at INTEGER,"
	" heard TEXT,"
	" PRIMARY KEY (id, owner)"
	") STRICT;"
	"INSERT INTO sessions_again SELECT id, owner, agent, mission, directory, transcript, pid, pid_start,"
	" boot, calls, created_at, seen_at, ended_at, heard FROM sessions;"
	"DROP TABLE sessions;"
	"ALTER TABLE sessions_again RENAME TO sessions;"
	"CREATE INDEX sessions_pid ON sessions (pid, seen_at) WHERE pid > 0;"
	"CREATE INDEX sessions_seen ON sessions (seen_at);"
	"CREATE INDEX sessions_mission ON sessions (mission) WHERE mission IS NOT NULL;";

static const char step_7[] = "{sessions}";

/* A line of the board is of the user whose agent says it; those there are, of the person at this machine. */
static const char board_again[] =
	"CREATE TABLE board_again ("
	" agent TEXT NOT NULL,"
	" owner TEXT NOT NULL,"
	" status TEXT NOT NULL,"
	" detail TEXT,"
	" at INTEGER NOT NULL,"
	" PRIMARY KEY (agent, owner)"
	") STRICT;"
	"INSERT INTO board_again SELECT agent, 'me', status, detail, at FROM board;"
	"DROP TABLE board;"
	"ALTER TABLE board_again RENAME TO board;";

/* What the person made, and a run wrote into since: `made_by` names that run. */
static const char step_8[] = "{board}"
			     "ALTER TABLE reminders ADD COLUMN persons {int};";

static const struct token {
	const char *name, *sqlite, *postgres;
} tokens[] = {
	{"int",         "INTEGER",                           "BIGINT"},
	{"text",        "TEXT",                              "TEXT"},
	/* Compared by bytes, so that a prefix is a range; PostgreSQL would sort by its locale. */
	{"ctext",       "TEXT",                              "TEXT COLLATE \"C\""},
	{"key",         "INTEGER PRIMARY KEY",               "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"},
	/* Not given out again after a deletion: messages remember it without a foreign key. */
	{"lasting key", "INTEGER PRIMARY KEY AUTOINCREMENT", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"},
	{"tally",       "CREATE TABLE tally (agent TEXT NOT NULL, status TEXT NOT NULL, count INTEGER NOT NULL,"
	                " PRIMARY KEY (agent, status)) STRICT, WITHOUT ROWID;",
	                "CREATE INDEX reminders_status ON reminders (status, agent) WHERE batch IS NULL;"},
	{"strict",      " STRICT",                           ""},
	/* An index of SQLite ends with the key of the row anyway. */
	{",key",        "",                                  ", key"},
	{"tasks",       tasks_sqlite,                        tasks_postgres},
	{"body bytes",  "length(CAST(body AS BLOB))",        "octet_length(body)"},
	{"search",      search_sqlite,                       search_postgres},
	{"terms",       terms_sqlite,                        terms_postgres},
	{"outcomes",    slots_again,                         "ALTER TYPE belfry_outcome ADD VALUE IF NOT EXISTS 'running';"
	                                                     "ALTER TYPE belfry_outcome ADD VALUE IF NOT EXISTS 'ran';"},
	{"sessions",    sessions_again,                      "ALTER TABLE sessions DROP CONSTRAINT sessions_pkey,"
	                                                     " ADD PRIMARY KEY (id, owner);"},
	{"board",       board_again,                         "ALTER TABLE board ADD COLUMN owner TEXT NOT NULL DEFAULT 'me';"
	                                                     "ALTER TABLE board ALTER COLUMN owner DROP DEFAULT,"
	                                                     " DROP CONSTRAINT board_pkey, ADD PRIMARY KEY (agent, owner);"},
};

#define WORD_WHEN(name, text) " WHEN '" text "' THEN 1"
#define WORD_QUOTED(name, text) ", '" text "'"
#define WORD_LIST_ROW(list, WORDS, step) {#list, WORDS(WORD_WHEN), WORDS(WORD_QUOTED), step},
static const struct word_list {
	const char *name, *when, *quoted; /* quoted begins with ", " */
	int step; /* of the schema, that brought it */
} word_lists[] = {WORD_LISTS(WORD_LIST_ROW)};
#define WORD_LISTS_COUNT (sizeof(word_lists) / sizeof(word_lists[0]))
/* clang-format on */

const char *const schema_steps[] = {step_1, step_2, step_3, step_4, step_5, step_6, step_7, step_8};
const int schema_version = sizeof(schema_steps) / sizeof(schema_steps[0]);

static const struct token *token_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++)
		if (strlen(tokens[i].name) == len && memcmp(tokens[i].name, name, len) == 0)
			return &tokens[i];
	assert(!"a token of the schema that nobody defined");
	return NULL;
}

static const struct word_list *word_list_of(const char *name)
{
	for (size_t i = 0; i < WORD_LISTS_COUNT; i++)
		if (strcmp(word_lists[i].name, name) == 0)
			return &word_lists[i];
	assert(!"a list of words that nobody defined");
	return NULL;
}

/*
 * "{word COLUMN LIST}": a column that holds a word of a list. In SQLite a CHECK, by CASE since it
 * makes a temporary table of an IN list for every row it checks; in PostgreSQL a type, since it
 * reads the text of a CHECK anew for every statement. Either would cost more than the insert.
 */
static void add_word_column(const char *token, enum db_kind kind, struct buf *ret)
{
	const struct word_list *list;
	char column[32], name[32];

	if (sscanf(token, "word %31s %31[a-z_]", column, name) != 2)
		assert(!"a word column without its list");
	list = word_list_of(name);
	if (kind == DB_SQLITE)
		buf_printf(ret, "%s TEXT NOT NULL CHECK (CASE %s%s ELSE 0 END = 1)", column, column,
			   list->when);
	else
		buf_printf(ret, "%s belfry_%s NOT NULL", column, name);
}

/*
 * "{words 2}": the types of such columns, of the lists that came with step 2. A list that got words
 * in a later step is made with all of them; that step adds them where they are missing.
 */
static void add_word_types(const char *token, enum db_kind kind, struct buf *ret)
{
	int step = token[strlen("words ")] - '0';

	for (size_t i = 0; kind == DB_POSTGRES && i < WORD_LISTS_COUNT; i++)
		if (word_lists[i].step == step)
			buf_printf(ret, "CREATE TYPE belfry_%s AS ENUM (%s);", word_lists[i].name,
				   word_lists[i].quoted + 2);
}

static void expand(const char *text, enum db_kind kind, struct buf *ret);

static void add_token(const char *token, size_t len, enum db_kind kind, struct buf *ret)
{
	const struct token *found;

	if (strncmp(token, "word ", 5) == 0) {
		add_word_column(token, kind, ret);
	} else if (strncmp(token, "words ", 6) == 0) {
		add_word_types(token, kind, ret);
	} else {
		found = token_of(token, len);
		expand(kind == DB_SQLITE ? found->sqlite : found->postgres, kind, ret);
	}
}

static void expand(const char *text, enum db_kind kind, struct buf *ret)
{
	const char *open, *close;

	while ((open = strchr(text, '{'))) {
		close = strchr(open, '}');
		assert(close);
		buf_add(ret, text, (size_t)(open - text));
		add_token(open + 1, (size_t)(close - open - 1), kind, ret);
		text = close + 1;
	}
	buf_add_str(ret, text);
}

static int ask_number(struct db *db, const char *sql, int64_t *ret, struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	int r = db_query(db, sql, DB_NO_ARGS, &rows, err);

	if (r < 0 || (r = db_rows_next(&rows, err)) < 0)
		return r;
	*ret = r ? db_int(&rows, 0) : 0;
	return 0;
}

/*
 * 0 without belfry_meta; then there must not be tables of ours, or they are somebody else's. Asked
 * in one statement: between two, another node may have made them all.
 */
static int postgres_version(struct db *db, int64_t *ret, struct error *err)
{
	static const char sql[] =
		"SELECT CASE WHEN bool_or(tablename = 'belfry_meta') THEN 1"
		" WHEN count(*) > 0 THEN 2 ELSE 0 END FROM pg_tables"
		" WHERE schemaname = current_schema()"
		" AND tablename IN ('belfry_meta', 'reminders', 'slots', 'queue', 'kv',"
		" 'policies', 'missions', 'runs', 'board', 'scheduled_tasks',"
		" 'threads', 'messages', 'live', 'sessions', 'boundaries', 'tokens', 'answered',"
		" 'troubles')";
	int64_t found = 0;
	int r = ask_number(db, sql, &found, err);

	if (r < 0)
		return r;
	if (found == 1)
		return ask_number(db, "SELECT version FROM belfry_meta", ret, err);
	*ret = 0;
	if (found == 0)
		return 0;
	error_set(err, ERR_INVALID, "the PostgreSQL database has tables of another program");
	return error_hint(err, "give belfry a database or a schema of its own");
}

static int read_version(struct db *db, int64_t *ret, struct error *err)
{
	if (db_kind(db) == DB_POSTGRES)
		return postgres_version(db, ret, err);
	return ask_number(db, "PRAGMA user_version", ret, err);
}

int schema_is_empty(struct db *db, bool *ret, struct error *err)
{
	int64_t version = 0;
	int r = read_version(db, &version, err);

	*ret = version == 0;
	return r;
}

static int refuse_newer(int64_t version, int newest, struct error *err)
{
	if (version <= newest)
		return 0;
	error_set(err, ERR_INVALID, "the store has version %d, this belfry knows up to %d",
		  (int)version, newest);
	return error_hint(err, "this database was made by a newer belfry: install that one");
}

static int write_version(struct db *db, int64_t version, struct error *err)
{
	AUTO_BUF struct buf text = {0};

	if (db_kind(db) == DB_SQLITE) {
		buf_printf(&text, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
			   SCHEMA_APPLICATION_ID, (int)version);
	} else {
		buf_printf(&text,
			   "CREATE TABLE IF NOT EXISTS belfry_meta (version BIGINT NOT NULL);"
			   "DELETE FROM belfry_meta; INSERT INTO belfry_meta VALUES (%d);",
			   (int)version);
	}
	return db_script(db, buf_text(&text), err);
}

static int refuse_strays(struct db *db, struct error *err)
{
	int64_t strays = 0;
	int r = 0;

	if (db_kind(db) == DB_SQLITE)
		r = ask_number(db, "SELECT count(*) FROM pragma_foreign_key_check", &strays, err);
	if (r < 0 || strays == 0)
		return r;
	error_set(err, ERR_SYSTEM, "%d rows refer to others that are not there", (int)strays);
	return error_hint(err, "'belfry doctor' names them");
}

/* One step, unless another node took it while we waited for the lock. */
static int step_inside(struct db *db, const char *step, int64_t version, struct error *err)
{
	AUTO_BUF struct buf text = {0};
	int64_t found = 0;
	int r = 0;

	if (db_kind(db) == DB_POSTGRES) {
		/* Who migrates takes its time, and is waited for. */
		buf_printf(&text, "SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(%lld)",
			   (long long)MIGRATION_LOCK);
		r = db_script(db, buf_text(&text), err);
		buf_clear(&text);
	}
	if (r < 0 || (r = read_version(db, &found, err)) < 0 || found != version)
		return r;
	expand(step, db_kind(db), &text);
	r = db_script(db, buf_text(&text), err);
	if (r == 0)
		r = refuse_strays(db, err);
	return r < 0 ? r : write_version(db, version + 1, err);
}

/*
 * SQLite takes the foreign keys of a table that is dropped for a deletion of its rows. So they are
 * off in a step, which is refused when it leaves a row without its parent; only outside of a
 * transaction can that be switched.
 */
static int switch_keys(struct db *db, const char *sql, struct error *err)
{
	return db_kind(db) == DB_SQLITE ? db_script(db, sql, err) : 0;
}

static int take_step(struct db *db, const char *step, int64_t version, struct error *err)
{
	struct error ignored = {0};
	int r = switch_keys(db, "PRAGMA foreign_keys = OFF", err);

	if (r < 0 || (r = db_begin(db, err)) < 0)
		return r;
	r = step_inside(db, step, version, err);
	if (r < 0)
		db_rollback(db);
	else
		r = db_commit(db, err);
	if (switch_keys(db, "PRAGMA foreign_keys = ON", r < 0 ? &ignored : err) < 0 && r == 0)
		r = err->code;
	if (r < 0)
		error_prefix(err, "migration from version %d to %d", (int)version,
			     (int)version + 1);
	return r;
}

int schema_migrate(struct db *db, const char *const *steps, int count, struct error *err)
{
	char suffix[32];
	int64_t version = 0;
	int r = read_version(db, &version, err);

	if (r < 0 || (r = refuse_newer(version, count, err)) < 0)
		return r;
	if (version > 0 && version < count) {
		snprintf(suffix, sizeof(suffix), ".backup-v%d", (int)version);
		r = db_backup(db, suffix, err);
	}
	for (; r == 0 && version < count; version++)
		r = take_step(db, steps[version], version, err);
	return r;
}

int store_open(const char *url, struct db **ret, struct error *err)
{
	AUTO(db_close) struct db *db = NULL;
	int r = db_open(url, &db, err);

	if (r == 0)
		r = schema_migrate(db, schema_steps, schema_version, err);
	if (r == 0)
		*ret = steal_ptr(&db);
	return r;
}

/* Each row of a check is a finding, but for the one that says all is well. */
static int add_findings(struct db *db, const char *sql, const char *what, struct buf *ret,
			struct error *err)
{
	AUTO_ROWS struct db_rows rows = {0};
	int r = db_query(db, sql, DB_NO_ARGS, &rows, err);

	while (r >= 0 && (r = db_rows_next(&rows, err)) > 0) {
		const char *text = db_text(&rows, 0);

		if (text && strcmp(text, "ok") != 0)
			buf_printf(ret, "%s: %s\n", what, text);
	}
	return r;
}

#define WANTED                                                                                     \
	"SELECT 'reminders' AS name UNION ALL SELECT 'slots' UNION ALL SELECT 'queue'"             \
	" UNION ALL SELECT 'kv' UNION ALL SELECT 'policies' UNION ALL SELECT 'missions'"           \
	" UNION ALL SELECT 'runs' UNION ALL SELECT 'board' UNION ALL SELECT 'scheduled_tasks'"     \
	" UNION ALL SELECT 'threads' UNION ALL SELECT 'messages' UNION ALL SELECT 'message_words'" \
	" UNION ALL SELECT 'live' UNION ALL SELECT 'sessions' UNION ALL SELECT 'boundaries'"       \
	" UNION ALL SELECT 'tokens' UNION ALL SELECT 'answered' UNION ALL SELECT 'troubles'"

/* clang-format off */
/* Of a thread without a mission, retention deletes messages, but never the last one. */
static const char miscounted[] =
	"SELECT 'thread ' || id || ' says ' || t.messages || ' messages, ' || t.unread ||"
	" ' unread, ' || t.asks || ' asks, ' || t.waiting || ' waiting; it has ' || c.messages ||"
	" ', ' || c.unread || ', ' || c.asks || ', ' || c.waiting"
	" FROM threads AS t JOIN (SELECT threads.key, count(seq) AS messages, max(seq) AS last,"
	" count(CASE WHEN seq >= 1 AND read_at IS NULL THEN 1 END) AS unread,"
	" count(CASE WHEN ask = 'open' THEN 1 END) AS asks,"
	" count(CASE WHEN reply IN ('waiting', 'offered') THEN 1 END) AS waiting"
	" FROM threads LEFT JOIN messages ON thread = threads.key GROUP BY threads.key) AS c"
	" ON c.key = t.key WHERE t.messages <> coalesce(c.last, 0)"
	" OR (t.messages <> c.messages AND t.mission IS NOT NULL)"
	" OR t.unread <> c.unread OR t.asks <> c.asks OR t.waiting <> c.waiting"
	" ORDER BY id LIMIT 20";
/* clang-format on */

/* By what the index keeps of every message: to compare the words themselves would take the write
 * lock for as long as all messages take to read. */
static const char unindexed[] =
	"SELECT 'message ' || key || ' is not in the index' FROM messages"
	" WHERE key NOT IN (SELECT id FROM message_words_docsize) UNION ALL"
	" SELECT 'message ' || id || ' is in the index, and gone' FROM message_words_docsize"
	" WHERE id NOT IN (SELECT key FROM messages) LIMIT 20";

static const struct check {
	enum db_kind kind;
	const char *what, *sql;
	bool if_sound; /* only when nothing was found before: it needs the tables */
} checks[] = {
	{DB_SQLITE, "integrity", "PRAGMA integrity_check(20)"},
	{DB_SQLITE, "foreign keys",
	 "SELECT 'row ' || coalesce(rowid, '') || ' of ' || \"table\" || ' has no ' || parent"
	 " FROM pragma_foreign_key_check LIMIT 20"},
	{DB_SQLITE, "tally",
	 "SELECT 'reminders of ' || agent || ' that are ' || status || ': counted wrong by ' ||"
	 " sum(n) FROM (SELECT agent, status, count AS n FROM tally UNION ALL"
	 " SELECT agent, status, -1 FROM reminders WHERE batch IS NULL)"
	 " GROUP BY agent, status HAVING sum(n) <> 0 LIMIT 20"},
	{DB_SQLITE, "integrity",
	 "SELECT 'table ' || name || ' is missing' FROM (" WANTED ") AS wanted"
	 " WHERE name NOT IN (SELECT name FROM sqlite_schema)"},
	{DB_POSTGRES, "integrity",
	 "SELECT 'table ' || name || ' is missing' FROM (" WANTED ") AS wanted"
	 " WHERE to_regclass(name) IS NULL"},
	{DB_POSTGRES, "integrity",
	 "SELECT 'index ' || c.relname || ' is not valid' FROM pg_index i"
	 " JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace"
	 " WHERE n.nspname = current_schema() AND NOT (i.indisvalid AND i.indisready)"},
	{DB_SQLITE, "inbox", miscounted, true},
	{DB_POSTGRES, "inbox", miscounted, true},
	{DB_SQLITE, "search", unindexed, true},
};

int store_check(struct db *db, struct buf *ret, struct error *err)
{
	int64_t version = 0;
	int r = read_version(db, &version, err);

	if (r == 0 && version != schema_version)
		buf_printf(ret, "version: the store has %d, this belfry needs %d\n", (int)version,
			   schema_version);
	for (size_t i = 0; r >= 0 && i < sizeof(checks) / sizeof(checks[0]); i++)
		if (checks[i].kind == db_kind(db) && !(checks[i].if_sound && ret->len))
			r = add_findings(db, checks[i].sql, checks[i].what, ret, err);
	return r < 0 ? r : 0;
}
