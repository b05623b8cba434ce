#pragma once
/* Where an agent that asks through a tool writes to the person, and is answered. */
#include "request/request.h"
#include "schedule/zone.h"
#include "store/mission.h"
#include "store/thread.h"

/*
 * Its thread: of its mission, else of its session, else of its agent; *ret_m is the mission, or NULL.
 * *ret is NULL when there is none yet and `make` is false. ERR_INVALID when nobody could be answered.
 */
int tool_thread(const struct request *rq, bool make, struct mission **ret_m, struct thread **ret,
		struct error *err);
