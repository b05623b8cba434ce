/*
 * manual.c: the manual, written by the program itself.
 * A group of commands ("reminder add", "reminder list") has a page of its own, belfry-reminder(1);
 * commands of one word are described in belfry(1), which also lists everything and says what holds
 * everywhere: environment, files, exit status. Text is escaped for mdoc in one place, add_text();
 * macro arguments in another, add_word().
 */
#include "cli/manual.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/args.h"
#include "cli/help.h"
#include "config/reference.h"

#define GROUPS_MAX 32
#define LINE_WISH 56 /* a line ends at the next blank after so many bytes */

/* Escape what the formatter would obey; `start` is whether a control line could begin here. */
static void add_char(struct buf *out, char c, bool start)
{
	if (start && (c == '.' || c == '\''))
		buf_add_str(out, "\\&");
	if (c == '\\')
		buf_add_str(out, "\\e");
	else if (c == '-')
		buf_add_str(out, "\\-");
	else if (c == '\'')
		buf_add_str(out, "\\(aq");
	else if (c == '`')
		buf_add_str(out, "\\(ga");
	else if (c == '^')
		buf_add_str(out, "\\(ha");
	else if (c == '~')
		buf_add_str(out, "\\(ti");
	else
		buf_add_char(out, c);
}

/* Whether the blank at text[i] ends a sentence: mdoc wants the next on a line of its own. */
static bool ends_sentence(const char *text, size_t i)
{
	return i > 1 && strchr(".?!", text[i - 1]) &&
	       (islower((unsigned char)text[i - 2]) || text[i - 2] == ')');
}

/* Running text, in lines that a person could edit. */
static void add_text(struct buf *out, const char *text, size_t len)
{
	size_t line = out->len;
	bool start = true;

	for (size_t i = 0; i < len; i++) {
		bool blank = text[i] == ' ' || text[i] == '\n';

		if (!blank || start) {
			if (!blank)
				add_char(out, text[i], start);
			start = start && blank;
		} else if (text[i] == '\n' || ends_sentence(text, i) ||
			   out->len - line > LINE_WISH) {
			buf_add_char(out, '\n');
			line = out->len;
			start = true;
		} else {
			buf_add_char(out, ' ');
		}
	}
	buf_add_char(out, '\n');
}

/* One argument of a macro; words that mdoc would take for a macro or a delimiter are shielded. */
static void add_word(struct buf *out, const char *word)
{
	bool shield = strlen(word) <= 3;

	buf_add_str(out, shield ? " \\&" : " ");
	for (; *word; word++) {
		if (*word == ' ')
			buf_add_str(out, "\\ ");
		else if (*word == '"')
			buf_add_str(out, "\\(dq");
		else
			add_char(out, *word, false);
	}
}

/* Paragraphs; lines that begin with a blank are literal. */
static void add_paragraphs(struct buf *out, const char *text)
{
	bool literal = false, gap = false;

	while (*text) {
		size_t len = strcspn(text, "\n");
		bool blank = len && (*text == ' ' || *text == '\t');

		if (literal && !blank)
			buf_add_str(out, ".Ed\n");
		if (!literal && blank)
			buf_add_str(out, ".Bd -literal -offset indent\n");
		else if (!literal && !blank && gap && len)
			buf_add_str(out, ".Pp\n");
		else if (literal && !blank && len)
			buf_add_str(out, ".Pp\n");
		literal = blank;
		gap = len == 0;
		if (len) {
			size_t skip = blank ? strspn(text, " \t") : 0;

			for (size_t i = skip; blank && i < len; i++)
				add_char(out, text[i], i == skip);
			if (blank)
				buf_add_char(out, '\n');
			else
				add_text(out, text, len);
		}
		text += len + (text[len] == '\n');
	}
	if (literal)
		buf_add_str(out, ".Ed\n");
}

static void add_flag_tag(struct buf *out, const struct request_arg *a)
{
	AUTO(free) char *value = args_value_name(a);

	buf_add_str(out, ".It");
	if (a->operand) {
		buf_add_str(out, " Ar");
		add_word(out, value);
	} else {
		if (a->letter)
			buf_printf(out, " Fl %c ,", a->letter);
		buf_printf(out, " Fl \\-");
		for (const char *c = a->name; *c; c++)
			add_char(out, *c, false);
		if (a->type != ARG_FLAG) {
			buf_add_str(out, " Ar");
			add_word(out, value);
		}
	}
	buf_add_char(out, '\n');
}

static void add_arguments(struct buf *out, const struct request_row *row)
{
	bool any = false;

	for (const struct request_arg *a = row->args; a && a->name; a++) {
		AUTO_BUF struct buf help = {0};

		if (!args_is_shown(a))
			continue;
		if (!any)
			buf_add_str(out, ".Bl -tag -width Ds\n");
		any = true;
		add_flag_tag(out, a);
		help_arg(a, &help);
		buf_add_char(&help, '.');
		add_text(out, buf_text(&help), help.len);
	}
	if (any)
		buf_add_str(out, ".El\n");
}

/* A synopsis line: operands and required flags, as the usage line has them. */
static void add_synopsis(struct buf *out, const struct request_row *row)
{
	bool more = false;

	buf_add_str(out, ".Nm belfry Cm");
	add_word(out, row->name);
	buf_add_char(out, '\n');
	for (const struct request_arg *a = row->args; a && a->name; a++) {
		AUTO(free) char *value = args_value_name(a);

		more = more || (!a->operand && !a->required && args_is_shown(a));
		if (!a->operand && !a->required)
			continue;
		if (a->operand) {
			buf_add_str(out, a->required ? ".Ar" : ".Op Ar");
		} else {
			buf_add_str(out, ".Fl \\-");
			for (const char *c = a->name; *c; c++)
				add_char(out, *c, false);
			buf_add_str(out, " Ar");
		}
		add_word(out, value);
		buf_add_str(out, args_repeats(a) ? " ...\n" : "\n");
	}
	if (more)
		buf_add_str(out, ".Op Ar FLAGS\n");
}

static void add_sentence(struct buf *out, const char *summary)
{
	AUTO_BUF struct buf line = {0};

	buf_add_str(&line, summary);
	line.data[0] = (char)toupper((unsigned char)line.data[0]);
	buf_add_char(&line, '.');
	add_text(out, buf_text(&line), line.len);
}

static void add_examples(struct buf *out, const char *examples)
{
	buf_add_str(out, ".Pp\nExamples:\n.Bd -literal -offset indent\n");
	while (*examples) {
		size_t len = strcspn(examples, "\n");

		for (size_t i = 0; i < len; i++)
			add_char(out, examples[i], i == 0);
		if (len)
			buf_add_char(out, '\n');
		examples += len + (examples[len] == '\n');
	}
	buf_add_str(out, ".Ed\n");
}

static void add_command(struct buf *out, const struct request_row *row)
{
	AUTO_BUF struct buf usage = {0};

	buf_add_str(out, ".Ss");
	add_word(out, row->name);
	args_usage(row, &usage);
	buf_add_str(out, "\n.Dl");
	add_word(out, buf_text(&usage));
	buf_add_str(out, "\n.Pp\n");
	add_sentence(out, row->summary);
	if (row->details) {
		buf_add_str(out, ".Pp\n");
		add_paragraphs(out, row->details);
	}
	add_arguments(out, row);
	if (row->examples)
		add_examples(out, row->examples);
}

static bool is_shown(const struct request_row *row)
{
	return !(row->flags & REQUEST_HIDDEN);
}

/* A command that is also the name of others: "inbox" and "inbox list". */
static bool is_group(const struct request_row *const *rows, const char *name)
{
	size_t len = strlen(name);

	for (; *rows; rows++)
		if (is_shown(*rows) && strncmp((*rows)->name, name, len) == 0 &&
		    (*rows)->name[len] == ' ')
			return true;
	return false;
}

/* Whether the row is described on the page of `group`; single words belong to the program's. */
static bool on_page(const struct request_row *const *rows, const struct request_row *row,
		    const char *group)
{
	size_t len = strcspn(row->name, " ");

	if (!is_shown(row))
		return false;
	if (!*group)
		return row->name[len] == '\0' && !is_group(rows, row->name);
	return strlen(group) == len && strncmp(row->name, group, len) == 0;
}

static size_t list_groups(const struct request_row *const *rows, char *ret[GROUPS_MAX])
{
	size_t count = 0;

	for (; *rows; rows++) {
		size_t len = strcspn((*rows)->name, " ");
		bool known = false;

		if (!is_shown(*rows) || !(*rows)->name[len] || count == GROUPS_MAX)
			continue;
		for (size_t i = 0; i < count; i++)
			known = known ||
				(strlen(ret[i]) == len && strncmp(ret[i], (*rows)->name, len) == 0);
		if (!known)
			ret[count++] = mem_strndup((*rows)->name, len);
	}
	return count;
}

static void add_head(struct buf *out, const char *group, int section, const char *date,
		     const char *what)
{
	AUTO(free) char *title = mem_printf("BELFRY%s%s", *group ? "-" : "", group);

	for (char *p = title; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	buf_printf(out, ".Dd %s\n.Dt %s %d\n.Os\n.Sh NAME\n.Nm belfry%s%s\n.Nd %s\n", date, title,
		   section, *group ? "-" : "", group, what);
}

/* clang-format off */
static const char everywhere[] =
	".Sh OUTPUT\n"
	"Every command takes\n"
	".Fl \\-json ,\n"
	"which prints the result as JSON, and an error as\n"
	".Ql {\"error\":{\"code\",\"message\",\"hint\"}} .\n"
	"Without it, times are shown in the reminder's own zone.\n"
	"Colours are used on a terminal only.\n"
	".Sh ENVIRONMENT\n"
	".Bl -tag -width Ds\n"
	".It Ev BELFRY_HOME\n"
	"The folder that holds configuration, state and socket,\n"
	"instead of the XDG folders.\n"
	".It Ev BELFRY_NO_AUTOSTART\n"
	"When set to anything but 0, no daemon is started:\n"
	"requests are saved by the command itself,\n"
	"which warns that nothing will fire until a daemon runs.\n"
	"Inside the run of a mission it is as if it were set.\n"
	".It Ev BELFRY_STORE\n"
	"The store to use, instead of the one in\n"
	".Pa config.yml .\n"
	".It Ev NO_COLOR\n"
	"When set, no colours are used.\n"
	".It Ev TZ\n"
	"The zone local times are read in, where neither the reminder nor\n"
	".Pa config.yml\n"
	"names one.\n"
	".El\n"
	".Sh ROLES\n"
	"A role says what kind of agent somebody is, and what it is reminded of.\n"
	"It is a file in the folder\n"
	".Pa roles\n"
	"beside\n"
	".Pa config.yml .\n"
	"The agent of the same name has it, and so have agents with\n"
	".Ql role: NAME\n"
	"in\n"
	".Pa config.yml ;\n"
	"what those say themselves wins.\n"
	"All settings of an agent may stand in it.\n"
	".Bd -literal -offset indent\n"
	"# roles/monitor.yml\n"
	"description: CI/CD monitoring agent\n"
	"instructions: You monitor CI/CD pipelines and fix issues.\n"
	"adapter: claude\n"
	"heartbeat: {idle: 5m, message: Is anything left to do?}\n"
	"reminders:\n"
	"  - name: check-ci\n"
	"    message: Check the CI pipeline.\n"
	"    schedule: {every: 30m}\n"
	"  - name: morning-review\n"
	"    message: Review all open PRs.\n"
	"    schedule: {cron: 0 9 * * 1-5, timezone: Europe/Berlin}\n"
	"    priority: normal\n"
	"  - name: wait-for-deploy\n"
	"    message: Run the smoke tests.\n"
	"    schedule: {every: 5m}\n"
	"    condition: {prompt: Has the deploy completed?, mode: once}\n"
	".Ed\n"
	".Pp\n"
	"A schedule is one of every, at, cron, rrule and idle.\n"
	"A reminder may also have catchup, count, fallback and enabled.\n"
	"It is found by its name:\n"
	"a change in the file changes it at once, and its counters stay;\n"
	"taken out of the file, it is completed.\n"
	"It is changed in the file, not by command.\n"
	"One that has ended comes back when it is changed in the file.\n"
	".Sh FILES\n"
	".Bl -tag -width Ds\n"
	".It Pa $XDG_CONFIG_HOME/belfry/config.yml\n"
	"The configuration.\n"
	".It Pa $XDG_CONFIG_HOME/belfry/roles/NAME.yml\n"
	"A role.\n"
	".It Pa $XDG_STATE_HOME/belfry/belfry.db\n"
	"The store.\n"
	".It Pa $XDG_STATE_HOME/belfry/daemon.log\n"
	"The log of a daemon that was started in the background.\n"
	".El\n"
	".Sh EXIT STATUS\n"
	".Bl -tag -width Ds -compact\n"
	".It 0\n"
	"Done.\n"
	".It 2\n"
	"Something that was typed cannot be used.\n"
	".It 3\n"
	"There is no such reminder, agent or message.\n"
	".It 4\n"
	"It is not in a state that allows this.\n"
	".It 5\n"
	"Not allowed.\n"
	".It 6\n"
	"The store or the daemon does not answer.\n"
	".It 7\n"
	"The system refused.\n"
	".El\n";
/* clang-format on */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Not as .Xr: mandoc's lint calls a page of ours missing for as long as it is not installed. */
static void add_see_also(struct buf *out, const struct request_row *const *rows, const char *group)
{
	char *groups[GROUPS_MAX];
	size_t count = list_groups(rows, groups);

	qsort(groups, count, sizeof(groups[0]), compare_texts);
	buf_add_str(out, ".Sh SEE ALSO\n");
	if (*group)
		buf_add_str(out, ".Sy belfry Ns (1)\n");
	else
		buf_add_str(out, ".Sy belfry-config Ns (5) ,\n");
	for (size_t i = 0; i < count; i++) {
		if (!*group)
			buf_printf(out, ".Sy belfry-%s Ns (1)%s\n", groups[i],
				   i + 1 < count ? " ," : "");
		free(groups[i]);
	}
}

static void add_command_list(struct buf *out, const struct request_row *const *rows)
{
	buf_add_str(out, ".Pp\nThe commands:\n.Bl -tag -width Ds -compact\n");
	for (; *rows; rows++) {
		if (!is_shown(*rows))
			continue;
		buf_add_str(out, ".It Cm");
		add_word(out, (*rows)->name);
		buf_add_char(out, '\n');
		add_sentence(out, (*rows)->summary);
	}
	buf_add_str(out, ".El\n");
}

static void add_program(struct buf *out, const struct request_row *const *rows, const char *date)
{
	bool any = false;

	add_head(out, "", 1, date, HELP_TAGLINE);
	buf_add_str(out,
		    ".Sh SYNOPSIS\n.Nm\n.Ar COMMAND\n.Op Ar ARGUMENTS\n.Op Ar FLAGS\n"
		    ".Sh DESCRIPTION\n"
		    "Belfry fires reminders for AI agents exactly once and on time, across\n"
		    "crashes and clock changes, and can say why one did not fire.\n"
		    "A command sends its request to the daemon, and starts one when none runs.\n");
	add_command_list(out, rows);
	for (size_t i = 0; rows[i]; i++) {
		if (!on_page(rows, rows[i], ""))
			continue;
		if (!any)
			buf_add_str(out, ".Sh COMMANDS\n");
		any = true;
		add_command(out, rows[i]);
	}
	buf_add_str(out, everywhere);
	add_see_also(out, rows, "");
}

static void add_group(struct buf *out, const struct request_row *const *rows, const char *group,
		      const char *date)
{
	AUTO(free) char *what = mem_printf("the %s commands of belfry", group);

	add_head(out, group, 1, date, what);
	buf_add_str(out, ".Sh SYNOPSIS\n");
	for (size_t i = 0; rows[i]; i++)
		if (on_page(rows, rows[i], group))
			add_synopsis(out, rows[i]);
	buf_add_str(out, ".Sh DESCRIPTION\n");
	for (size_t i = 0; rows[i]; i++)
		if (on_page(rows, rows[i], group))
			add_command(out, rows[i]);
	add_see_also(out, rows, group);
}

/* belfry-config(5) */
static void add_reference(struct buf *out, const char *date)
{
	struct config_chapter chapter;
	struct config_key key;

	add_head(out, "config", 5, date, "config.yml, and the roles beside it");
	buf_add_str(out, ".Sh DESCRIPTION\n"
			 "What can be set, by where it stands.\n"
			 "A running daemon notices an edited file by itself, and keeps the old\n"
			 "settings while the new ones are wrong;\n"
			 ".Ic belfry config check\n"
			 "points at mistakes by line and column.\n");
	for (size_t i = 0; config_reference_chapter(i, &chapter); i++) {
		buf_add_str(out, ".Ss");
		add_word(out, *chapter.place ? chapter.place : "config.yml");
		buf_add_str(out, "\\&\n"); /* a colon at the end is no delimiter */
		add_text(out, chapter.about, strlen(chapter.about));
		buf_add_str(out, ".Bl -tag -width Ds\n");
		for (size_t k = 0; config_reference_key(i, k, &key); k++) {
			AUTO(free)
			char *what = mem_printf("%s (%s)", key.help ? key.help : "", key.takes);

			buf_add_str(out, ".It Sy");
			add_word(out, key.name);
			buf_add_char(out, '\n');
			add_sentence(out, what);
		}
		buf_add_str(out, ".El\n");
	}
	buf_add_str(out, ".Sh SEE ALSO\n.Sy belfry Ns (1) ,\n.Sy belfry-config Ns (1)\n");
}

/* What is not ASCII is spelled out: not every formatter is told that it reads UTF-8. */
static void spell_out(const struct buf *text, struct buf *out)
{
	for (size_t i = 0; i < text->len;) {
		uint32_t c = 0;
		size_t n =
			text->data[i] & 0x80 ? text_decode(text->data + i, text->len - i, &c) : 0;

		if (n)
			buf_printf(out, "\\[u%04X]", (unsigned)c);
		else
			buf_add_char(out, text->data[i]);
		i += n ? n : 1;
	}
}

void manual_page(const struct request_row *const *rows, const char *group, const char *date,
		 struct buf *out)
{
	AUTO_BUF struct buf page = {0};

	if (*group)
		add_group(&page, rows, group, date);
	else
		add_program(&page, rows, date);
	spell_out(&page, out);
}

void manual_reference(const char *date, struct buf *out)
{
	AUTO_BUF struct buf page = {0};

	add_reference(&page, date);
	spell_out(&page, out);
}

/* The day of the build: $SOURCE_DATE_EPOCH where the packager wants the same bytes every time. */
static void format_date(char *ret, size_t size)
{
	static const char *const months[] = {"January",	  "February", "March",	  "April",
					     "May",	  "June",     "July",	  "August",
					     "September", "October",  "November", "December"};
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t when = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10)
				      : (time_t)(clock_now() / USEC_PER_SEC);
	struct tm tm;

	gmtime_r(&when, &tm);
	snprintf(ret, size, "%s %d, %d", months[tm.tm_mon], tm.tm_mday, tm.tm_year + 1900);
}

static int write_page(const struct request_row *const *rows, const char *folder, const char *group,
		      int section, struct error *err)
{
	AUTO(free)
	char *path = mem_printf("%s/belfry%s%s.%d", folder, *group ? "-" : "", group, section);
	AUTO_BUF struct buf page = {0};
	char date[40];
	int r;

	format_date(date, sizeof(date));
	if (section == 5)
		manual_reference(date, &page);
	else
		manual_page(rows, group, date, &page);
	r = file_write(path, page.data, page.len, err);
	/* file_write() makes private files; a manual is for everybody. */
	if (r == 0 && chmod(path, 0644) < 0)
		return error_set_errno(err, errno, "cannot make '%s' readable", path);
	return r;
}

int manual_write(const struct request_row *const *rows, const char *folder, struct error *err)
{
	char *groups[GROUPS_MAX];
	size_t count = list_groups(rows, groups);
	int r = 0;

	if (mkdir(folder, 0755) < 0 && errno != EEXIST)
		r = error_set_errno(err, errno, "cannot create folder '%s'", folder);
	if (r == 0)
		r = write_page(rows, folder, "", 1, err);
	if (r == 0)
		r = write_page(rows, folder, "config", 5, err);
	for (size_t i = 0; i < count; i++) {
		if (r == 0)
			r = write_page(rows, folder, groups[i], 1, err);
		free(groups[i]);
	}
	return r;
}
