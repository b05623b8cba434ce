#pragma once
/* SHA-256 (FIPS 180-4), for secrets of which only the hash is kept. */
#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX_MAX 65

/* The hash of these bytes as 64 hexadecimal digits, lower case, and the NUL. */
void sha256_hex(const void *bytes, size_t len, char ret[static SHA256_HEX_MAX]);
