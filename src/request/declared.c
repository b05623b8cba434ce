/*
 * declared.c: what a file declares is changed in the file.
 * A row that was removed or edited alone would go on being told as the file has it, and the next
 * seeding would undo the change without a word. So every command that ends or edits a reminder asks
 * here first. Pausing one and letting it go on is the person's, unless the file itself holds it.
 * An agent may always close what asked it to look at a condition: that is how the file means it.
 */
#include "request/declared.h"

#include <string.h>

#include "engine/declared.h"
#include "store/policy.h"

static const char *name_of(const struct reminder *r)
{
	return r->name ? r->name : r->id;
}

static void say_where(const struct declared *d, const struct reminder *r, struct error *err)
{
	if (d->line)
		error_set(err, ERR_CONFLICT, "'%s' is declared in a file: '%s' line %d", name_of(r),
			  d->path, d->line);
	else
		error_set(err, ERR_CONFLICT, "'%s' is declared in a file: '%s'", name_of(r),
			  d->path);
}

static int hint_cron(const struct reminder *r, const char *verb, struct error *err)
{
	if (strcmp(verb, "edit") == 0)
		return error_hint(err, "change the file: belfry cron edit %s", name_of(r));
	if (strcmp(verb, "complete") == 0)
		return error_hint(err,
				  "change the file: belfry cron disable %s, or belfry cron rm %s",
				  name_of(r), name_of(r));
	return error_hint(err, "change the file: belfry cron rm %s", name_of(r));
}

static int hint(const struct declared *d, const struct reminder *r, const char *verb,
		struct error *err)
{
	if (d->as == DECLARED_CRON)
		return hint_cron(r, verb, err);
	return error_hint(err, "change %s; to stop it for now: belfry reminder pause %s",
			  d->as == DECLARED_HEARTBEAT ? "'heartbeat' in the file" : "the file",
			  name_of(r));
}

int declared_refuse(const struct request *rq, const struct reminder *r, const char *verb,
		    struct error *err)
{
	struct declared d;
	int rc;

	if (r->status != STATUS_ACTIVE && r->status != STATUS_PAUSED)
		return 0;
	if (r->condition_kind == CONDITION_PROMPT && strcmp(verb, "complete") == 0)
		return 0;
	if ((rc = engine_declared(rq->engine, r, &d, err)) < 0 || d.as == DECLARED_NOT)
		return rc;
	say_where(&d, r, err);
	return hint(&d, r, verb, err);
}

int declared_refuse_resume(const struct request *rq, const struct reminder *r, struct error *err)
{
	struct declared d;
	int rc;

	if (r->status != STATUS_PAUSED)
		return 0;
	if ((rc = engine_declared(rq->engine, r, &d, err)) < 0 || d.as == DECLARED_NOT ||
	    (d.enabled && !d.problem))
		return rc;
	if (d.problem)
		error_set(err, ERR_CONFLICT, "'%s' cannot work: %s", name_of(r), d.problem);
	else
		error_set(err, ERR_CONFLICT, "'%s' is disabled in a file: '%s' line %d", name_of(r),
			  d.path, d.line);
	if (d.as == DECLARED_CRON)
		return error_hint(err, "change the file: belfry cron %s %s",
				  d.problem ? "edit" : "enable", name_of(r));
	return error_hint(err, d.problem ? "mend it in the file"
					 : "take 'enabled: false' out of the file");
}
