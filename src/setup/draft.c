/* draft.c: a text that is changed step by step, and back. */
#include "setup/draft.h"

#include <string.h>

#include "base/mem.h"

void draft_init(struct draft *d, const char *text, size_t len)
{
	*d = (struct draft){0};
	buf_add(&d->text, text, len);
}

static void forget(struct draft *d)
{
	for (size_t i = 0; i < d->count; i++)
		free(d->steps[i].cut);
	free(d->steps);
	d->steps = NULL;
	d->count = 0;
}

void draft_fini(struct draft *d)
{
	forget(d);
	buf_fini(&d->text);
}

static void splice(struct buf *text, size_t at, size_t cut, const char *put, size_t put_len)
{
	AUTO_BUF struct buf tail = {0};

	buf_add(&tail, text->data + at + cut, text->len - at - cut);
	text->len = at;
	buf_add(text, put, put_len);
	buf_add(text, buf_text(&tail), tail.len);
}

void draft_replace(struct draft *d, size_t at, size_t cut, const char *put, size_t put_len)
{
	struct draft_step *step;

	buf_reserve(&d->text, 0); /* an empty text has bytes, too: none */
	d->steps = mem_grow(d->steps, d->count + 1, sizeof(*d->steps));
	step = &d->steps[d->count++];
	/* as bytes: a text may have a NUL in it */
	*step = (struct draft_step){at, mem_zalloc(cut + 1), cut, put_len};
	memcpy(step->cut, d->text.data + at, cut);
	splice(&d->text, at, cut, put, put_len);
}

void draft_rewind(struct draft *d, size_t count)
{
	while (d->count > count) {
		struct draft_step *step = &d->steps[--d->count];

		splice(&d->text, step->at, step->put_len, step->cut, step->cut_len);
		free(step->cut);
	}
}

json_t *draft_steps(const struct draft *d)
{
	json_t *steps = json_array();

	for (size_t i = 0; i < d->count; i++) {
		const struct draft_step *step = &d->steps[i];
		json_t *cut = json_stringn(step->cut, step->cut_len);

		if (!cut) {
			json_decref(steps);
			return NULL;
		}
		json_array_append_new(steps, json_pack("[I, o, I]", (json_int_t)step->at, cut,
						       (json_int_t)step->put_len));
	}
	return steps;
}

bool draft_revert(struct draft *d, const json_t *steps)
{
	AUTO_BUF struct buf text = {0};

	buf_add(&text, buf_text(&d->text), d->text.len);
	for (size_t i = json_array_size(steps); i-- > 0;) {
		const json_t *step = json_array_get(steps, i), *cut = json_array_get(step, 1);
		json_int_t at = json_integer_value(json_array_get(step, 0));
		json_int_t put = json_integer_value(json_array_get(step, 2));

		if (!json_is_string(cut) || at < 0 || put < 0 || (size_t)at > text.len ||
		    (size_t)put > text.len - (size_t)at)
			return false;
		splice(&text, (size_t)at, (size_t)put, json_string_value(cut),
		       json_string_length(cut));
	}
	forget(d);
	buf_clear(&d->text);
	buf_add(&d->text, buf_text(&text), text.len);
	return true;
}
