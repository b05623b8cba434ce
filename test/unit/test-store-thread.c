/* test-store-thread.c: threads, their messages, and looking for words in them. */
#include "store-fixture.h"

#include <sqlite3.h>

#include "base/buf.h"
#include "store/mission.h"
#include "store/thread.h"

static struct thread thread_sample(const char *place)
{
	return (struct thread){.place = (char *)place,
			       .title = (char *)"nightly",
			       .last_at = 10,
			       .last_sender = SENDER_AGENT,
			       .preview = (char *)"all is well",
			       .archived_at = USEC_NONE};
}

static struct mail mail_sample(int64_t thread, int64_t seq, const char *text)
{
	return (struct mail){.thread = thread,
			     .seq = seq,
			     .text = (char *)text,
			     .size = (int64_t)strlen(text),
			     .ask_until = USEC_NONE,
			     .read_at = USEC_NONE,
			     .created_at = seq};
}

static int64_t add_thread(struct db *db, const char *place, usec_t last_at)
{
	struct thread t = thread_sample(place);
	struct error err = {0};

	t.last_at = last_at;
	ok(thread_insert(db, &t, &err));
	return t.key;
}

static int64_t add_mail(struct db *db, int64_t thread, int64_t seq, const char *text)
{
	struct mail m = mail_sample(thread, seq, text);
	struct error err = {0};

	ok(mail_insert(db, &m, &err));
	return m.key;
}

static void test_thread(struct db *db)
{
	struct thread t = thread_sample("belfry");
	struct error err = {0};

	ok(thread_insert(db, &t, &err));
	add_mail(db, t.key, 1, "hello world");
	AUTO_MAILS struct mail_list found = {0};
	ok(mail_search(db, &(struct mail_search){.words = "wor", .limit = 5}, &found, &err));
	assert_int_equal(found.count, 1);
	(void)add_thread;
}

/* clang-format off */
static const struct store_row rows[] = {
	{"A19 a thread", test_thread},
};
/* clang-format on */

int main(void)
{
	return run_store_rows("store-thread", rows, sizeof(rows) / sizeof(rows[0]));
}
