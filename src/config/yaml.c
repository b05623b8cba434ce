/*
 * yaml.c: libfyaml's events, made into a tree with positions.
 * The library's own documents know the place of scalars only, so the tree is built here. It is a
 * graph: an alias is a second pointer to the anchored node, and only a finished node can be the
 * target of one, so there are no cycles and a "billion laughs" costs one pointer a laugh. What can
 * multiply is merging, so merged keys count towards the limit of nodes. All nodes are owned by the
 * document's list, whoever points at them.
 */
#include "config/yaml.h"

#include <libfyaml.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define DEPTH_MAX 32
#define NODES_MAX 100000
#define ANCHORS_MAX 1000

struct anchor {
	char *name;
	struct yaml_node *node;
};

struct yaml {
	struct yaml_node **nodes; /* every node there is: the owners */
	size_t node_count, node_room;
	size_t merged; /* keys copied by merging */
	struct yaml_node *root;
};

/* A list or mapping that is being filled. */
struct open_node {
	struct yaml_node *node;
	char *anchor; /* what it will be known as when it is finished, or NULL */
};

struct builder {
	struct yaml *doc;
	const char *path;
	const char *text;
	struct open_node open[DEPTH_MAX];
	size_t depth;
	struct anchor *anchors;
	size_t anchor_count, anchor_room;
	int line, column;  /* where the last event stood: the place of what has none */
	size_t begin, end; /* the bytes of the last event, and of nothing: both 0 */
	size_t last_end;   /* where the last event that has bytes ended */
	bool started;	   /* a document was seen */
	bool ended;	   /* the end of the text was seen */
	struct error *err;
};

DEFINE_AUTO(struct fy_parser, fy_parser_destroy)
DEFINE_AUTO(struct fy_diag, fy_diag_destroy)

static int fail_at(struct builder *b, int line, int column, const char *what)
{
	return error_set(b->err, ERR_INVALID, "%s:%d:%d: %s", b->path, line, column, what);
}

static int fail(struct builder *b, const char *what)
{
	return fail_at(b, b->line, b->column, what);
}

static void add_item(struct yaml_node *to, struct yaml_node *item)
{
	if (to->count == to->room) {
		to->room = to->room ? to->room * 2 : 4;
		to->items = mem_grow(to->items, to->room, sizeof(*to->items));
	}
	to->items[to->count++] = item;
}

static struct yaml_node *new_node(struct builder *b, enum yaml_kind kind)
{
	struct yaml *doc = b->doc;
	struct yaml_node *node;

	if (doc->node_count + doc->merged >= NODES_MAX) {
		fail(b, "too much in one file");
		return NULL;
	}
	if (doc->node_count == doc->node_room) {
		doc->node_room = doc->node_room ? doc->node_room * 2 : 64;
		doc->nodes = mem_grow(doc->nodes, doc->node_room, sizeof(*doc->nodes));
	}
	node = mem_zalloc(sizeof(*node));
	node->kind = kind;
	node->line = b->line;
	node->column = b->column;
	node->begin = b->begin;
	node->end = b->end;
	doc->nodes[doc->node_count++] = node;
	return node;
}

static int compare_keys(const void *a, const void *b)
{
	const struct yaml_node *x = *(struct yaml_node *const *)a;
	const struct yaml_node *y = *(struct yaml_node *const *)b;
	int order = strcmp(x->text, y->text);

	if (order == 0)
		order = x->line != y->line ? x->line - y->line : x->column - y->column;
	return order;
}

/* Of all keys that stand a second time, name the one that comes first in the file. */
static int check_keys(struct builder *b, const struct yaml_node *map)
{
	size_t count = map->count / 2;
	struct yaml_node **keys = mem_array(count, sizeof(struct yaml_node *));
	const struct yaml_node *first = NULL, *again = NULL;

	for (size_t i = 0; i < count; i++)
		keys[i] = map->items[2 * i];
	qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(keys[i - 1]->text, keys[i]->text) != 0)
			continue;
		if (!again || keys[i]->line < again->line ||
		    (keys[i]->line == again->line && keys[i]->column < again->column)) {
			first = keys[i - 1];
			again = keys[i];
		}
	}
	free(keys);
	if (!again)
		return 0;
	error_set(b->err, ERR_INVALID, "%s:%d:%d: duplicate key '%s'", b->path, again->line,
		  again->column, again->text);
	return error_hint(b->err, "it stands in line %d already; keep one of them", first->line);
}

static bool has_key(const struct yaml_node *map, const char *key)
{
	for (size_t i = 0; i < map->count; i += 2)
		if (strcmp(map->items[i]->text, key) == 0)
			return true;
	return false;
}

/* Add the keys of `from` that `map` does not have. */
static int merge_one(struct builder *b, struct yaml_node *map, const struct yaml_node *from)
{
	if (from->kind != YAML_MAP)
		return fail_at(b, from->line, from->column, "'<<' merges mappings only");
	for (size_t i = 0; i < from->count; i += 2) {
		/* The looking costs as much as the keys it looks through. */
		b->doc->merged += 1 + map->count / 64;
		if (b->doc->node_count + b->doc->merged > NODES_MAX)
			return fail(b, "too much is merged with '<<'");
		if (has_key(map, from->items[i]->text))
			continue;
		add_item(map, from->items[i]);
		add_item(map, from->items[i + 1]);
	}
	return 0;
}

/* Replace "<<: *other" by the keys of the other; the mapping's own keys win. */
static int merge(struct builder *b, struct yaml_node *map)
{
	struct yaml_node *source = NULL;
	int r = 0;

	for (size_t i = 0; i < map->count && !source; i += 2) {
		if (strcmp(map->items[i]->text, "<<") != 0)
			continue;
		source = map->items[i + 1];
		map->merged = true;
		memmove(&map->items[i], &map->items[i + 2],
			(map->count - i - 2) * sizeof(*map->items));
		map->count -= 2;
	}
	if (!source)
		return 0;
	if (source->kind != YAML_LIST)
		return merge_one(b, map, source);
	for (size_t i = 0; i < source->count && r >= 0; i++)
		r = merge_one(b, map, source->items[i]);
	return r;
}

/* A node is complete: it may be referred to from now on, and its parent gets it. */
static int finish(struct builder *b, struct yaml_node *node, char *anchor)
{
	struct yaml_node *parent = b->depth ? b->open[b->depth - 1].node : NULL;

	if (anchor) {
		node->anchored = true;
		if (b->anchor_count == b->anchor_room) {
			b->anchor_room = b->anchor_room ? b->anchor_room * 2 : 8;
			b->anchors = mem_grow(b->anchors, b->anchor_room, sizeof(*b->anchors));
		}
		b->anchors[b->anchor_count++] = (struct anchor){anchor, node};
		if (b->anchor_count > ANCHORS_MAX)
			return fail(b, "too many anchors");
	}
	if (!parent) {
		b->doc->root = node;
		return 0;
	}
	if (parent->kind == YAML_MAP && parent->count % 2 == 0 && node->kind != YAML_TEXT) {
		fail_at(b, node->line, node->column, "a key must be a text");
		return error_hint(b->err, "expected 'key: value'");
	}
	add_item(parent, node);
	return 0;
}

static char *token_copy(struct fy_token *token)
{
	size_t len = 0;
	const char *text = token ? fy_token_get_text(token, &len) : NULL;

	return text ? mem_strndup(text, len) : NULL;
}

/* What a plain word means: nothing at all, or itself. */
static bool is_empty_word(struct fy_token *value, const char *text)
{
	return fy_token_scalar_style(value) == FYSS_PLAIN &&
	       (!text[0] || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 ||
		strcmp(text, "Null") == 0 || strcmp(text, "NULL") == 0);
}

static enum yaml_style style_of(struct fy_token *value)
{
	switch (fy_token_scalar_style(value)) {
	case FYSS_SINGLE_QUOTED:
	case FYSS_DOUBLE_QUOTED:
		return YAML_QUOTED;
	case FYSS_LITERAL:
	case FYSS_FOLDED:
		return YAML_BLOCK;
	default:
		return YAML_PLAIN;
	}
}

static int on_scalar(struct builder *b, struct fy_event *event)
{
	struct fy_token *value = event->scalar.value;
	size_t len = 0;
	const char *raw = fy_token_get_text(value, &len);
	struct yaml_node *node = new_node(b, YAML_TEXT);

	if (!node)
		return b->err->code;
	node->text = mem_strndup(raw ? raw : "", len);
	if (strlen(node->text) != len || text_find_control(node->text))
		return fail(b, "a control character in a text");
	if (is_empty_word(value, node->text))
		node->kind = YAML_EMPTY;
	node->style = style_of(value);
	return finish(b, node, token_copy(event->scalar.anchor));
}

static int on_alias(struct builder *b, struct fy_event *event)
{
	AUTO(free) char *name = token_copy(event->alias.anchor);

	for (size_t i = b->anchor_count; name && i-- > 0;)
		if (strcmp(b->anchors[i].name, name) == 0)
			return finish(b, b->anchors[i].node, NULL);
	error_set(b->err, ERR_INVALID, "%s:%d:%d: unknown alias '*%s'", b->path, b->line, b->column,
		  name ? name : "");
	return error_hint(b->err, "name it before with '&%s', or quote the text", name ? name : "");
}

static int on_start(struct builder *b, struct fy_event *event, enum yaml_kind kind,
		    struct fy_token *anchor)
{
	struct yaml_node *node;

	if (b->depth == DEPTH_MAX)
		return fail(b, "nested too deeply");
	node = new_node(b, kind);
	if (!node)
		return b->err->code;
	b->open[b->depth++] = (struct open_node){
		.node = node,
		.anchor = token_copy(anchor),
	};
	if (fy_event_get_node_style(event) == FYNS_FLOW)
		node->style = YAML_FLOW;
	else
		node->style = YAML_BLOCK;
	return 0;
}

static int on_end(struct builder *b)
{
	struct open_node *top = &b->open[--b->depth];
	int r = 0;

	top->node->end = b->last_end;
	if (top->node->kind == YAML_MAP)
		r = check_keys(b, top->node);
	if (r >= 0 && top->node->kind == YAML_MAP)
		r = merge(b, top->node);
	if (r < 0) {
		free(top->anchor);
		return r;
	}
	return finish(b, top->node, steal_ptr(&top->anchor));
}

/* Where the line begins that ends before `at`, or that `at` is in when it is the text's last. */
static size_t header_line(const char *text, size_t at)
{
	if (at > 0 && text[at - 1] == '\n')
		at--;
	while (at > 0 && text[at - 1] != '\n')
		at--;
	return at;
}

/* Past the signs of a set, not beyond a limit. */
static size_t skip(const char *text, size_t at, size_t limit, const char *set)
{
	while (at < limit && strchr(set, text[at]))
		at++;
	return at;
}

/* The '|' or '>' in the line before a block's first: only its indicators and a comment follow it. */
static size_t find_sign(const char *text, size_t first)
{
	size_t sign = header_line(text, first);

	for (; sign < first; sign++) {
		size_t rest;

		if (text[sign] != '|' && text[sign] != '>')
			continue;
		rest = skip(text, sign + 1, first, "0123456789+-");
		rest = skip(text, rest, first, " \t\r");
		if (rest == first || text[rest] == '\n' || text[rest] == '#')
			break;
	}
	return sign;
}

/* Where a block's own lines end: blank ones after it are its own only when it keeps them ('+'). */
static size_t block_end(const char *text, size_t first, size_t next, bool keep)
{
	size_t end = next;

	while (end > first && strchr(keep ? " " : " \t\r\n", text[end - 1]))
		end--;
	if (end == first || (keep && text[end - 1] == '\n'))
		return end;
	while (end < next && text[end - 1] != '\n')
		end++;
	return end;
}

/* The mark of a block is at the line after its sign, and its end where the next thing stands. */
static void widen_block(struct builder *b)
{
	size_t first = b->begin, sign = find_sign(b->text, first);
	size_t signs = skip(b->text, sign, first, "|>0123456789+-") - sign;

	b->end = block_end(b->text, first, b->end, memchr(b->text + sign, '+', signs) != NULL);
	b->begin = sign;
}

/* Marks of quoted texts and aliases are inside their signs. */
static void note_bytes(struct builder *b, struct fy_event *event, enum yaml_style style)
{
	const struct fy_mark *from = fy_event_start_mark(event), *to = fy_event_end_mark(event);

	b->begin = b->end = 0;
	if (!from || !to)
		return;
	b->begin = from->input_pos;
	b->end = to->input_pos;
	if (event->type == FYET_ALIAS || style == YAML_QUOTED)
		b->begin--;
	if (style == YAML_QUOTED)
		b->end++;
	if (event->type == FYET_SCALAR && style == YAML_BLOCK)
		widen_block(b);
	/* The end of a list or mapping by indentation is where the next thing stands. */
	if (b->end > b->begin)
		b->last_end = b->end;
}

/* Remember where an event stands. */
static void note_place(struct builder *b, struct fy_event *event)
{
	const struct fy_mark *mark = fy_event_start_mark(event);
	enum yaml_style style = YAML_PLAIN;

	if (event->type == FYET_SCALAR)
		style = style_of(event->scalar.value);
	note_bytes(b, event, style);
	if (!mark)
		return;
	b->line = mark->line + 1;
	b->column = mark->column + 1;
	if (event->type == FYET_ALIAS || style == YAML_QUOTED)
		b->column--;
}

static int on_document(struct builder *b)
{
	if (b->started)
		return fail(b, "a second document; one file is one configuration");
	b->started = true;
	return 0;
}

static int on_event(struct builder *b, struct fy_event *event)
{
	note_place(b, event);
	if ((event->type == FYET_SCALAR && event->scalar.tag) ||
	    (event->type == FYET_SEQUENCE_START && event->sequence_start.tag) ||
	    (event->type == FYET_MAPPING_START && event->mapping_start.tag))
		return fail(b, "tags ('!...') have no meaning here");
	switch (event->type) {
	case FYET_DOCUMENT_START:
		return on_document(b);
	case FYET_STREAM_END:
		b->ended = true;
		return 0;
	case FYET_SCALAR:
		return on_scalar(b, event);
	case FYET_ALIAS:
		return on_alias(b, event);
	case FYET_SEQUENCE_START:
		return on_start(b, event, YAML_LIST, event->sequence_start.anchor);
	case FYET_MAPPING_START:
		return on_start(b, event, YAML_MAP, event->mapping_start.anchor);
	case FYET_SEQUENCE_END:
	case FYET_MAPPING_END:
		return on_end(b);
	default:
		return 0;
	}
}

/* What belongs where reading stopped: by the library's words, else by what is still open. */
static void hint_expected(struct builder *b, const char *message)
{
	/* clang-format off */
	static const struct { const char *word, *hint; } known[] = {
		{"tab ",           "indent with spaces"},
		{"escape",         "in double quotes a backslash is written \\\\"},
		{"closing quote",  "expected the same quote at the end of the text"},
		{"cannot start",   "put the text in quotes"},
		{"same line",      "put a text that holds ': ' in quotes"},
		{"indentation",    "keys of one mapping begin in the same column"},
	};
	/* clang-format on */
	const struct open_node *top = b->depth ? &b->open[b->depth - 1] : NULL;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strstr(message, known[i].word)) {
			error_hint(b->err, "%s", known[i].hint);
			return;
		}
	}
	if (top && top->node->style == YAML_FLOW)
		error_hint(b->err, "expected ',' or '%c' for the '%c' of line %d, column %d",
			   top->node->kind == YAML_LIST ? ']' : '}',
			   top->node->kind == YAML_LIST ? '[' : '{', top->node->line,
			   top->node->column);
	else if (top && top->node->kind == YAML_LIST)
		error_hint(b->err, "expected '- item' in column %d, as in line %d",
			   top->node->column, top->node->line);
	else
		error_hint(b->err, "expected 'key: value'");
}

/* The library gave up: say the first thing it complained about. */
static int fail_syntax(struct builder *b, struct fy_diag *diag)
{
	void *iterator = NULL;
	const struct fy_diag_error *first = fy_diag_errors_iterate(diag, &iterator);
	const char *message = first && first->msg ? first->msg : "this is not YAML";

	if (first && first->line > 0)
		fail_at(b, first->line, first->column > 0 ? first->column : 1, message);
	else
		fail(b, message);
	hint_expected(b, message);
	return b->err->code;
}

static int build(struct builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
	struct fy_event *event;
	int r = 0;

	while (r >= 0 && (event = fy_parser_parse(parser)) != NULL) {
		r = on_event(b, event);
		fy_parser_event_free(parser, event);
	}
	return r < 0 || b->ended ? r : fail_syntax(b, diag);
}

static void builder_fini(struct builder *b)
{
	for (size_t i = 0; i < b->depth; i++)
		free(b->open[i].anchor);
	for (size_t i = 0; i < b->anchor_count; i++)
		free(b->anchors[i].name);
	free(b->anchors);
}

static bool has_control(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < 0x20 && !strchr("\t\r\n", line[i]))
			return true;
	return memchr(line, '\0', len) != NULL;
}

/* The library cuts a text at bad UTF-8 without a word, so it is looked for before. */
static int check_bytes(struct builder *b, const char *text, size_t len)
{
	for (size_t i = 0; i < len; b->line++) {
		const char *end = memchr(text + i, '\n', len - i);
		size_t line_len = end ? (size_t)(end - (text + i)) + 1 : len - i;

		if (has_control(text + i, line_len))
			return fail(b, "a control character in this line");
		if (!text_is_utf8(text + i, line_len))
			return fail(b, "this line is not UTF-8");
		i += line_len;
	}
	b->line = 1;
	return 0;
}

static struct fy_diag *silent_diag(void)
{
	struct fy_diag_cfg cfg;
	struct fy_diag *diag;

	fy_diag_cfg_default(&cfg);
	cfg.fp = NULL;
	cfg.colorize = false;
	diag = fy_diag_create(&cfg);
	if (diag)
		fy_diag_set_collect_errors(diag, true);
	return diag;
}

int yaml_parse(const char *text, size_t len, const char *path, struct yaml **ret, struct error *err)
{
	AUTO(yaml_free) struct yaml *doc = mem_zalloc(sizeof(*doc));
	AUTO(fy_diag_destroy) struct fy_diag *diag = silent_diag();
	AUTO(fy_parser_destroy) struct fy_parser *parser = NULL;
	struct builder b = {
		.doc = doc, .path = path, .text = text, .line = 1, .column = 1, .err = err};
	struct fy_parse_cfg cfg = {
		.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE,
		.diag = diag,
	};
	int r = check_bytes(&b, text, len);

	if (r < 0)
		return r;
	doc->root = new_node(&b, YAML_EMPTY);
	parser = diag ? fy_parser_create(&cfg) : NULL;
	if (!parser || (len && fy_parser_set_string(parser, text, len) != 0))
		return error_set(err, ERR_SYSTEM, "cannot start the YAML reader for '%s'", path);
	r = len ? build(&b, parser, diag) : 0;
	builder_fini(&b);
	if (r < 0)
		return r;
	*ret = steal_ptr(&doc);
	return 0;
}

const struct yaml_node *yaml_root(const struct yaml *y)
{
	return y->root;
}

void yaml_free(struct yaml *y)
{
	if (!y)
		return;
	for (size_t i = 0; i < y->node_count; i++) {
		free(y->nodes[i]->text);
		free(y->nodes[i]->items);
		free(y->nodes[i]);
	}
	free(y->nodes);
	free(y);
}
