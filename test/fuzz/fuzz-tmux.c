/*
 * fuzz-tmux.c: any bytes are lines of control mode, and the same ones however they are cut. A word
 * that is quoted is one line.
 */
#include <string.h>

#include "agent/tmux-control.h"
#include "base/mem.h"
#include "fuzz.h"

static void write_item(const struct tmux_item *item, void *data)
{
	FUZZ_CHECK(item->text && item->text[item->len] == '\0');
	FUZZ_CHECK(item->kind != TMUX_OUTPUT || item->text[0] == '%');
	FUZZ_CHECK(item->kind == TMUX_ANSWER || (!item->failed && !item->ours));
	buf_printf(data, "%d %d %d ", (int)item->kind, item->failed, item->ours);
	buf_add(data, item->text, item->len);
	buf_add_char(data, '\n');
}

static void feed(const uint8_t *data, size_t size, size_t part, struct buf *ret)
{
	struct tmux_reader r = {0};

	for (size_t at = 0; at < size; at += part)
		tmux_reader_feed(&r, (const char *)data + at, size - at < part ? size - at : part,
				 write_item, ret);
	tmux_reader_fini(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_BUF struct buf whole = {0}, bytes = {0}, quoted = {0};
	AUTO(free) char *word = mem_strndup((const char *)data, size);

	if (!size)
		return 0;
	feed(data, size, size, &whole);
	feed(data, size, 1, &bytes);
	FUZZ_CHECK(whole.len == bytes.len &&
		   memcmp(buf_text(&whole), buf_text(&bytes), whole.len) == 0);
	tmux_quote(&quoted, word);
	FUZZ_CHECK(!strpbrk(quoted.data, "\n\r") && quoted.len >= strlen(word) + 2);
	tmux_version_ok(word);
	return 0;
}
