/* words.c: see words.h. */
#include "cli/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/args.h"

/* clang-format off */
const struct word_group word_groups[] = {
	{"reminder",  "time",   "messages to an agent or to you, at their time, or once something is true"},
	{"cron",      "time",   "prompts of config.yml that run by a schedule"},
	{"task",      "time",   "prompts that run once, at a time"},
	{"next",      "time",   NULL},
	{"simulate",  "time",   NULL},
	{"why",       "time",   NULL},
	{"inbox",     "post",   NULL},
	{"message",   "post",   "what agents write to you"},
	{"queue",     "post",   "messages that wait for an agent"},
	{"board",     "post",   "what each agent says it is doing"},
	{"agent",     "agents", "live agents: sessions that go on until somebody ends them"},
	{"run",       "agents", NULL},
	{"mission",   "agents", "pieces of work, each done by an agent in a folder of its own"},
	{"boundary",  "agents", "what an agent is reminded of in its own session, after so many prompts"},
	{"lesson",    "agents", "what agents can be told to read"},
	{"workflow",  "agents", "work in steps, as agents read it"},
	{"setup",     "set up", NULL},
	{"mcp",       "set up", NULL},
	{"hook",      "set up", NULL},
	{"token",     "set up", "keys of clients that ask over HTTP"},
	{"config",    "set up", "config.yml: every key of it, and whether it is right"},
	{"apply",     "set up", NULL},
	{"status",    "health", NULL},
	{"doctor",    "health", NULL},
	{"daemon",    "health", "the process that fires: started, stopped, looked at"},
	{0},
};

/* What is typed, and what the row may be called. */
static const char *const aliases[][2] = {
	{"ls", "list"}, {"list", "ls"},
	{"rm", "remove"}, {"rm", "cancel"}, {"remove", "rm"}, {"remove", "cancel"},
};

/* Other words that people try, and what they mean here; only hinted at. */
static const char *const synonyms[][2] = {
	{"delete", "remove"}, {"delete", "rm"}, {"delete", "cancel"}, {"del", "remove"}, {"del", "rm"},
	{"remove", "clear"}, {"rm", "clear"}, {"kill", "stop"}, {"end", "stop"}, {"cancel", "remove"},
	{"cancel", "stop"}, {"cancel", "rm"}, {"create", "add"}, {"create", "new"}, {"make", "add"},
	{"new", "add"}, {"add", "new"}, {"add", "set"}, {"ps", "ls"}, {"all", "list"}, {"list", "show"},
	{"ls", "show"}, {"get", "show"}, {"view", "show"}, {"info", "show"}, {"cat", "show"},
	{"log", "logs"}, {"msg", "message"}, {"mail", "inbox"}, {"messages", "inbox"}, {"jobs", "status"},
	{"open", "show"}, {"answer", "reply"}, {"find", "search"}, {"grep", "search"}, {"update", "edit"},
	{"change", "edit"}, {"stat", "status"}, {"install", "setup"}, {"check", "doctor"}, {"server", "daemon"},
	{"schedule", "reminder"}, {"remind", "reminder"}, {"at", "reminder"}, {"crontab", "cron"},
	{"todo", "task"}, {"history", "why"}, {"explain", "why"}, {"attach", "agent"}, {"work", "mission"},
	{"run", "new"}, {"run", "start"}, {"start", "new"}, {"start", "run"},
	{"pause", "disable"}, {"resume", "enable"}, {"stop", "disable"}, {"unpause", "enable"}, {"unpause", "resume"},
};

/* What people try that has no word of its own, and what does it. */
static const char *const other_ways[][2] = {
	{"ask", "'belfry mission new' gives an agent work, 'belfry agent send' writes to a live one"},
	{"daemon restart", "'belfry daemon stop', then 'belfry daemon start'"},
	{"inbox del", "nothing is deleted here; 'belfry inbox archive' puts a thread away"},
	{"inbox delete", "nothing is deleted here; 'belfry inbox archive' puts a thread away"},
	{"inbox remove", "nothing is deleted here; 'belfry inbox archive' puts a thread away"},
	{"inbox rm", "nothing is deleted here; 'belfry inbox archive' puts a thread away"},
};

/* What runs an agent or tells somebody something; and what takes something away. */
static const char *const costly[] = {"apply", "new", "restart", "resume", "run", "send", "start", "stop"};
static const char *const final[] = {"cancel", "clear", "remove", "rm"};
/* clang-format on */

#define BELOW_MOST 2 /* commands of groups that a word alone may mean */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct word_group *words_group(const char *name)
{
	for (const struct word_group *g = word_groups; g->name; g++)
		if (strcmp(g->name, name) == 0)
			return g;
	return NULL;
}

static char *join(const char *group, const char *word)
{
	return mem_printf("%s%s%s", group, *group ? " " : "", word);
}

static bool is_visible(const struct request_row *row)
{
	return row && !(row->flags & REQUEST_HIDDEN);
}

char *words_step(const struct request_row *const *rows, const char *group, const char *typed)
{
	AUTO(free) char *words = join(group, typed);
	const struct request_row *row = args_find_row(rows, words);
	bool known = args_is_group(rows, words);

	/* A hidden row is a part of a command, which may well be the one that was meant. */
	if (known && (!row || is_visible(row)))
		return steal_ptr(&words);
	for (size_t i = 0; *group && i < COUNT(aliases); i++) {
		AUTO(free) char *other = join(group, aliases[i][1]);

		if (strcmp(aliases[i][0], typed) == 0 && is_visible(args_find_row(rows, other)))
			return steal_ptr(&other);
	}
	return known ? steal_ptr(&words) : NULL;
}

static const char *find(const char *word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], word) == 0)
			return list[i];
	return NULL;
}

/* The only one that begins with it. */
static const char *longer_than(const char *typed, const char *const *candidates, size_t count)
{
	const char *found = NULL;

	for (size_t i = 0; i < count && *typed; i++) {
		if (strncmp(candidates[i], typed, strlen(typed)) != 0)
			continue;
		if (found)
			return NULL;
		found = candidates[i];
	}
	return found;
}

const char *words_guess(const char *typed, const char *const *candidates, size_t count)
{
	const char *found;
	size_t slips;

	for (size_t i = 0; i < COUNT(synonyms); i++)
		if (strcmp(synonyms[i][0], typed) == 0 &&
		    (found = find(synonyms[i][1], candidates, count)))
			return found;
	found = longer_than(typed, candidates, count);
	if (found)
		return found;
	/*
	 * One slip, in a long word two: further away it is another word. So is a short one that begins
	 * with another letter. What costs something is named for one slip only, and what takes
	 * something away for none.
	 */
	found = text_nearest(typed, candidates, count);
	if (!found)
		return NULL;
	slips = text_distance(typed, found);
	if (slips > (strlen(typed) < 6 ? 1 : 2) || (strlen(typed) < 6 && *typed != *found))
		return NULL;
	if (find(found, final, COUNT(final)) || (slips > 1 && find(found, costly, COUNT(costly))))
		return NULL;
	return found;
}

char *words_other_way(const struct request_row *const *rows, const char *group, const char *typed)
{
	AUTO(free) char *words = join(group, typed);
	AUTO_BUF struct buf all = {0};
	size_t count = 0;

	for (size_t i = 0; i < COUNT(other_ways); i++)
		if (strcmp(other_ways[i][0], words) == 0)
			return mem_strdup(other_ways[i][1]);
	for (; !*group && *rows; rows++) {
		const char *second = strchr((*rows)->name, ' ');

		if (!is_visible(*rows) || !second || strcmp(second + 1, typed) != 0)
			continue;
		buf_printf(&all, "%s'%s'", count ? " or " : "did you mean ", (*rows)->name);
		count++;
	}
	return count && count <= BELOW_MOST ? mem_printf("%s?", buf_text(&all)) : NULL;
}

size_t words_after(const struct request_row *const *rows, const char *group,
		   char *ret[WORDS_AFTER_MAX])
{
	size_t skip = *group ? strlen(group) + 1 : 0, count = 0;

	for (; *rows && count < WORDS_AFTER_MAX; rows++) {
		const char *name = (*rows)->name;
		AUTO(free) char *word = NULL;
		size_t i = 0;

		if ((*rows)->flags & REQUEST_HIDDEN)
			continue;
		if (skip && (strncmp(name, group, skip - 1) != 0 || name[skip - 1] != ' '))
			continue;
		word = mem_strndup(name + skip, strcspn(name + skip, " "));
		while (i < count && strcmp(ret[i], word) != 0)
			i++;
		if (i == count)
			ret[count++] = steal_ptr(&word);
	}
	return count;
}

void words_free(char **words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(words[i]);
}
