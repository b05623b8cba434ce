/*
 * config-patterns.c: what agents are told when a prompt matches.
 *
 *	promptReminders:
 *	  - {match: "fix|implement", say: "Write the failing test first.", agent: builder}
 *
 * Expressions are POSIX extended ones, in any case, and are compiled here, so that a bad one is found where
 * it stands, and a hook has only to match. What it is matched against is bounded by whoever asks; back
 * references would take exponentially long all the same, and are refused.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "config/read.h"

#define MATCH_MAX 500
#define SAY_MAX 2000
#define PATTERNS_MAX 100

static int compile(struct reader *r, const struct yaml_node *value, struct config_pattern *pattern)
{
	regex_t *regex = mem_zalloc(sizeof(*regex));
	int code = regcomp(regex, value->text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	char why[128];

	if (code == 0) {
		pattern->regex = regex;
		return 0;
	}
	regerror(code, regex, why, sizeof(why));
	free(regex);
	read_fail(r, value, "'match' is no regular expression: %s", why);
	return error_hint(r->err, "POSIX extended, as grep -E reads it: \"fix|implement\"");
}

static bool has_back_reference(const char *text)
{
	for (; *text; text++) {
		if (text[0] != '\\' || !text[1])
			continue;
		if (text[1] >= '1' && text[1] <= '9')
			return true;
		text++;
	}
	return false;
}

static int set_match(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_pattern *pattern = target;

	if (!value->text[0]) {
		read_fail(r, value, "'match' is empty");
		return error_hint(r->err, "\".\" matches every prompt");
	}
	if (strlen(value->text) > MATCH_MAX)
		return read_fail(r, value, "'match' is longer than %d bytes", MATCH_MAX);
	if (has_back_reference(value->text))
		return read_fail(r, value, "'match' has a back reference, which may take for ever");
	mem_replace(&pattern->match, value->text);
	return compile(r, value, pattern);
}

static int set_say(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_pattern *pattern = target;

	free(pattern->say);
	pattern->say = text_clean(value->text, strlen(value->text));
	if (!pattern->say[0])
		return read_fail(r, value, "'say' is empty");
	if (strlen(pattern->say) > SAY_MAX) {
		read_fail(r, value, "'say' is longer than %d bytes", SAY_MAX);
		return error_hint(r->err, "a lesson has room for more: name it in 'say'");
	}
	return 0;
}

static int set_agent(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config_pattern *pattern = target;
	const struct config *c = r->config;
	struct error unknown = {0};
	const char **names;

	mem_replace(&pattern->agent, value->text);
	if (config_agent(c, value->text, &unknown))
		return 0;
	names = mem_array(c->agent_count, sizeof(char *));
	for (size_t i = 0; i < c->agent_count; i++)
		names[i] = c->agents[i].name;
	read_fail_unknown(r, value, "agent", names, c->agent_count);
	free(names);
	return r->err->code;
}

static const struct key pattern_keys[] = {
	{"match", TAKES_TEXT, set_match},
	{"say", TAKES_TEXT, set_say},
	{"agent", TAKES_TEXT, set_agent},
};
PUBLISH_KEYS(pattern_keys);

static int read_pattern(struct reader *r, const struct yaml_node *item,
			struct config_pattern *pattern)
{
	int result;

	if (item->kind != YAML_MAP) {
		read_fail(r, item, "a prompt reminder is a mapping");
		return error_hint(r->err, "{match: \"fix|implement\", say: \"Test first.\"}");
	}
	if ((result = read_mapping(r, item, KEYS(pattern_keys), pattern)) < 0)
		return result;
	if (!pattern->match)
		return read_fail(r, item, "a prompt reminder needs 'match'");
	return pattern->say ? 0 : read_fail(r, item, "a prompt reminder needs 'say'");
}

int read_patterns(struct reader *r, const struct yaml_node *value, void *target)
{
	struct config *c = target;

	if (value->count > PATTERNS_MAX)
		return read_fail(r, value, "there are more than %d prompt reminders", PATTERNS_MAX);
	c->patterns = mem_array(value->count ? value->count : 1, sizeof(*c->patterns));
	for (size_t i = 0; i < value->count; i++) {
		int result = read_pattern(r, value->items[i], &c->patterns[c->pattern_count++]);

		if (result < 0)
			return result;
	}
	return 0;
}

void config_pattern_fini(struct config_pattern *pattern)
{
	free(pattern->match);
	free(pattern->say);
	free(pattern->agent);
	if (pattern->regex)
		regfree(pattern->regex);
	free(pattern->regex);
}

bool config_pattern_matches(const struct config_pattern *pattern, const char *text)
{
	return regexec(pattern->regex, text, 0, NULL, 0) == 0;
}
