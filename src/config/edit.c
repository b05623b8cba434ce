/*
 * edit.c: crons (and agents) of config.yml, changed where they stand.
 * The parsed tree says which bytes a cron has; only those are cut, and new ones put in, in the style
 * that is there: block or brackets, the indentation, the line ends. Whether that was right is never
 * assumed: the new text is parsed too, and must say what was asked for and nothing else. Where a
 * choice could go wrong in rare files (blank lines next to a text that keeps them, a block that
 * cannot carry a text), the choices are tried in order, the most beautiful first. What no choice can
 * do, and what is tied together by anchors, is left to the person, with an error.
 */
#include "config/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "config/edit-parts.h"

#define FILE_NAME "config.yml"
#define STEP_DEFAULT 2
#define STEP_MAX 8

enum { TRY_TIGHT = 1, TRY_QUOTES = 2, TRY_COUNT = 4 }; /* bits of a try: what it does without */

static const struct edit_section crons_section = {"crons", "cron"};
static const struct edit_section agents_section = {"agents", "agent"};

/* One change of one text. Names here speak of crons; agents are a section like theirs. */
struct edit {
	const struct edit_section *section;
	struct patch patch;
	struct yaml *yaml;
	const struct yaml_node *root, *crons_key, *crons, *key, *cron; /* NULL: not there */
	size_t cron_index; /* of `key` among the items of `crons` */
	const char *name;
	unsigned try;
	struct error *err;
};

static int say_by_hand(struct error *err, const struct edit_section *section, const char *name,
		       const char *why)
{
	error_set(err, ERR_INVALID, "cannot change %s '%s' by command: %s", section->noun, name,
		  why);
	return error_hint(err, "edit " FILE_NAME " by hand");
}

static int by_hand(const struct edit *e, const char *why)
{
	return say_by_hand(e->err, e->section, e->name, why);
}

static int section_by_hand(const struct edit *e, const char *why)
{
	AUTO(free) char *text = mem_printf("'%s' %s", e->section->key, why);

	return by_hand(e, text);
}

/* Finding things */

/* Whether other places share what it says. */
static bool is_tied(const struct yaml_node *node)
{
	if (node->anchored || node->merged)
		return true;
	for (size_t i = 0; i < node->count; i++)
		if (is_tied(node->items[i]))
			return true;
	return false;
}

static void edit_fini(struct edit *e)
{
	patch_fini(&e->patch);
	yaml_free(e->yaml);
}
#define AUTO_EDIT __attribute__((cleanup(edit_fini)))

static int edit_init(struct edit *e, const char *text, size_t len)
{
	size_t at;
	int r;

	patch_init(&e->patch, text ? text : "", len);
	r = yaml_parse(e->patch.text, len, FILE_NAME, &e->yaml, e->err);
	if (r < 0)
		return r;
	e->root = yaml_root(e->yaml);
	if (e->root->kind != YAML_EMPTY && e->root->kind != YAML_MAP)
		return by_hand(e, "the file is not a mapping");
	at = edit_find(e->root, e->section->key);
	if (edit_has(e->root, at)) {
		e->crons_key = e->root->items[at];
		e->crons = e->root->items[at + 1];
	}
	if (e->crons && e->crons->kind != YAML_EMPTY && e->crons->kind != YAML_MAP)
		return section_by_hand(e, "is not a mapping");
	if (e->crons && (e->crons->anchored || e->crons->merged))
		return section_by_hand(e, "has anchors or aliases");
	e->cron_index = edit_find(e->crons, e->name);
	if (edit_has(e->crons, e->cron_index)) {
		e->key = e->crons->items[e->cron_index];
		e->cron = e->crons->items[e->cron_index + 1];
	}
	return 0;
}

/* Columns */

/* How far in a key is that begins its line; -1: something stands before it. */
static int indent_of(const struct patch *p, const struct yaml_node *key)
{
	size_t line = line_begin(p, key->begin);

	if (line == 0 && key->begin >= 3 && memcmp(p->text, "\xef\xbb\xbf", 3) == 0)
		line = 3;
	for (size_t i = line; i < key->begin; i++)
		if (p->text[i] != ' ')
			return -1;
	return (int)(key->begin - line);
}

/* How far the keys of a mapping are further in than its own key; 0: it does not say. */
static size_t step_of(const struct patch *p, const struct yaml_node *key,
		      const struct yaml_node *map)
{
	int outer, inner;

	if (map->kind != YAML_MAP || map->style != YAML_BLOCK || map->count == 0)
		return 0;
	outer = indent_of(p, key);
	inner = indent_of(p, map->items[0]);
	return outer >= 0 && inner > outer && inner - outer <= STEP_MAX ? (size_t)(inner - outer)
									: 0;
}

/* The same for any mapping inside, the first that says it. */
static size_t step_in(const struct patch *p, const struct yaml_node *map)
{
	size_t step = 0;

	for (size_t i = 0; map && map->kind == YAML_MAP && i < map->count && !step; i += 2)
		step = step_of(p, map->items[i], map->items[i + 1]);
	return step;
}

/* The indentation that is there: of the crons, else of the file. */
static size_t step_here(const struct edit *e)
{
	size_t step = step_in(&e->patch, e->crons);

	if (!step && e->crons)
		step = step_of(&e->patch, e->crons_key, e->crons);
	if (!step)
		step = step_in(&e->patch, e->root);
	return step ? step : STEP_DEFAULT;
}

static struct writing writing_of(const struct edit *e, size_t indent, bool flow)
{
	return (struct writing){
		.eol = e->patch.eol,
		.flow = flow,
		.quotes = e->try & TRY_QUOTES,
		.indent = indent,
		.step = step_here(e),
	};
}

/* Where pairs end */

static bool is_nothing(const struct yaml_node *value)
{
	return value->kind == YAML_EMPTY && value->begin == value->end;
}

/* Behind the ':' of a key, or behind the key when it has none ("{a, b}"). */
static size_t colon_end(const struct patch *p, const struct yaml_node *key)
{
	size_t at = key->end;

	while (at < p->len && (p->text[at] == ' ' || p->text[at] == '\t'))
		at++;
	return at < p->len && p->text[at] == ':' ? at + 1 : key->end;
}

/* An alias has its bytes elsewhere, before the key. */
static size_t pair_end(const struct patch *p, const struct yaml_node *key,
		       const struct yaml_node *value)
{
	return value->end > key->end ? value->end : colon_end(p, key);
}

/* The line after a pair's last. */
static size_t pair_next(const struct patch *p, const struct yaml_node *key,
			const struct yaml_node *value)
{
	return edit_next_line(p, pair_end(p, key, value) - 1);
}

/* Writing settings */

static void write_line(struct buf *out, const struct edit_setting *s, const struct writing *w)
{
	AUTO_BUF struct buf head = {0}, body = {0};

	write_value(s, w, &head, &body);
	buf_printf(out, "%*s", (int)w->indent, "");
	write_text(out, s->key, w);
	buf_printf(out, ": %s%s%s", buf_text(&head), w->eol, buf_text(&body));
}

static void write_pair(struct buf *out, const struct edit_setting *s, const struct writing *w)
{
	AUTO_BUF struct buf body = {0};

	write_text(out, s->key, w);
	buf_add_str(out, ": ");
	write_value(s, w, out, &body);
}

/* "NAME:" and its settings as lines. */
static void write_cron_lines(struct buf *out, const struct edit *e, size_t indent,
			     const struct edit_setting *settings, size_t count)
{
	struct writing w = writing_of(e, indent, false);
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any = any || settings[i].value;
	buf_printf(out, "%*s", (int)indent, "");
	write_text(out, e->name, &w);
	buf_printf(out, ":%s%s", any ? "" : " {}", w.eol);
	w.indent += w.step;
	for (size_t i = 0; i < count; i++)
		if (settings[i].value)
			write_line(out, &settings[i], &w);
}

/* "NAME: {…}" */
static void write_cron_flow(struct buf *out, const struct edit *e,
			    const struct edit_setting *settings, size_t count)
{
	struct writing w = writing_of(e, 0, true);
	bool any = false;

	write_text(out, e->name, &w);
	buf_add_str(out, ": {");
	for (size_t i = 0; i < count; i++) {
		if (!settings[i].value)
			continue;
		buf_add_str(out, any ? ", " : "");
		write_pair(out, &settings[i], &w);
		any = true;
	}
	buf_add_char(out, '}');
}

/* Adding a pair to a mapping in brackets: a buffer for it. */
static struct buf *flow_add(struct edit *e, const struct yaml_node *map)
{
	const struct yaml_node *const *items = (const struct yaml_node *const *)map->items;
	struct buf *put;

	if (map->count == 0)
		return patch_cut(&e->patch, map->begin + 1, 0);
	put = patch_cut(&e->patch,
			pair_end(&e->patch, items[map->count - 2], items[map->count - 1]), 0);
	buf_add_str(put, ", ");
	return put;
}

/* Add a cron */

static bool is_blank_line(const struct patch *p, size_t line)
{
	char first;

	line_indent(p, line, &first);
	return first == '\n';
}

/* The line before the one that begins here; `line` is not the first. */
static size_t line_before(const struct patch *p, size_t line)
{
	return line_begin(p, line - 1);
}

/* Where the document ends: before a line "...", when there is one. */
static size_t document_end(const struct edit *e)
{
	const struct patch *p = &e->patch;
	size_t line = e->root && e->root->end ? edit_next_line(p, e->root->end - 1) : 0;

	for (; line < p->len; line = edit_next_line(p, line))
		if (p->len - line >= 3 && memcmp(p->text + line, "...", 3) == 0 &&
		    (p->len - line == 3 || strchr(" \t\r\n", p->text[line + 3])))
			return line;
	return p->len;
}

/* No crons yet: at the end of the file, after a blank line. */
static int add_section(struct edit *e, const struct edit_setting *settings, size_t count)
{
	struct patch *p = &e->patch;
	int indent = e->root->count ? indent_of(p, e->root->items[0]) : 0;
	size_t end = document_end(e);
	bool apart = end > 0 && !(e->try & TRY_TIGHT) &&
		     !(p->text[end - 1] == '\n' && is_blank_line(p, line_before(p, end)));
	struct buf *put;

	if (e->root->style == YAML_FLOW && e->root->kind == YAML_MAP) {
		put = flow_add(e, e->root);
		buf_printf(put, "%s: {", e->section->key);
		write_cron_flow(put, e, settings, count);
		buf_add_char(put, '}');
		return 0;
	}
	if (indent < 0)
		return by_hand(e, "the first key does not begin its line");
	put = patch_lines(p, end);
	buf_printf(put, "%s%*s%s:%s", apart ? p->eol : "", indent, "", e->section->key, p->eol);
	write_cron_lines(put, e, (size_t)indent + step_here(e), settings, count);
	return 0;
}

/* Nothing between the brackets but space: they can go. */
static bool is_bare(const struct patch *p, const struct yaml_node *map)
{
	for (size_t i = map->begin + 1; i + 1 < map->end; i++)
		if (!strchr(" \t\r\n", p->text[i]))
			return false;
	return true;
}

/* Take out what stands for nothing behind a colon, with the space before it. */
static void cut_nothing(struct patch *p, const struct yaml_node *key, const struct yaml_node *value)
{
	size_t from = value->begin, colon = colon_end(p, key);

	if (is_nothing(value))
		return;
	while (from > colon && p->text[from - 1] == ' ')
		from--;
	patch_cut(p, from, value->end - from);
}

/* "crons:", "crons: ~" or "crons: {}": below it, and what stood for nothing goes. */
static int add_first(struct edit *e, const struct edit_setting *settings, size_t count)
{
	struct patch *p = &e->patch;
	int indent = indent_of(p, e->crons_key);

	if (indent < 0 || colon_end(p, e->crons_key) == e->crons_key->end)
		return section_by_hand(e, "does not begin its line");
	cut_nothing(p, e->crons_key, e->crons);
	write_cron_lines(patch_lines(p, pair_next(p, e->crons_key, e->crons)), e,
			 (size_t)indent + step_here(e), settings, count);
	return 0;
}

/* Comment lines further in than a key belong to what stands above them. */
static size_t skip_inner_comments(const struct patch *p, size_t line, size_t indent)
{
	char first;

	while (line < p->len && line_indent(p, line, &first) > indent && first == '#')
		line = edit_next_line(p, line);
	return line;
}

/* Comment lines directly above a line, as far in as it is; none above `floor`. */
static size_t own_comments(const struct patch *p, size_t line, size_t indent, size_t floor)
{
	char first;

	while (line > floor) {
		size_t before = line_before(p, line);

		if (before < floor || line_indent(p, before, &first) != indent || first != '#')
			break;
		line = before;
	}
	return line;
}

/* Whether the last cron has a blank line above it, so that the next one gets one as well. */
static bool is_airy(const struct edit *e, size_t indent)
{
	const struct patch *p = &e->patch;
	const struct yaml_node *last = e->crons->items[e->crons->count - 2];
	size_t line = own_comments(p, line_begin(p, last->begin), indent,
				   edit_next_line(p, e->crons_key->begin));

	return line > 0 && is_blank_line(p, line_before(p, line));
}

static int add_last(struct edit *e, const struct edit_setting *settings, size_t count)
{
	struct patch *p = &e->patch;
	int indent = indent_of(p, e->crons->items[0]);
	struct buf *put;
	size_t at;

	if (indent < 0)
		return by_hand(e, "the first one does not begin its line");
	at = skip_inner_comments(p, edit_next_line(p, e->crons->end - 1), (size_t)indent);
	put = patch_lines(p, at);
	if (!(e->try & TRY_TIGHT) && is_airy(e, (size_t)indent))
		buf_add_str(put, p->eol);
	write_cron_lines(put, e, (size_t)indent, settings, count);
	return 0;
}

static int add(struct edit *e, const struct edit_setting *settings, size_t count)
{
	if (!e->crons)
		return add_section(e, settings, count);
	if (e->root->style == YAML_FLOW && e->crons->kind == YAML_EMPTY)
		return section_by_hand(e, "is empty inside brackets");
	if (e->crons->kind == YAML_EMPTY)
		return add_first(e, settings, count);
	if (e->crons->count == 0 && e->root->style == YAML_BLOCK && is_bare(&e->patch, e->crons))
		return add_first(e, settings, count);
	if (e->crons->style == YAML_BLOCK)
		return add_last(e, settings, count);
	write_cron_flow(flow_add(e, e->crons), e, settings, count);
	return 0;
}

/* Take a pair out of a mapping */

static void flow_remove(struct edit *e, const struct yaml_node *map, size_t at)
{
	struct patch *p = &e->patch;
	const struct yaml_node *key = map->items[at];
	size_t from = key->begin, to = pair_end(p, key, map->items[at + 1]);

	if (at + 2 < map->count)
		to = map->items[at + 2]->begin;
	else if (at > 0)
		from = pair_end(p, map->items[at - 2], map->items[at - 1]);
	patch_cut(p, from, to - from);
}

/* Blank lines on both sides of what goes would become two in a row: one side goes too. */
static void take_blanks(const struct patch *p, size_t floor, bool more, size_t *from, size_t *to)
{
	bool before = *from > floor && is_blank_line(p, line_before(p, *from));

	if (before || (more && *from == floor))
		while (*to < p->len && is_blank_line(p, *to))
			*to = edit_next_line(p, *to);
	if (*to == p->len)
		while (*from > floor && is_blank_line(p, line_before(p, *from)))
			*from = line_before(p, *from);
}

static int remove_cron(struct edit *e)
{
	struct patch *p = &e->patch;
	size_t floor, from, to, i = e->cron_index;
	int indent = indent_of(p, e->key);

	if (e->crons->style == YAML_FLOW) {
		flow_remove(e, e->crons, i);
		return 0;
	}
	if (indent < 0)
		return by_hand(e, "it does not begin its line");
	floor = i == 0 ? edit_next_line(p, colon_end(p, e->crons_key) - 1)
		       : pair_next(p, e->crons->items[i - 2], e->crons->items[i - 1]);
	from = own_comments(p, line_begin(p, e->key->begin), (size_t)indent, floor);
	to = skip_inner_comments(p, pair_next(p, e->key, e->cron), (size_t)indent);
	if (!(e->try & TRY_TIGHT))
		take_blanks(p, floor, i + 2 < e->crons->count, &from, &to);
	if (from < floor)
		return by_hand(e, "it shares a line with another one");
	patch_cut(p, from, to - from);
	return 0;
}

/* Change one setting */

static void remove_setting(struct edit *e, size_t at)
{
	struct patch *p = &e->patch;
	const struct yaml_node *key = e->cron->items[at];
	size_t from = line_begin(p, key->begin);

	if (e->cron->style == YAML_FLOW) {
		flow_remove(e, e->cron, at);
		return;
	}
	if (e->cron->count == 2) /* nothing is left, and a cron is a mapping */
		buf_add_str(patch_cut(p, colon_end(p, e->key), 0), " {}");
	patch_cut(p, from, pair_next(p, key, e->cron->items[at + 1]) - from);
}

/* Inside brackets: in one line. */
static void replace_in_flow(struct edit *e, size_t at, const struct edit_setting *s)
{
	struct patch *p = &e->patch;
	const struct yaml_node *key = e->cron->items[at], *value = e->cron->items[at + 1];
	struct writing w = writing_of(e, 0, true);
	AUTO_BUF struct buf head = {0}, body = {0};
	size_t colon = colon_end(p, key);

	write_value(s, &w, &head, &body);
	if (!is_nothing(value))
		buf_add_str(patch_cut(p, value->begin, value->end - value->begin), buf_text(&head));
	else
		buf_printf(patch_cut(p, colon, 0), "%s %s", colon == key->end ? ":" : "",
			   buf_text(&head));
}

/* In a block: `head` where the old value began, `body` in the lines after it. */
static void replace_in_block(struct edit *e, const struct yaml_node *key,
			     const struct yaml_node *value, const char *head, const char *body)
{
	struct patch *p = &e->patch;
	size_t colon = colon_end(p, key), next = pair_next(p, key, value);
	size_t lines = next; /* where the old value's own lines begin */

	if (is_nothing(value) || (value->style == YAML_BLOCK && value->kind != YAML_TEXT)) {
		buf_printf(patch_cut(p, colon, 0), " %s", head);
		if (!is_nothing(value))
			lines = line_begin(p, value->begin);
	} else if (value->style == YAML_BLOCK) {
		size_t signs = value->begin;

		while (signs < p->len && strchr("|>+-0123456789", p->text[signs]))
			signs++;
		buf_add_str(patch_cut(p, value->begin, signs - value->begin), head);
		lines = edit_next_line(p, value->begin);
	} else {
		buf_add_str(patch_cut(p, value->begin, value->end - value->begin), head);
	}
	if (lines < next)
		patch_cut(p, lines, next - lines);
	if (*body)
		buf_add_str(patch_lines(p, next), body);
}

static int replace_setting(struct edit *e, size_t at, const struct edit_setting *s)
{
	const struct yaml_node *key = e->cron->items[at];
	int indent = indent_of(&e->patch, key);
	AUTO_BUF struct buf head = {0}, body = {0};
	struct writing w;

	if (e->cron->style == YAML_FLOW) {
		replace_in_flow(e, at, s);
		return 0;
	}
	if (indent < 0 || colon_end(&e->patch, key) == key->end)
		return by_hand(e, "a setting does not begin its line");
	w = writing_of(e, (size_t)indent, false);
	write_value(s, &w, &head, &body);
	replace_in_block(e, key, e->cron->items[at + 1], buf_text(&head), buf_text(&body));
	return 0;
}

static int add_setting(struct edit *e, const struct edit_setting *s)
{
	struct patch *p = &e->patch;
	bool block = e->cron->kind == YAML_MAP && e->cron->style == YAML_BLOCK;
	const struct yaml_node *first = block ? e->cron->items[0] : e->key;
	int indent = indent_of(p, first);
	struct writing w;

	if (e->cron->style == YAML_FLOW && e->cron->kind == YAML_MAP) {
		w = writing_of(e, 0, true);
		write_pair(flow_add(e, e->cron), s, &w);
		return 0;
	}
	if (indent < 0 || e->crons->style == YAML_FLOW)
		return by_hand(e, "it does not begin its line");
	w = writing_of(e, (size_t)indent, false);
	if (!block)
		w.indent += w.step;
	if (!block)
		cut_nothing(p, e->key, e->cron);
	write_line(patch_lines(p, pair_next(p, e->key, e->cron)), s, &w);
	return 0;
}

static int set(struct edit *e, const struct edit_setting *s)
{
	size_t at = edit_find(e->cron, s->key);

	if (edit_has(e->cron, at) && s->value)
		return replace_setting(e, at, s);
	if (edit_has(e->cron, at))
		remove_setting(e, at);
	else if (s->value)
		return add_setting(e, s);
	return 0;
}

static int attempt(struct edit *e, const struct edit_wish *wish)
{
	if (wish->what == EDIT_ADD && e->key)
		return error_set(e->err, ERR_CONFLICT, "%s '%s' is there already", e->section->noun,
				 e->name);
	if (wish->what == EDIT_ADD)
		return add(e, wish->settings, wish->count);
	if (!e->key)
		return error_set(e->err, ERR_NOT_FOUND, "no %s '%s'", e->section->noun, e->name);
	if (is_tied(e->key) || is_tied(e->cron))
		return by_hand(e, "it has anchors or aliases");
	if (wish->what == EDIT_REMOVE)
		return remove_cron(e);
	if (e->cron->kind != YAML_MAP && e->cron->kind != YAML_EMPTY)
		return by_hand(e, "it is not a mapping");
	return set(e, wish->settings);
}

/* One way to do it. Returns 1 when the result is right, 0 when another way may be. */
static int try_edit(const char *text, size_t len, const struct edit_wish *wish, unsigned try,
		    struct buf *ret, struct error *err)
{
	AUTO_EDIT struct edit e = {
		.section = wish->section, .name = wish->name, .try = try, .err = err};
	AUTO(yaml_free) struct yaml *new = NULL;
	AUTO_BUF struct buf out = {0};
	struct error ignored = {0};
	int r = edit_init(&e, text, len);

	if (r >= 0)
		r = attempt(&e, wish);
	if (r < 0)
		return r;
	if (!patch_apply(&e.patch, &out) ||
	    yaml_parse(buf_text(&out), out.len, FILE_NAME, &new, &ignored) < 0 ||
	    !edit_is_right(e.root, yaml_root(new), wish))
		return 0;
	buf_add(ret, buf_text(&out), out.len);
	return 1;
}

static int edit(const char *text, size_t len, const struct edit_wish *wish, struct buf *ret,
		struct error *err)
{
	for (unsigned try = 0; try < TRY_COUNT; try++) {
		int r = try_edit(text, len, wish, try, ret, err);

		if (r != 0)
			return r < 0 ? r : 0;
	}
	return say_by_hand(err, wish->section, wish->name,
			   "the file is written in a way that is not understood here");
}

/* What no quoting can carry into the file. */
static int check(const struct edit_wish *wish, struct error *err)
{
	const char *name = wish->name;

	if (!*name || strcmp(name, "maxConcurrent") == 0 || text_find_control(name) ||
	    !text_is_utf8(name, strlen(name)))
		return error_set(err, ERR_INVALID, "'%s' is not a name for a%s %s", name,
				 wish->section == &agents_section ? "n" : "", wish->section->noun);
	for (size_t i = 0; i < wish->count; i++) {
		const struct edit_setting *s = &wish->settings[i];

		if (!s->value)
			continue;
		if (text_find_control(s->value) || !text_is_utf8(s->value, strlen(s->value)))
			return error_set(err, ERR_INVALID, "'%s' has a control character", s->key);
		if (s->plain && strpbrk(s->value, "\n#"))
			return error_set(err, ERR_INVALID, "'%s' is not one value", s->key);
	}
	return 0;
}

int edit_cron_add(const char *text, size_t len, const char *name,
		  const struct edit_setting *settings, size_t count, struct buf *ret,
		  struct error *err)
{
	struct edit_wish wish = {&crons_section, EDIT_ADD, name, settings, count};
	int r = check(&wish, err);

	return r < 0 ? r : edit(text, len, &wish, ret, err);
}

/* One setting after the other, each on the text that the one before it left. */
int edit_cron_set(const char *text, size_t len, const char *name,
		  const struct edit_setting *settings, size_t count, struct buf *ret,
		  struct error *err)
{
	/* Without a setting there is only the question whether the cron is there. */
	static const struct edit_setting none = {.key = ""};
	struct edit_wish wish = {&crons_section, EDIT_SET, name, settings, count};
	AUTO_BUF struct buf now = {0};
	int r = check(&wish, err);

	wish.count = 1;
	if (count == 0)
		wish.settings = &none;
	if (r >= 0)
		r = edit(text, len, &wish, &now, err);
	for (size_t i = 1; i < count && r >= 0; i++) {
		AUTO_BUF struct buf next = {0};

		wish.settings = &settings[i];
		r = edit(buf_text(&now), now.len, &wish, &next, err);
		buf_clear(&now);
		buf_add(&now, buf_text(&next), next.len);
	}
	if (r < 0)
		return r;
	buf_add(ret, buf_text(&now), now.len);
	return 0;
}

int edit_cron_remove(const char *text, size_t len, const char *name, struct buf *ret,
		     struct error *err)
{
	struct edit_wish wish = {&crons_section, EDIT_REMOVE, name, NULL, 0};
	int r = check(&wish, err);

	return r < 0 ? r : edit(text, len, &wish, ret, err);
}

int edit_agent_add(const char *text, size_t len, const char *name,
		   const struct edit_setting *settings, size_t count, struct buf *ret,
		   struct error *err)
{
	struct edit_wish wish = {&agents_section, EDIT_ADD, name, settings, count};
	int r = check(&wish, err);

	return r < 0 ? r : edit(text, len, &wish, ret, err);
}

int edit_agent_remove(const char *text, size_t len, const char *name, struct buf *ret,
		      struct error *err)
{
	struct edit_wish wish = {&agents_section, EDIT_REMOVE, name, NULL, 0};
	int r = check(&wish, err);

	return r < 0 ? r : edit(text, len, &wish, ret, err);
}
