/*
 * cmd-next.c: `next --batch`, a question and an answer a line.
 * For programs that ask thousands of times: one process, no store, and a bad line is answered like
 * any other, so that questions and answers stay in step.
 */
#include <stdio.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/lines.h"

#define OUT_SIZE ((size_t)64 * 1024)

/* The flags beside --batch are defaults, which a line's own keys override. */
static int read_question(const json_t *defaults, const char *text, size_t len, json_t **ret,
			 struct error *err)
{
	AUTO(json_decref) json_t *line = NULL, *all = NULL;
	int r = json_parse(text, len, &line, err);

	if (r < 0)
		return r;
	if (!json_is_object(line))
		return error_set(err, ERR_INVALID, "not a JSON object");
	all = json_copy((json_t *)(uintptr_t)defaults);
	json_object_update(all, line);
	*ret = steal_ptr(&all);
	return 0;
}

static void answer(const struct cli *c, const json_t *defaults, const char *text, size_t len)
{
	struct request rq = {
		.now = clock_now(), .caller = {.user = "me", .trust = TRUST_FULL}, .zone = c->zone};
	AUTO(json_decref) json_t *question = NULL, *result = NULL;
	AUTO(free) char *line = NULL;
	struct error err = {0};
	int r = read_question(defaults, text, len, &question, &err);

	if (r == 0)
		r = request_run(c->row, &rq, question, &result, &err);
	if (r < 0) {
		result = json_object();
		json_put_text(result, "error", err.message);
	}
	line = json_text(result);
	puts(line);
}

int cmd_next_batch(const struct cli *c, struct error *err)
{
	AUTO(json_decref) json_t *defaults = json_copy((json_t *)(uintptr_t)c->args);
	AUTO(lines_free) struct lines *lines = NULL;
	const char *text;
	size_t len;
	int r = lines_open("-", &lines, err);

	if (r < 0)
		return r;
	json_object_del(defaults, "batch");
	setvbuf(stdout, NULL, _IOFBF, OUT_SIZE);
	while ((r = lines_next(lines, &text, &len, err)) > 0)
		answer(c, defaults, text, len);
	return r;
}
