/*
 * fuzz-config.c: any bytes are a configuration or an error that names its place.
 * What is accepted is walked through, so that a wrong pointer in it does not stay hidden.
 */
#include <string.h>

#include "base/text.h"
#include "config/config.h"
#include "fuzz.h"

const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 forgets a buffer of its own on some broken texts; our leaks still show. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml.so";
}

static size_t walk_texts(char *const *texts)
{
	size_t sum = 0;

	for (; texts && *texts; texts++)
		sum += strlen(*texts);
	return sum;
}

static void check_agent(const struct config_agent *a)
{
	FUZZ_CHECK(a->template || text_is_name(a->name));
	FUZZ_CHECK(!a->adapter || walk_texts(a->adapter->templates[USE_HEADLESS]) > 0);
	FUZZ_CHECK(!a->heartbeat || (a->adapter && a->heartbeat >= USEC_PER_SEC));
	FUZZ_CHECK(!a->template || !a->directory);
	FUZZ_CHECK(!a->secrets || a->secrets[0][0]);
	FUZZ_CHECK(!a->args || a->adapter);
	FUZZ_CHECK(!a->directory || a->directory[0] == '/');
	FUZZ_CHECK(a->deliver_attempts >= 1 && a->deliver_attempts <= 20);
	FUZZ_CHECK(a->deliver_timeout >= USEC_PER_SEC && a->deliver_timeout <= USEC_PER_HOUR);
	FUZZ_CHECK(!a->deliver || walk_texts(a->deliver) > 0);
	FUZZ_CHECK(!a->environment || walk_texts(a->environment) > 0);
}

static void check_sources(const struct config_source *s, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		FUZZ_CHECK(!strstr(s[i].name, "..") || !strstr(s[i].name, "/../"));
		FUZZ_CHECK(s[i].name[0] != '/' && s[i].origin[0] && s[i].origin[0] != '-');
		FUZZ_CHECK(s[i].is_git || s[i].origin[0] == '/');
	}
}

static void check_cron(const struct config *c, const struct config_cron *cron)
{
	struct error err = {0};
	const struct config_agent *agent;
	int line = 0, column = 0;

	if (cron->problem) {
		FUZZ_CHECK(sscanf(cron->problem, "/c:%d:%d: ", &line, &column) == 2);
		return;
	}
	FUZZ_CHECK(cron->schedule && cron->agent && cron->prompt && cron->prompt[0]);
	agent = config_agent(c, cron->agent, &err);
	FUZZ_CHECK(agent && agent->adapter);
	FUZZ_CHECK(!cron->git || config_repo(c, cron->git));
	FUZZ_CHECK(cron->timeout >= -1 && cron->retry_on >= -1 && cron->retry_on <= 7);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(config_free) struct config *c = NULL;
	struct error err = {0};
	int line = 0, column = 0;

	if (config_parse((const char *)data, size, "/c", &c, &err) < 0) {
		FUZZ_CHECK(sscanf(err.message, "/c:%d:%d: ", &line, &column) == 2);
		FUZZ_CHECK(line >= 1 && column >= 1);
		return 0;
	}
	FUZZ_CHECK(strcmp(c->agents[0].name, "me") == 0);
	FUZZ_CHECK(c->retention >= USEC_PER_DAY);
	for (size_t i = 0; i < c->agent_count; i++)
		check_agent(&c->agents[i]);
	check_sources(c->templates, c->template_count);
	check_sources(c->repos, c->repo_count);
	FUZZ_CHECK(c->max_concurrent >= 1 && c->max_concurrent <= 1000);
	for (size_t i = 0; i < c->cron_count; i++)
		check_cron(c, &c->crons[i]);
	return 0;
}
