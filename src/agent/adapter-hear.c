/*
 * adapter-hear.c: what a run tells while it runs.
 * Of a long output only the end is kept, and a wrapper that is killed reads nothing. So the session's
 * id, which most agents tell first, and each denied call, are noted when their lines pass by.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "agent/adapter.h"
#include "base/mem.h"
#include "base/text.h"

#define CALLS_MAX ((size_t)1000) /* bytes of the calls that are named */

void adapter_deny(struct adapter_denials *d, const char *call)
{
	AUTO(free) char *clean = text_clean(call, strlen(call));

	d->count++;
	if (d->calls.len + strlen(clean) + 2 > CALLS_MAX)
		return;
	buf_add_str(&d->calls, d->calls.len ? ", " : "");
	buf_add_str(&d->calls, clean);
}

void adapter_hearing_init(struct adapter_hearing *h, const struct adapter *a)
{
	regex_t *pattern;

	*h = (struct adapter_hearing){0};
	if (!a->denial_line)
		return;
	pattern = mem_alloc(sizeof(*pattern));
	if (regcomp(pattern, a->denial_line, REG_EXTENDED) == 0)
		h->pattern = pattern;
	else
		free(pattern);
}

void adapter_hearing_fini(struct adapter_hearing *h)
{
	if (h->pattern)
		regfree(h->pattern);
	free(h->pattern);
	free(h->session);
	buf_fini(&h->denials.calls);
	buf_fini(&h->lines[HEAR_OUTPUT]);
	buf_fini(&h->lines[HEAR_ERRORS]);
	*h = (struct adapter_hearing){0};
}

static void hear_denial(struct adapter_hearing *h, const char *line)
{
	AUTO(free) char *call = NULL;
	regmatch_t at[2];

	if (!h->pattern || regexec(h->pattern, line, 2, at, 0) != 0)
		return;
	call = at[1].rm_so < 0
		       ? mem_strdup("?")
		       : mem_strndup(line + at[1].rm_so, (size_t)(at[1].rm_eo - at[1].rm_so));
	adapter_deny(&h->denials, call);
}

/* Which stream tells of what: see adapter.h. */
static bool hear_line(struct adapter_hearing *h, const struct adapter *a, int stream)
{
	const char *line = buf_text(&h->lines[stream]);
	int of_denials = a->output == OUTPUT_LINES ? HEAR_OUTPUT : HEAR_ERRORS;

	if (stream == of_denials)
		hear_denial(h, line);
	if (h->session || stream != HEAR_OUTPUT || a->output != OUTPUT_LINES)
		return false;
	h->session = adapter_line_session(a, line, h->lines[stream].len);
	return h->session;
}

/* Whether there is anything to listen for: most runs cost nothing here. */
static bool is_heard(const struct adapter_hearing *h, const struct adapter *a, int stream)
{
	bool lines = a->output == OUTPUT_LINES;

	if (stream == HEAR_ERRORS)
		return h->pattern && !lines;
	return lines && (h->pattern || (a->session_path && !h->session));
}

bool adapter_hear(struct adapter_hearing *h, const struct adapter *a, int stream, const char *bytes,
		  size_t len)
{
	struct buf *line = &h->lines[stream];
	bool learned = false;

	while (len && is_heard(h, a, stream)) {
		const char *newline = memchr(bytes, '\n', len);
		size_t part = newline ? (size_t)(newline - bytes) : len;

		if (line->len + part > HEAR_LINE_MAX)
			h->too_long[stream] = true;
		if (!h->too_long[stream])
			buf_add(line, bytes, part);
		if (newline) {
			if (!h->too_long[stream] && line->len)
				learned |= hear_line(h, a, stream);
			buf_clear(line);
			h->too_long[stream] = false;
			part++;
		}
		bytes += part;
		len -= part;
	}
	return learned;
}
