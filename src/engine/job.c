/* job.c: what is wished for after the commit, and a child's end in words. */
#include "engine/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/duration.h"

static void live_job_free(struct job_live *l)
{
	if (!l)
		return;
	free(l->agent);
	free(l->pane);
	free(l->mission);
	adapter_free(l->adapter);
	free(l->message);
	free(l->text);
	free(l->file);
	free(l->lined);
	free(l);
}

void job_free(struct job *job)
{
	if (!job)
		return;
	mem_free_list(job->argv);
	mem_free_list(job->environment);
	free(job->directory);
	free(job->input);
	free(job->run);
	free(job->whose.user);
	live_job_free(job->live);
	free(job);
}

void job_is_for(struct job *job, const struct reminder *r)
{
	job->whose = (struct job_for){.mission = r->made_by,
				      .user = mem_strdup(r->owner ? r->owner : "me"),
				      .trust = r->trust};
}

bool job_succeeded(const struct job_end *end)
{
	return !end->start_error && !end->timed_out && !end->signal && end->exit_status == 0;
}

/* "exit status 127: sh: 1: nope: not found" */
char *job_end_words(const struct job_end *end, usec_t limit)
{
	const char *tail = end->output_tail ? end->output_tail : "";
	const char *colon = *tail ? ": " : "";
	char span[DURATION_TEXT_MAX];

	if (end->start_error)
		return mem_strdup(end->start_error);
	if (end->timed_out) {
		duration_format(limit, span);
		return mem_printf("no end within %s, so it was killed%s%s", span, colon, tail);
	}
	if (end->signal)
		return mem_printf("ended by signal %d (%s)%s%s", end->signal,
				  strsignal(end->signal), colon, tail);
	return mem_printf("exit status %d%s%s", end->exit_status, colon, tail);
}
