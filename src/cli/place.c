/* place.c: the folders of runs, this program, and the variables that lead to this home. */
#include "cli/place.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "config/home.h"
#include "config/path.h"

/* The one that was named, absolute, else the one in the state folder. */
static int one_folder(const struct cli *c, const char *key, char **ret, struct error *err)
{
	const char *named = NULL;
	int r = json_get_text(c->args, key, &named, err);

	if (r < 0)
		return r;
	if (named)
		return path_absolute(named, NULL, ret, err);
	*ret = mem_printf("%s/%s", c->home->state_dir, key);
	return 0;
}

int place_find(const struct cli *c, struct place *ret, struct error *err)
{
	int r = one_folder(c, "missions", &ret->missions, err);

	if (r == 0)
		r = one_folder(c, "repos", &ret->repos, err);
	if (r < 0)
		return r;
	ret->threads = mem_printf("%s/threads", c->home->state_dir);
	ret->program = path_own_program();
	ret->environment = home_environment(c->home);
	ret->for_wrapper =
		(struct wrapper_place){ret->missions, ret->repos, ret->program, ret->environment};
	return 0;
}

void place_fini(struct place *p)
{
	free(p->missions);
	free(p->threads);
	free(p->repos);
	free(p->program);
	mem_free_list(p->environment);
}
