/*
 * fuzz-edit.c: any change of any file is refused, or says what was asked for and nothing else.
 * The first line of the input is the change ("a"dd, "s"et, "r"emove, then a cron's name, a key and
 * the value up to a NUL); the rest is the file. Texts are compared by the values they hold.
 */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/edit.h"
#include "config/yaml.h"
#include "fuzz.h"

const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 forgets a buffer of its own on some broken texts; our leaks still show. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml.so";
}

/* Aliases can make a small file into a large tree: beyond this much of it nothing is compared. */
#define DUMP_MAX ((size_t)1 << 16)

/* Whether a mapping has anything beside a key. */
static bool has_more(const struct yaml_node *node, const char *but)
{
	for (size_t i = 0; node->kind == YAML_MAP && i < node->count; i += 2)
		if (strcmp(node->items[i]->text, but) != 0)
			return true;
	return node->kind == YAML_TEXT || node->kind == YAML_LIST;
}

/* All that a node says, but what lies at the path; nothing and an empty mapping on it are the same. */
static void dump(struct buf *out, const struct yaml_node *node, const char *const *but)
{
	bool map = node->kind == YAML_MAP;

	buf_printf(out, "%d<%s>", node->kind == YAML_EMPTY && but ? YAML_MAP : node->kind,
		   node->text && node->kind == YAML_TEXT ? node->text : "");
	for (size_t i = 0; i < node->count && out->len < DUMP_MAX; i += map ? 2 : 1) {
		bool here = map && but && *but && strcmp(node->items[i]->text, *but) == 0;

		if (here && (!but[1] || !has_more(node->items[i + 1], but[1])))
			continue;
		if (map)
			buf_printf(out, "%s:", node->items[i]->text);
		dump(out, node->items[i + map], here ? but + 1 : NULL);
		buf_add_char(out, ';');
	}
}

static void compare(const char *text, size_t len, const char *now, size_t now_len,
		    const char *const *but)
{
	AUTO(yaml_free) struct yaml *old = NULL, *new = NULL;
	AUTO_BUF struct buf a = {0}, b = {0};
	struct error err = {0};

	FUZZ_CHECK(yaml_parse(text, len, "f", &old, &err) == 0);
	FUZZ_CHECK(yaml_parse(now, now_len, "f", &new, &err) == 0);
	dump(&a, yaml_root(old), but);
	dump(&b, yaml_root(new), but);
	if (a.len < DUMP_MAX && b.len < DUMP_MAX)
		FUZZ_CHECK(strcmp(buf_text(&a), buf_text(&b)) == 0);
}

/* The next part of the input, up to a NUL. */
static char *take(const uint8_t **data, size_t *size)
{
	size_t len = strnlen((const char *)*data, *size);
	char *part = mem_strndup((const char *)*data, len);

	len += len < *size;
	*data += len;
	*size -= len;
	return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(free) char *what = take(&data, &size), *name = take(&data, &size);
	AUTO(free) char *key = take(&data, &size), *value = take(&data, &size);
	struct edit_setting s = {key, value, false};
	AUTO_BUF struct buf out = {0};
	struct error err = {0};
	const char *text = (const char *)data;
	const char *but[] = {"crons", name, what[0] == 's' ? key : NULL, NULL};
	int r;

	if (what[0] == 'a')
		r = edit_cron_add(text, size, name, &s, 1, &out, &err);
	else if (what[0] == 's')
		r = edit_cron_set(text, size, name, &s, 1, &out, &err);
	else
		r = edit_cron_remove(text, size, name, &out, &err);
	if (r < 0) {
		FUZZ_CHECK(out.len == 0 && err.message[0]);
		return 0;
	}
	compare(text, size, buf_text(&out), out.len, but);
	return 0;
}
