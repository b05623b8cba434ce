#pragma once
/*
 * An error is a code, a message and a hint, in memory of the caller: nothing to free, and it works
 * when memory is short. Functions that can fail return 0 (or a count) or a negative error_code and
 * take `struct error *err` last, never NULL. Inner functions say what, outer ones add where, only
 * the edge prints, once. Messages are lower case, without a full stop, the object in single quotes.
 */

/* clang-format off */
#define ERROR_CODES(X) \
	/* name            value word           exit http  json-rpc */ \
	X(ERR_INVALID,     -1,   "invalid",     2,   400,  -32602) /* the caller sent something malformed */ \
	X(ERR_NOT_FOUND,   -2,   "not_found",   3,   404,  -32002) /* no such reminder, agent, message */ \
	X(ERR_CONFLICT,    -3,   "conflict",    4,   409,  -32010) /* not in this state */ \
	X(ERR_DENIED,      -4,   "denied",      5,   403,  -32011) /* this caller may not do that */ \
	X(ERR_UNAVAILABLE, -5,   "unavailable", 6,   503,  -32012) /* store, child or peer not answering */ \
	X(ERR_SYSTEM,      -6,   "system",      7,   500,  -32603) /* a system call failed, see os_errno */
/* clang-format on */

enum error_code {
#define ERROR_ENUM(name, value, word, exit_status, http, rpc) name = value,
	ERROR_CODES(ERROR_ENUM)
#undef ERROR_ENUM
};

struct error {
	enum error_code code;
	int os_errno;	   /* 0 unless a system call was involved */
	char message[512]; /* what was being done, to which object, and why it failed */
	char hint[256];	   /* the operator's next step, or "" */
};

/* All return err->code, so that a failure is one line. error_set() starts afresh: no hint. */
int error_set(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int error_set_errno(struct error *err, int os_errno, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int error_hint(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The code's word ("not_found"), its exit status, and the code of a word (ERR_SYSTEM if unknown). */
const char *error_word(enum error_code code);
int error_exit_status(enum error_code code);
enum error_code error_code_of(const char *word);
