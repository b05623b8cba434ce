/* test-base.c: the small parts everything stands on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"

static void test_error(void **state)
{
	struct error err = {0};

	(void)state;
	assert_int_equal(error_set(&err, ERR_INVALID, "bad hour '%d'", 25), ERR_INVALID);
	error_hint(&err, "hours run from 0 to 23");
	assert_int_equal(error_prefix(&err, "schedule '%s'", "nightly"), ERR_INVALID);
	assert_string_equal(err.message, "schedule 'nightly': bad hour '25'");
	assert_string_equal(err.hint, "hours run from 0 to 23");
	assert_int_equal(error_exit_status(ERR_NOT_FOUND), 3);
	assert_int_equal(error_code_of("conflict"), ERR_CONFLICT);
}

static void test_buf(void **state)
{
	AUTO_BUF struct buf b = {0};

	(void)state;
	assert_string_equal(buf_text(&b), "");
	for (int i = 0; i < 100; i++)
		buf_printf(&b, "%d,", i);
	assert_int_equal(b.len, 290);
	buf_drop_front(&b, 2);
	assert_memory_equal(b.data, "1,2,3", 5);
}

static void test_text(void **state)
{
	static const char *const names[] = {"builder", "me", "reviewer"};

	(void)state;
	assert_true(text_is_utf8("größe ✓", strlen("größe ✓")));
	assert_false(text_is_utf8("\xc0\x80", 2));
	assert_false(text_is_utf8("\xed\xa0\x80", 3));
	assert_false(text_is_utf8("\xf5\x80\x80\x80", 4));
	assert_string_equal(text_nearest("bulider", names, 3), "builder");
	assert_null(text_nearest("zzz", names, 3));
	assert_null(text_find_control("a\tb\nc é"));
	assert_non_null(text_find_control("a\033[2J"));
	assert_non_null(text_find_control("a\xc2\x9b"
					  "2J"));
	assert_true(text_is_name("check-ci.2"));
	assert_false(text_is_name("../x"));
	assert_false(text_is_name(""));
}

static void test_T1_words(void **state)
{
	(void)state;
	assert_true(text_has_word("all pending failed", "all"));
	assert_true(text_has_word("all pending failed", "pending"));
	assert_true(text_has_word("all pending failed", "failed"));
	assert_true(text_has_word("max_attempts", "max_attempts"));
	assert_false(text_has_word("all pending failed", ""));
	assert_false(text_has_word("", ""));
	assert_false(text_has_word("a  b", ""));
	assert_false(text_has_word("all pending failed", "pend"));
	assert_false(text_has_word("all pending failed", "all pending"));
	assert_false(text_has_word("all", "alle"));
}

static void test_text_clean(void **state)
{
	static const char dirty[] = " \na\r\nb\rc\0d\xff\xc2\x9b\033[0m \xe2\x82\xac\xe2\x82\t ";
	AUTO(free) char *clean = text_clean(dirty, sizeof(dirty) - 1);
	AUTO(free) char *nothing = text_clean("", 0), *blank = text_clean(" \n\t", 3);
	char mend[] = "a\xff\xe2\x82\xac\xe2\x82z";

	(void)state;
	assert_string_equal(clean, "a\nb?c?d??"
				   "?[0m \xe2\x82\xac??");
	assert_string_equal(nothing, "");
	assert_string_equal(blank, "");
	text_mend_utf8(mend, strlen(mend));
	assert_string_equal(mend, "a?\xe2\x82\xac??z");
	assert_int_equal(text_fit("a\xe2\x82\xac", 4), 4);
	assert_int_equal(text_fit("a\xe2\x82\xac", 3), 1);
	assert_int_equal(text_fit("a\xe2\x82\xac", 1), 1);
	assert_int_equal(text_fit("", 0), 0);
}

static void test_random(void **state)
{
	char a[16], b[16];

	(void)state;
	random_seed(7);
	random_id("r-", 6, a);
	random_seed(7);
	random_id("r-", 6, b);
	assert_string_equal(a, b);
	assert_int_equal(strlen(a), 8);
}

static void test_json(void **state)
{
	static const char *const bad[] = {"{", "{\"a\":1,\"a\":2}", "{} x", "\"\xff\""};
	struct error err = {0};
	json_t *value = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(json_parse(bad[i], strlen(bad[i]), &value, &err), ERR_INVALID);
	assert_null(value);
}

/* Byte for byte what jansson writes. */
static void test_json_written(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		"[[],{},[{}],\"\",null,true,false]",
		"{\"z\":1,\"a\":{\"b\":[1,-2,9223372036854775807,-9223372036854775808,0]}}",
		"[1.5,-0.25,1e300,1e-7,2.0,123456789.123]",
		"[\"\\b\\t\\n\\f\\r\\u0001\\u001f\\u007f\\\"\\\\/\",\"ä 日本 \\ud83d\\udd14\"]",
		"{\"a \\\"quoted\\\" key\\n\":\"x\"}",
	};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		AUTO(json_decref) json_t *value = NULL;
		AUTO(free) char *want = NULL, *got = NULL;
		AUTO_BUF struct buf lines = {0};

		assert_int_equal(json_parse(texts[i], strlen(texts[i]), &value, &err), 0);
		want = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
		got = json_text(value);
		assert_string_equal(got, want);
		free(want);
		want = json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY);
		json_add_indented(value, 0, &lines);
		assert_string_equal(buf_text(&lines), want);
	}
}

/* The same as jansson reads, value or refusal: of each text whole, cut anywhere, and with any byte made another. */
static void same_as_jansson(const char *text, size_t len)
{
	AUTO(json_decref)
	json_t *want = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
	AUTO(json_decref) json_t *got = NULL;
	struct error err = {0};
	int r = json_parse(text, len, &got, &err);

	if ((r == 0) != (want != NULL) || (want && !json_equal(got, want)))
		fail_msg("'%.*s' is read in another way", (int)len, text);
}

static void test_json_read(void **state)
{
	static const char *const texts[] = {
		" { \"a\" : [ 1 , -20, 0, -0, 01, 1.5, 1e3 ] , \"b\":{\"c\":null}} \n",
		"{\"text\":\"one\\ntwo \\\"three\\\" \\/ \\\\ \\t\",\"u\":\"\\u00e4\"}",
		"[\"ä 日本\",\"\",true,false,null,[[[[]]]],{}]",
		"123456789012345678",
		"[1234567890123456789, 12345678901234567890]",
		"\"one string\"",
	};
	static const char others[] = "\"\\{}[],: 0-e.\x01\x7f\x80\xff";

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t len = strlen(texts[i]);

		for (size_t cut = 0; cut <= len; cut++)
			same_as_jansson(texts[i], cut);
		for (size_t at = 0; at < len; at++)
			for (size_t other = 0; other < sizeof(others); other++) {
				AUTO(free) char *text = mem_strdup(texts[i]);

				text[at] = others[other];
				same_as_jansson(text, len);
			}
	}
}

/* Whatever may bear the name of a file: each is named, and nothing waits for it. */
static void test_A5_not_a_file(void **state)
{
	char folder[] = "/tmp/belfry-base-XXXXXX";
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM, 0), file = -1;
	AUTO_BUF struct buf text = {0};
	struct error err = {0};
	pid_t owner;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(symlink("/dev/zero", "device"), 0);
	static const char *const words[][2] = {{"fifo", "'fifo' is a FIFO, not a file"},
					       {"folder", "'folder' is a folder, not a file"},
					       {"socket", "'socket' is a socket, not a file"},
					       {"device", "'device' is a device, not a file"}};

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(file_read(words[i][0], 100, &text, &err), ERR_INVALID);
		assert_string_equal(err.message, words[i][1]);
		assert_int_equal(file_open(words[i][0], O_WRONLY | O_CREAT, &err), ERR_INVALID);
		assert_string_equal(err.message, words[i][1]);
		assert_int_equal(file_lock(words[i][0], &file, &owner, &err), ERR_INVALID);
	}
	assert_int_equal(file_open("device", O_RDONLY | O_NOFOLLOW, &err), ERR_INVALID);
	assert_string_equal(err.message, "'device' is a link, not a file");
	assert_int_equal(file_open("none", O_RDONLY, &err), ERR_NOT_FOUND);
	assert_int_equal(file_write("file", "12345", 5, &err), 0);
	assert_int_equal(file_read("file", 4, &text, &err), ERR_INVALID);
	buf_clear(&text);
	assert_int_equal(file_read("file", 5, &text, &err), 0);
	assert_string_equal(buf_text(&text), "12345");
	assert_string_equal(file_busy_with(), "");
	unlink("fifo");
	unlink("socket");
	unlink("device");
	unlink("file");
	rmdir("folder");
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error),	   cmocka_unit_test(test_buf),
		cmocka_unit_test(test_text),	   cmocka_unit_test(test_T1_words),
		cmocka_unit_test(test_text_clean), cmocka_unit_test(test_random),
		cmocka_unit_test(test_json),	   cmocka_unit_test(test_json_written),
		cmocka_unit_test(test_json_read),  cmocka_unit_test(test_A5_not_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
