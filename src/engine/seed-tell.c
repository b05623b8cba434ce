/*
 * seed-tell.c: what is wrong in the files is told by a message. Nobody sees a fire that is not there,
 * and whoever wrote the file may not look again: so the person is told of each mistake once, again when
 * it becomes another, and again when it was mended and is back. All of them have names that begin
 * alike: those that a seeding has not come across are over.
 */
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/seed-parts.h"
#include "store/trouble.h"

#define MISTAKES "file:"
#define AS_SOON "is applied as soon as it is right; 'belfry config check' points at mistakes."

/* "PATH:7:26: what is wrong" without its place: a line above it makes it no other mistake. */
static const char *without_place(const char *problem, const char *path)
{
	size_t len = strlen(path);
	const char *rest = problem + len;

	if (strncmp(problem, path, len) != 0 || *rest != ':')
		return problem;
	rest += strspn(rest, ":0123456789");
	return *rest == ' ' ? rest + 1 : problem;
}

static int tell(struct seeding *s, const struct mistake *m)
{
	if (s->dry)
		return 0;
	if (s->told)
		json_put_bool(s->told, m->name, true);
	return trouble_tell_mistake(s->e, m, s->now, s->err);
}

int seed_tell_cron(struct seeding *s, const struct config_cron *c)
{
	AUTO(free) char *name = mem_printf(MISTAKES "cron:%s", c->name);
	AUTO(free) char *title = mem_printf("cron '%s' does not fire", c->name);
	AUTO(free)
	char *text =
		mem_printf("The cron '%s' cannot work, so it does not fire:\n\n%s\n\n"
			   "It fires again once config.yml is right; 'belfry cron ls' marks it.",
			   c->name, c->problem);

	return tell(s, &(struct mistake){name, without_place(c->problem, s->e->config->path), title,
					 text});
}

int seed_tell_reminder(struct seeding *s, const char *name, const char *whose,
		       const struct config_role *role, const char *problem)
{
	AUTO(free) char *id = mem_printf(MISTAKES "reminder:%s:%s", whose, name);
	AUTO(free) char *title = mem_printf("reminder '%s' does not fire", name);
	AUTO(free)
	char *text =
		mem_printf("The reminder '%s' of %s cannot work, so it does not fire:\n\n%s\n\n"
			   "It fires again once its file is right; 'belfry config check' "
			   "points at mistakes.",
			   name, whose, problem);

	return tell(s, &(struct mistake){id, role ? without_place(problem, role->path) : problem,
					 title, text});
}

int seed_tell_role(struct seeding *s, const struct config_role *role,
		   const struct seed_change *broken)
{
	const char *problem = broken->detail;
	AUTO(free) char *name = mem_printf(MISTAKES "role:%s", role->name);
	AUTO(free) char *title = mem_printf("role '%s' cannot be used", role->name);
	AUTO(free)
	char *text =
		mem_printf("The file of the role '%s' cannot be used:\n\n%s\n\n%s It " AS_SOON,
			   role->name, problem,
			   role->mistake ? "So what it said before stays in force."
					 : "So it is skipped: its agents lack what it says, and "
					   "reminders of it stay as they are.");

	seed_note_broken(s, broken);
	if (s->log)
		log_warning("role '%s' %s: %s", role->name,
			    role->mistake ? "stays as it was before a mistake" : "is skipped",
			    problem);
	return tell(s, &(struct mistake){name, without_place(problem, role->path), title, text});
}

/* The daemon started beside a mistake, perhaps with nobody there. */
int seed_tell_config(struct seeding *s)
{
	const struct config *c = s->e->config;
	AUTO(free) char *text = NULL;

	if (!c->mistake)
		return 0;
	text = mem_printf("The configuration cannot be used:\n\n%s\n\nSo the daemon started with "
			  "the settings as they were before. The file " AS_SOON,
			  c->mistake);
	return tell(s, &(struct mistake){MISTAKES "config", without_place(c->mistake, c->path),
					 "config.yml cannot be used", text});
}

/* --- agents that nobody knows -------------------------------------------------------------- */

struct found {
	const struct config *config;
	struct stranger_list *list;
};

static void note_stranger(const char *agent, void *data)
{
	struct found *f = data;
	struct stranger_list *list = f->list;
	struct error unknown = {0};

	if (config_agent(f->config, agent, &unknown))
		return;
	list->items = mem_grow(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct stranger){.agent = mem_strdup(agent)};
}

int engine_strangers(struct engine *e, struct stranger_list *ret, struct error *err)
{
	struct found f = {.config = e->config, .list = ret};
	int rc = trouble_each_agent(e->db, note_stranger, &f, err);

	for (size_t i = 0; rc >= 0 && i < ret->count; i++)
		rc = trouble_count_active(e->db, ret->items[i].agent, &ret->items[i].reminders,
					  err);
	return rc < 0 ? rc : 0;
}

void stranger_list_fini(struct stranger_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].agent);
	free(list->items);
	*list = (struct stranger_list){0};
}

static int tell_stranger(struct seeding *s, const struct stranger *who)
{
	const char *plural = who->reminders == 1 ? "" : "s";
	AUTO(free) char *name = mem_printf(MISTAKES "agent:%s", who->agent);
	AUTO(free) char *title = mem_printf("reminders for '%s' reach nobody", who->agent);
	AUTO(free)
	char *what = mem_printf("%" PRId64 " reminder%s for '%s', whom nobody declares",
				who->reminders, *plural ? "s are" : " is", who->agent);
	AUTO(free)
	char *text = mem_printf("%s: what fires reaches nobody.\n\nDeclare '%s' in config.yml, or "
				"remove the reminder%s: belfry reminder list %s",
				what, who->agent, plural, who->agent);
	AUTO(free)
	char *detail = mem_printf("%s; declare '%s', or remove the reminder%s: belfry reminder "
				  "list %s",
				  what, who->agent, plural, who->agent);
	const struct seed_change broken = {.what = "agent", .name = who->agent, .detail = detail};

	seed_note_broken(s, &broken);
	if (s->log)
		log_warning("%s", detail);
	return tell(s, &(struct mistake){name, "", title, text});
}

int seed_tell_strangers(struct seeding *s)
{
	AUTO_STRANGERS struct stranger_list list = {0};
	int rc = engine_strangers(s->e, &list, s->err);

	for (size_t i = 0; rc >= 0 && i < list.count; i++)
		if (list.items[i].reminders)
			rc = tell_stranger(s, &list.items[i]);
	return rc;
}

/* --- what is well again -------------------------------------------------------------------- */

int seed_tell_end(struct seeding *s)
{
	AUTO_TROUBLES struct trouble_list open = {0};
	int rc = s->dry ? 0 : trouble_named(s->e->db, MISTAKES, &open, s->err);

	for (size_t i = 0; rc >= 0 && i < open.count; i++)
		if (!json_object_get(s->told, open.items[i]->name))
			rc = trouble_over(s->e, open.items[i]->name, s->err);
	return rc;
}
