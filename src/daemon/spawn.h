#pragma once
/* How a job becomes a process: its environment, folder, and descriptors. */
#include <sys/types.h>
#include <uv.h>

#include "engine/engine.h"

/*
 * Start `process` (its data and loop are the caller's) as leader of its own session. Success: 0 and
 * *ret_stderr is the reading end of its standard error, not blocking, the caller's. Failure: a
 * negative code, and err names the folder or command; the handle has to be closed either way.
 */
int spawn_job(uv_loop_t *loop, const struct job *job, mode_t mask, uv_exit_cb on_exit,
	      uv_process_t *process, int *ret_stderr, struct error *err);
