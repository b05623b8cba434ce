#pragma once
/* The client that started this process: an agent's program, whose session its hooks have told of. */
#include "agent/order.h"

/* Our parent, or what started it where that is only a shell. False: it is gone, or cannot be told. */
bool launcher_find(struct process_id *ret);

/* The id of the mission whose run this process is part of, by the environment that it or one above it was
 * started with; NULL: none. The caller frees. For what is done without a daemon, which knows better. */
char *launcher_mission(void);
