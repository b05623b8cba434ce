/*
 * statements.c: an open-addressing table from the address of a statement's text to whatever the
 * driver made of it. Statements are never forgotten singly: there are some dozens of them.
 */
#include "store/statements.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

static size_t place_of(const struct statements *s, const char *sql)
{
	size_t i = (size_t)(((uintptr_t)sql * 0x9e3779b97f4a7c15u) >> 32) & (s->capacity - 1);

	while (s->entries[i].sql && s->entries[i].sql != sql)
		i = (i + 1) & (s->capacity - 1);
	return i;
}

static void grow(struct statements *s)
{
	struct statements old = *s;

	s->capacity = old.capacity ? old.capacity * 2 : 64;
	s->entries = mem_array(s->capacity, sizeof(*s->entries));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.entries[i].sql)
			s->entries[place_of(s, old.entries[i].sql)] = old.entries[i];
	free(old.entries);
}

void **statements_at(struct statements *s, const char *sql)
{
	struct statements_entry *entry;

	if (s->count * 2 >= s->capacity)
		grow(s);
	entry = &s->entries[place_of(s, sql)];
	if (!entry->sql) {
		entry->sql = sql;
		s->count++;
	}
	return &entry->prepared;
}

void statements_fini(struct statements *s, void (*release)(void *prepared))
{
	for (size_t i = 0; i < s->capacity; i++)
		if (s->entries[i].prepared)
			release(s->entries[i].prepared);
	free(s->entries);
	*s = (struct statements){0};
}
