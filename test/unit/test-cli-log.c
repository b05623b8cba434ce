/* test-cli-log.c: a run's log as one stream, while its files are rotated under the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/log-reader.h"

struct place {
	char folder[64];
	struct log_reader *log;
	long before; /* bytes of the files that were rotated */
};

static int make(void **state)
{
	struct place *p = mem_zalloc(sizeof(*p));

	strcpy(p->folder, "/tmp/belfry-log-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	p->log = log_reader_new(p->folder);
	*state = p;
	return 0;
}

static char *name(const struct place *p, int age)
{
	return age ? mem_printf("%s/output.log.%d", p->folder, age)
		   : mem_printf("%s/output.log", p->folder);
}

static int clear(void **state)
{
	struct place *p = *state;

	for (int age = 0; age < 4; age++) {
		AUTO(free) char *path = name(p, age);

		unlink(path);
	}
	{
		AUTO(free) char *start = mem_printf("%s/log-start", p->folder);

		unlink(start);
	}
	rmdir(p->folder);
	log_reader_free(p->log);
	free(p);
	return 0;
}

static void put(const struct place *p, int age, const char *text)
{
	AUTO(free) char *path = name(p, age);
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* As the wrapper does it. */
static void rotate(struct place *p)
{
	AUTO(free) char *newest = name(p, 0);
	AUTO(free) char *start = mem_printf("%s/log-start", p->folder);
	struct stat st;
	FILE *f;

	assert_int_equal(stat(newest, &st), 0);
	p->before += st.st_size;
	for (int age = 3; age > 0; age--) {
		AUTO(free) char *from = name(p, age - 1), *to = name(p, age);

		rename(from, to);
	}
	f = fopen(start, "w");
	assert_non_null(f);
	fprintf(f, "%ld\n", p->before);
	fclose(f);
}

/* Everything there is so far, in the smallest steps. */
static void expect(const struct place *p, const char *want)
{
	AUTO_BUF struct buf got = {0};
	char some[3];
	ssize_t n;

	while ((n = log_reader_read(p->log, some, sizeof(some))) > 0)
		buf_add(&got, some, (size_t)n);
	assert_int_equal(n, 0);
	assert_string_equal(buf_text(&got), want);
}

static void test_none_yet(void **state)
{
	const struct place *p = *state;

	expect(p, "");
	put(p, 0, "one\n");
	expect(p, "one\n");
	expect(p, "");
}

static void test_oldest_first(void **state)
{
	const struct place *p = *state;

	put(p, 3, "a");
	put(p, 2, "b");
	put(p, 1, "c");
	put(p, 0, "d");
	expect(p, "abcd");
}

/* A17: what was added after the last look and before the rotation is not lost. */
static void test_rotated_once(void **state)
{
	struct place *p = *state;

	put(p, 0, "a");
	expect(p, "a");
	put(p, 0, "b");
	rotate(p);
	expect(p, "b");
	put(p, 0, "c");
	expect(p, "c");
}

/* A17: a reader that slept through several rotations reads them all, in order. */
static void test_rotated_often(void **state)
{
	struct place *p = *state;

	put(p, 0, "a");
	expect(p, "a");
	for (const char *text = "bcd"; *text; text++) {
		char one[2] = {*text, '\0'};

		rotate(p);
		put(p, 0, one);
	}
	expect(p, "bcd");
}

/* A17, N9: what was rotated away altogether is left out and counted, the rest follows. */
static void test_rotated_away(void **state)
{
	struct place *p = *state;

	put(p, 0, "a");
	expect(p, "a");
	for (const char *text = "bcdefg"; *text; text++) {
		char one[2] = {*text, '\0'};

		rotate(p);
		put(p, 0, one);
	}
	expect(p, "\n[belfry: 2 bytes are gone here: they were rotated away]\ndefg");
	put(p, 0, "h");
	expect(p, "h");
}

/* N9: files that were there when the reader looked are read, however slow it is. */
static void test_held(void **state)
{
	struct place *p = *state;
	char one[1];

	for (const char *text = "abc"; *text; text++) {
		char letter[2] = {*text, '\0'};

		put(p, 0, letter);
		rotate(p);
	}
	put(p, 0, "d");
	assert_int_equal(log_reader_read(p->log, one, 1), 1);
	assert_int_equal(one[0], 'a');
	for (const char *text = "efg"; *text; text++) {
		char letter[2] = {*text, '\0'};

		rotate(p);
		put(p, 0, letter);
	}
	expect(p, "bcdefg");
}

/* clang-format off */
static const struct lines_case {
	const char *name, *older, *newest;
	int64_t lines;
	const char *want;
} lines_cases[] = {
	{"none", "a\nb\n", "c\nd\n", 0, ""},
	{"one", "a\nb\n", "c\nd\n", 1, "d\n"},
	{"an unfinished one", "a\nb\n", "c\nd", 1, "d"},
	{"all of the newest", "a\nb\n", "c\nd\n", 2, "c\nd\n"},
	{"one of the older", "a\nb\n", "c\nd\n", 3, "b\nc\nd\n"},
	{"a line across both", "a\nb", "c\nd\n", 2, "bc\nd\n"},
	{"more than there are", "a\nb\n", "c\nd\n", 9, "a\nb\nc\nd\n"},
	{"empty lines", "", "\n\n\n", 2, "\n\n"},
	{"nothing at all", "", "", 3, ""},
};
/* clang-format on */

static void test_lines(void **state)
{
	for (size_t i = 0; i < sizeof(lines_cases) / sizeof(lines_cases[0]); i++) {
		const struct lines_case *c = &lines_cases[i];
		void *place;

		make(&place);
		if (*c->older)
			put(place, 1, c->older);
		put(place, 0, c->newest);
		log_reader_begin_at(((struct place *)place)->log, c->lines);
		print_message("  %s\n", c->name);
		expect(place, c->want);
		/* It goes on from there. */
		put(place, 0, "more");
		expect(place, "more");
		clear(&place);
	}
	(void)state;
}

/* Going back over more than one block. */
static void test_many_lines(void **state)
{
	const struct place *p = *state;
	AUTO_BUF struct buf text = {0};

	for (int i = 0; i < 40000; i++)
		buf_printf(&text, "line %d\n", i);
	put(p, 0, buf_text(&text));
	log_reader_begin_at(p->log, 30000);
	expect(p, strstr(buf_text(&text), "line 10000\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_none_yet, make, clear),
		cmocka_unit_test_setup_teardown(test_oldest_first, make, clear),
		cmocka_unit_test_setup_teardown(test_rotated_once, make, clear),
		cmocka_unit_test_setup_teardown(test_rotated_often, make, clear),
		cmocka_unit_test_setup_teardown(test_rotated_away, make, clear),
		cmocka_unit_test_setup_teardown(test_held, make, clear),
		cmocka_unit_test(test_lines),
		cmocka_unit_test_setup_teardown(test_many_lines, make, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
