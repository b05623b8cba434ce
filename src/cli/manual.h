#pragma once
/* Manual pages as mdoc: belfry.1 and one page a group of commands, from the rows; belfry-config.5. */
#include "base/buf.h"
#include "request/request.h"

/* One page onto the end of `out`: of a group ("reminder"), or of the program for "". */
void manual_page(const struct request_row *const *rows, const char *group, const char *date,
		 struct buf *out);

/* belfry-config(5): every key of config.yml. */
void manual_reference(const char *date, struct buf *out);

/* Write every page into a folder, which is made when missing. */
int manual_write(const struct request_row *const *rows, const char *folder, struct error *err);
