#pragma once
/* The protocol of systemd for services that tell how they are, by hand; nothing where $NOTIFY_SOCKET is not. */
#include <uv.h>

/* Takes what systemd said out of the environment, which children would inherit. */
void notify_start(uv_loop_t *loop);
/* It waits for its store: not ready yet, and not to be ended for it. Until notify_ready(). */
void notify_wait(void);
/* The same, once, where there is no loop. */
void notify_alive(void);
void notify_ready(void);
void notify_stopping(void);
void notify_close(void);
