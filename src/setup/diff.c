/*
 * diff.c: what a change looks like before it is made.
 * The shortest way from one list of lines to the other (Myers, 1986), with a bound on how long it may be:
 * beyond that, everything between the first and the last difference is shown as one change.
 */
#include "setup/diff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define WAY_MAX 1000
#define AROUND 3

struct lines {
	const char **at;
	size_t *len;
	size_t count;
};

static void split(struct lines *l, const char *text, size_t len)
{
	size_t room = 1;

	for (size_t i = 0; i < len; i++)
		room += text[i] == '\n';
	l->at = mem_array(room, sizeof(*l->at));
	l->len = mem_array(room, sizeof(*l->len));
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) + 1 : len;

		l->at[l->count] = text;
		l->len[l->count++] = n;
		text += n;
		len -= n;
	}
}

static bool same(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
	return a->len[i] == b->len[j] && memcmp(a->at[i], b->at[j], a->len[i]) == 0;
}

/* Which lines stay: in_a and in_b are true for them. */
struct kept {
	bool *a, *b;
};

/* Walk back through the rounds, marking what stays. */
static void mark(struct kept *k, int *const *rounds, int round, int x, int y, size_t skip)
{
	for (; round >= 0; round--) {
		const int *v = rounds[round] + round + 1;
		int d = x - y;
		int from_d = d == -round || (d != round && v[d - 1] < v[d + 1]) ? d + 1 : d - 1;
		int from_x = round ? v[from_d] : 0, from_y = round ? from_x - from_d : 0;

		while (x > from_x && y > from_y) {
			x--;
			y--;
			k->a[skip + (size_t)x] = k->b[skip + (size_t)y] = true;
		}
		x = from_x;
		y = from_y;
	}
}

/* The middle parts, without their common begin and end. False: too far apart. */
static bool walk(const struct lines *a, const struct lines *b, size_t skip, int n, int m,
		 struct kept *k)
{
	/* How far one gets on each diagonal; what it was before every round, for the way back. */
	int *reach = mem_array((size_t)WAY_MAX * 2 + 3, sizeof(int)), *mid = reach + WAY_MAX + 1;
	int **rounds = mem_array(WAY_MAX + 1, sizeof(*rounds));
	bool found = false;

	for (int round = 0; round <= WAY_MAX && !found; round++) {
		rounds[round] = mem_array((size_t)round * 2 + 3, sizeof(int));
		memcpy(rounds[round], mid - round - 1, ((size_t)round * 2 + 3) * sizeof(int));
		for (int d = -round; d <= round && !found; d += 2) {
			bool down = d == -round || (d != round && mid[d - 1] < mid[d + 1]);
			int x = down ? mid[d + 1] : mid[d - 1] + 1, y = x - d;

			while (x < n && y < m && same(a, skip + (size_t)x, b, skip + (size_t)y)) {
				x++;
				y++;
			}
			mid[d] = x;
			found = x >= n && y >= m;
		}
		if (found)
			mark(k, rounds, round, n, m, skip);
	}
	for (int i = 0; i <= WAY_MAX; i++)
		free(rounds[i]);
	free(rounds);
	free(reach);
	return found;
}

static void compare(const struct lines *a, const struct lines *b, struct kept *k)
{
	size_t head = 0, tail = 0, least = a->count < b->count ? a->count : b->count;

	while (head < least && same(a, head, b, head))
		head++;
	while (tail < least - head && same(a, a->count - 1 - tail, b, b->count - 1 - tail))
		tail++;
	memset(k->a, true, head);
	memset(k->b, true, head);
	memset(k->a + a->count - tail, true, tail);
	memset(k->b + b->count - tail, true, tail);
	walk(a, b, head, (int)(a->count - head - tail), (int)(b->count - head - tail), k);
}

static void print_line(struct buf *out, char sign, const struct lines *l, size_t i)
{
	buf_add_char(out, sign);
	buf_add(out, l->at[i], l->len[i]);
	if (l->at[i][l->len[i] - 1] != '\n')
		buf_add_str(out, "\n\\ No newline at end of file\n");
}

/* Where the next line that goes or comes is, from (*i, *j). */
static bool next_change(const struct lines *a, const struct lines *b, const struct kept *k,
			size_t *i, size_t *j)
{
	while (*i < a->count && *j < b->count && k->a[*i] && k->b[*j]) {
		++*i;
		++*j;
	}
	return *i < a->count || *j < b->count;
}

/* One hunk from its first change; *i and *j are behind it then. */
static void print_hunk(struct buf *out, const struct lines *a, const struct lines *b,
		       const struct kept *k, size_t *i, size_t *j)
{
	size_t before = *i < AROUND ? *i : AROUND, quiet = 0;
	size_t from_a = *i - before, from_b = *j - before;
	AUTO_BUF struct buf body = {0};

	for (size_t n = from_a; n < *i; n++)
		print_line(&body, ' ', a, n);
	while ((*i < a->count || *j < b->count) && quiet < (size_t)AROUND * 2) {
		size_t x = *i, y = *j;

		if (*i < a->count && !k->a[*i])
			print_line(&body, '-', a, (*i)++);
		else if (*j < b->count && !k->b[*j])
			print_line(&body, '+', b, (*j)++);
		else {
			/* Far from the next change the hunk ends, three lines on. */
			if (quiet >= AROUND) {
				size_t n = 0;

				while (n < AROUND && x + n < a->count && k->a[x + n] && k->b[y + n])
					n++;
				if (n == AROUND || x + n >= a->count)
					break;
			}
			print_line(&body, ' ', a, (*i)++);
			++*j;
			quiet++;
			continue;
		}
		quiet = 0;
	}
	buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n%s", from_a + (*i > from_a), *i - from_a,
		   from_b + (*j > from_b), *j - from_b, buf_text(&body));
}

void diff_print(struct buf *out, const char *path, const char *old, size_t old_len, const char *new,
		size_t new_len)
{
	struct lines a = {0}, b = {0};
	struct kept k;
	size_t i = 0, j = 0;

	if (old_len == new_len && memcmp(old, new, new_len) == 0)
		return;
	split(&a, old, old_len);
	split(&b, new, new_len);
	k.a = mem_array(a.count + 1, sizeof(bool));
	k.b = mem_array(b.count + 1, sizeof(bool));
	compare(&a, &b, &k);
	buf_printf(out, "--- %s\n+++ %s\n", old_len ? path : "/dev/null",
		   new_len ? path : "/dev/null");
	while (next_change(&a, &b, &k, &i, &j))
		print_hunk(out, &a, &b, &k, &i, &j);
	free(a.at);
	free(a.len);
	free(b.at);
	free(b.len);
	free(k.a);
	free(k.b);
}
