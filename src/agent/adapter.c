/*
 * adapter.c: the agents we know, and the argv of a run.
 * The table is what was measured with the real programs; what was only read in their documentation
 * says "not measured". Prompts go to standard input wherever the program reads it: no limit of
 * length, and nothing in the list of processes. Where a prompt is an argument it stands behind
 * "--", so that one that begins with a dash, or follows an option with many values, stays a prompt.
 */
#include "agent/adapter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"

#define WORDS_MAX 12
#define WORD_MAX ((size_t)128 * 1024) /* MAX_ARG_STRLEN of the kernel, with its NUL */

const char *const adapter_use_words[USE_COUNT + 1] = {"headless", "resume", "interactive",
						      "resume_interactive", NULL};
const char *const adapter_session_words[] = {"none", "chosen", "read", NULL};
const char *const adapter_output_words[] = {"text", "json", "lines", NULL};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct row {
	const char *name;
	const char *templates[USE_COUNT][WORDS_MAX]; /* an empty one: it cannot */
	enum adapter_session session;
	enum adapter_output output;
	const char *session_path, *answer_path, *error_path, *cost_path;
	bool cost_total;
	struct {
		const char *denials_path, *denial_line, *may, *may_beside;
	} allowed;
	struct {
		const char *busy, *blocked, *input, *hooks, *transcript;
		bool paste, is_modal, twice, forgets, whole, early;
		usec_t quiet;
		const char *interrupt, *decline, *placeholder, *frame, *fatal, *survives, *holds;
	} live;
	const char *instructions[WORDS_MAX]; /* empty: none */
};

/* clang-format off */
#define NBSP "\xc2\xa0"
#define LONG_QUIET (3 * USEC_PER_SEC)
#define SHORT_QUIET (2 * USEC_PER_SEC)
#define CLAUDE_MAY "--allowedTools", "Bash(belfry message send:*)"
#define ESC "\x1b"
#define CTRL_C "\003"
#define GEMINI_MAY "--policy={may}"
/* Above what allows single tools, below what takes tools away; each person's own rule may be higher. */
#define GEMINI_POLICY "[[rule]]\ntoolName = \"run_shell_command\"\n" \
	"commandPrefix = \"belfry message send\"\ndecision = \"allow\"\npriority = 310\n"
static const struct row table[] = {
	/*
	 * "subtype" says success even when the model refused, so is_error is what counts. The id in
	 * the output is read too: with --fork-session among the arguments it is a new one. The cost
	 * of a resumed conversation is that of all of it.
	 * It may write to the person, and is allowed nothing else by us: a second --allowedTools or
	 * a --settings among the arguments adds to the list, --disallowedTools and "deny" still
	 * win. The option takes many values, so another option has to follow it.
	 * On a terminal our hooks come by --settings, beside those of the settings files. Of two
	 * --settings the last counts: a person's own, among the arguments, takes ours away, and then
	 * its screen has to do.
	 * While it works its title turns, its footer says so, and a line above its input turns, too. Each
	 * of them is missing at times: the footer when text is typed or the screen is narrow, the
	 * title until it is set, the line while an answer comes. A question or a menu stands in the
	 * place of the input line, one blank from the left, where no answer ever stands. In its
	 * input line, and only there, a no-break space follows the mark. Where its transcript is,
	 * its hooks say. A question is deaf to Ctrl-C, and Enter says yes to it: Escape turns it
	 * down, and ends the turn; only whether a folder is trusted is answered by it with an exit.
	 * Instructions are told each time: what was appended to the system prompt is no part of
	 * the conversation. Of two the last counts, too: one among the arguments takes them away.
	 */
	{"claude",
	 {{"claude", "-p", "--output-format", "json", CLAUDE_MAY, "--session-id", "{session}", "{role}", "{args}"},
	  {"claude", "-p", "--output-format", "json", CLAUDE_MAY, "--resume", "{session}", "{role}", "{args}"},
	  {"claude", CLAUDE_MAY, "--settings={hooks}", "--session-id", "{session}", "{role}", "{args}", "--", "{prompt}"},
	  {"claude", CLAUDE_MAY, "--settings={hooks}", "--resume", "{session}", "{role}", "{args}", "--", "{prompt}"}},
	 SESSION_CHOSEN, OUTPUT_JSON, "session_id", "result", "is_error", "total_cost_usd", true,
	 {.denials_path = "permission_denials"},
	 {.busy = "^(◐|◑) |^  (⏸|⏵⏵) .*· esc to interrupt|^(·|✢|\\*|✶|✻|✽) .*…( \\(.*)?$",
	  .blocked = "^ ❯ |^ (Enter to confirm · )?Esc to cancel( |$)",
	  .input = "^❯" NBSP "(.*)$", .hooks = "claude", .paste = true, .quiet = LONG_QUIET,
	  .interrupt = CTRL_C, .decline = ESC, .fatal = "^ +(❯ )?([0-9]+\\. )?No, exit"},
	 {"--append-system-prompt", "{instructions}"}},
	/*
	 * Arguments stand before "resume": some options exist only there. A line of type "error"
	 * may be a lost connection that is made again; turn.failed is final.
	 * No option allows one command, and its sandbox keeps `belfry` from our socket. A rule of
	 * the person's own does it, in ~/.codex/rules: prefix_rule(pattern=["belfry", "message",
	 * "send"], decision="allow"). Its shell is a login shell, which may set another PATH.
	 * On a terminal every question is a list of numbered answers, the chosen one marked as the
	 * input line is: so a draft that begins with a number is taken for a question, and waited for.
	 * Its title turns while it works, also while a server of its tools starts, and says when it asks. Of a
	 * conversation it writes a file, which it holds open from the first prompt on. What may be turned down says so ("esc"); at
	 * whether a folder is trusted, and at a first start, Escape ends the program.
	 * Not measured: turn.failed.
	 */
	{"codex",
	 {{"codex", "exec", "--json", "--skip-git-repo-check", "{args}", "-"},
	  {"codex", "exec", "--json", "--skip-git-repo-check", "{args}", "resume", "{session}", "-"},
	  {"codex", "{args}", "--", "{prompt}"},
	  {"codex", "resume", "{args}", "{session}", "--", "{prompt}"}},
	 SESSION_READ, OUTPUT_LINES, "type=thread.started:thread_id",
	 "item.type=agent_message:item.text", "type=turn.failed:error.message", NULL, false, {NULL},
	 {.busy = "^(•|◦) .*\\(.*esc to interrupt\\)|^(⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏) ",
	  .blocked = "^› [0-9]+\\. |^ +[Pp]ress enter to |^\\[ . \\] Action Required",
	  .input = "^› ?([^0-9 ].*|[0-9]+[^0-9.].*|)$", .paste = true, .quiet = LONG_QUIET, .interrupt = ESC,
	  .is_modal = true, .holds = "*/sessions/*/rollout-*.jsonl", .survives = "\\(esc\\)|[Ee]sc to (cancel|go back)",
	  .fatal = "^(›| ) [0-9]+\\. No, quit"}, {NULL}},
	/*
	 * Without a terminal it is headless and reads standard input by itself, and has no shell
	 * unless a command is allowed: just `belfry message send` is, by a policy file. Not by
	 * --allowed-tools: with one of ours, --approval-mode yolo, tools.allowed of the settings and
	 * other policies allow nothing any more. A --policy takes the place of the person's folder
	 * of policies, so that is named, too. What is behind "--" it ignores. A failure is told as
	 * JSON on standard error.
	 * On a terminal it asks, in a box of numbered answers which takes the place of the input
	 * line; an answered one may stay above that. Its title says what it does. An Enter right
	 * after a paste is a new line of the text. What may be turned down has an answer for that, with
	 * "(esc)"; at whether a folder is trusted Escape ends the program. Escape ends a turn, too, as it
	 * does when it turns down a question; but what was said in that turn is out of the conversation
	 * then, unless a tool has run. So it is not pressed. A longer paste is shown as a word about it. Files
	 * outside of its folder it may not read.
	 */
	{"gemini",
	 {{"gemini", GEMINI_MAY, "-o", "json", "--session-id", "{session}", "{args}"},
	  {"gemini", GEMINI_MAY, "-o", "json", "-r", "{session}", "{args}"},
	  {"gemini", "--session-id", "{session}", "{args}", "--prompt-interactive={prompt}"},
	  {"gemini", "-r", "{session}", "{args}", "--prompt-interactive={prompt}"}},
	 SESSION_CHOSEN, OUTPUT_JSON, "session_id", "response", "error.message", NULL, false,
	 {.denial_line = "^Error executing tool ([^:]+): Tool execution denied by policy",
	  .may = GEMINI_POLICY, .may_beside = ".gemini/policies"},
	 {.busy = "\\(esc to cancel, [0-9]+[ms]|^✦ +Working", .blocked = "^ ?│ +● +[0-9]+\\. |^✋ +Action Required",
	  .input = "^ [>*] (.*)$", .placeholder = "^ *Type your message or @", .paste = true, .quiet = LONG_QUIET,
	  .forgets = true, .whole = true, .early = true, .is_modal = true, .survives = "\\(esc\\)",
	  .fatal = "Do you trust the files in this folder|folder trust level must be selected"}, {NULL}},
	/*
	 * As an argument the prompt would reach the model in quotes; standard input is taken as it
	 * is. Its cost is told for each step and not as a sum, so there is none here. Commands are
	 * allowed unless its own configuration says otherwise.
	 * On a terminal what one types in is a box, as what was said is, but with the model and a rule
	 * below it; a menu lies over that. Ctrl-C ends the program, and Escape a turn, when it is
	 * pressed again.
	 * A paste of three lines, or of 150 characters, is shown as a word about it. It asks before it reads a file
	 * outside of its folder.
	 * Not measured: that Ctrl-C, standard input, --session, the lines' fields.
	 */
	{"opencode",
	 {{"opencode", "run", "--format", "json", "{args}"},
	  {"opencode", "run", "--format", "json", "--session", "{session}", "{args}"},
	  {"opencode", "{args}", "--prompt={prompt}"},
	  {"opencode", "--session", "{session}", "{args}", "--prompt={prompt}"}},
	 SESSION_READ, OUTPUT_LINES, "sessionID", "type=text:part.text",
	 "type=error:error.data.message", NULL, false,
	 {.denial_line = "^\\{\"type\":\"tool_use\",.*\"tool\":\"([^\"]+)\",.*\"state\":\\{\"status\":\"error\","
			 ".*\"error\":\"The user (has specified a rule|rejected permission)"},
	 {.busy = "^ +(■|⬝)+ +esc (again to )?interrupt", .blocked = "^ +┃ +△ |^ +┃ .* enter (confirm|submit)( |$)",
	  .input = "^ +┃ *(.*)$", .frame = "^ +╹▀+$", .placeholder = "^Ask anything…", .paste = true,
	  .quiet = LONG_QUIET, .interrupt = ESC, .is_modal = true, .twice = true, .whole = true, .early = true,
	  .survives = "^ +┃ +△ |esc (dismiss|reject|cancel)"}, {NULL}},
	/* Any program: adapter_of_command() fills it in. */
	{"command", {{NULL}}, SESSION_NONE, OUTPUT_TEXT, NULL, NULL, NULL, NULL, false, {NULL},
	 {.quiet = SHORT_QUIET}, {NULL}},
};
/* clang-format on */

const char *const adapter_names[] = {"claude", "codex", "gemini", "opencode", "command", NULL};

const char *const adapter_key_words[] = {"none", "esc", "ctrl-c", NULL};

const char *adapter_key(int word)
{
	static const char *const keys[] = {NULL, ESC, CTRL_C};

	return keys[word];
}

static int word_of(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

const char *adapter_session_word(enum adapter_session s)
{
	return adapter_session_words[s];
}

int adapter_session_of(const char *word)
{
	return word_of(adapter_session_words, word);
}

const char *adapter_output_word(enum adapter_output o)
{
	return adapter_output_words[o];
}

int adapter_output_of(const char *word)
{
	return word_of(adapter_output_words, word);
}

/* In the table an empty template is none. */
static char **copy_list(const char *const *list)
{
	return list && *list ? mem_strdup_list(list) : NULL;
}

static void copy_live(struct adapter_live *to, const struct adapter_live *from)
{
	*to = *from;
	to->busy = mem_strdup(from->busy);
	to->blocked = mem_strdup(from->blocked);
	to->input = mem_strdup(from->input);
	to->hooks = mem_strdup(from->hooks);
	to->transcript = mem_strdup(from->transcript);
}

static void live_from_row(const struct row *row, struct adapter_live *to)
{
	to->busy = mem_strdup(row->live.busy);
	to->blocked = mem_strdup(row->live.blocked);
	to->input = mem_strdup(row->live.input);
	to->hooks = mem_strdup(row->live.hooks);
	to->transcript = mem_strdup(row->live.transcript);
	to->paste = row->live.paste;
	to->quiet = row->live.quiet;
	to->interrupt = row->live.interrupt;
	to->decline = row->live.decline;
	to->placeholder = row->live.placeholder;
	to->frame = row->live.frame;
	to->fatal = row->live.fatal;
	to->survives = row->live.survives;
	to->is_modal = row->live.is_modal;
	to->twice = row->live.twice;
	to->whole = row->live.whole;
	to->early = row->live.early;
	to->holds = row->live.holds;
	to->forgets = row->live.forgets;
}

static struct adapter *from_row(const struct row *row)
{
	struct adapter *a = mem_zalloc(sizeof(*a));

	a->name = mem_strdup(row->name);
	for (int use = 0; use < USE_COUNT; use++)
		a->templates[use] = copy_list(row->templates[use]);
	a->session = row->session;
	a->output = row->output;
	a->session_path = mem_strdup(row->session_path);
	a->answer_path = mem_strdup(row->answer_path);
	a->error_path = mem_strdup(row->error_path);
	a->cost_path = mem_strdup(row->cost_path);
	a->cost_total = row->cost_total;
	a->denials_path = mem_strdup(row->allowed.denials_path);
	a->denial_line = mem_strdup(row->allowed.denial_line);
	a->may = mem_strdup(row->allowed.may);
	a->may_beside = mem_strdup(row->allowed.may_beside);
	live_from_row(row, &a->live);
	a->instructions = copy_list(row->instructions);
	return a;
}

struct adapter *adapter_built_in(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(table); i++)
		if (strcmp(table[i].name, name) == 0)
			return from_row(&table[i]);
	return NULL;
}

struct adapter *adapter_copy(const struct adapter *a)
{
	struct adapter *copy = mem_zalloc(sizeof(*copy));

	*copy = *a;
	copy->name = mem_strdup(a->name);
	for (int use = 0; use < USE_COUNT; use++)
		copy->templates[use] = copy_list((const char *const *)a->templates[use]);
	copy->session_path = mem_strdup(a->session_path);
	copy->answer_path = mem_strdup(a->answer_path);
	copy->error_path = mem_strdup(a->error_path);
	copy->cost_path = mem_strdup(a->cost_path);
	copy->denials_path = mem_strdup(a->denials_path);
	copy->denial_line = mem_strdup(a->denial_line);
	copy->may = mem_strdup(a->may);
	copy->may_beside = mem_strdup(a->may_beside);
	copy_live(&copy->live, &a->live);
	copy->instructions = copy_list((const char *const *)a->instructions);
	return copy;
}

void adapter_free(struct adapter *a)
{
	if (!a)
		return;
	free(a->name);
	for (int use = 0; use < USE_COUNT; use++)
		mem_free_list(a->templates[use]);
	free(a->session_path);
	free(a->answer_path);
	free(a->error_path);
	free(a->cost_path);
	free(a->denials_path);
	free(a->denial_line);
	free(a->may);
	free(a->may_beside);
	free(a->live.busy);
	free(a->live.blocked);
	free(a->live.input);
	free(a->live.hooks);
	free(a->live.transcript);
	mem_free_list(a->instructions);
	free(a);
}

static bool list_has(char *const *list, const char *piece)
{
	for (; list && *list; list++)
		if (strstr(*list, piece))
			return true;
	return false;
}

struct adapter *adapter_of_command(char *const *command)
{
	const char *const *words = (const char *const *)command;
	struct adapter *a = adapter_built_in("command");

	a->templates[USE_HEADLESS] = copy_list(words);
	a->templates[USE_INTERACTIVE] = copy_list(words); /* on a terminal it is the same program */
	if (list_has(command, "{session}")) {
		/* One command for both: what it was told the first time, it knows the second. */
		a->templates[USE_RESUME] = copy_list(words);
		a->templates[USE_RESUME_INTERACTIVE] = copy_list(words);
		a->session = SESSION_CHOSEN;
	}
	return a;
}

/* Replace the marks of one word. What was put in is not looked at again. */
static char *fill_word(const char *word, const struct adapter_values *v)
{
	struct buf out = {0};

	while (*word) {
		if (strncmp(word, "{session}", 9) == 0) {
			buf_add_str(&out, v->session);
			word += 9;
		} else if (strncmp(word, "{prompt}", 8) == 0) {
			buf_add_str(&out, v->prompt ? v->prompt : "");
			word += 8;
		} else if (strncmp(word, "{hooks}", 7) == 0) {
			buf_add_str(&out, v->hooks ? v->hooks : "");
			word += 7;
		} else if (strncmp(word, "{may}", 5) == 0) {
			buf_add_str(&out, v->may ? v->may : "");
			word += 5;
		} else if (v->instructions && strncmp(word, "{instructions}", 14) == 0) {
			buf_add_str(&out, v->instructions);
			word += 14;
		} else {
			buf_add_char(&out, *word++);
		}
	}
	return buf_steal(&out);
}

static size_t list_count(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

/* Nothing to put there, and nothing that would make sense without it. */
static bool is_left_out(const char *word, const struct adapter_values *v)
{
	const char *equals = *word == '-' ? strchr(word, '=') : NULL;

	if (strcmp(word, "{prompt}") == 0 || (equals && strcmp(equals, "={prompt}") == 0))
		return !v->prompt || !*v->prompt;
	return (!v->hooks && strstr(word, "{hooks}")) || (!v->may && strstr(word, "{may}"));
}

static char **fill(const struct adapter *a, char *const *words, const struct adapter_values *v)
{
	size_t room = list_count(words) + list_count(v->args) + list_count(a->instructions);
	char **argv = mem_array(room + 1, sizeof(*argv));
	bool args_done = false, role_done = !v->instructions;
	size_t n = 0;

	for (; *words; words++) {
		if (strcmp(*words, "{role}") == 0) {
			for (char *const *w = a->instructions; w && *w && !role_done; w++)
				argv[n++] = fill_word(*w, v);
			role_done = true;
		} else if (strcmp(*words, "{args}") == 0) {
			for (char *const *arg = v->args; arg && *arg && !args_done; arg++)
				argv[n++] = mem_strdup(*arg);
			args_done =
				true; /* a second place would need more room, and makes no sense */
		} else if (!is_left_out(*words, v)) {
			argv[n++] = fill_word(*words, v);
		}
	}
	return argv;
}

/* The kernel refuses a longer argument with "Argument list too long", which names nothing. */
static int check_words(const struct adapter *a, char *const *argv, struct error *err)
{
	for (; *argv; argv++) {
		if (strlen(*argv) < WORD_MAX)
			continue;
		error_set(err, ERR_INVALID, "adapter '%s': an argument of %zu bytes is too long",
			  a->name, strlen(*argv));
		return error_hint(err, "the system takes %zu; without {prompt} it goes to stdin",
				  WORD_MAX - 1);
	}
	return 0;
}

int adapter_argv(const struct adapter *a, enum adapter_use use, const struct adapter_values *v,
		 char ***ret, bool *ret_prompt_in_argv, struct error *err)
{
	AUTO(mem_free_list) char **argv = NULL;
	char *const *words = a->templates[use];
	int r;

	if (!words || !words[0]) {
		error_set(err, ERR_INVALID, "adapter '%s' has no '%s'", a->name,
			  adapter_use_words[use]);
		return error_hint(err, "give it one under 'adapters:' in config.yml");
	}
	if (list_has(words, "{session}") && !(v->session && adapter_session_ok(v->session)))
		return error_set(err, ERR_INVALID, "adapter '%s': '%s' needs a session", a->name,
				 adapter_use_words[use]);
	argv = fill(a, words, v);
	if (!argv[0] || !argv[0][0])
		return error_set(err, ERR_INVALID, "adapter '%s': '%s' names no program", a->name,
				 adapter_use_words[use]);
	r = check_words(a, argv, err);
	if (r < 0)
		return r;
	*ret = steal_ptr(&argv);
	*ret_prompt_in_argv = list_has(words, "{prompt}");
	return 0;
}

/* Whether the template has a place for instructions, and the adapter words to put there. */
static bool has_role(const struct adapter *a, char *const *words)
{
	for (; a->instructions && words && *words; words++)
		if (strcmp(*words, "{role}") == 0)
			return true;
	return false;
}

bool adapter_takes_prompt(const struct adapter *a, enum adapter_use use)
{
	return list_has(a->templates[use], "{prompt}");
}

bool adapter_wants_may(const struct adapter *a, enum adapter_use use)
{
	return a->may && list_has(a->templates[use], "{may}");
}

bool adapter_takes_instructions(const struct adapter *a, enum adapter_use use)
{
	return has_role(a, a->templates[use]) || adapter_takes_prompt(a, use);
}

char *adapter_prompt(const struct adapter *a, enum adapter_use use, const struct adapter_values *v)
{
	const char *prompt = v->prompt ? v->prompt : "";
	bool is_new = use == USE_HEADLESS || use == USE_INTERACTIVE;

	if (!v->instructions || !is_new || has_role(a, a->templates[use]))
		return mem_strdup(prompt);
	return mem_printf("%s%s%s", v->instructions, *prompt ? "\n\n" : "", prompt);
}

void adapter_new_session(char ret[ADAPTER_SESSION_MAX])
{
	uint64_t high = (random_next() & ~UINT64_C(0xf000)) | 0x4000;
	uint64_t low = (random_next() & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63;

	snprintf(ret, ADAPTER_SESSION_MAX,
		 "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64, high >> 32,
		 high >> 16 & 0xffff, high & 0xffff, low >> 48, low & UINT64_C(0xffffffffffff));
}
