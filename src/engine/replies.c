/* replies.c: from the person to the agent of a mission. */
#include "engine/inbox.h"
#include "engine/internal.h"

int replies_prompt(struct engine *e, const struct mission *m, const char *prompt, char **ret,
		   struct error *err)
{
	(void)e;
	(void)m;
	(void)prompt;
	(void)ret;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "replies_prompt is not there yet");
}

int replies_offer(struct engine *e, const struct mission *m, const struct run *run,
		  struct error *err)
{
	(void)e;
	(void)m;
	(void)run;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "replies_offer is not there yet");
}

int replies_settle(struct engine *e, const struct mission *m, const struct run *run, usec_t now,
		   struct error *err)
{
	(void)e;
	(void)m;
	(void)run;
	(void)now;
	(void)err;
	return error_set(err, ERR_UNAVAILABLE, "replies_settle is not there yet");
}
