/*
 * random.c: splitmix64, seeded once by the kernel. Ids need to be unlikely to meet, not secret:
 * secrets come from getrandom() directly.
 */
#include "base/random.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static uint64_t state;
static bool seeded;

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

void random_seed(uint64_t seed)
{
	state = seed;
	seeded = true;
}

uint64_t random_next(void)
{
	if (!seeded) {
		uint64_t seed = (uint64_t)time(NULL);

		/* A short answer leaves the time in it, which is still a seed. */
		(void)!getrandom(&seed, sizeof(seed), 0);
		random_seed(seed);
	}
	state += 0x9e3779b97f4a7c15u;
	return mix(state);
}

void random_id(const char *prefix, size_t len, char *ret)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	size_t used = strlen(prefix);

	memcpy(ret, prefix, used);
	for (size_t i = 0; i < len; i++)
		ret[used + i] = digits[random_next() % (sizeof(digits) - 1)];
	ret[used + len] = '\0';
}

uint64_t hash_bytes(const void *bytes, size_t len, uint64_t seed)
{
	const unsigned char *p = bytes;
	uint64_t h = seed ^ 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return mix(h);
}
