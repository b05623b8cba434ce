#pragma once
/*
 * Which file declares a reminder. What a file declares is changed there: a change of the row alone
 * would be told by nobody, and undone by the next seeding.
 */
#include "engine/engine.h"
#include "store/reminder.h"

enum declared_as { DECLARED_NOT, DECLARED_CRON, DECLARED_HEARTBEAT, DECLARED_REMINDER };

struct declared {
	enum declared_as as;
	const char *path;    /* of the file, which the configuration keeps; NULL: not known */
	int line;	     /* 0: not known */
	bool enabled;	     /* as the file says */
	const char *problem; /* why it cannot work; NULL when it can */
};

/*
 * What the configuration in force says of it. One that nothing declares any more is DECLARED_NOT, and
 * so is a second one of its name. One that is not saved yet (key 0) is looked at by its name alone.
 */
int engine_declared(struct engine *e, const struct reminder *r, struct declared *ret,
		    struct error *err);
