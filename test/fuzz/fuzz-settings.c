/*
 * fuzz-settings.c: any settings of a client are refused, or keep everything that is not Belfry's.
 * The first byte of the input is whose text the rest is: 'j' JSON, 't' TOML. Our things are put in; then the steps
 * must lead back to the very bytes, a second time must change nothing, and all the bytes that were there
 * must still be there in their order. Taken out by their meaning, the rest must mean the same.
 */
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "setup/client.h"
#include "setup/draft.h"
#include "setup/item.h"
#include "setup/jsonc.h"
#include "setup/toml.h"

#define PROGRAM "/usr/bin/belfry"

/* Whether `old` is in `new` with bytes left out, in order. */
static bool is_within(const char *old, size_t old_len, const struct buf *new)
{
	size_t at = 0;

	for (size_t i = 0; i < new->len &&at < old_len; i++)
		at += new->data[i] == old[at];
	return at == old_len;
}

static void check_revert(const struct draft *d, const char *text, size_t len)
{
	AUTO(json_decref) json_t *steps = draft_steps(d);
	AUTO_DRAFT struct draft back;

	draft_init(&back, buf_text(&d->text), d->text.len);
	FUZZ_CHECK(steps && draft_revert(&back, steps));
	FUZZ_CHECK(back.text.len == len && memcmp(buf_text(&back.text), text, len) == 0);
}

static json_t *value_of(const struct buf *text)
{
	AUTO(jsonc_free) struct jsonc_node *root = NULL;
	struct error err = {0};

	FUZZ_CHECK(jsonc_parse(buf_text(text), text->len, &root, &err) == 0);
	return root ? jsonc_value(root) : json_object();
}

/* All items of the plan that go into the first file with that form; false: refused. */
static bool put_all(const struct plan *p, struct draft *d, size_t *put, json_t *made)
{
	struct error err = {0};

	*put = 0;
	for (size_t i = 0; i < p->item_count; i++) {
		enum item_state state = STATE_ABSENT;
		const struct item *item = &p->items[i];

		if (p->files[item->file].form != FILE_JSON)
			continue;
		if (item_look(p, item, &d->text, &state, &err) < 0)
			return false;
		if (state != STATE_ABSENT)
			continue;
		item_missing(item, &d->text, made);
		if (item_put(p, item, d, &err) < 0) {
			FUZZ_CHECK(err.message[0]);
			return false;
		}
		FUZZ_CHECK(item_look(p, item, &d->text, &state, &err) == 0 && state == STATE_SAME);
		++*put;
	}
	return true;
}

static void try_json(const char *text, size_t len)
{
	AUTO(plan_free) struct plan *p = NULL;
	AUTO(json_decref) json_t *made = json_array(), *before = NULL, *after = NULL;
	AUTO_DRAFT struct draft d;
	struct error err = {0};
	size_t put, again, start;
	bool had_root;

	FUZZ_CHECK(plan_make(client_find("claude"), true, false, PROGRAM, NULL, &p, &err) == 0);
	draft_init(&d, text, len);
	if (!put_all(p, &d, &put, made)) {
		draft_rewind(&d, 0);
		FUZZ_CHECK(d.text.len == len && memcmp(buf_text(&d.text), text, len) == 0);
		return;
	}
	check_revert(&d, text, len);
	FUZZ_CHECK(is_within(text, len, &d.text));
	FUZZ_CHECK(put_all(p, &d, &again, made) && again == 0);
	/* What was there before and is Belfry's goes as well: only a text without is compared. */
	if (put != p->item_count)
		return;
	start = d.count;
	for (size_t i = 0; i < p->item_count; i++)
		if (item_take(p, &p->items[i], made, &d, &err) < 0)
			return; /* refused: said so */
	FUZZ_CHECK(d.count > start);
	after = value_of(&d.text);
	draft_rewind(&d, 0);
	before = value_of(&d.text);
	had_root = json_is_object(before);
	FUZZ_CHECK(had_root && json_equal(before, after));
}

static void try_toml(const char *text, size_t len)
{
	AUTO_DRAFT struct draft d;
	enum toml_server state = TOML_ABSENT;
	struct error err = {0};
	bool absent;

	draft_init(&d, text, len);
	absent = toml_look(text, len, PROGRAM, false, &state, &err) == 0 && state == TOML_ABSENT;
	if (toml_set(&d, PROGRAM, false, &err) < 0) {
		FUZZ_CHECK(err.message[0]);
		FUZZ_CHECK(d.text.len == len && memcmp(buf_text(&d.text), text, len) == 0);
		return;
	}
	check_revert(&d, text, len);
	FUZZ_CHECK(!absent || is_within(text, len, &d.text));
	FUZZ_CHECK(toml_look(buf_text(&d.text), d.text.len, PROGRAM, false, &state, &err) == 0 &&
		   state == TOML_SAME);
	FUZZ_CHECK(toml_remove(&d, &err) == 0);
	FUZZ_CHECK(toml_look(buf_text(&d.text), d.text.len, PROGRAM, false, &state, &err) == 0 &&
		   state == TOML_ABSENT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;

	if (size < 1)
		return 0;
	if (data[0] == 't')
		try_toml(text, size - 1);
	else
		try_json(text, size - 1);
	return 0;
}
