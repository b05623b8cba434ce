#include "agent/adapter.h"
const char *const adapter_use_words[USE_COUNT] = {"headless", "resume", "interactive",
						  "resume_interactive"};
const char *const adapter_names[] = {"command", NULL};

const char *adapter_session_word(enum adapter_session s)
{
	(void)s;
	return 0;
}

int adapter_session_of(const char *word)
{
	(void)word;
	return 0;
}

const char *adapter_output_word(enum adapter_output o)
{
	(void)o;
	return 0;
}

int adapter_output_of(const char *word)
{
	(void)word;
	return 0;
}

struct adapter *adapter_built_in(const char *name)
{
	(void)name;
	return 0;
}

struct adapter *adapter_copy(const struct adapter *a)
{
	(void)a;
	return 0;
}

void adapter_free(struct adapter *a)
{
	(void)a;
}

int adapter_argv(const struct adapter *a, enum adapter_use use, const struct adapter_values *v,
		 char ***ret, bool *ret_prompt_in_argv, struct error *err)
{
	(void)a;
	(void)use;
	(void)v;
	(void)ret;
	(void)ret_prompt_in_argv;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

void adapter_new_session(char ret[ADAPTER_SESSION_MAX])
{
	(void)ret;
}

void adapter_read(const struct adapter *a, const char *output, size_t len,
		  struct adapter_reading *ret)
{
	(void)a;
	(void)output;
	(void)len;
	(void)ret;
}

void adapter_reading_fini(struct adapter_reading *r)
{
	(void)r;
}
