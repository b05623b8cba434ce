#pragma once
/*
 * The inbox: what people and agents do with threads. Each is called inside a turn. Bodies that are
 * files are in place before the message is posted, under the number it will get (thread->messages
 * + 1); the engine itself opens none.
 */
#include "engine/engine.h"
#include "store/mission.h"
#include "store/queue.h"
#include "store/thread.h"

/* The thread of a mission, or of an agent outside of any; made when there is none yet. */
int engine_thread_of_mission(struct engine *e, const struct mission *m, usec_t now,
			     struct thread **ret, struct error *err);
int engine_thread_of_agent(struct engine *e, const char *agent, usec_t now, struct thread **ret,
			   struct error *err);

/*
 * The thread of a session outside of any mission: a conversation that `session` names for its user. One
 * for each, whoever else works in the same folder. `agent`: who that is, or NULL; `title` is for a new one.
 */
int engine_thread_of_session(struct engine *e, const char *owner, const char *session,
			     const char *agent, const char *title, usec_t now, struct thread **ret,
			     struct error *err);
/* What is answered there waits until the session asks for it (below). */
bool engine_is_of_session(const struct thread *t);
/* The user whose session it is of; NULL: of none. The caller frees. */
char *engine_session_owner(const struct thread *t);
/* Where a user's clients write that nobody can tell apart, and so nobody can answer. */
int engine_thread_of_clients(struct engine *e, const char *owner, usec_t now, struct thread **ret,
			     struct error *err);
/* The same place; *ret is NULL when it has no thread yet. */
int engine_find_session(struct engine *e, const char *owner, const char *session,
			struct thread **ret, struct error *err);

/*
 * A message for the person. Sender, author, title, text, size, file, attachments, run, ask,
 * ask_until and ask_default are the caller's; everything else is filled in, also in the thread: its
 * counts, its preview, and that it is in the inbox again.
 */
int engine_post(struct engine *e, struct thread *t, struct mail *m, usec_t now, struct error *err);

/* What Belfry has to say of itself. */
int engine_tell(struct engine *e, const char *text, usec_t now, struct error *err);

/*
 * A person's answer: author, text, size, file, attachments are the caller's. `question` is the
 * number of the one it answers: ANSWER_ONE for the only one that is open, if one is, ANSWER_ALL for
 * each. ERR_CONFLICT when several are open and none was named, when one is and another ran out of time
 * since the person's last reply, or when the named one is not open.
 *	of a mission   it waits for the next resume; with a question, or when `run`, that is as soon
 *	               as the mission has ended and its conversation is known
 *	of an agent    it goes into the agent's queue at once, by `priority`; so it does while the
 *	               mission is the conversation of a live agent's session
 *	of a session   it waits until that asks
 *	of neither     ERR_CONFLICT: nobody would hear it
 * `run` without a mission, or for one that can never go on (no conversation, no such agent): ERR_CONFLICT.
 * An answer that its run did not bring to the agent is taken along again, a few times; then the
 * question is open again (replies.c).
 */
#define ANSWER_ONE 0
#define ANSWER_ALL (-1)
#define ANSWER_NONE (-2) /* a word beside the open ones, which stay open */
int engine_reply(struct engine *e, struct thread *t, struct mail *m, int64_t question,
		 enum priority priority, bool run, usec_t now, struct error *err);

/*
 * Replies that an agent asks for itself (pull.c): those of its thread that it does not have yet, oldest
 * first, at most `limit` and about `bytes` of text, but at least one; *ret_more: others wait behind them.
 * They count as offered; engine_replies_got() is called when the same agent is heard of again, which
 * proves that it went on with them.
 */
int engine_replies_pull(struct engine *e, struct thread *t, size_t limit, size_t bytes, usec_t now,
			struct mail_list *ret, bool *ret_more, struct error *err);
int engine_replies_got(struct engine *e, struct thread *t, struct error *err);

/*
 * Read up to a number (0: all), or unread again. What is read is also taken out of `me`'s queue,
 * unless a command hands it over. The thread is as new afterwards. *ret is how many changed.
 */
int engine_thread_mark(struct engine *e, struct thread *t, bool read, int64_t up_to, usec_t now,
		       int64_t *ret, struct error *err);
int engine_thread_archive(struct engine *e, struct thread *t, bool archived, usec_t now,
			  struct error *err);
