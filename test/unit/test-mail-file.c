/* test-mail-file.c: names of attachments, lines of what was found, and files in their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "request/mail-file.h"
#include "request/snippet.h"

#define X10 "xxxxxxxxxx"
#define X90 X10 X10 X10 X10 X10 X10 X10 X10 X10

/* clang-format off */
static const struct name_case {
	const char *name, *raw, *want, *again;
} name_cases[] = {
	{"A19: as it is", "report.pdf", "report.pdf", "report (2).pdf"},
	{"A19: without its folders", "/a/../b/report.pdf", "report.pdf", "report (2).pdf"},
	{"A19: only folders", "../../", "file", "file (2)"},
	{"A19: dots", "..", "file", "file (2)"},
	{"A19: empty", "", "file", "file (2)"},
	{"A19: hidden", ".bashrc", "bashrc", "bashrc (2)"},
	{"A19: like a flag", "-rf", "rf", "rf (2)"},
	{"A19: control characters", "a\n\033[31m\tb.txt", "a__[31m_b.txt", "a__[31m_b (2).txt"},
	{"A19: turned around", "a\xe2\x80\xae" "fdp.exe", "a_fdp.exe", "a_fdp (2).exe"},
	{"A19: no characters", "\xff\xfe.txt", "__.txt", "__ (2).txt"},
	{"A19: another system's folders", "C:\\x\\y.txt", "C:_x_y.txt", "C:_x_y (2).txt"},
	{"A19: too long, keeps its kind", X90 X10 X10 ".pdf", X90 "xxxxxx.pdf", X90 "xx (2).pdf"},
	{"A19: too long, no kind", X90 X10 X10, X90 X10, X90 "xxxxxx (2)"},
	{"A19: no half characters", X90 "xxxxxxxxx\xc3\xbc", X90 "xxxxxxxxx", X90 "xxxxxx (2)"},
};
static const struct snippet_case {
	const char *name, *title, *text, *typed, *want;
} snippet_cases[] = {
	{"A22: short", NULL, "the deploy\nfailed", "deploy", "the deploy failed"},
	{"A22: far inside", NULL, X90 " some words in front of it, the rate limit was reached", "limit", "…some words in front of it, the rate limit was reached"},
	{"A22: long", NULL, "deploy " X90 X90, "deploy", "deploy " X90 X10 X10 X10 X10 X10 X10 "xxx…"},
	{"A22: in the title", "Weekly deploy", "nothing else", "deploy", "Weekly deploy"},
	{"A22: blanks are one", NULL, "\n\n  a \t\n b", "b", "a b"},
	{"A22: nowhere we can see", NULL, "some text", "deploy", "some text"},
	{"A22: the first of several", NULL, "b then a", "a b", "b then a"},
};
/* clang-format on */

static void test_name(void **state)
{
	const struct name_case *c = *state;
	char got[MAIL_NAME_MAX + 1];

	mail_file_name(c->raw, got);
	assert_string_equal(got, c->want);
	mail_file_name_again(c->want, 2, got);
	assert_string_equal(got, c->again);
	assert_true(text_is_utf8(got, strlen(got)));
}

static void test_snippet(void **state)
{
	const struct snippet_case *c = *state;
	AUTO(json_decref) json_t *words = snippet_words(c->typed);
	AUTO_BUF struct buf got = {0};

	snippet_of(c->title, c->text, words, &got);
	assert_string_equal(buf_text(&got), c->want);
	assert_true(text_is_utf8(buf_text(&got), got.len));
}

/* --- files --- */

static char home[] = "/tmp/belfry-mail-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int make_home(void **state)
{
	AUTO(free) char *spool = NULL;
	struct error err = {0};

	(void)state;
	strcpy(home, "/tmp/belfry-mail-XXXXXX");
	assert_non_null(mkdtemp(home));
	spool = mem_printf("%s/spool", home);
	assert_int_equal(dir_make_private(spool, &err), 0);
	return 0;
}

static int remove_home(void **state)
{
	(void)state;
	return nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void write_file(const char *name, const char *text)
{
	AUTO(free) char *path = mem_printf("%s/%s", home, name);
	struct error err = {0};

	assert_int_equal(file_write(path, text, strlen(text), &err), 0);
}

static void holds(const char *name, const char *want)
{
	AUTO(free) char *path = mem_printf("%s/%s", home, name);
	AUTO_BUF struct buf got = {0};
	struct error err = {0};

	if (file_read(path, 1 << 20, &got, &err) < 0)
		fail_msg("%s", err.message);
	assert_string_equal(buf_text(&got), want);
}

static bool is_there(const char *name)
{
	AUTO(free) char *path = mem_printf("%s/%s", home, name);

	return access(path, F_OK) == 0;
}

static int place(const struct thread *t, const char *json, struct mail **ret, struct error *err)
{
	AUTO(json_decref) json_t *args = NULL;
	struct mail *mail = mem_zalloc(sizeof(*mail));
	int r;

	assert_int_equal(json_parse(json, strlen(json), &args, err), 0);
	r = mail_file_place(home, t, NULL, args, mail, err);
	if (*ret)
		mail_free(*ret);
	*ret = mail;
	return r;
}

/* A turn that is tried again finds what was spooled where it was. */
static void test_again(void **state)
{
	struct thread t = {.id = "thr-1", .messages = 2};
	AUTO(mail_free) struct mail *mail = NULL;
	const char *args =
		"{\"spool\":\"s-1\",\"spooled_files\":[{\"spool\":\"s-2\",\"name\":\"a\"}]}";
	struct error err = {0};

	(void)state;
	write_file("spool/s-1", "body");
	write_file("spool/s-2", "file");
	for (int i = 0; i < 3; i++) {
		if (place(&t, args, &mail, &err) < 0)
			fail_msg("%s", err.message);
		assert_string_equal(mail->file, "threads/thr-1/3.md");
		assert_string_equal(mail->text, "body");
		holds("threads/thr-1/3.md", "body");
		holds("threads/thr-1/3.files/a", "file");
	}
}

/* What a crash left under this number is replaced, attachments and all. */
static void test_leftovers(void **state)
{
	struct thread t = {.id = "thr-1"};
	AUTO(mail_free) struct mail *mail = NULL;
	struct error err = {0};

	(void)state;
	write_file("spool/s-1", "old");
	assert_int_equal(place(&t,
			       "{\"body\":\"old\",\"spooled_files\":"
			       "[{\"spool\":\"s-1\",\"name\":\"old\"}]}",
			       &mail, &err),
			 0);
	assert_int_equal(place(&t, "{\"body\":\"new\"}", &mail, &err), 0);
	holds("threads/thr-1/1.md", "new");
	assert_false(is_there("threads/thr-1/1.files"));
	assert_null(mail->attachments);
}

/* The row's text ends with a whole character, and knows how long it all is. */
static void test_cut(void **state)
{
	struct thread t = {.id = "thr-1"};
	AUTO(mail_free) struct mail *mail = NULL;
	AUTO_BUF struct buf body = {0};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < MAIL_TEXT_MAX - 1; i++)
		buf_add_char(&body, 'x');
	buf_add_str(&body, "€ and more");
	write_file("spool/s-1", buf_text(&body));
	assert_int_equal(place(&t, "{\"spool\":\"s-1\"}", &mail, &err), 0);
	assert_int_equal(mail->size, (int64_t)body.len);
	assert_int_equal(strlen(mail->text), MAIL_TEXT_MAX - 1);
}

/* What the row has no room for is still found. */
static void test_rest(void **state)
{
	struct thread t = {.id = "thr-1"};
	AUTO(mail_free) struct mail *mail = NULL;
	AUTO_BUF struct buf body = {0};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < MAIL_TEXT_MAX; i++)
		buf_add_char(&body, i % 10 == 9 ? '\n' : 'x');
	buf_add_str(&body,
		    "\nthe lantern, the wick; gr\xc3\xbcn \xe6\x97\xa5\xe6\x9c\xac the lantern\n");
	write_file("spool/s-1", buf_text(&body));
	assert_int_equal(place(&t, "{\"spool\":\"s-1\"}", &mail, &err), 0);
	assert_string_equal(mail->terms, "the lantern wick gr\xc3\xbcn \xe6\x97\xa5\xe6\x9c\xac");
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

int main(void)
{
	struct CMUnitTest tests[COUNT(name_cases) + COUNT(snippet_cases) + 4] = {
		{"A19: a turn that is tried again", test_again, make_home, remove_home, NULL},
		{"A19: what a crash left is replaced", test_leftovers, make_home, remove_home,
		 NULL},
		{"A19: the row's text ends with a character", test_cut, make_home, remove_home,
		 NULL},
		{"I14 words far down in a long message are found", test_rest, make_home,
		 remove_home, NULL},
	};
	size_t n = 4;

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < COUNT(name_cases); i++)
		tests[n++] = (struct CMUnitTest){name_cases[i].name, test_name, NULL, NULL,
						 (void *)(uintptr_t)&name_cases[i]};
	for (size_t i = 0; i < COUNT(snippet_cases); i++)
		tests[n++] = (struct CMUnitTest){snippet_cases[i].name, test_snippet, NULL, NULL,
						 (void *)(uintptr_t)&snippet_cases[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
