/* record.c: setup.json. */
#include "setup/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define RECORD_MAX ((size_t)16 * 1024 * 1024)

static char *path_of(const char *folder)
{
	return mem_printf("%s/setup.json", folder);
}

bool record_is_there(const char *folder)
{
	AUTO(free) char *path = path_of(folder);

	return access(path, F_OK) == 0;
}

json_t *record_load(const char *folder)
{
	AUTO(free) char *path = path_of(folder);
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	json_t *record = NULL;

	if (file_read(path, RECORD_MAX, &text, &err) < 0 ||
	    json_parse(buf_text(&text), text.len, &record, &err) < 0 ||
	    !json_is_object(json_object_get(record, "files"))) {
		json_decref(record);
		record = json_pack("{s:{}}", "files");
	}
	return record;
}

int record_save(const char *folder, const json_t *record, struct error *err)
{
	AUTO(free) char *path = path_of(folder), *text = NULL;
	int r;

	if (json_object_size(json_object_get(record, "files")) == 0) {
		unlink(path);
		return 0;
	}
	text = json_text(record);
	r = dir_make_private(folder, err);
	return r < 0 ? r : file_write(path, text, strlen(text), err);
}

json_t *record_get(const json_t *record, const char *client, const char *path)
{
	AUTO(free) char *key = mem_printf("%s %s", client, path);
	json_t *entry = json_object_get(json_object_get(record, "files"), key);

	return json_is_object(entry) ? entry : NULL;
}

void record_put(json_t *record, const char *client, const char *path, json_t *entry)
{
	AUTO(free) char *key = mem_printf("%s %s", client, path);
	json_t *files = json_object_get(record, "files");

	if (entry)
		json_put(files, key, entry);
	else
		json_object_del(files, key);
}

/* FNV-1a: it tells an accident from the same text, and nobody gains by a collision. */
char *record_sum(const char *text, size_t len)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return mem_printf("%zu:%016" PRIx64, len, sum);
}

bool record_is_of(const json_t *entry, const struct buf *text)
{
	AUTO(free) char *sum = record_sum(buf_text(text), text->len);
	const char *known = json_string_value(json_object_get(entry, "sum"));

	return known && strcmp(known, sum) == 0;
}

bool record_has(const json_t *entry, const char *list, const char *text)
{
	const json_t *texts = json_object_get(entry, list);

	for (size_t i = 0; i < json_array_size(texts); i++) {
		const char *one = json_string_value(json_array_get(texts, i));

		if (one && strcmp(one, text) == 0)
			return true;
	}
	return false;
}
