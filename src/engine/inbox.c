/* inbox.c: threads, and what is written into them. */
#include "engine/inbox.h"
#include "engine/internal.h"

int engine_thread_of_mission(struct engine *e, const struct mission *m, usec_t now,
			     struct thread **ret, struct error *err)
{
	(void)e;
	(void)m;
	(void)now;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "engine_thread_of_mission is not there yet");
}

int engine_thread_of_agent(struct engine *e, const char *agent, usec_t now, struct thread **ret,
			   struct error *err)
{
	(void)e;
	(void)agent;
	(void)now;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "engine_thread_of_agent is not there yet");
}

int engine_post(struct engine *e, struct thread *t, struct mail *m, usec_t now, struct error *err)
{
	(void)e;
	(void)t;
	(void)m;
	(void)now;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "engine_post is not there yet");
}

int engine_reply(struct engine *e, struct thread *t, struct mail *m, enum priority priority,
		 bool run, usec_t now, struct error *err)
{
	(void)e;
	(void)t;
	(void)m;
	(void)priority;
	(void)run;
	(void)now;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "engine_reply is not there yet");
}

int engine_thread_mark(struct engine *e, struct thread *t, bool read, int64_t up_to, usec_t now,
		       int64_t *ret, struct error *err)
{
	(void)e;
	(void)t;
	(void)read;
	(void)up_to;
	(void)now;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "engine_thread_mark is not there yet");
}

int engine_thread_archive(struct engine *e, struct thread *t, bool archived, usec_t now,
			  struct error *err)
{
	(void)e;
	(void)t;
	(void)archived;
	(void)now;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "engine_thread_archive is not there yet");
}

int inbox_add_queued(struct engine *e, const struct reminder *r, const struct mission *m,
		     const char *title, const struct message *queued, usec_t now, struct error *err)
{
	(void)e;
	(void)r;
	(void)m;
	(void)title;
	(void)queued;
	(void)now;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "inbox_add_queued is not there yet");
}

int inbox_taken(struct engine *e, const struct message *queued, usec_t now, struct error *err)
{
	(void)e;
	(void)queued;
	(void)now;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "inbox_taken is not there yet");
}

int inbox_missed(struct engine *e, const struct reminder *r, const struct slot *slot, usec_t now,
		 struct error *err)
{
	(void)e;
	(void)r;
	(void)slot;
	(void)now;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "inbox_missed is not there yet");
}

int inbox_dispatch(struct engine *e, usec_t now, struct error *err)
{
	(void)e;
	(void)now;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "inbox_dispatch is not there yet");
}

int inbox_next(struct engine *e, usec_t *ret, struct error *err)
{
	(void)e;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "inbox_next is not there yet");
}
