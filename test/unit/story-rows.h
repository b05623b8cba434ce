#pragma once
/* Stories as tests: a script and everything that has to come of it. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "story.h"

struct story_row {
	const char *name, *script, *want;
};

static void test_story(void **state)
{
	const struct story_row *row = *state;
	char *got = story_tell(row->script);

	assert_string_equal(got, row->want);
	free(got);
}
