#pragma once
/* Notices that config.yml or a role changed, also when its folder does not exist yet or is replaced. */
#include <uv.h>

#include "config/home.h"

struct config_watch;
typedef void config_watch_on_change(void *data);

/* Answers NULL, with a line in the diary, where the kernel gives none: turns look at it anyway. */
struct config_watch *config_watch_new(uv_loop_t *loop, const struct home *h,
				      config_watch_on_change *on_change, void *data);
void config_watch_close(struct config_watch *w); /* NULL is fine; freed once the loop has run */
