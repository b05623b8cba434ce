#pragma once
/* Manual pages from the rows, as mdoc: belfry.1 and one page a group of commands. */
#include "base/buf.h"
#include "request/request.h"

/* One page onto the end of `out`: of a group ("reminder"), or of the program for "". */
void manual_page(const struct request_row *const *rows, const char *group, const char *date,
		 struct buf *out);

/* Write every page into a folder, which is made when missing. */
int manual_write(const struct request_row *const *rows, const char *folder, struct error *err);
