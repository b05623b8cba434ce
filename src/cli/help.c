/*
 * help.c: what --help prints.
 * Three pages of one shape: usage, what it is, then two columns, a name on the left and its line
 * of help on the right. Details of a row are paragraphs: filled to the width, but lines that begin
 * with a blank are examples and stay as they are.
 */
#include "cli/help.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/words.h"
#include "config/reference.h"

#define HELP_WIDTH_MOST 100
#define LEFT_MOST 30 /* a longer name on the left puts its help on the next line */

struct help {
	const struct style *style;
	size_t width;
	size_t left; /* where the right column begins */
	struct buf *out;
};

static void heading(struct help *h, const char *title)
{
	buf_add_char(h->out, '\n');
	style_printf(h->out, h->style, TINT_BOLD, "%s", title);
	buf_add_char(h->out, '\n');
}

static void two_columns(struct help *h, const char *left, const char *right)
{
	size_t at = 2 + text_width(left);

	buf_printf(h->out, "  %s", left);
	if (at + 2 > h->left) {
		buf_add_char(h->out, '\n');
		at = 0;
	}
	buf_printf(h->out, "%*s", (int)(h->left - at), "");
	text_fill(h->out, right, h->left, h->left, h->width);
	buf_add_char(h->out, '\n');
}

static void widen(size_t *left, const char *text)
{
	size_t need = text_width(text) + 4;

	if (need > *left && need <= LEFT_MOST)
		*left = need;
}

/* Paragraphs, divided by empty lines; a line that begins with a blank stays as it is. */
static void paragraphs(struct help *h, const char *text)
{
	AUTO_BUF struct buf words = {0};

	while (*text) {
		size_t len = strcspn(text, "\n");
		bool verbatim = len == 0 || *text == ' ' || *text == '\t';

		if (verbatim && words.len) {
			text_fill(h->out, buf_text(&words), 0, 0, h->width);
			buf_add_char(h->out, '\n');
			buf_clear(&words);
		}
		buf_add(verbatim ? h->out : &words, text, len);
		buf_add_char(verbatim ? h->out : &words, '\n');
		text += len + (text[len] == '\n');
	}
	text_fill(h->out, buf_text(&words), 0, 0, h->width);
	if (words.len)
		buf_add_char(h->out, '\n');
}

/* Whether the help says all the choices already. */
static bool tells_choices(const struct request_arg *arg)
{
	for (const char *w = arg->choices; *w; w += strspn(w, " ")) {
		size_t len = strcspn(w, " ");
		AUTO(free) char *word = mem_strndup(w, len);

		if (!strstr(arg->help, word))
			return false;
		w += len;
	}
	return true;
}

void help_arg(const struct request_arg *arg, struct buf *out)
{
	buf_add_str(out, arg->help);
	if (arg->type == ARG_CHOICE && !tells_choices(arg)) {
		const char *separator = "; one of ";

		for (const char *w = arg->choices; *w; w += strspn(w, " ")) {
			size_t len = strcspn(w, " ");

			buf_printf(out, "%s%.*s", separator, (int)len, w);
			separator = ", ";
			w += len;
		}
	}
	if (arg->required && !arg->operand)
		buf_add_str(out, " (required)");
}

static void arg_left(const struct request_arg *arg, struct buf *out)
{
	AUTO(free) char *value = args_value_name(arg);

	if (arg->operand) {
		buf_add_str(out, value);
		return;
	}
	if (arg->letter)
		buf_printf(out, "-%c, ", arg->letter);
	else
		buf_add_str(out, "    ");
	buf_printf(out, "--%s", arg->name);
	if (arg->type != ARG_FLAG)
		buf_printf(out, " %s", value);
}

static void arguments(struct help *h, const struct request_row *row, bool operands)
{
	bool any = false;

	for (const struct request_arg *a = row->args; a && a->name; a++) {
		AUTO_BUF struct buf left = {0}, right = {0};

		if (a->operand != operands || !args_is_shown(a))
			continue;
		if (!any)
			heading(h, operands ? "arguments" : "flags");
		any = true;
		arg_left(a, &left);
		help_arg(a, &right);
		two_columns(h, buf_text(&left), buf_text(&right));
	}
	if (operands)
		return;
	if (!any)
		heading(h, "flags");
	two_columns(h, "    --json", "print the result as JSON");
	two_columns(h, "-h, --help", "show this help");
}

static void command_page(struct help *h, const struct request_row *row)
{
	h->left = 20;
	for (const struct request_arg *a = row->args; a && a->name; a++) {
		AUTO_BUF struct buf left = {0};

		if (!args_is_shown(a))
			continue;
		arg_left(a, &left);
		widen(&h->left, buf_text(&left));
	}
	style_add(h->out, h->style, TINT_BOLD, "usage");
	buf_add_str(h->out, ": ");
	args_usage(row, h->out);
	buf_add_str(h->out, "\n\n");
	text_fill(h->out, row->summary, 0, 0, h->width);
	buf_add_char(h->out, '\n');
	if (row->details) {
		buf_add_char(h->out, '\n');
		paragraphs(h, row->details);
	}
	arguments(h, row, true);
	arguments(h, row, false);
	if (row->examples) {
		heading(h, "examples");
		buf_add_str(h->out, "  ");
		visible_block(h->out, row->examples, "  ");
		if (h->out->data[h->out->len - 1] != '\n')
			buf_add_char(h->out, '\n');
	}
}

/* The first word of a row's name, where it has another one: "reminder" of "reminder add". */
static size_t group_len(const char *name)
{
	return name[strcspn(name, " ")] ? strcspn(name, " ") : 0;
}

static bool in_group(const struct request_row *row, const char *group)
{
	size_t len = strlen(group);

	return !(row->flags & REQUEST_HIDDEN) &&
	       (!len || (strncmp(row->name, group, len) == 0 && row->name[len] == ' '));
}

/* Also "inbox" and "inbox list"; commands of one word are otherwise a group of their own. */
static bool same_group(const char *a, const char *b)
{
	size_t len = strcspn(a, " ");

	if (len == strcspn(b, " ") && strncmp(a, b, len) == 0)
		return true;
	return !group_len(a) && !group_len(b);
}

static void command_list(struct help *h, const struct request_row *const *rows, const char *group)
{
	const char *last = NULL;

	h->left = 14;
	for (size_t i = 0; rows[i]; i++)
		if (in_group(rows[i], group))
			widen(&h->left, rows[i]->name);
	for (size_t i = 0; rows[i]; i++) {
		const char *name = rows[i]->name;

		if (!in_group(rows[i], group))
			continue;
		/* A blank line where one group of commands ends and another begins. */
		if (last && !same_group(last, name))
			buf_add_char(h->out, '\n');
		last = name;
		two_columns(h, name, rows[i]->summary);
	}
}

/* One screen: where to begin, and what else there is. */
static void first_page(struct help *h)
{
	const char *theme = NULL;

	h->left = 42;
	buf_printf(h->out, "belfry: %s\n", HELP_TAGLINE);
	heading(h, "start here");
	two_columns(h, "belfry setup", "give your agents Belfry's tools");
	two_columns(h, "belfry reminder add me -m tea --in 5m", "be reminded");
	two_columns(h, "belfry inbox", "read what agents wrote, and answer");
	two_columns(h, "belfry status", "what is due, runs and waits");
	two_columns(h, "belfry doctor", "whether all is well");
	heading(h, "commands");
	for (const struct word_group *g = word_groups; g->name; g++) {
		if (!theme || strcmp(theme, g->theme) != 0)
			buf_printf(h->out, "%s  %-8s  %s", theme ? "\n" : "", g->theme, g->name);
		else
			buf_printf(h->out, ", %s", g->name);
		theme = g->theme;
	}
	buf_add_str(h->out, "\n\n'belfry help' lists all of them, 'belfry help COMMAND' says more "
			    "about one.\n");
}

static void program_page(struct help *h, const struct request_row *const *rows)
{
	buf_printf(h->out, "belfry: %s\n\n", HELP_TAGLINE);
	style_add(h->out, h->style, TINT_BOLD, "usage");
	buf_add_str(h->out, ": belfry COMMAND [ARGUMENTS] [FLAGS]\n");
	heading(h, "commands");
	command_list(h, rows, "");
	heading(h, "everywhere");
	two_columns(h, "--json", "print the result as JSON, also of an error");
	two_columns(h, "--help", "help for a command: 'belfry reminder add --help'");
	two_columns(h, "--version", "print the version");
	buf_add_str(h->out, "\n'ls' and 'list', 'rm' and 'remove' mean the same everywhere.\n");
}

static void group_commands(struct help *h, const struct request_row *const *rows, const char *group)
{
	heading(h, "commands");
	command_list(h, rows, group);
	buf_printf(h->out, "\n'belfry %s COMMAND --help' says more about each.\n", group);
}

/* Every key of config.yml. */
static void reference(struct help *h)
{
	struct config_chapter chapter;
	struct config_key key;

	h->left = 22;
	for (size_t i = 0; config_reference_chapter(i, &chapter); i++) {
		heading(h, *chapter.place ? chapter.place : "config.yml");
		buf_add_str(h->out, "  ");
		text_fill(h->out, chapter.about, 2, 2, h->width);
		buf_add_char(h->out, '\n');
		for (size_t k = 0; config_reference_key(i, k, &key); k++)
			two_columns(h, key.name, key.help ? key.help : key.takes);
	}
}

static void group_page(struct help *h, const struct request_row *const *rows, const char *group)
{
	const struct word_group *g = words_group(group);

	style_add(h->out, h->style, TINT_BOLD, "usage");
	buf_printf(h->out, ": belfry %s COMMAND [ARGUMENTS] [FLAGS]\n", group);
	if (g && g->about) {
		buf_add_char(h->out, '\n');
		text_fill(h->out, g->about, 0, 0, h->width);
		buf_add_char(h->out, '\n');
	}
	group_commands(h, rows, group);
	if (strcmp(group, "config") == 0)
		reference(h);
}

/* A command that others begin with, as "inbox". */
static bool is_group_too(const struct request_row *const *rows, const struct request_row *row)
{
	for (; *rows; rows++)
		if (in_group(*rows, row->name))
			return true;
	return false;
}

void help_print(const struct request_row *const *rows, const struct command *command,
		const struct style *style, struct buf *out)
{
	struct help h = {style, style->width, 0, out};

	if (h.width > HELP_WIDTH_MOST)
		h.width = HELP_WIDTH_MOST;
	if (command->row) {
		command_page(&h, command->row);
		if (is_group_too(rows, command->row))
			group_commands(&h, rows, command->row->name);
	} else if (*command->group) {
		group_page(&h, rows, command->group);
	} else if (command->help) {
		program_page(&h, rows);
	} else {
		first_page(&h);
	}
}
