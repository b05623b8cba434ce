/*
 * role-file.c: one file of a role. It is whole or it has a problem, which is its first mistake with
 * its place; then nothing else of it is used. What it says about an agent is read by the very table
 * of config-agents.c, so a setting means the same in both places, and so do relative paths.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "config/guard.h"
#include "config/read.h"

#define ROLE_FILE_MAX ((size_t)1024 * 1024)
#define INSTRUCTIONS_MAX ((size_t)64 * 1024) /* they may become one argument of a program */

int read_role_name(struct reader *r, const struct yaml_node *value, void *target)
{
	const struct config_role *role = ((struct role_reading *)target)->role;

	if (strcmp(value->text, role->name) == 0)
		return 0;
	read_fail(r, value, "the role of this file is '%s', not '%s'", role->name, value->text);
	return error_hint(r->err, "a role is named by its file: leave 'name' out, or rename one");
}

int read_role_description(struct reader *r, const struct yaml_node *value, void *target)
{
	(void)r;
	mem_replace(&((struct role_reading *)target)->role->description, value->text);
	return 0;
}

int read_role_instructions(struct reader *r, const struct yaml_node *value, void *target)
{
	size_t len = strlen(value->text);

	if (len > INSTRUCTIONS_MAX) {
		read_fail(r, value, "'instructions' have %zu bytes, at most %zu", len,
			  INSTRUCTIONS_MAX);
		return error_hint(r->err, "put the long text into a file, and say where it is");
	}
	if (value->text[strspn(value->text, " \t\n")])
		mem_replace(&((struct role_reading *)target)->role->instructions, value->text);
	return 0;
}

static int parse(struct reader *r, const struct buf *text, struct config_role *role)
{
	struct role_reading reading = {
		.settings = {.what = "role", .name = role->name, .agent = &role->settings},
		.role = role,
	};
	AUTO(yaml_free) struct yaml *yaml = NULL;
	int result = yaml_parse(buf_text(text), text->len, role->path, &yaml, r->err);

	if (result < 0)
		return result;
	if (yaml_root(yaml)->kind != YAML_EMPTY && yaml_root(yaml)->kind != YAML_MAP) {
		read_fail(r, yaml_root(yaml), "a role is a mapping");
		return error_hint(r->err, "expected 'key: value', as in 'instructions: TEXT'");
	}
	return read_role_mapping(r, yaml_root(yaml), &reading);
}

static int read_file(struct reader *r, struct config_role *role, const char *kept)
{
	AUTO_BUF struct buf text = {0};
	int result;

	if (!text_is_name(role->name)) {
		error_set(r->err, ERR_INVALID, "%s: '%s' is not a name for a role", role->path,
			  role->name);
		return error_hint(r->err, "1 to 64 letters, digits, '.', '_' and '-', "
					  "beginning with a letter, a digit or '_'");
	}
	if (kept)
		buf_add_str(&text, kept);
	else if ((result = guard_check(role->path, r->err)) < 0 ||
		 (result = file_read(role->path, ROLE_FILE_MAX, &text, r->err)) < 0)
		return result;
	if ((result = parse(r, &text, role)) < 0)
		return result;
	role->text = mem_strdup(buf_text(&text));
	return 0;
}

/* What was read of it before the mistake goes. */
static void forget(struct config_role *role)
{
	char *name = role->name, *path = role->path;

	role->name = role->path = NULL;
	config_role_fini(role);
	*role = (struct config_role){.name = name, .path = path};
	config_agent_init(&role->settings, NULL);
}

void read_role_file(struct reader *r, struct config_role *role, const char *kept)
{
	struct error why = {0};
	struct reader own = {.config = r->config,
			     .path = role->path,
			     .folder = r->folder,
			     .kept_roles = r->kept_roles,
			     .err = &why};

	if (read_file(&own, role, kept) >= 0)
		return;
	forget(role);
	role->problem = mem_printf("%s%s%s", why.message, why.hint[0] ? "; " : "", why.hint);
}
