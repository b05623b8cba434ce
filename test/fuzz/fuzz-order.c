/*
 * fuzz-order.c: any bytes are an order or an error, and an order survives its own JSON.
 */
#include <string.h>

#include "agent/order.h"
#include "base/mem.h"
#include "base/text.h"
#include "fuzz.h"

static void check_again(const struct order *o)
{
	AUTO(order_free) struct order *second = NULL;
	AUTO(free) char *first_text = order_format(o), *second_text = NULL;
	struct error err = {0};

	FUZZ_CHECK(order_parse(first_text, strlen(first_text), &second, &err) == 0);
	second_text = order_format(second);
	FUZZ_CHECK(strcmp(first_text, second_text) == 0);
	FUZZ_CHECK(strcmp(o->prompt, second->prompt) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(order_free) struct order *o = NULL;
	struct error err = {0};

	if (order_parse((const char *)data, size, &o, &err) < 0) {
		FUZZ_CHECK(err.code == ERR_INVALID && strncmp(err.message, "order: ", 7) == 0);
		return 0;
	}
	FUZZ_CHECK(text_is_name(o->mission) && o->number >= 1 && o->adapter && o->prompt);
	FUZZ_CHECK(!o->directory || o->directory[0] == '/');
	check_again(o);
	return 0;
}
