/*
 * Captured screens: what they look like by an adapter's patterns, and where a message is on them. The
 * screens of Claude Code are as tmux 3.3 captured them from 2.1.325, shortened; so are those of Codex
 * 0.166.0, Gemini CLI 0.61.0 and opencode 1.18.33.
 */
#include "rows.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/presence.h"
#include "base/mem.h"

#define E "\033["
#define NB "\xc2\xa0"
#define RULE E "38;5;244m────────────────────────────────────────\n"
#define END_RULE E "0m" E "38;5;244m" E "49m────────────────────────────────────────\n"
#define FOOTER E "39m  " E "38;5;246m⏸ manual mode on · ? for shortcuts" E "39m\n"
#define SAID E "48;5;237m❯ " E "38;5;231m"
#define ABOVE                                                                                      \
	SAID "[belfry m-aaaa1111] hello" E "39m\n\n" E "38;5;231m" E "49m●" E "39m heard: "        \
	     "hello\n\n"
#define ABOVE_LINES 4

static char sh_input[] = "^> (.*)$", box_input[] = "^│ > (.*)│$", sh_busy[] = "esc to interrupt",
	    sh_blocked[] = "Allow .*\\?";
static const struct adapter_live plain_rules = {
	.busy = sh_busy, .blocked = sh_blocked, .input = sh_input};
static const struct adapter_live box_rules = {.input = box_input};
static const struct adapter_live no_rules = {0};
static struct adapter *claude, *codex, *gemini, *opencode; /* their own rules: set in main() */

/* clang-format off */
#define CODEX_FOOTER "\n  " E "38;5;223mstub default" E "39m · " E "38;5;151m~/w\n" E "39m  " E "1m←" E "0m for agents\n"
#define CODEX_ASKS                                                                                 \
	"• Running touch ./ESC\n\n  " E "1mWould you like to run the following command?" E "0m\n\n" \
	"  $ touch ./ESC\n\n" E "1;7m› 1. Yes, proceed (y)\n" E "0m  2. No (" E "1mesc" E "0m)\n\n"  \
	"  " E "2mPress " E "0;1menter" E "0;2m to confirm or " E "0;1mesc" E "0;2m to cancel" E "0m\n\n"
#define GEMINI_LINE E "2m" E "38;5;244m──────────\n" E "0m " E "38;5;248mShift+Tab to accept edits\n" E "48;5;240m\n"
#define GEMINI_EMPTY " " E "38;5;183m> " E "7m" E "39m " E "0m" E "38;5;248m" E "48;5;240m Type your message or @path/to/file" E "39m\n\n"
#define GEMINI_FOOTER E "49m " E "38;5;248mworkspace (/directory)" E "39m    sandbox\n ~/w     no sandbox\n"
#define GEMINI_ASKS                                                                                \
	"╭───────╮\n│" E "39m " E "1m? Shell  " E "0mtouch ./GEA     │\n│ Allow execution of [Shell]?  │\n"  \
	"│" E "39m " E "38;5;194m" E "48;5;28m●" E "39m " E "38;5;194m1." E "39m Allow once  " E "49m│\n"      \
	"│   2. Allow for this session │\n╰───────╯\n\n"
#define GEMINI_TRUST " │ Do you trust the files in this folder? │\n │ ● 1. Trust folder (w) │\n │   3. Don't trust │\n ╰──╯\n\n"
#define OPENCODE_SAID "  ┃\n  ┃  [belfry m-abcd1234] TOOL:touch ./OCA\n  ┃\n\n     ▣  Build · m\n\n"
#define OPENCODE_BOX(text) "  ┃\n  ┃" text "\n  ┃\n  ┃  " E "38;5;75mBuild" E "38;5;8m · " E "38;5;255mm stub\n  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀\n"
#define OPENCODE_ASKS                                                                              \
	OPENCODE_SAID "  ┃\n  ┃  △ Permission required\n  ┃    # Shell command\n  ┃\n  ┃  $ touch ./OCA\n  ┃\n  ┃\n"  \
		      "  ┃   Allow once   Allow always   Reject      ⇆ select  enter confirm\n  ┃\n"

static const struct look_case {
	const char *name;
	const struct adapter_live *rules; /* NULL: of claude */
	const char *title, *screen;
	int x, y;
	enum presence_look look;
	const char *typed; /* NULL: there is no input line */
	struct adapter **client; /* whose rules, when they are not given and not of claude */
} look_cases[] = {
	{"L1 codex: idle", NULL, "w", E "1m›" E "0m " E "2mAsk Codex to do anything\n" E "0m" CODEX_FOOTER, 2, 0, LOOK_IDLE, "", &codex},
	{"L1 codex: typed", NULL, "w", E "1m›" E "0m [belfry m-abcd1234] hello\n" CODEX_FOOTER, 29, 0, LOOK_TYPED,
	 "[belfry m-abcd1234] hello", &codex},
	{"L1 codex: at work", NULL, "⠹ w", "• Working (3s • esc to interrupt)\n\n› \n" CODEX_FOOTER, 2, 2, LOOK_BUSY, "", &codex},
	{"L1 codex: it asks, and the cursor is nowhere", NULL, "[ . ] Action Required | w", CODEX_ASKS, 120, 11, LOOK_BLOCKED, NULL, &codex},
	{"L1 codex: it asks, and its title does not say so", NULL, "w", CODEX_ASKS, 120, 11, LOOK_BLOCKED, NULL, &codex},
	{"L1 codex: a question that nobody knows has no input line", NULL, "w", "  Hooks need review\n› 1. Review hooks\n  2. Later\n\n", 120, 4, LOOK_BLOCKED, NULL, &codex},
	{"L1 codex: what was said begins with a number", NULL, "w", "› 1. first\n\n› \n" CODEX_FOOTER, 2, 2, LOOK_IDLE, "", &codex},
	{"L1 gemini: idle", NULL, "◇  Ready (w)", GEMINI_LINE GEMINI_EMPTY GEMINI_FOOTER, 3, 3, LOOK_IDLE, "", &gemini},
	{"L2 gemini: Enter came too early, and is a part of it", NULL, "◇  Ready (w)",
	 GEMINI_LINE " > " E "38;5;231m[belfry m-abcd1234] hi" E "39m\n   " E "7m " E "0m\n\n" GEMINI_FOOTER, 3, 4, LOOK_TYPED, "[belfry m-abcd1234] hi", &gemini},
	{"L1 gemini: at work", NULL, "✦  Working… (w)", " > [belfry m-abcd1234] hi\n\n ⠋ Thinking... (esc to cancel, 3s)\n" GEMINI_LINE GEMINI_EMPTY GEMINI_FOOTER,
	 3, 6, LOOK_BUSY, "", &gemini},
	{"L1 gemini: it asks", NULL, "✋  Action Required (w)", " > [belfry m-abcd1234] hi\n\n" GEMINI_ASKS, 0, 8, LOOK_BLOCKED, NULL, &gemini},
	{"L1 gemini: is the folder trusted", NULL, "◇  Ready (w)", GEMINI_TRUST, 0, 4, LOOK_BLOCKED, NULL, &gemini},
	{"L1 gemini: an answered question is above the input line", NULL, "◇  Ready (w)", GEMINI_TRUST GEMINI_LINE GEMINI_EMPTY GEMINI_FOOTER, 3, 8, LOOK_IDLE, "", &gemini},
	{"L1 gemini: what is typed would be a command of the shell", NULL, "◇  Ready (w)", GEMINI_LINE " ! \n\n" GEMINI_FOOTER, 3, 3, LOOK_UNKNOWN, NULL, &gemini},
	{"L1 opencode: idle", NULL, "OpenCode", OPENCODE_BOX("  " E "38;5;8mAsk anything… \"Fix broken tests\"" E "38;5;15m"), 5, 1, LOOK_IDLE, "", &opencode},
	{"L1 opencode: idle after a turn", NULL, "OC", OPENCODE_SAID OPENCODE_BOX(""), 5, 7, LOOK_IDLE, "", &opencode},
	{"L1 opencode: typed", NULL, "OC", OPENCODE_SAID OPENCODE_BOX("  [belfry m-bbbb2222] one\n  ┃  two"), 8, 8, LOOK_TYPED, "[belfry m-bbbb2222] one\ntwo", &opencode},
	{"L1 opencode: at work", NULL, "OC", OPENCODE_SAID OPENCODE_BOX("") "   ■■■■⬝⬝⬝⬝  esc interrupt    ctrl+p commands\n", 5, 7, LOOK_BUSY, "", &opencode},
	{"L1 opencode: it asks", NULL, "OC", OPENCODE_ASKS, 70, 14, LOOK_BLOCKED, NULL, &opencode},
	{"L1 opencode: a menu lies over it", NULL, "OC", OPENCODE_SAID "       Commands      esc\n\n       Search\n\n" OPENCODE_BOX(""), 7, 8, LOOK_UNKNOWN, NULL, &opencode},
	{"L1 opencode: what was said is no input line", NULL, "OC", OPENCODE_SAID OPENCODE_BOX(""), 5, 1, LOOK_UNKNOWN, NULL, &opencode},
	{"L14 opencode: a black screen", NULL, "vm", "\n\n\n", 120, 2, LOOK_UNKNOWN, NULL, &opencode},
	{"claude: just started", NULL, "Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA",
	 E "39m          " E "38;5;246m◐ medium · /effort\n" RULE E "39m❯" NB E "7m\n" END_RULE FOOTER, 2, 2, LOOK_IDLE, ""},
	{"claude: idle", NULL, "✳ Claude Code",
	 ABOVE RULE E "39m❯" NB E "7m " E "0m" E "39m" E "49m\n" RULE FOOTER, 2, ABOVE_LINES + 1, LOOK_IDLE, ""},
	{"claude: typed", NULL, "✳ Claude Code",
	 ABOVE RULE E "39m❯" NB "wait 6" E "7m\n" END_RULE FOOTER, 8, ABOVE_LINES + 1, LOOK_TYPED, "wait 6"},
	{"claude: busy by its footer", NULL, "",
	 ABOVE RULE E "38;5;246m❯" NB E "7m" E "39m " E "0m\n" RULE E "39m  " E "38;5;246m⏸ manual mode on · esc to interrupt" E "39m\n",
	 2, ABOVE_LINES + 1, LOOK_BUSY, ""},
	{"claude: busy by its footer, in auto mode", NULL, "",
	 RULE E "38;5;246m❯" NB E "7m" E "39m " E "0m\n" RULE E "39m  " E "38;5;220m⏵⏵ auto mode on" E "38;5;246m (shift+tab to cycle) · esc to interrupt · ← for agents\n",
	 2, 1, LOOK_BUSY, ""},
	{"claude: busy by its title, and somebody types", NULL, "◑ Claude Code",
	 RULE E "38;5;246m❯" NB E "39m[belfry m-bbbb2222] typed" E "7m " E "0m\n" RULE E "39m  " E "38;5;246m⏸ manual mode on" E "39m\n",
	 27, 1, LOOK_BUSY, "[belfry m-bbbb2222] typed"},
	{"claude: busy by the line above, and somebody types", NULL, "✳ Claude Code",
	 E "38;5;174m" E "49m✽" E "39m " E "38;5;174mJulienn" E "38;5;216ming" E "38;5;174m… " E "39m\n\n" RULE E "38;5;246m❯" NB E "39ma person types" E "7m\n" END_RULE E "39m  " E "38;5;246m⏸ manual mode on" E "39m\n",
	 16, 3, LOOK_BUSY, "a person types"},
	{"claude: busy with a hook", NULL, "✳ Claude Code",
	 E "38;5;174m✢" E "39m " E "38;5;174mMustering… " E "38;5;246m(running UserPromptSubmit hook · 0s)\n" RULE E "39m❯" NB "\n", 2, 2, LOOK_BUSY, ""},
	{"claude: it has done it", NULL, "✳ Claude Code",
	 E "38;5;246m✻" E "39m " E "38;5;246mCooked for 2s · done 6:07 AM\n" RULE E "39m❯" NB "\n", 2, 2, LOOK_IDLE, ""},
	{"claude: a suggestion is not typed", NULL, "✳ Claude Code",
	 RULE E "38;5;246m❯" NB E "7m" E "39mP" E "0;2m" E "39m" E "49mress up to edit queued messages" E "0m" E "39m\n" RULE FOOTER,
	 2, 1, LOOK_IDLE, ""},
	{"claude: what an answer says is no sign", NULL, "✳ Claude Code",
	 E "38;5;231m●" E "39m heard: esc to interrupt\n  ❯ 1. Yes\n  Esc to cancel\n  ◐ half\n" SAID "Esc to cancel\n\n" RULE E "39m❯" NB E "7m\n" END_RULE FOOTER,
	 2, 7, LOOK_IDLE, ""},
	{"H15 claude: a permission prompt", NULL, "✳ Claude Code",
	 ABOVE E "38;5;153m────────\n" E "39m " E "1m" E "38;5;153mBash command\n" E "0m touch file-a\n Do you want to proceed?\n"
	 " " E "38;5;153m❯" E "39m " E "38;5;246m1. " E "38;5;153mYes" E "39m\n   " E "38;5;246m2. " E "39mNo\n\n " E "38;5;246mEsc to cancel · Tab to amend" E "39m\n",
	 1, ABOVE_LINES + 4, LOOK_BLOCKED, NULL},
	{"H15 claude: a folder that is not trusted", NULL, "Gi=31",
	 E "39m " E "1mAccessing workspace:\n\n" E "39m " E "38;5;153m❯" E "39m " E "38;5;153mNo," E "39m " E "38;5;153mexit\n"
	 E "39m   Yes, I trust this folder\n\n " E "38;5;246mEnter" E "39m " E "38;5;246mto confirm · Esc to cancel\n",
	 1, 2, LOOK_BLOCKED, NULL},
	{"claude: wrapped by words", NULL, "✳ Claude Code",
	 RULE E "39m❯" NB "[belfry m-abcd1234] word word word word\n  word word " E "7m\n" END_RULE FOOTER, 12, 2, LOOK_TYPED,
	 "[belfry m-abcd1234] word word word word word word"},
	{"claude: three lines", NULL, "✳ Claude Code",
	 RULE E "39m❯" NB "[belfry m-abcd1234] one\n  two\n  three" E "7m " E "0m\n" RULE FOOTER, 7, 3, LOOK_TYPED,
	 "[belfry m-abcd1234] one\ntwo\nthree"},
	{"claude: three lines, the cursor in the second", NULL, "✳ Claude Code",
	 RULE E "39m❯" NB "one\n  two\n  three\n" RULE FOOTER, 4, 2, LOOK_TYPED, "one\ntwo\nthree"},
	{"claude: an empty line is its last", NULL, "✳ Claude Code",
	 RULE E "39m❯" NB "one\n  " E "7m " E "0m\n" RULE FOOTER, 2, 2, LOOK_TYPED, "one"},
	{"claude: a narrow screen cuts the footer", NULL, "◐ Claude Code",
	 RULE E "38;5;246m❯" NB E "7m" E "39m\n" END_RULE E "39m  ⏵⏵ auto mode on\n", 2, 1, LOOK_BUSY, ""},

	{"a prompt", &plain_rules, "", "welcome\n> \n", 2, 1, LOOK_IDLE, ""},
	{"a prompt with its blank", &plain_rules, "", "welcome\n> " E "7m \n", 2, 1, LOOK_IDLE, ""},
	{"typed at a prompt", &plain_rules, "", "welcome\n> make it so\n", 13, 1, LOOK_TYPED, "make it so"},
	{"an earlier prompt is not typed in", &plain_rules, "", "> old\nanswer\n", 0, 2, LOOK_UNKNOWN, NULL},
	{"an earlier prompt, and the cursor on an empty line", &plain_rules, "", "> old\n\n\n", 0, 2, LOOK_UNKNOWN, NULL},
	{"a hint below is not typed", &plain_rules, "", "> new\n  ? for help\n", 5, 0, LOOK_TYPED, "new"},
	{"busy on its screen", &plain_rules, "", "working (esc to interrupt)\n> x\n", 3, 1, LOOK_BUSY, "x"},
	{"H15: a question wins over work", &plain_rules, "", "Allow rm? [y/n]\nesc to interrupt\n> \n", 2, 2, LOOK_BLOCKED, ""},
	{"in a box", &box_rules, "", "╭───────╮\n│ > hi  │\n╰───────╯\n", 6, 1, LOOK_TYPED, "hi"},
	{"an empty box", &box_rules, "", "╭───────╮\n│ >     │\n╰───────╯\n", 4, 1, LOOK_IDLE, ""},
	{"a dim placeholder in a box", &box_rules, "", "│ > " E "2mTry something" E "22m   │\n", 4, 0, LOOK_IDLE, ""},
	{"invisible", &plain_rules, "", "> " E "8msecret" E "28m\n", 2, 0, LOOK_IDLE, ""},
	{"dim by a longer list", &plain_rules, "", "> " E "38;2;7;8;2;1;2mhint" E "0m\n", 2, 0, LOOK_IDLE, ""},
	{"a colour is not dim", &plain_rules, "", "> " E "38;5;2;48;2;2;2;2myes" E "0m\n", 2, 0, LOOK_TYPED, "yes"},
	{"an underline is not dim", &plain_rules, "", "> " E "4:2myes" E "0m\n", 2, 0, LOOK_TYPED, "yes"},
	{"a style goes on in the next line", &plain_rules, "", E "2mold\n> hint\n", 2, 1, LOOK_IDLE, ""},
	{"no patterns", &no_rules, "busy", "> x\n", 3, 0, LOOK_UNKNOWN, NULL},
	{"nothing at all", &plain_rules, NULL, "", 0, 0, LOOK_UNKNOWN, NULL},
	{"a cursor that is nowhere", &plain_rules, "", "> x\n", 500, 500, LOOK_UNKNOWN, NULL},
	{"a cursor before everything", &plain_rules, "", "> x\n", -1, -1, LOOK_TYPED, "x"},
	{"half an escape", &plain_rules, "", "> x\033", 3, 0, LOOK_TYPED, "x"},
	{"a string without an end", &plain_rules, "", "> x\033]0;title\n", 3, 0, LOOK_TYPED, "x"},
	{"bytes that are no characters", &plain_rules, "", "> \xff\xe2\x82\n", 3, 0, LOOK_TYPED, "???"},
};
/* clang-format on */

static const struct adapter_live *rules_of(const struct adapter_live *rules)
{
	return rules ? rules : &claude->live;
}

static void test_look(void **state)
{
	const struct look_case *c = *state;
	struct look got;

	look_read(c->client ? &(*c->client)->live : rules_of(c->rules), c->title, c->screen, c->x,
		  c->y, &got);
	assert_int_equal(got.look, c->look);
	assert_string_equal(got.typed ? got.typed : "(none)", c->typed ? c->typed : "(none)");
	look_fini(&got);
}

/* clang-format off */
static const struct find_case {
	const char *name;
	const struct adapter_live *rules;
	const char *screen;
	int y;
	enum look_where where;
	struct adapter **client; /* whose rules, when they are not given and not of claude */
	int x;
} find_cases[] = {
	{"L2 gemini: it is still in the input line", NULL, GEMINI_LINE " > [belfry m-abcd1234] hi\n   \n\n" GEMINI_FOOTER, 4, WHERE_TYPED, &gemini, 3},
	{"L2 gemini: it was sent", NULL, " > [belfry m-abcd1234] hi\n\n" GEMINI_LINE GEMINI_EMPTY GEMINI_FOOTER, 5, WHERE_SENT, &gemini},
	{"L2 opencode: it is in the box", NULL, OPENCODE_BOX("  [belfry m-abcd1234] hi"), 1, WHERE_TYPED, &opencode},
	{"L2 opencode: it was sent", NULL, OPENCODE_SAID OPENCODE_BOX(""), 7, WHERE_SENT, &opencode},
	{"H16: nowhere", NULL, "hello\n" RULE "❯" NB "\n" RULE, 2, WHERE_NOT},
	{"H16: above the input line", NULL, SAID "[belfry m-abcd1234] hi\n" RULE "❯" NB "\n" RULE, 2, WHERE_SENT},
	{"H16: in the input line", NULL, "hello\n" RULE "❯" NB "[belfry m-abcd1234] hi\n" RULE, 2, WHERE_TYPED},
	{"H16: with its sender", NULL, SAID "[belfry m-abcd1234 from bob] hi\n" RULE "❯" NB "\n" RULE, 2, WHERE_SENT},
	{"H16: in the first of many lines", NULL, RULE "❯" NB "[belfry m-abcd1234] hi\n  there\n  again\n" RULE, 3, WHERE_TYPED},
	{"H16: another one, which begins the same", NULL, SAID "[belfry m-abcd12345] hi\n" RULE "❯" NB "\n", 2, WHERE_NOT},
	{"H16: somebody speaks of it", NULL, SAID "what is m-abcd1234?\n" RULE "❯" NB "\n", 2, WHERE_NOT},
	{"H16: cut by the end of a line", NULL, SAID "[belfry m-abc\n  d1234] hi\n" RULE "❯" NB "\n", 3, WHERE_SENT},
	{"H16: cut between its words", NULL, SAID "[belfry\n  m-abcd1234] hi\n" RULE "❯" NB "\n", 3, WHERE_SENT},
	{"H16: cut in the input line", NULL, RULE "❯" NB "[belfry m-ab\n  cd1234] hi\n" RULE, 2, WHERE_TYPED},
	{"F9 behind a person's words", NULL, RULE "❯" NB "half a thought[belfry m-abcd1234] hi\n" RULE, 1, WHERE_MIXED},
	{"F9 behind a person's words, wrapped", NULL, RULE "❯" NB "half a thought\n  [belfry m-abcd1234] hi\n" RULE, 2, WHERE_MIXED},
	{"F9 behind an older message", NULL, RULE "❯" NB "[belfry m-abcd9999] ho[belfry m-abcd1234] hi\n" RULE, 1, WHERE_MIXED},
	{"H16: cut without an indent", &plain_rules, "> [belfry m-abcd1\n234] hi\nworking\n", 2, WHERE_SENT},
	{"H16: cut by the side of a box", &box_rules, "│ > [belfry m-ab│\n│ cd1234] hi    │\n", 5, WHERE_SENT},
	{"H16: two lines that have nothing to do with it", NULL, "[belfry m-abc\n\n  d1234\n", 2, WHERE_NOT},
	{"H16: an escape in the middle", NULL, SAID "[belfry " E "1mm-abcd" E "0m1234] hi\n" RULE "❯" NB "\n", 2, WHERE_SENT},
	{"H16: a paste that is shown as a mark", NULL, RULE "❯" NB "[Pasted text #1 +31 lines]\n" RULE, 1, WHERE_NOT},
	{"H16: without any pattern", &no_rules, "> [belfry m-abcd1234] hi\n", 0, WHERE_SENT},
};
/* clang-format on */

static void test_find(void **state)
{
	const struct find_case *c = *state;

	assert_int_equal(look_find(c->client ? &(*c->client)->live : rules_of(c->rules), c->screen,
				   c->x, c->y, "m-abcd1234"),
			 c->where);
}

static void test_plain(void **state)
{
	AUTO(free)
	char *got = look_plain(
		E "1;38;5;3mbold" E
		  "0m  \nlink \033]8;;http://x\033\\text\033]8;;\a\033(B\n\n\ttab\xc2\x94\r\n");

	(void)state;
	assert_string_equal(got, "bold\nlink text\n\n tab??\n");
}

static void test_check(void **state)
{
	AUTO(free) char *is_long = mem_zalloc(LOOK_PATTERN_MAX + 2);
	struct error err = {0};

	(void)state;
	memset(is_long, 'x', LOOK_PATTERN_MAX + 1);
	assert_int_equal(look_check("^> (.*)$", &err), 0);
	assert_int_equal(look_check("a\\\\1", &err), 0);
	assert_int_equal(look_check("(a", &err), ERR_INVALID);
	assert_non_null(strstr(err.message, "'(a' is no extended regular expression"));
	assert_int_equal(look_check("(a)\\1", &err), ERR_INVALID);
	assert_non_null(strstr(err.message, "back reference"));
	assert_int_equal(look_check(is_long, &err), ERR_INVALID);
}

/* More patterns than are kept: each still means itself. */
static void test_many_patterns(void **state)
{
	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 50; i++) {
			char pattern[20], screen[20];
			struct adapter_live rules = {.busy = pattern};
			struct look got;

			snprintf(pattern, sizeof(pattern), "^w%d$", i);
			snprintf(screen, sizeof(screen), "w%d\n", i);
			look_read(&rules, "", screen, 0, 0, &got);
			assert_int_equal(got.look, LOOK_BUSY);
			look_fini(&got);
		}
	}
}

/* A screen that was made to take long, with the patterns of a real adapter. It has to end at all. */
static void test_hostile(void **state)
{
	static const char *const pieces[] = {
		"❯" NB, " ❯ ", "  ⏸ · esc to interrup", "[belfry m-abcd123", E "2m", "x ",
		"  \n", "\n",
	};
	struct look got;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		AUTO_BUF struct buf screen = {0};

		while (screen.len < 2u << 20)
			buf_add_str(&screen, pieces[i]);
		look_read(&claude->live, buf_text(&screen), buf_text(&screen), 5, 199, &got);
		look_fini(&got);
		assert_int_equal(look_find(&claude->live, buf_text(&screen), 0, 3, "m-abcd1234"),
				 WHERE_NOT);
	}
}

/* No key is pressed at a question that it might not survive, and that is any which is not known to. */
static void test_fatal(void **state)
{
	static const struct {
		struct adapter **client;
		const char *screen;
		bool is_fatal;
	} cases[] = {
		{&codex, CODEX_ASKS, false},
		{&codex, "  Do you trust this?\n\n› 1. Yes, continue\n  2. No, quit\n\n", true},
		{&codex, "  Hooks need review\n› 1. Review hooks\n  2. Later\n\n", true},
		{&gemini, "│ ● 1. Allow once │\n│   3. No, suggest changes (esc) │\n╰──╯\n", false},
		{&gemini, GEMINI_TRUST, true},
		{&gemini, " │ ● 1. What is this │\n ╰──╯\n\n", true},
		{&opencode, "  ┃  △ Permission required\n", false},
		{&opencode, "  ┃  Who are you?  enter submit\n", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct look got;

		look_read(&(*cases[i].client)->live, "w", cases[i].screen, 120, 4, &got);
		assert_int_equal(got.look, LOOK_BLOCKED);
		assert_int_equal(got.is_fatal, cases[i].is_fatal);
		look_fini(&got);
	}
}

/* A title may turn for something else: whoever has an input line shows on the screen that it works. */
static void test_by_title(void **state)
{
	static const struct {
		const char *screen;
		bool by_title;
	} cases[] = {
		{"  Worked for 1s • 07:17\n\n›\n\n  stub default\n", true},
		{"◦ Working (3s • esc to interrupt)\n\n›\n\n  stub default\n", false},
		{"\n\nno input line\n", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct look got;

		look_read(&codex->live, "⠏ a task | cx", cases[i].screen, 2, 2, &got);
		assert_int_equal(got.look, LOOK_BUSY);
		assert_int_equal(got.by_title, cases[i].by_title);
		look_fini(&got);
	}
}

int main(void)
{
	int failed;

	setlocale(LC_CTYPE, "C.UTF-8");
	claude = adapter_built_in("claude");
	codex = adapter_built_in("codex");
	gemini = adapter_built_in("gemini");
	opencode = adapter_built_in("opencode");
	add_table(test_look, look_cases);
	add_table(test_find, find_cases);
	add_row("the text without attributes", test_plain, NULL);
	add_row("what can be a pattern", test_check, NULL);
	add_row("many patterns", test_many_patterns, NULL);
	add_row("a hostile screen", test_hostile, NULL);
	add_row("L2 F2 a question that is not known to survive a key gets none", test_fatal, NULL);
	add_row("F11 only its title says that it works", test_by_title, NULL);
	failed = run_rows("look");
	adapter_free(claude);
	adapter_free(codex);
	adapter_free(gemini);
	adapter_free(opencode);
	return failed;
}
