/*
 * test-roles.c: files of roles, each in a folder of its own; what an agent has from its role; and how
 * instructions reach the program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "config/config.h"

static char home[] = "/tmp/roles-unit-XXXXXX";

static void put(const char *name, const char *text)
{
	AUTO(free) char *path = mem_printf("%s/%s", home, name);
	struct error err = {0};

	if (!text)
		unlink(path);
	else if (file_write(path, text, strlen(text), &err) < 0)
		fail_msg("%s", err.message);
}

static struct config *load(const char *config, const char *role)
{
	AUTO(free) char *path = mem_printf("%s/config.yml", home);
	struct config *c = NULL;
	struct error err = {0};

	put("config.yml", config);
	put("roles/monitor.yml", role);
	if (config_load(path, &c, &err) < 0)
		fail_msg("%s (%s)", err.message, err.hint);
	return c;
}

/* clang-format off */
#define ONE(more) "reminders: [{name: a, message: b, " more "}]"
static const struct bad_row {
	const char *name, *text, *want; /* behind the path; of the file, else of its first reminder */
} bad_rows[] = {
	{"H24 unknown key", "remindrs: []", "1:1: unknown key 'remindrs'; did you mean 'reminders'?"},
	{"H24 another name", "name: other", "1:7: the role of this file is 'monitor', not 'other'"},
	{"H24 no mapping", "- a", "1:1: a role is a mapping"},
	{"H24 a reminder without a name", "reminders: [{message: x}]", "1:13: a reminder without a name"},
	{"H24 two of one name", "reminders:\n- {name: a, message: b, schedule: {every: 1h}}\n- {name: a}\n",
	 "3:10: a second reminder 'a', the first is in line 2"},
	{"H24 a name of ours", "reminders: [{name: heartbeat-x}]", "1:20: names that begin with 'heartbeat-'"},
	{"H24 a run without an adapter", "heartbeat: {every: 5m}", "1:12: role 'monitor' has a heartbeat but"},
	{"H24 two heartbeats", "heartbeat: {every: 5m, idle: 5m}", "1:30: a heartbeat cannot have 'idle' and"},
	{"H24 a message and no idleness", "heartbeat: {message: x}", "1:22: a heartbeat cannot have 'message' w"},
	{"H24 unknown adapter", "adapter: claud", "1:10: unknown adapter 'claud'; did you mean 'claude'?"},
	{"H24 in", ONE("schedule: {in: 5m}"), "1:50: 'in' counts from the moment it is said"},
	{"H24 two schedules", ONE("schedule: {every: 5m, idle: 5m}"), "1:63: two schedules: 'every' and 'idle'"},
	{"H24 no schedule", ONE("count: 1"), "1:13: reminder 'a' has no schedule"},
	{"H24 a zone alone", ONE("schedule: {timezone: UTC}"), "1:45: reminder 'a' has no schedule"},
	{"H24 at tomorrow", ONE("schedule: {at: tomorrow}"), "1:50: "},
	{"H24 bad cron", ONE("schedule: {cron: '61 * * * *'}"), "1:52: "},
	{"H24 never", ONE("schedule: {cron: '0 0 31 2 *'}"), "1:52: schedule '0 0 31 2 *' never fires"},
	{"H24 bad rule", ONE("schedule: {rrule: FREQ=OFTEN}"), "1:53: "},
	{"H24 bad span", ONE("schedule: {idle: 10ms}"), "1:52: '10ms' is shorter than 1s"},
	{"H24 bad zone", ONE("schedule: {every: 1h, timezone: Mars}"), "1:67: "},
	{"H24 unknown key of a reminder", ONE("schedul: 1"), "1:35: unknown key 'schedul'; did you mean 'schedule'?"},
	{"H24 two conditions", ONE("schedule: {every: 1h}, condition: {command: a, prompt: b}"),
	 "1:69: two conditions"},
	{"H24 a mode alone", ONE("schedule: {every: 1h}, condition: {mode: each}"), "1:69: a condition without"},
	{"H24 priority", ONE("schedule: {every: 1h}, priority: high"), "1:68: 'priority' is interrupt, normal"},
	{"H24 fallback", ONE("schedule: {every: 1h}, fallback: x"), "1:68: 'fallback' is wait, run or start"},
};
/* clang-format on */

static void test_bad(void **state)
{
	const struct bad_row *row = *state;
	AUTO(config_free) struct config *c = load("", row->text);
	AUTO(free) char *want = mem_printf("%s/roles/monitor.yml:%s", home, row->want);
	const struct config_role *role = &c->roles[0];
	const char *problem = role->problem;

	assert_int_equal(c->role_count, 1);
	if (!problem && role->reminder_count)
		problem = role->reminders[0].problem;
	if (!problem || strncmp(problem, want, strlen(want)) != 0)
		fail_msg("want %s\n got %s", want, problem ? problem : "nothing");
	/* The agent is there all the same. */
	assert_int_equal(c->agent_count, 2);
	assert_string_equal(c->agents[1].role, "monitor");
}

static void test_reminders(void **state)
{
	AUTO(config_free)
	struct config *c = load("timezone: Europe/Berlin",
				"heartbeat: 5m\nreminders:\n"
				"- {name: a, message: b, schedule: {every: 90m}, count: 3}\n"
				"- {name: i, message: b, schedule: {idle: 300s}, fallback: start}\n"
				"- {name: x, message: b, schedule: {at: 2026-12-01 09:00}}\n");
	const struct config_reminder *r = c->roles[0].reminders;

	(void)state;
	assert_null(c->roles[0].problem);
	assert_int_equal(c->roles[0].reminder_count, 3);
	assert_string_equal(r[0].schedule, "1h30m");
	assert_int_equal(r[0].count, 3);
	assert_true(r[0].enabled);
	assert_string_equal(r[1].kind, "idle");
	assert_string_equal(r[1].schedule, "5m");
	assert_string_equal(r[1].fallback, "start");
	assert_null(r[2].problem);
	assert_int_equal(c->agents[1].idle_heartbeat, 5 * USEC_PER_MINUTE);
	assert_int_equal(c->agents[1].heartbeat, 0);
}

#define ROLE                                                                                       \
	"instructions: Be kind.\nadapter: claude\nargs: [-x]\ntimeout: 5m\n"                       \
	"environment: {A: role, B: role}\nheartbeat: {idle: 5m, message: Hello}\n"

static const struct config_agent *agent_of(const struct config *c, const char *name)
{
	struct error err = {0};
	const struct config_agent *agent = config_agent(c, name, &err);

	if (!agent)
		fail_msg("%s", err.message);
	return agent;
}

/* H24: what the agent itself says wins, also when it takes the role later. */
static void test_own_words_win(void **state)
{
	static const char *const configs[] = {
		"agents: {bob: {role: monitor, timeout: 1h, environment: {B: own}, heartbeat: "
		"none}}",
		"agents: {bob: {timeout: 1h, environment: {B: own}, heartbeat: none}}"};

	(void)state;
	for (int later = 0; later < 2; later++) {
		AUTO(config_free) struct config *c = load(configs[later], ROLE);
		const struct config_agent *bob;
		struct error err = {0};

		if (later)
			assert_int_equal(config_bind(c, "bob", "monitor", &err), 0);
		bob = agent_of(c, "bob");
		assert_string_equal(bob->role, "monitor");
		assert_string_equal(bob->instructions, "Be kind.");
		assert_string_equal(bob->adapter->name, "claude");
		assert_string_equal(bob->args[0], "-x");
		assert_int_equal(bob->time_limit, USEC_PER_HOUR);
		assert_string_equal(bob->environment[0], "A=role");
		assert_string_equal(bob->environment[1], "B=own");
		assert_null(bob->environment[2]);
		assert_int_equal(bob->idle_heartbeat, 0);
		assert_int_equal(agent_of(c, "monitor")->time_limit, 5 * USEC_PER_MINUTE);
		assert_string_equal(agent_of(c, "monitor")->idle_message, "Hello");
	}
}

static void test_bind(void **state)
{
	AUTO(config_free) struct config *c = load("", ROLE);
	AUTO(config_free) struct config *broken = NULL;
	struct error err = {0};

	(void)state;
	assert_int_equal(config_bind(c, "eve", "monitr", &err), ERR_NOT_FOUND);
	assert_string_equal(err.message, "no role 'monitr'");
	assert_string_equal(err.hint, "did you mean 'monitor'?");
	assert_null(config_agent(c, "eve", &err));
	assert_int_equal(config_bind(c, "eve", "monitor", &err), 0);
	assert_string_equal(agent_of(c, "eve")->instructions, "Be kind.");
	broken = load("", "x: 1");
	assert_int_equal(config_bind(broken, "eve", "monitor", &err), ERR_INVALID);
	assert_string_equal(agent_of(broken, "eve")->role, "monitor");
}

/* Undone: what only a start declared is unknown again, the others are as their files say. */
static void test_unbind(void **state)
{
	AUTO(config_free) struct config *c = load("agents: {bob: {timeout: 9m}}", ROLE);
	struct error err = {0};
	size_t before = c->agent_count;

	(void)state;
	assert_int_equal(config_bind(c, "eve", "monitor", &err), 0);
	assert_int_equal(config_bind(c, "bob", "monitor", &err), 0);
	assert_int_equal(config_bind(c, "monitor", "monitor", &err), 0);
	config_unbind(c, "eve");
	config_unbind(c, "bob");
	config_unbind(c, "monitor");
	config_unbind(c, "nobody");
	assert_null(config_agent(c, "eve", &err));
	assert_int_equal(c->agent_count, before);
	assert_null(agent_of(c, "bob")->role);
	assert_null(agent_of(c, "bob")->instructions);
	assert_int_equal(agent_of(c, "bob")->time_limit, 9 * USEC_PER_MINUTE);
	assert_string_equal(agent_of(c, "monitor")->role, "monitor");
}

/* A role may make a cron's agent run, and a file of another kind is told. */
static void test_crons_and_names(void **state)
{
	AUTO(config_free) struct config *c = NULL;

	(void)state;
	put("roles/late.yaml", "");
	put("roles/.swap.yml", "[");
	c = load("crons: {n: {schedule: \"@daily\", agent: monitor, prompt: x}}", ROLE);
	put("roles/late.yaml", NULL);
	put("roles/.swap.yml", NULL);
	assert_null(c->crons[0].problem);
	assert_int_equal(c->role_count, 2);
	assert_string_equal(c->roles[0].name, "late");
	assert_non_null(strstr(c->roles[0].problem, "rename it to late.yml"));
}

static void test_instructions(void **state)
{
	AUTO(adapter_free) struct adapter *claude = adapter_built_in("claude");
	AUTO(adapter_free) struct adapter *codex = adapter_built_in("codex");
	struct adapter_values v = {.prompt = "Go.", .session = "s1", .instructions = "Be kind."};
	struct error err = {0};

	(void)state;
	for (int use = 0; use < USE_COUNT; use++) {
		bool is_new = use == USE_HEADLESS || use == USE_INTERACTIVE, in_argv, found = false;
		AUTO(free) char *told = adapter_prompt(claude, (enum adapter_use)use, &v);
		AUTO(free) char *first = adapter_prompt(codex, (enum adapter_use)use, &v);
		AUTO(mem_free_list) char **argv = NULL;

		assert_string_equal(told, "Go.");
		assert_string_equal(first, is_new ? "Be kind.\n\nGo." : "Go.");
		assert_int_equal(
			adapter_argv(claude, (enum adapter_use)use, &v, &argv, &in_argv, &err), 0);
		for (char **word = argv; *word; word++)
			found |= strcmp(*word, "--append-system-prompt") == 0 &&
				 strcmp(word[1], "Be kind.") == 0;
		assert_true(found);
	}
	v.prompt = "";
	{
		AUTO(free) char *alone = adapter_prompt(codex, USE_INTERACTIVE, &v);

		assert_string_equal(alone, "Be kind.");
	}
}

#define BAD_COUNT (sizeof(bad_rows) / sizeof(bad_rows[0]))

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_reminders),
		cmocka_unit_test(test_own_words_win),
		cmocka_unit_test(test_bind),
		cmocka_unit_test(test_unbind),
		cmocka_unit_test(test_crons_and_names),
		cmocka_unit_test(test_instructions),
	};
	struct CMUnitTest bad[BAD_COUNT];
	AUTO(free) char *folder = NULL;
	int failed;

	if (!mkdtemp(home))
		return 1;
	folder = mem_printf("%s/roles", home);
	mkdir(folder, 0700);
	for (size_t i = 0; i < BAD_COUNT; i++)
		bad[i] = (struct CMUnitTest){.name = bad_rows[i].name,
					     .test_func = test_bad,
					     .initial_state = (void *)(uintptr_t)&bad_rows[i]};
	failed = cmocka_run_group_tests(bad, NULL, NULL);
	failed += cmocka_run_group_tests(others, NULL, NULL);
	put("config.yml", NULL);
	put("roles/monitor.yml", NULL);
	rmdir(folder);
	rmdir(home);
	return failed;
}
