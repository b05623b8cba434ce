/*
 * context.c: what an agent is told when it runs. A cron, a reminder and a mission by hand get their
 * prompt byte for byte. A reminder that an agent set for its user says so first: where the answer goes,
 * and where to read what was meant. A heartbeat and a task wake an agent that knows nothing of the moment, so
 * they begin with it: the local time, what everybody says they are doing, the last messages, how to
 * write to the person; then what to do.
 */
#include "engine/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/mission.h"
#include "schedule/duration.h"
#include "store/agent-session.h"
#include "store/board.h"

#define MESSAGES_SHOWN 5
#define EXCERPT_BYTES 300

const struct zone *context_zone(const struct engine *e, const struct reminder *r)
{
	const struct zone *zone = NULL;
	struct error unknown = {0};
	const char *source;

	if (r && r->zone && zone_get(r->zone, &zone, &unknown) == 0)
		return zone;
	if (e->config->timezone && zone_get(e->config->timezone, &zone, &unknown) == 0)
		return zone;
	return zone_of_machine(&source);
}

static void put_time(usec_t instant, const struct zone *zone, struct buf *out)
{
	char text[INSTANT_TEXT_MAX];

	instant_format_long(instant, zone, text);
	buf_add_str(out, text);
}

static void put_status(const struct board *b, usec_t now, struct buf *out)
{
	char ago[DURATION_TEXT_MAX];

	AUTO(free) char *status = text_one_line(b->status);
	AUTO(free) char *detail = text_one_line(b->detail ? b->detail : "");

	/* Agents write it, of themselves, and others read it among Belfry's own words: one line each. */
	duration_format_short(now > b->at ? now - b->at : 0, ago);
	buf_printf(out, "- %s: %s", b->agent, status);
	if (*detail)
		buf_printf(out, " (%s)", detail);
	buf_printf(out, ", %s ago\n", ago);
}

/* Of the user whose run it is, as what comes after it. */
static int put_board(struct engine *e, const struct mission *m, usec_t now, struct buf *out,
		     struct error *err)
{
	AUTO_BOARD struct board_list board = {0};
	int rc = board_list(e->db, NULL, m->owner ? m->owner : "me", &board, err);

	if (rc < 0)
		return rc;
	buf_add_str(out, "\n## Status board\n\n");
	for (size_t i = 0; i < board.count; i++)
		put_status(board.items[i], now, out);
	if (!board.count)
		buf_add_str(out, "Nobody has written on it.\n");
	return 0;
}

/* The first line's worth of a text, never half a character. */
static void put_excerpt(const char *text, struct buf *out)
{
	size_t len = strcspn(text, "\r\n");
	bool cut = text[len] != '\0';

	if (len > EXCERPT_BYTES) {
		cut = true;
		len = EXCERPT_BYTES;
		while (len && !text_is_utf8(text, len))
			len--;
	}
	buf_add(out, text, len);
	if (cut)
		buf_add_str(out, " …");
}

/* Of the user whose run it is: what others write to the agent is not for them. */
static int put_messages(struct engine *e, const struct mission *m, const struct zone *zone,
			struct buf *out, struct error *err)
{
	AUTO_MESSAGES struct message_list last = {0};
	int rc = queue_recent(e->db, m->agent, m->owner ? m->owner : "me", MESSAGES_SHOWN, &last,
			      err);

	if (rc < 0)
		return rc;
	buf_add_str(out, "\n## Last messages\n\n");
	/* Newest first from the store, oldest first for a reader. */
	for (size_t i = last.count; i-- > 0;) {
		buf_add_str(out, "- ");
		put_time(last.items[i]->queued_at, zone, out);
		buf_add_str(out, ": ");
		put_excerpt(last.items[i]->body, out);
		buf_add_char(out, '\n');
	}
	if (!last.count)
		buf_add_str(out, "There are none.\n");
	return 0;
}

/* Without backticks and parentheses: an agent may be a shell, and that would obey them. */
static void put_person(const struct engine *e, const struct mission *m, struct buf *out)
{
	buf_add_str(out, "\n## Writing to the person\n\n"
			 "- What the person should know: belfry message send 'TEXT'\n");
	if (engine_may_ask(e, m->agent))
		buf_add_str(out,
			    "- What you need an answer to: belfry message send --ask 'QUESTION'\n"
			    "\n"
			    "Once you have asked, end your run. The answer continues this "
			    "conversation.\n");
}

static int put_moment(struct engine *e, const struct mission *m, const struct reminder *r,
		      usec_t now, struct buf *out, struct error *err)
{
	const struct zone *zone = context_zone(e, r);
	int rc;

	buf_add_str(out, "Current time: ");
	put_time(now, zone, out);
	buf_add_char(out, '\n');
	if ((rc = put_board(e, m, now, out, err)) < 0 ||
	    (rc = put_messages(e, m, zone, out, err)) < 0)
		return rc;
	put_person(e, m, out);
	return 0;
}

/* "signal" of ["signal:alice"]: by what the user is told, or NULL. */
static char *channel_of(const struct reminder *r, size_t index)
{
	AUTO(json_decref) json_t *targets = NULL;
	struct error unreadable = {0};
	const char *target;

	if (!r->targets || json_parse(r->targets, strlen(r->targets), &targets, &unreadable) < 0)
		return NULL;
	target = json_string_value(json_array_get(targets, index));
	return target ? mem_strndup(target, strcspn(target, ":")) : NULL;
}

/* Of a reminder that runs, and that a tool has set. */
static bool is_asked_for(const struct mission *m, const struct reminder *r)
{
	return r && m->door == DOOR_REMINDER && r->source == SOURCE_MCP && r->action == ACTION_RUN;
}

/* Nothing serves a channel yet, so the inbox gets what is for one, too. */
bool context_is_for_inbox(const struct mission *m, const struct reminder *r)
{
	return is_asked_for(m, r);
}

char *context_unserved(const struct reminder *r)
{
	AUTO(free) char *channel = channel_of(r, 0);

	if (!channel || strcmp(channel, "inbox") == 0)
		return NULL;
	return mem_printf("This was set for %s, whose answers belong into the channel '%s'. "
			  "Nothing at this machine serves it: what follows is told here only.",
			  r->owner ? r->owner : "me", channel);
}

/*
 * The conversation it was set in. A session's first hook may have come before there was a store to note its
 * transcript in: then the reminder does not have it, and a later hook has told it.
 */
static int find_transcript(struct engine *e, const struct reminder *r, char **ret,
			   struct error *err)
{
	AUTO(agent_session_free) struct agent_session *s = NULL;
	int rc = 0;

	if (!r->transcript && r->session)
		rc = agent_session_find(e->db, r->session, r->owner ? r->owner : "me", &s, err);
	if (rc >= 0)
		*ret = mem_strdup(s ? s->transcript : r->transcript);
	return rc;
}

/* C12. The text is the user's own, as an agent wrote it down; this is Belfry's word about it. */
static void put_reminder(const struct mission *m, const struct reminder *r, const char *transcript,
			 const struct zone *zone, struct buf *out)
{
	AUTO(free) char *channel = channel_of(r, 0);
	const char *user = r->owner ? r->owner : "me";
	bool inbox = !channel || strcmp(channel, "inbox") == 0;

	buf_add_str(out, "## Scheduled reminder\n\nThis is a scheduled reminder that was set ");
	if (strcmp(user, "me") != 0)
		buf_printf(out, "for %s ", user);
	buf_add_str(out, "at ");
	put_time(r->created_at, zone, out);
	buf_add_str(out, " and is due now. Carry out what it says and answer with the outcome. ");
	if (inbox)
		buf_add_str(out, "Your answer is put into the user's Belfry inbox: ");
	else
		buf_printf(out,
			   "Nothing serves the user's channel %s at this machine: your answer is "
			   "put into the Belfry inbox of the person here, for them. So ",
			   channel);
	buf_add_str(out, "write it as a message to them.\n");
	if (transcript)
		buf_printf(out,
			   "\nWhat was meant, if that is not clear, is in the conversation it was "
			   "set in: %s\n",
			   transcript);
	buf_add_str(out, "\n---\n\n");
	buf_add_str(out, m->prompt);
}

int context_prompt(struct engine *e, const struct mission *m, const struct reminder *r, usec_t now,
		   char **ret, struct error *err)
{
	AUTO_BUF struct buf out = {0};
	AUTO(free) char *transcript = NULL;
	int rc;

	if (is_asked_for(m, r)) {
		if ((rc = find_transcript(e, r, &transcript, err)) < 0)
			return rc;
		put_reminder(m, r, transcript, context_zone(e, r), &out);
		*ret = buf_steal(&out);
		return 0;
	}
	if (m->door != DOOR_HEARTBEAT && m->door != DOOR_TASK) {
		*ret = mem_strdup(m->prompt);
		return 0;
	}
	rc = put_moment(e, m, r, now, &out, err);
	if (rc < 0)
		return rc;
	buf_add_str(&out, m->door == DOOR_TASK ? "\n## Scheduled Task\n\n" : "\n## Heartbeat\n\n");
	buf_add_str(&out, m->prompt);
	*ret = buf_steal(&out);
	return 0;
}
