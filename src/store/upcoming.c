/* upcoming.c: what comes next for somebody: two questions, each by an index, and the first of both. */
#include "store/upcoming.h"

#include "base/mem.h"
#include "store/reminder-row.h"

#define DUE " batch IS NULL AND status = 'active' AND due_at IS NOT NULL AND due_at <= $2"

static int of_agent(struct db *db, const struct upcoming_filter *f, struct reminder_list *ret,
		    struct error *err)
{
	struct db_value args[] = {DB_TEXT(f->agent), DB_INT(f->until), DB_INT(f->limit),
				  DB_TEXT(f->owner)};

	if (!f->agent)
		return 0;
	return reminder_query_list(db,
				   "SELECT " REMINDER_COLUMNS " FROM reminders WHERE agent = $1"
				   " AND" DUE " AND ($4 = 'me' OR owner = $4)"
				   " ORDER BY due_at, key LIMIT $3",
				   DB_ARGS(args), ret, err);
}

static int of_session(struct db *db, const struct upcoming_filter *f, struct reminder_list *ret,
		      struct error *err)
{
	struct db_value args[] = {DB_TEXT(f->session), DB_INT(f->until), DB_INT(f->limit),
				  DB_TEXT(f->owner), DB_INT(UPCOMING_LOOKED_AT)};

	return reminder_query_list(db,
				   "SELECT " REMINDER_COLUMNS
				   " FROM (SELECT * FROM reminders WHERE" DUE
				   " ORDER BY due_at LIMIT $5) AS first"
				   " WHERE owner = $4 AND (session = $1 OR owner <> 'me')"
				   " ORDER BY due_at, key LIMIT $3",
				   DB_ARGS(args), ret, err);
}

static void take(struct reminder_list *to, struct reminder_list *from, size_t at)
{
	to->items = mem_grow(to->items, to->count + 1, sizeof(struct reminder *));
	to->items[to->count++] = steal_ptr(&from->items[at]);
}

static bool has(const struct reminder_list *list, int64_t key)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i]->key == key)
			return true;
	return false;
}

static void merge(struct reminder_list *a, struct reminder_list *b, size_t limit,
		  struct reminder_list *ret)
{
	for (size_t i = 0, j = 0; ret->count < limit && (i < a->count || j < b->count);) {
		bool first = j == b->count ||
			     (i < a->count && a->items[i]->due_at <= b->items[j]->due_at);

		if (first)
			take(ret, a, i++);
		else if (has(ret, b->items[j]->key))
			j++;
		else
			take(ret, b, j++);
	}
}

int upcoming_list(struct db *db, const struct upcoming_filter *f, struct reminder_list *ret,
		  struct error *err)
{
	AUTO_REMINDERS struct reminder_list a = {0}, b = {0};
	int r = of_agent(db, f, &a, err);

	if (r < 0 || (r = of_session(db, f, &b, err)) < 0)
		return r;
	merge(&a, &b, (size_t)f->limit, ret);
	return 0;
}
