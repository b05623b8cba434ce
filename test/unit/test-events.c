/*
 * Events of hooks: what a client's JSON means, the journal they are written to, also by many at once, and
 * the settings that make a client write it.
 */
#include "rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/presence.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#define NOW ((usec_t)1700000000123456)
#define BASE "\"session_id\":\"s-1\",\"transcript_path\":\"/home/x/s-1.jsonl\",\"cwd\":\"/\""

static char home[] = "/tmp/events-unit-XXXXXX";

/* clang-format off */
static const struct hook_case {
	const char *name, *event, *json;
	enum presence_event means;
	const char *message;
	bool told; /* session and transcript */
} hook_cases[] = {
	{"H15: SessionStart", "SessionStart", "{" BASE ",\"source\":\"startup\"}", EVENT_STARTED, "", true},
	{"H15: a conversation that is made shorter goes on", "SessionStart", "{" BASE ",\"source\":\"compact\"}", EVENT_WORKING, "", true},
	{"H15: UserPromptSubmit of a person", "UserPromptSubmit", "{" BASE ",\"prompt\":\"hello [belfry m-abcd1234]\"}", EVENT_PROMPT, "", true},
	{"H16: UserPromptSubmit of ours", "UserPromptSubmit", "{" BASE ",\"prompt\":\"[belfry m-abcd1234] hello\\nagain\"}", EVENT_PROMPT, "m-abcd1234", true},
	{"H16: one with a sender", "UserPromptSubmit", "{" BASE ",\"prompt\":\"[belfry m-abcd1234 from bob] hello\"}", EVENT_PROMPT, "m-abcd1234", true},
	{"H16: blanks before it", "UserPromptSubmit", "{" BASE ",\"prompt\":\"\\n  [belfry m-abcd1234] hello\"}", EVENT_PROMPT, "m-abcd1234", true},
	{"H16: no id of ours", "UserPromptSubmit", "{" BASE ",\"prompt\":\"[belfry m-ABCD] hello\"}", EVENT_PROMPT, "", true},
	{"H16: an id without an end", "UserPromptSubmit", "{" BASE ",\"prompt\":\"[belfry m-abcd1234\"}", EVENT_PROMPT, "", true},
	{"H16: an id of any length", "UserPromptSubmit", "{" BASE ",\"prompt\":\"[belfry m-abcdefghijklmnopqrstuvwxyz] x\"}", EVENT_PROMPT, "", true},
	{"H15: PreToolUse", "PreToolUse", "{" BASE ",\"tool_name\":\"Bash\"}", EVENT_WORKING, "", true},
	{"H15: PostToolUse", "PostToolUse", "{" BASE "}", EVENT_WORKING, "", true},
	{"H15: PreCompact", "PreCompact", "{" BASE "}", EVENT_WORKING, "", true},
	{"H15: PermissionRequest", "PermissionRequest", "{" BASE "}", EVENT_ASKING, "", true},
	{"H15: a notification of a question", "Notification", "{" BASE ",\"notification_type\":\"permission_prompt\"}", EVENT_ASKING, "", true},
	{"H15: a notification of waiting", "Notification", "{" BASE ",\"notification_type\":\"idle_prompt\"}", EVENT_WAITING, "", true},
	{"H15: a notification of something else", "Notification", "{" BASE ",\"notification_type\":\"auth_success\"}", EVENT_NONE, "", true},
	{"H15: a notification of nothing", "Notification", "", EVENT_NONE, "", false},
	{"H15: Stop", "Stop", "{" BASE "}", EVENT_STOPPED, "", true},
	{"H15: StopFailure", "StopFailure", "{" BASE ",\"error\":\"x\"}", EVENT_STOPPED, "", true},
	{"H15: SessionEnd", "SessionEnd", "{" BASE ",\"reason\":\"other\"}", EVENT_ENDED, "", true},
	{"bad input: no JSON", "Stop", "", EVENT_STOPPED, "", false},
	{"bad input: half of it", "Stop", "{" BASE, EVENT_STOPPED, "", false},
	{"bad input: a list", "Stop", "[1]", EVENT_STOPPED, "", false},
	{"bad input: other types", "UserPromptSubmit", "{\"session_id\":1,\"transcript_path\":[],\"prompt\":{}}", EVENT_PROMPT, "", false},
	{"bad input: a session that is an option, a path that is none", "Stop",
	 "{\"session_id\":\"--resume\",\"transcript_path\":\"../x\"}", EVENT_STOPPED, "", false},
	{"bad input: bytes", "Stop", "\xff\xfe\x01", EVENT_STOPPED, "", false},
};
/* clang-format on */

static void same_event(const struct event *a, const struct event *b)
{
	assert_int_equal(a->event, b->event);
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->at, b->at);
	assert_string_equal(a->session, b->session);
	assert_string_equal(a->message, b->message);
	assert_string_equal(a->transcript ? a->transcript : "", b->transcript ? b->transcript : "");
}

/* A folder of its own for each. */
static char *new_folder(void)
{
	static int count;
	char *folder = mem_printf("%s/%d", home, count++);

	assert_int_equal(mkdir(folder, 0700), 0);
	return folder;
}

static char *path_in(const char *folder, const char *name)
{
	return mem_printf("%s/%s", folder, name);
}

/* As the hook does, and as the daemon reads it. */
static void test_hook(void **state)
{
	const struct hook_case *c = *state;
	AUTO(free) char *folder = new_folder(), *path = path_in(folder, EVENTS_FILE);
	AUTO_BUF struct buf text = {0};
	struct event e, back;
	struct error err = {0};

	assert_int_equal(event_read_hook(c->event, c->json, strlen(c->json), NOW, &e, &err), 0);
	assert_int_equal(e.event, c->means);
	assert_string_equal(e.name, c->event);
	assert_string_equal(e.message, c->message);
	assert_string_equal(e.session, c->told ? "s-1" : "");
	assert_string_equal(e.transcript ? e.transcript : "", c->told ? "/home/x/s-1.jsonl" : "");

	assert_int_equal(event_append(folder, &e, &err), 0);
	assert_int_equal(file_read(path, 10000, &text, &err), 0);
	assert_int_equal(text.data[text.len - 1], '\n');
	assert_ptr_equal(strchr(text.data, '\n'), text.data + text.len - 1);
	assert_int_equal(event_parse(text.data, text.len - 1, &back, &err), 0);
	same_event(&e, &back);
	event_fini(&e);
	event_fini(&back);
}

static void test_unknown(void **state)
{
	struct event e = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(event_read_hook("SubagentStop", "{}", 2, NOW, &e, &err), ERR_INVALID);
	assert_string_equal(err.message, "no event 'SubagentStop'");
	assert_int_equal(event_read_hook("", "{}", 2, NOW, &e, &err), ERR_INVALID);
	assert_int_equal(event_append("/nonexistent/folder", &e, &err), ERR_NOT_FOUND);
}

/* A tool may have said megabytes: the name is enough. */
static void test_large(void **state)
{
	AUTO(free) char *json = mem_zalloc(EVENT_HOOK_MAX + 100);
	struct event e = {0};
	struct error err = {0};

	(void)state;
	memset(json, ' ', EVENT_HOOK_MAX + 99);
	json[0] = '{', json[EVENT_HOOK_MAX + 98] = '}';
	assert_int_equal(event_read_hook("PostToolUse", json, EVENT_HOOK_MAX + 99, NOW, &e, &err),
			 0);
	assert_int_equal(e.event, EVENT_WORKING);
}

/* clang-format off */
static const struct line_case { const char *name, *line; } line_cases[] = {
	{"damaged: nothing", ""},
	{"damaged: half a line", "{\"event\":\"Stop\",\"means\":\"stop"},
	{"damaged: two lines in one", "{\"event\":\"St{\"event\":\"Stop\",\"means\":\"stopped\",\"at\":1}"},
	{"damaged: no meaning", "{\"event\":\"Stop\",\"at\":1}"},
	{"damaged: an unknown meaning", "{\"event\":\"Stop\",\"means\":\"what\",\"at\":1}"},
	{"damaged: no name", "{\"means\":\"stopped\",\"at\":1}"},
	{"damaged: no time", "{\"event\":\"Stop\",\"means\":\"stopped\"}"},
	{"damaged: a time that is text", "{\"event\":\"Stop\",\"means\":\"stopped\",\"at\":\"1\"}"},
	{"damaged: a long name", "{\"event\":\"StopStopStopStopStopStopStopStop\",\"means\":\"stopped\",\"at\":1}"},
	{"damaged: a long id", "{\"event\":\"S\",\"means\":\"prompt\",\"at\":1,\"message\":\"m-aaaaaaaaaaaaaaaaaaa\"}"},
};
/* clang-format on */

static void test_damaged(void **state)
{
	const struct line_case *c = *state;
	struct event e = {.name = "untouched"};
	struct error err = {0};

	assert_int_equal(event_parse(c->line, strlen(c->line), &e, &err), ERR_INVALID);
	assert_string_equal(e.name, "untouched");
}

static size_t count_lines(const char *path)
{
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	size_t count = 0;

	if (file_read(path, 8u << 20, &text, &err) < 0)
		return 0;
	for (const char *p = text.data; *p;) {
		size_t len = strcspn(p, "\n");
		struct event e;

		if (event_parse(p, len, &e, &err) < 0)
			fail_msg("'%.*s': %s", (int)len, p, err.message);
		event_fini(&e);
		p += len + 1;
		count++;
	}
	return count;
}

static void fill(const char *path, int64_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0 && ftruncate(fd, size) == 0);
	close(fd);
}

/* A journal that is full is put aside, once, by whoever of many finds it so; no line is lost. */
static void test_at_once(void **state)
{
	enum { PROCESSES = 6, LINES = 40 };
	AUTO(free) char *folder = new_folder(), *path = path_in(folder, EVENTS_FILE);
	AUTO(free) char *older = path_in(folder, EVENTS_FILE ".1");
	struct event e = {.event = EVENT_STOPPED, .name = "Stop", .at = NOW};
	struct error err = {0};
	struct stat st;
	int64_t full = EVENTS_MAX - 4000; /* it becomes full on the way */

	(void)state;
	fill(path, full);
	for (int i = 0; i < PROCESSES; i++) {
		if (fork() == 0) {
			for (int n = 0; n < LINES; n++)
				if (event_append(folder, &e, &err) < 0)
					_exit(1);
			_exit(0);
		}
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_true(wait(&status) > 0 && status == 0);
	}
	assert_int_equal(stat(older, &st), 0);
	/* The older one is a hole of that size, and then lines. */
	{
		AUTO(free)
		char *tail = mem_printf("tail -c +%lld %s > %s/tail", (long long)full + 1, older,
					folder);
		AUTO(free) char *rest = path_in(folder, "tail");

		assert_int_equal(system(tail), 0);
		assert_int_equal(count_lines(rest) + count_lines(path), PROCESSES * LINES);
		assert_true(count_lines(path) > 0);
	}
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* A link in its place leads nowhere. */
static void test_link(void **state)
{
	AUTO(free) char *folder = new_folder(), *path = path_in(folder, EVENTS_FILE);
	struct event e = {.event = EVENT_STOPPED, .name = "Stop", .at = NOW};
	struct error err = {0};

	(void)state;
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(event_append(folder, &e, &err), ERR_INVALID);
}

static void test_settings(void **state)
{
	AUTO(adapter_free) struct adapter *a = adapter_built_in("claude");
	AUTO(adapter_free) struct adapter *other = adapter_built_in("codex");
	AUTO(free) char *folder = new_folder(), *path = NULL, *none = NULL, *rule = NULL;
	AUTO(json_decref) json_t *settings = NULL;
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	const char *event;
	json_t *hooks, *hook;
	size_t count = 0;

	(void)state;
	assert_int_equal(hooks_write(a, folder, "/opt/it's here/belfry", &path, &err), 0);
	assert_int_equal(file_read(path, 100000, &text, &err), 0);
	assert_int_equal(json_parse(text.data, text.len, &settings, &err), 0);
	/* the files it is told to read, by their path from the root */
	rule = mem_printf("Read(/%s/inbox/**)", folder);
	assert_string_equal(
		json_string_value(json_array_get(
			json_object_get(json_object_get(settings, "permissions"), "allow"), 0)),
		rule);
	hooks = json_object_get(settings, "hooks");
	json_object_foreach(hooks, event, hook)
	{
		const json_t *one =
			json_array_get(json_object_get(json_array_get(hook, 0), "hooks"), 0);
		AUTO(free) char *want = mem_printf("'/opt/it'\\''s here/belfry' hook %s", event);
		struct event e;

		assert_string_equal(json_string_value(json_object_get(one, "type")), "command");
		assert_string_equal(json_string_value(json_object_get(one, "command")), want);
		assert_true(json_integer_value(json_object_get(one, "timeout")) > 0);
		/* What is asked for is understood. */
		assert_int_equal(event_read_hook(event, "", 0, NOW, &e, &err), 0);
		count++;
	}
	assert_int_equal(count, 10);
	assert_int_equal(hooks_write(other, folder, "/bin/belfry", &none, &err), 0);
	assert_null(none);
	assert_int_equal(hooks_write(a, folder, NULL, &none, &err), 0);
	assert_null(none);
}

int main(void)
{
	AUTO(free) char *clean = NULL;
	int failed;

	if (!mkdtemp(home))
		return 1;
	add_table(test_hook, hook_cases);
	add_row("no such event, no such folder", test_unknown, NULL);
	add_row("more than a hook may say", test_large, NULL);
	add_table(test_damaged, line_cases);
	add_row("H16: many hooks at once, and a full journal", test_at_once, NULL);
	add_row("a link in the place of the journal", test_link, NULL);
	add_row("the settings of a client", test_settings, NULL);
	failed = run_rows("events");
	clean = mem_printf("rm -rf %s", home);
	return system(clean) != 0 || failed;
}
