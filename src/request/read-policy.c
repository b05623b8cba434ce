/* read-policy.c: what people say about how a fire is run. */
#include <string.h>

#include "request/read.h"
#include "schedule/duration.h"

#define TIME_LIMIT_MAX (30 * USEC_PER_DAY)
#define ATTEMPTS_MAX 20

static int read_time_limit(const json_t *args, usec_t *ret, struct error *err)
{
	const char *text = NULL;
	usec_t span;
	int rc = json_get_text(args, "timeout", &text, err);

	if (rc < 0 || !text)
		return rc;
	if (strcmp(text, "none") == 0) {
		*ret = 0;
		return 0;
	}
	if (duration_parse(text, &span, err) < 0)
		return error_prefix(err, "--timeout");
	if (span < USEC_PER_SEC || span > TIME_LIMIT_MAX) {
		error_set(err, ERR_INVALID, "--timeout '%s' is outside 1s to 30d", text);
		return error_hint(err, "give a duration like 30m, or none");
	}
	*ret = span;
	return 0;
}

static int read_overlap(const json_t *args, enum overlap *ret, struct error *err)
{
	const char *text = NULL;
	int rc = json_get_text(args, "overlap", &text, err), word;

	if (rc < 0 || !text)
		return rc;
	word = overlap_of(text);
	if (word < 0) {
		error_set(err, ERR_INVALID, "--overlap cannot be '%s'", text);
		return error_hint(err, "one of: skip queue allow replace");
	}
	*ret = (enum overlap)word;
	return 0;
}

int read_policy(const json_t *args, struct policy *p, struct error *err)
{
	int64_t attempts = p->max_attempts;
	int rc;

	if ((rc = read_time_limit(args, &p->time_limit, err)) < 0 ||
	    (rc = read_overlap(args, &p->overlap, err)) < 0 ||
	    (rc = json_get_int(args, "max_attempts", &attempts, err)) < 0)
		return rc;
	if (json_object_get(args, "max_attempts") && (attempts < 1 || attempts > ATTEMPTS_MAX)) {
		error_set(err, ERR_INVALID, "--max-attempts %lld is outside 1 to %d",
			  (long long)attempts, ATTEMPTS_MAX);
		return error_hint(err, "1 means that a failure is final");
	}
	p->max_attempts = attempts;
	return 0;
}

bool read_policy_given(const json_t *args)
{
	return json_object_get(args, "timeout") || json_object_get(args, "overlap") ||
	       json_object_get(args, "max_attempts");
}

int read_refuse_agent(const struct config *config, const struct config_agent *agent,
		      struct error *err)
{
	error_set(err, ERR_INVALID, "agent '%s' can be reminded, but not run: it has no adapter",
		  agent->name);
	return error_hint(err, "give it one in '%s', like 'adapter: claude'", config->path);
}
