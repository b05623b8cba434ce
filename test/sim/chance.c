/* chance.c: the random numbers of one world (splitmix64), apart from those of the program. */
#include "sim.h"

uint64_t chance_next(struct chance *c)
{
	uint64_t z = c->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

int64_t chance_below(struct chance *c, int64_t n)
{
	return (int64_t)(chance_next(c) % (uint64_t)n);
}

int64_t chance_between(struct chance *c, int64_t low, int64_t high)
{
	return low + chance_below(c, high - low + 1);
}

bool chance_percent(struct chance *c, int percent)
{
	return chance_below(c, 100) < percent;
}
