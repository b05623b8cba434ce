#pragma once
/*
 * Random numbers for ids and hashes for jitter. A test may seed the generator, and then gets the
 * same ids every time; otherwise it is seeded by the kernel.
 */
#include <stddef.h>
#include <stdint.h>

uint64_t random_next(void);
void random_seed(uint64_t seed);

/* "r-k3f9x2": the prefix and `len` characters of 0-9a-z; `ret` has room for both and the NUL. */
void random_id(const char *prefix, size_t len, char *ret);

/* A well-mixed 64-bit hash: equal inputs, equal output, on every machine and version. */
uint64_t hash_bytes(const void *bytes, size_t len, uint64_t seed);
