/*
 * kept.c: the settings that were in force, for a start beside a file with a mistake.
 * One file of our own has the texts of config.yml and of the roles as they were when they were applied: one,
 * so that they are always of the same moment. It is read as those would be, in the folder of config.yml. A
 * zone that is gone from the machine was a mistake of nobody's: by its name, what needs it says so and waits.
 */
#include "config/kept.h"

#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "config/guard.h"
#include "config/read.h"

#define KEPT_FILE "config.kept"
#define KEPT_MAX ((size_t)64 * 1024 * 1024)

static char *kept_path(const struct home *h)
{
	return mem_printf("%s/" KEPT_FILE, h->state_dir);
}

json_t *config_roles(const struct config *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->role_count; i++) {
		const struct config_role *role = &c->roles[i];
		json_t *o = json_object();

		json_put_text(o, "file", strrchr(role->path, '/') + 1);
		json_put_text(o, "text", role->problem ? NULL : role->text);
		json_put_text(o, "problem", role->problem);
		json_array_append_new(list, o);
	}
	return list;
}

int config_keep(const struct config *c, const struct home *h, struct error *err)
{
	AUTO(json_decref) json_t *all = json_object();
	AUTO(free) char *path = kept_path(h);
	AUTO(free) char *text = NULL;
	AUTO_BUF struct buf before = {0};
	struct error none = {0};

	json_put_text(all, "config", c->absent ? NULL : c->text);
	json_put(all, "roles", config_roles(c));
	text = json_text(all);
	if (file_read(path, KEPT_MAX, &before, &none) == 0 && strcmp(buf_text(&before), text) == 0)
		return 0;
	return file_write(path, text, strlen(text), err);
}

static int load(const struct home *h, json_t **ret, struct error *err)
{
	AUTO(free) char *path = kept_path(h);
	AUTO_BUF struct buf bytes = {0};
	int r = guard_check(path, err);

	if (r < 0 || (r = file_read(path, KEPT_MAX, &bytes, err)) < 0)
		return r;
	return json_parse(buf_text(&bytes), bytes.len, ret, err);
}

json_t *config_kept_roles(const struct home *h)
{
	AUTO(json_decref) json_t *all = NULL;
	struct error none = {0};

	return load(h, &all, &none) < 0 ? NULL : json_incref(json_object_get(all, "roles"));
}

int config_load_kept(const struct home *h, const char *mistake, struct config **ret,
		     struct error *err)
{
	AUTO(json_decref) json_t *all = NULL;
	const char *text = NULL;
	int r = load(h, &all, err);

	if (r < 0 || (r = json_get_text(all, "config", &text, err)) < 0)
		return r;
	r = config_parse_kept(text ? text : "", h->config_file, json_object_get(all, "roles"), ret,
			      err);
	if (r < 0)
		return r;
	(*ret)->absent = !text;
	(*ret)->mistake = mem_strdup(mistake);
	return 0;
}
