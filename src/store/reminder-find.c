/*
 * reminder-find.c: which reminders somebody means, and may mean.
 * Whoever sees only what belongs to a user asks other statements: what is another's is not found, makes
 * nothing ambiguous and is not suggested. Those for everything are as they would be without owners.
 * "owner <> 'me'" is spelt out where it is not the person's, for the partial index of the others:
 * theirs are few among many.
 */
#include <string.h>

#include "base/text.h"
#include "store/reminder-row.h"
#include "store/row.h"

#define NEAREST_MAX 1000
#define LIVE REMINDER_LIVE

/* --- by name, id, or the beginning of one --- */

enum whose { OF_ALL, OF_PERSON, OF_OTHER };

static enum whose whose(const char *owner)
{
	if (!owner)
		return OF_ALL;
	return strcmp(owner, "me") == 0 ? OF_PERSON : OF_OTHER;
}

#define NAMED(owned, more)                                                                         \
	"SELECT key, id || ''' of ''' || agent FROM reminders WHERE name = $1 AND batch IS "       \
	"NULL" owned more " LIMIT 6"
#define OWNED " AND owner = $2"

/*
 * By name: those that can still fire come before those that ended. The person's own come first, so that nobody
 * else can make the name ambiguous.
 */
static int find_name(struct db *db, const char *owner, const char *ref, int64_t *ret_key,
		     struct error *err)
{
	static const char own_live[] = NAMED(OWNED, " AND " LIVE " ORDER BY key"),
			  own_ended[] = NAMED(OWNED, " ORDER BY key DESC"),
			  live[] = NAMED("", " AND " LIVE " ORDER BY key"),
			  ended[] = NAMED("", " ORDER BY key DESC");
	struct db_value args[] = {DB_TEXT(ref), DB_TEXT(owner ? owner : "me")};
	size_t count = owner ? 2 : 1;
	int r = row_choose(db, own_live, args, 2, "the name of several reminders", ret_key, err);

	if (r == 0 && !owner)
		r = row_choose(db, live, args, 1, "the name of several reminders", ret_key, err);
	if (r != 0)
		return r;
	return row_choose(db, owner ? own_ended : ended, args, count,
			  "the name of several reminders that ended", ret_key, err);
}

#define NAMES(owned)                                                                               \
	"SELECT DISTINCT name FROM reminders WHERE name IS NOT NULL AND batch IS NULL" owned       \
	" AND " LIVE " ORDER BY name LIMIT 1000"

static int hint_nearest(struct db *db, const char *owner, const char *ref, struct error *err)
{
	static const char *const texts[] = {
		[OF_ALL] = NAMES(""),
		[OF_PERSON] = NAMES(" AND owner = $1"),
		[OF_OTHER] = NAMES(" AND owner = $1 AND owner <> 'me'"),
	};
	AUTO_ROWS struct db_rows rows = {0};
	const char *names[NEAREST_MAX], *nearest;
	struct db_value args[] = {DB_TEXT(owner)};
	struct error ignored = {0};
	size_t count = 0;

	error_set(err, ERR_NOT_FOUND, "no reminder '%s'", ref);
	error_hint(err, "'belfry reminder list --all' shows them all");
	if (db_query(db, texts[whose(owner)], args, owner ? 1 : 0, &rows, &ignored) < 0)
		return err->code;
	while (count < NEAREST_MAX && db_rows_next(&rows, &ignored) > 0)
		names[count++] = mem_strdup(db_text(&rows, 0));
	nearest = text_nearest(ref, names, count);
	if (nearest)
		error_hint(err, "did you mean '%s'?", nearest);
	for (size_t i = 0; i < count; i++)
		free((char *)names[i]);
	return err->code;
}

#define EXACT(owned) "SELECT key, id FROM reminders WHERE id = $1 AND batch IS NULL" owned
#define PREFIX(owned)                                                                              \
	"SELECT key, id FROM reminders WHERE id >= $1 AND id <= $2 AND batch IS NULL" owned        \
	" ORDER BY id LIMIT 6"

int reminder_find_of(struct db *db, const char *owner, const char *ref, struct reminder **ret,
		     struct error *err)
{
	static const char *const exact[] = {EXACT(""), EXACT(" AND owner = $2")};
	static const char *const prefix[] = {
		[OF_ALL] = PREFIX(""),
		[OF_PERSON] = PREFIX(" AND owner = $3"),
		[OF_OTHER] = PREFIX(" AND owner = $3 AND owner <> 'me'"),
	};
	struct error other = {0};
	int64_t key = 0;
	int r = row_find_of(db, owner, exact[owner != NULL], prefix[whose(owner)], ref, &key, err);

	/* An ambiguous beginning may still be somebody's whole name. */
	if (r == ERR_CONFLICT && find_name(db, owner, ref, &key, &other) > 0)
		r = 1;
	if (r == 0)
		r = find_name(db, owner, ref, &key, err);
	if (r == 0)
		return hint_nearest(db, owner, ref, err);
	return r < 0 ? r : reminder_get(db, key, ret, err);
}

int reminder_find(struct db *db, const char *ref, struct reminder **ret, struct error *err)
{
	return reminder_find_of(db, NULL, ref, ret, err);
}

/* The row that a statement answers with, or none. */
static int get_asked(struct db *db, const char *sql, const struct db_value *args, size_t count,
		     struct reminder **ret, struct error *err)
{
	int64_t key = 0;
	int r = row_ask_int(db, sql, args, count, &key, err);

	return r <= 0 ? r : reminder_get(db, key, ret, err);
}

int reminder_find_named(struct db *db, const char *owner, const char *name, struct reminder **ret,
			struct error *err)
{
	struct db_value args[] = {DB_TEXT(name), DB_TEXT(owner)};

	return get_asked(db,
			 "SELECT key FROM reminders WHERE name = $1 AND owner = $2"
			 " AND batch IS NULL AND " LIVE " ORDER BY key LIMIT 1",
			 DB_ARGS(args), ret, err);
}

int reminder_find_id(struct db *db, const char *id, struct reminder **ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(id)};

	return get_asked(db, "SELECT key FROM reminders WHERE id = $1", DB_ARGS(args), ret, err);
}

/* --- lists --- */

#define PAGE(more)                                                                                 \
	"SELECT " REMINDER_COLUMNS " FROM reminders WHERE key > $1 AND batch IS NULL" more         \
	" ORDER BY key LIMIT $2"
#define PAGES(more)                                                                                \
	{                                                                                          \
		PAGE(more), PAGE(more " AND " LIVE), PAGE(more " AND status = 'active'")           \
	}
/* A comparison comes before the test for NULL, as in mission_list(). */
#define ANY_AGENT " AND (agent = $3 OR $3 IS NULL) AND owner = $4"

int reminder_list(struct db *db, const struct reminder_filter *filter, struct reminder_list *ret,
		  struct error *err)
{
	static const char *const all[2][3] = {PAGES(""), PAGES(" AND agent = $3")};
	static const char *const owned[][3] = {
		[OF_PERSON] = PAGES(ANY_AGENT),
		[OF_OTHER] = PAGES(ANY_AGENT " AND owner <> 'me'"),
	};
	struct db_value args[] = {DB_INT(filter->after), DB_INT(filter->limit),
				  DB_TEXT(filter->agent), DB_TEXT(filter->owner)};
	int which = filter->active_only ? 2 : filter->ended ? 0 : 1;

	if (filter->hidden)
		return reminder_query_list(db,
					   "SELECT " REMINDER_COLUMNS " FROM reminders"
					   " WHERE key > $1 ORDER BY key LIMIT $2",
					   args, 2, ret, err);
	if (filter->owner)
		return reminder_query_list(db, owned[whose(filter->owner)][which], args, 4, ret,
					   err);
	return reminder_query_list(db, all[filter->agent != NULL][which], args,
				   filter->agent ? 3 : 2, ret, err);
}

/* Here, too, a comparison comes before the test for NULL. */
int reminder_list_due(struct db *db, const struct reminder_span *span, struct reminder_list *ret,
		      struct error *err)
{
	struct db_value args[] = {DB_INT(span->after_due), DB_INT(span->after),
				  DB_INT(span->by),	   DB_INT(span->limit),
				  DB_TIME(span->since),	   DB_TEXT(span->agent)};

	return reminder_query_list(db,
				   "SELECT " REMINDER_COLUMNS " FROM reminders"
				   " WHERE due_at IS NOT NULL AND batch IS NULL AND due_at >= $1"
				   " AND (due_at > $1 OR key > $2) AND due_at <= $3"
				   " AND (schedule_kind <> 'at' OR due_at >= $5 OR $5 IS NULL)"
				   " AND (agent = $6 OR $6 IS NULL) ORDER BY due_at, key LIMIT $4",
				   DB_ARGS(args), ret, err);
}

/* --- what runs have made --- */

int reminder_count_made(struct db *db, const char *owner, int64_t *ret, struct error *err)
{
	struct db_value args[] = {DB_TEXT(owner)};
	int r = row_ask_int(db,
			    "SELECT count(*) FROM reminders WHERE owner = $1"
			    " AND made_by IS NOT NULL AND status = 'active'",
			    DB_ARGS(args), ret, err);

	return r < 0 ? r : 0;
}

int reminder_nth_made(struct db *db, const char *owner, usec_t since, int nth, usec_t *ret,
		      struct error *err)
{
	struct db_value args[] = {DB_TEXT(owner), DB_INT(since), DB_INT(nth)};
	int64_t at = USEC_NONE;
	int r = row_ask_int(db,
			    "SELECT created_at FROM (SELECT created_at FROM reminders"
			    " WHERE owner = $1 AND made_by IS NOT NULL AND created_at > $2"
			    " UNION ALL SELECT created_at FROM missions"
			    " WHERE owner = $1 AND made_by IS NOT NULL AND created_at > $2) AS made"
			    " ORDER BY created_at DESC LIMIT 1 OFFSET $3",
			    DB_ARGS(args), &at, err);

	if (r < 0)
		return r;
	*ret = at;
	return 0;
}
