#pragma once
/* Tests that name the one backend they are about: [name, backend, test], run in the order given. */
#include "store-fixture.h"

struct alone_row {
	const char *name;
	enum backend backend;
	void (*test)(struct fixture *f);
};

struct alone_instance {
	const struct alone_row *row;
	struct fixture fixture;
};

static int alone_setup(void **state)
{
	struct alone_instance *i = *state;

	fixture_init(&i->fixture, i->row->backend);
	return 0;
}

static int alone_teardown(void **state)
{
	struct alone_instance *i = *state;

	fixture_fini(&i->fixture);
	return 0;
}

static void alone_test(void **state)
{
	struct alone_instance *i = *state;

	i->row->test(&i->fixture);
}

static int alone_run(const char *group, const struct alone_row *rows, size_t row_count)
{
	struct alone_instance *instances = mem_array(row_count, sizeof(*instances));
	struct CMUnitTest *tests = mem_array(row_count, sizeof(*tests));
	size_t count = 0;
	int failed;

	for (size_t r = 0; r < row_count; r++) {
		if (!fixture_has(rows[r].backend))
			continue;
		instances[r].row = &rows[r];
		tests[count++] = (struct CMUnitTest){rows[r].name, alone_test, alone_setup,
						     alone_teardown, &instances[r]};
	}
	failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
	free(tests);
	free(instances);
	return failed;
}
