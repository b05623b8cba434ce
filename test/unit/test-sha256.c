/* test-sha256.c: the examples of FIPS 180-4 and NIST's, and every length around the end of a block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"

/* clang-format off */
static const struct hash_case {
	const char *name, *text;
	size_t times; /* the text is repeated */
	const char *want;
} cases[] = {
	{"nothing", "", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc", "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	{"a million bytes", "a", 1000000,
	 "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
	{"55 bytes: the length still fits", "a", 55,
	 "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
	{"56 bytes: it does not", "a", 56,
	 "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
	{"64 bytes: a block of padding alone", "a", 64,
	 "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
};
/* clang-format on */

static void test_hash(void **state)
{
	const struct hash_case *c = *state;
	size_t each = strlen(c->text), len = each * c->times;
	AUTO(free) char *text = mem_zalloc(len + 1);
	char got[SHA256_HEX_MAX];

	for (size_t i = 0; i < c->times; i++)
		memcpy(text + i * each, c->text, each);
	sha256_hex(text, len, got);
	assert_string_equal(got, c->want);
}

int main(void)
{
	struct CMUnitTest tests[sizeof(cases) / sizeof(cases[0])] = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tests[i] = (struct CMUnitTest){cases[i].name, test_hash, NULL, NULL,
					       (void *)(uintptr_t)&cases[i]};
	return _cmocka_run_group_tests("sha256", tests, sizeof(tests) / sizeof(tests[0]), NULL,
				       NULL);
}
