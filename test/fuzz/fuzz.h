#pragma once
/* What a fuzzer is: one function over bytes, which returns unless an invariant is broken. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, as the sanitizers do: what a broken invariant leaves behind is no state. */
#define FUZZ_CHECK(truth)                                                                          \
	do {                                                                                       \
		if (!(truth)) {                                                                    \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #truth);        \
			abort();                                                                   \
		}                                                                                  \
	} while (0)
