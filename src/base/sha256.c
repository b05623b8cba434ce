/*
 * sha256.c: SHA-256 as FIPS 180-4 writes it down, of a whole text at once.
 * What is hashed here is short and random (tokens), so neither speed nor a streaming form matters.
 */
#include "base/sha256.h"

#include <string.h>

#define BLOCK 64
#define LENGTH_AT 56 /* where the last block has its length in bits */

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_words[BLOCK] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t turn_right(uint32_t x, int by)
{
	return (x >> by) | (x << (32 - by));
}

/* The message schedule: sixteen words of the block, and what follows from them. */
static void spread(const unsigned char *block, uint32_t w[static BLOCK])
{
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < BLOCK; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (turn_right(a, 7) ^ turn_right(a, 18) ^ (a >> 3)) +
		       (turn_right(b, 17) ^ turn_right(b, 19) ^ (b >> 10));
	}
}

static void take_block(uint32_t state[static 8], const unsigned char *block)
{
	uint32_t w[BLOCK], s[8];

	spread(block, w);
	memcpy(s, state, sizeof(s));
	for (int i = 0; i < BLOCK; i++) {
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t one = s[7] + choice + round_words[i] + w[i] +
			       (turn_right(s[4], 6) ^ turn_right(s[4], 11) ^ turn_right(s[4], 25));
		uint32_t two = majority +
			       (turn_right(s[0], 2) ^ turn_right(s[0], 13) ^ turn_right(s[0], 22));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += one;
		s[0] = one + two;
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

/* What is left of the text, a single bit, zeros, and the length: one block or two. */
static void take_last(uint32_t state[static 8], const unsigned char *rest, size_t left, size_t len)
{
	unsigned char last[2 * BLOCK] = {0};
	size_t size = left < LENGTH_AT ? BLOCK : sizeof(last);
	uint64_t bits = (uint64_t)len * 8;

	if (left)
		memcpy(last, rest, left);
	last[left] = 0x80;
	for (int i = 0; i < 8; i++)
		last[size - 1 - (size_t)i] = (unsigned char)(bits >> (8 * i));
	for (size_t at = 0; at < size; at += BLOCK)
		take_block(state, last + at);
}

void sha256_hex(const void *bytes, size_t len, char ret[static SHA256_HEX_MAX])
{
	static const char digits[] = "0123456789abcdef";
	uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	const unsigned char *p = bytes;
	size_t left = len;

	for (; left >= BLOCK; left -= BLOCK, p += BLOCK)
		take_block(state, p);
	take_last(state, p, left, len);
	for (int i = 0; i < 64; i++)
		ret[i] = digits[state[i / 8] >> (28 - 4 * (i % 8)) & 0xf];
	ret[64] = '\0';
}
