/* markdown-reference.c: "[name]: address" at the beginning of a paragraph. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "terminal/markdown-blocks.h"

static size_t skip_blanks(const char *text, size_t len, size_t at)
{
	while (at < len && text[at] == ' ')
		at++;
	return at;
}

/* Blanks with at most one newline among them: no line is blank in a paragraph. */
static size_t skip_space(const char *text, size_t len, size_t at)
{
	at = skip_blanks(text, len, at);
	if (at < len && text[at] == '\n')
		at = skip_blanks(text, len, at + 1);
	return at;
}

/* Whether nothing is left of the line; *at moves behind it. */
static bool ends_line(const char *text, size_t len, size_t *at)
{
	size_t next = skip_blanks(text, len, *at);

	if (next < len && text[next] != '\n')
		return false;
	*at = next < len ? next + 1 : next;
	return true;
}

static void add(struct blocks *b, const char *label, size_t label_len, const char *address,
		size_t address_len)
{
	struct buf plain = {0};

	if (b->reference_count == b->reference_cap) {
		b->reference_cap = b->reference_cap ? b->reference_cap * 2 : 16;
		b->references = mem_grow(b->references, b->reference_cap, sizeof(*b->references));
	}
	link_unescape(&plain, address, address_len);
	b->references[b->reference_count] = (struct reference){
		.name = link_name(label, label_len),
		.address = buf_steal(&plain),
		.order = b->reference_count,
	};
	b->reference_count++;
}

/* The bytes of the definition at the beginning of the text, or 0. */
static size_t take_one(struct blocks *b, const char *text, size_t len)
{
	size_t label, at, start, stop, title;

	if (!len || *text != '[' || !(label = link_label(text, len, 0)) || label >= len ||
	    text[label] != ':')
		return 0;
	at = skip_space(text, len, label + 1);
	if (at >= len)
		return 0;
	at = link_destination(text, len, at, &start, &stop);
	if (!at || (stop == start && text[start - 1] != '<'))
		return 0;
	title = skip_space(text, len, at);
	if (title > at && (title = link_title(text, len, title)) && ends_line(text, len, &title))
		at = title;
	else if (!ends_line(text, len, &at))
		return 0;
	add(b, text + 1, label - 2, text + start, stop - start);
	return at;
}

void references_take(struct parser *p)
{
	struct buf *text = &p->out->text;
	size_t n;

	while ((n = take_one(p->out, buf_text(text) + p->leaf_start, text->len - p->leaf_start)))
		p->leaf_start += n;
}

static int compare(const void *a, const void *b)
{
	const struct reference *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

void references_sort(struct blocks *b)
{
	if (b->reference_count)
		qsort(b->references, b->reference_count, sizeof(*b->references), compare);
}

/* Of several with one name the first counts. */
const char *blocks_find(const struct blocks *b, const char *label, size_t len)
{
	AUTO(free) char *name = link_name(label, len);
	size_t low = 0, high = b->reference_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(b->references[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == b->reference_count || strcmp(b->references[low].name, name) != 0)
		return NULL;
	return b->references[low].address;
}
