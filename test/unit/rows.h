#pragma once
/* Tables of rows as named cmocka tests: a failure says which row, and the others still run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ROWS_MAX 512
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static struct CMUnitTest rows[ROWS_MAX];
static size_t row_count;

static inline void add_row(const char *name, CMUnitTestFunction function, const void *row)
{
	assert_true(row_count < ROWS_MAX);
	rows[row_count++] = (struct CMUnitTest){name, function, NULL, NULL, (void *)(uintptr_t)row};
}

/* One test for each row of a table whose rows start with their name. */
#define add_table(function, table)                                                                 \
	for (size_t row_ = 0; row_ < COUNT_OF(table); row_++)                                      \
	add_row((table)[row_].name, function, &(table)[row_])

#define run_rows(group) _cmocka_run_group_tests(group, rows, row_count, NULL, NULL)
