/* live.c: live agents as the daemon sees them. */
#include "daemon/live.h"

#include <stdlib.h>

#include "base/mem.h"

struct lives {
	lives_on_input *on_input;
	void *data;
};

struct lives *lives_new(uv_loop_t *loop, const struct home *h, mode_t mask,
			lives_on_input *on_input, void *data)
{
	struct lives *l = mem_zalloc(sizeof(*l));

	(void)loop, (void)h, (void)mask;
	l->on_input = on_input;
	l->data = data;
	return l;
}

void lives_close(struct lives *l)
{
	(void)l;
}

void lives_free(struct lives *l)
{
	free(l);
}

void lives_carry_out(struct lives *l, struct job *job)
{
	(void)l;
	job_free(job);
}

int lives_decide(struct lives *l, struct engine *e, usec_t now, struct error *err)
{
	(void)l, (void)e, (void)now, (void)err;
	return 0;
}

void lives_committed(struct lives *l)
{
	(void)l;
}

void lives_forget(struct lives *l)
{
	(void)l;
}
