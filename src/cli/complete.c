/*
 * complete.c: what may come next on a command line.
 * The words are walked as args.c walks them, but nothing is refused: what cannot be understood
 * simply offers nothing. Bash splits "--flag=value" at the '='; a word "=" after a flag is
 * therefore taken as part of it.
 */
#include "cli/complete.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/args.h"
#include "cli/words.h"

void completion_fini(struct completion *c)
{
	buf_fini(&c->out);
	free(c->prefix);
	*c = (struct completion){0};
}

void completion_add(struct completion *c, const char *word, const char *help)
{
	if (strncmp(word, c->typed, strlen(c->typed)) != 0)
		return;
	buf_printf(&c->out, "%s%s\t%s\n", c->prefix ? c->prefix : "", word, help ? help : "");
}

static const char *about(const char *group)
{
	const struct word_group *g = words_group(group);

	return g ? g->about : NULL;
}

/* Commands that continue `group`, each word once. */
static void add_commands(struct completion *c, const struct request_row *const *rows,
			 const char *group)
{
	size_t skip = *group ? strlen(group) + 1 : 0;
	AUTO(free) char *last = NULL;

	for (; *rows; rows++) {
		const char *name = (*rows)->name;
		AUTO(free) char *word = NULL;
		bool whole;

		if ((*rows)->flags & REQUEST_HIDDEN)
			continue;
		if (skip && (strncmp(name, group, skip - 1) != 0 || name[skip - 1] != ' '))
			continue;
		word = mem_strndup(name + skip, strcspn(name + skip, " "));
		whole = strlen(name + skip) == strlen(word);
		if (last && strcmp(last, word) == 0)
			continue;
		completion_add(c, word, whole ? (*rows)->summary : about(word));
		free(last);
		last = steal_ptr(&word);
	}
}

static void add_flags(struct completion *c, const struct request_row *row)
{
	for (const struct request_arg *a = row->args; a && a->name; a++) {
		AUTO(free) char *flag = mem_printf("--%s", a->name);

		if (!a->operand && args_is_shown(a))
			completion_add(c, flag, a->help);
	}
	completion_add(c, "--json", "print the result as JSON");
	completion_add(c, "--help", "show help");
}

static void add_values(struct completion *c, const struct request_arg *arg)
{
	AUTO(free) char *copy = NULL;
	char *save = NULL;

	if (!arg)
		return;
	if (arg->type != ARG_CHOICE) {
		c->wants = arg;
		return;
	}
	copy = mem_strdup(arg->choices);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		completion_add(c, w, NULL);
}

/* The flag whose value is the next word, when `word` is one that still needs it. */
static const struct request_arg *open_flag(const struct request_row *row, const char *word)
{
	const struct request_arg *arg;
	size_t len = strlen(word);

	if (len < 2 || word[0] != '-')
		return NULL;
	if (word[1] == '-')
		arg = args_find_flag(row, word + 2, len - 2);
	else
		arg = len == 2 ? args_find_letter(row, word[1]) : NULL;
	return arg && arg->type != ARG_FLAG ? arg : NULL;
}

/* "--priority=nor": everything up to the '=' is kept in front of each value. */
static bool add_joined_values(struct completion *c, const struct request_row *row, const char *word)
{
	const char *equals = strchr(word, '=');

	if (strncmp(word, "--", 2) != 0 || !equals)
		return false;
	c->prefix = mem_strndup(word, (size_t)(equals - word) + 1);
	c->typed = equals + 1;
	add_values(c, args_find_flag(row, word + 2, (size_t)(equals - word) - 2));
	return true;
}

static void complete_row(struct completion *c, const struct request_row *row,
			 const char *const *words, size_t count)
{
	const struct request_arg *open = NULL;
	size_t operands = 0;
	bool flags = true;

	for (size_t i = 0; i + 1 < count; i++) {
		if (open && strcmp(words[i], "=") == 0)
			continue;
		if (open) {
			open = NULL;
		} else if (flags && strcmp(words[i], "--") == 0) {
			flags = false;
		} else if (flags && words[i][0] == '-' && words[i][1]) {
			open = open_flag(row, words[i]);
		} else {
			operands++;
		}
	}
	if (open && strcmp(c->typed, "=") == 0)
		c->typed = "";
	if (open) {
		add_values(c, open);
	} else if (flags && c->typed[0] == '-') {
		if (!add_joined_values(c, row, c->typed))
			add_flags(c, row);
	} else {
		add_values(c, args_operand(row, operands));
	}
}

void complete_words(const struct request_row *const *rows, const char *const *words, size_t count,
		    struct completion *ret)
{
	AUTO(free) char *group = mem_strdup("");
	const struct request_row *row = NULL;
	size_t i = 0;

	*ret = (struct completion){.typed = count ? words[count - 1] : ""};
	if (count > 1 && strcmp(words[0], "help") == 0)
		i = 1;
	else if (count == 1)
		completion_add(ret, "help", "all commands, or one of them");
	while (i + 1 < count) {
		AUTO(free) char *more = words_step(rows, group, words[i]);

		if (!more)
			break;
		row = args_find_row(rows, more);
		free(group);
		group = steal_ptr(&more);
		i++;
	}
	/* Some groups are commands, too: what may follow is either. */
	if (i + 1 == count && !(row && ret->typed[0] == '-'))
		add_commands(ret, rows, group);
	if (row)
		complete_row(ret, row, words + i, count - i);
}
