#pragma once
/* What a file declares is changed in the file: the refusals of every command that would not. */
#include "request/request.h"
#include "store/reminder.h"

/*
 * ERR_CONFLICT when a file declares it and it can still fire: the file, the line and the next step are
 * in the error. `verb` is "remove", "complete" or "edit".
 */
int declared_refuse(const struct request *rq, const struct reminder *r, const char *verb,
		    struct error *err);
/* ERR_CONFLICT when the file says that it must not fire. */
int declared_refuse_resume(const struct request *rq, const struct reminder *r, struct error *err);
