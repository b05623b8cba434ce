#pragma once
/* The client that started this process: an agent's program, whose session its hooks have told of. */
#include "agent/order.h"

/* Our parent, or what started it where that is only a shell. False: it is gone, or cannot be told. */
bool launcher_find(struct process_id *ret);
