#pragma once
/*
 * What is too large for a request, on its way into a message: files in spool/ of the state folder,
 * written and synced before the request names them. They are ours until the request was answered,
 * and are removed then: what the daemon took has another name by that time.
 */
#include "base/auto.h"
#include "base/buf.h"
#include "base/json.h"
#include "config/home.h"

struct spool;

struct spool *spool_new(const struct home *h);
void spool_free(struct spool *s); /* removes what is in it */
DEFINE_AUTO(struct spool, spool_free)

/*
 * A body of any size and any bytes, as `body` or `spool` of the arguments. ERR_INVALID when there
 * is nothing but white space in it.
 */
int spool_stream(struct spool *s, int fd, json_t *args, struct error *err);
int spool_text(struct spool *s, const char *text, size_t len, json_t *args, struct error *err);

/* Copies of the files named by `attach`, as `spooled_files` in its stead. */
int spool_attach(struct spool *s, json_t *args, struct error *err);

/* Remove what a crash left there more than a day ago. Returns how many. */
size_t spool_sweep(const struct home *h);
