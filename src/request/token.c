/*
 * token.c: tokens that clients of HTTP show, made, listed and taken back.
 * A token is 256 bits of the kernel's randomness and is told once; the store has its SHA-256. Whoever
 * reads the store therefore has no token, and looking one up by its hash tells by how long it takes
 * nothing about any other: an attacker cannot choose a hash.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"
#include "engine/engine.h"
#include "request/json.h"
#include "request/read.h"
#include "request/rows.h"
#include "request/token.h"
#include "schedule/duration.h"
#include "schedule/phrase.h"
#include "store/token.h"

#define SECRET_BYTES 32
#define LABEL_BYTES_MAX 200
#define USED_STEP (60 * USEC_PER_SEC) /* every use would be a write */

/* Six bits a character, by the alphabet for addresses and file names; no padding. */
static void spell(const unsigned char *bytes, size_t len, char *ret)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned held = 0;
	int bits = 0;

	for (size_t i = 0; i < len; i++) {
		held = held << 8 | bytes[i];
		for (bits += 8; bits >= 6; bits -= 6)
			*ret++ = letters[held >> (bits - 6) & 63];
	}
	if (bits)
		*ret++ = letters[held << (6 - bits) & 63];
	*ret = '\0';
}

static int make_secret(char ret[static TOKEN_TEXT_MAX], struct error *err)
{
	unsigned char bytes[SECRET_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return error_set_errno(err, errno, "cannot make a secret");
	spell(bytes, sizeof(bytes), stpcpy(ret, TOKEN_PREFIX));
	explicit_bzero(bytes, sizeof(bytes));
	return 0;
}

/* "30d" from now, or a point in time. */
static int read_expiry(const struct request *rq, const json_t *args, struct token_row *t,
		       struct error *err)
{
	const char *text = NULL;
	struct error no_span = {0};
	usec_t span = 0;
	int rc = json_get_text(args, "expires", &text, err);

	t->expires_at = USEC_NONE;
	if (rc < 0 || !text)
		return rc;
	if (duration_parse(text, &span, &no_span) == 0)
		t->expires_at = rq->now + span;
	else if ((rc = phrase_parse_bound(text, PHRASE_END, rq->now, read_own_zone(rq),
					  &t->expires_at, err)) < 0)
		return error_prefix(err, "--expires");
	if (t->expires_at > rq->now)
		return 0;
	error_set(err, ERR_INVALID, "--expires '%.64s' is not in the future", text);
	return error_hint(err, "as a span, \"30d\", or a day, \"2027-01-31\"");
}

static int read_token(const json_t *args, const struct request *rq, struct token_row *t,
		      struct error *err)
{
	const char *user = "me", *session = NULL, *label = NULL;
	int rc;

	if ((rc = json_get_text(args, "user", &user, err)) < 0 ||
	    (rc = json_get_text(args, "session", &session, err)) < 0 ||
	    (rc = json_get_text(args, "label", &label, err)) < 0 ||
	    (label && (rc = read_check_text("the label", label, LABEL_BYTES_MAX, err)) < 0))
		return rc;
	if (!text_is_name(user)) {
		error_set(err, ERR_INVALID, "'%.64s' is no name of a user", user);
		return error_hint(err, "a user is `me`, or one of `users` in config.yml");
	}
	if (session && !token_is_session(session)) {
		error_set(err, ERR_INVALID, "'%.64s' is no id of a session", session);
		return error_hint(err, "1 to %d characters without blanks and quotes",
				  TOKEN_SESSION_MAX);
	}
	t->owner = mem_strdup(user);
	t->session = mem_strdup(session);
	t->label = mem_strdup(label && *label ? label : NULL);
	t->created_at = rq->now;
	t->used_at = USEC_NONE;
	return read_expiry(rq, args, t, err);
}

static json_t *token_json(const struct token_row *t)
{
	const struct zone *zone = zone_of_machine(&(const char *){NULL});
	json_t *o = json_object();

	json_put_text(o, "id", t->id);
	json_put_text(o, "user", t->owner);
	json_put_text(o, "session", t->session);
	json_put_text(o, "label", t->label);
	json_put(o, "created_at", json_instant(t->created_at, zone));
	json_put(o, "used_at", json_instant(t->used_at, zone));
	json_put(o, "expires_at", json_instant(t->expires_at, zone));
	return o;
}

/* Not refused: whoever writes config.yml may do it afterwards. */
static void put_warning(const struct request *rq, const char *user, json_t *o)
{
	AUTO(free) char *text = NULL;

	if (strcmp(user, "me") != 0 && !config_user(engine_config(rq->engine), user))
		text = mem_printf("'%s' is not among the `users` of config.yml: whoever shows this "
				  "token is trusted with nothing until it is",
				  user);
	json_put_text(o, "warning", text);
}

static int exec_add(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(token_row_free) struct token_row *t = mem_zalloc(sizeof(*t));
	char secret[TOKEN_TEXT_MAX], hash[SHA256_HEX_MAX];
	int rc;

	if ((rc = read_token(args, rq, t, err)) < 0 || (rc = make_secret(secret, err)) < 0)
		return rc;
	sha256_hex(secret, strlen(secret), hash);
	t->hash = mem_strdup(hash);
	rc = token_insert(engine_db(rq->engine), t, err);
	if (rc < 0)
		return rc;
	*ret = token_json(t);
	json_put_text(*ret, "token", secret);
	json_put_text(*ret, "url", rq->http);
	put_warning(rq, t->owner, *ret);
	return 0;
}

const struct request_row token_add_row = {
	.name = "token add",
	.summary = "make a token with which a client may use MCP over HTTP",
	.details = "It is printed once and cannot be shown again. HTTP is on when config.yml has "
		   "`http: {port: 7467}`; `belfry status` has its address. The client sends the "
		   "token in the header `Authorization`, after the word Bearer.",
	.examples = "belfry token add --label 'editor on this machine'\n"
		    "belfry token add --user alice --session main:dm:signal:alice-id --expires 30d",
	.args =
		(const struct request_arg[]){
			{"user", 0, ARG_TEXT, "NAME", "whom its holder acts for (default: me)",
			 NULL, false, false},
			{"session", 0, ARG_TEXT, "ID",
			 "the conversation it is for; without one the client "
			 "may say it in the header Belfry-Session",
			 NULL, false, false},
			{"label", 0, ARG_TEXT, "TEXT", "what it is for", NULL, false, false},
			{"expires", 0, ARG_TEXT, "WHEN",
			 "from when on it is refused: a span (30d) or a point in time "
			 "(default: never)",
			 NULL, false, false},
			{0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN | REQUEST_SECRET,
	.exec = exec_add,
};

static int exec_ls(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO_TOKENS struct token_row_list list = {0};
	json_t *rows;
	int rc = token_list(engine_db(rq->engine), &list, err);

	(void)args;
	if (rc < 0)
		return rc;
	rows = json_array();
	for (size_t i = 0; i < list.count; i++)
		json_array_append_new(rows, token_json(list.items[i]));
	*ret = json_object();
	json_put(*ret, "tokens", rows);
	return 0;
}

const struct request_row token_ls_row = {
	.name = "token ls",
	.summary = "list the tokens there are: for whom, since when, last used, until when",
	.args = (const struct request_arg[]){{0}},
	.flags = REQUEST_READS | REQUEST_ADMIN,
	.exec = exec_ls,
};

static int exec_rm(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	const char *id = NULL;
	int rc;

	if ((rc = json_get_text(args, "id", &id, err)) < 0 ||
	    (rc = token_delete(engine_db(rq->engine), id, err)) < 0)
		return rc;
	if (rc == 0) {
		error_set(err, ERR_NOT_FOUND, "there is no token '%.64s'", id);
		return error_hint(err, "belfry token ls");
	}
	*ret = json_pack("{s:s, s:b}", "id", id, "removed", 1);
	return 0;
}

const struct request_row token_rm_row = {
	.name = "token rm",
	.summary = "take a token back: the next request that shows it is refused",
	.args =
		(const struct request_arg[]){
			{"id", 0, ARG_TOKEN, "ID", "of the token", NULL, true, true}, {0}},
	.flags = REQUEST_WRITES | REQUEST_ADMIN,
	.exec = exec_rm,
};

static int exec_check(const struct request *rq, const json_t *args, json_t **ret, struct error *err)
{
	AUTO(token_row_free) struct token_row *t = NULL;
	struct db *db = engine_db(rq->engine);
	const char *hash = NULL;
	int rc;

	if ((rc = json_get_text(args, "hash", &hash, err)) < 0 ||
	    (rc = token_by_hash(db, hash, &t, err)) < 0)
		return rc;
	if (!t) {
		error_set(err, ERR_DENIED, "this token is not known");
		return error_hint(err, "belfry token add makes one");
	}
	if (t->expires_at != USEC_NONE && rq->now >= t->expires_at) {
		error_set(err, ERR_DENIED, "this token has expired");
		return error_hint(err, "belfry token add makes one; belfry token rm %s", t->id);
	}
	if ((t->used_at == USEC_NONE || rq->now - t->used_at >= USED_STEP ||
	     rq->now < t->used_at) &&
	    (rc = token_used(db, t->id, rq->now, err)) < 0)
		return rc;
	*ret = token_json(t);
	return 0;
}

/* What HTTP asks before anything else. */
const struct request_row token_check_row = {
	.name = "token check",
	.summary = "say whom a token stands for, by its hash",
	.args = (const struct request_arg[]){{"hash", 0, ARG_TEXT, "HASH", "SHA-256 in hexadecimal",
					      NULL, true, true},
					     {0}},
	.flags = REQUEST_WRITES | REQUEST_HIDDEN | REQUEST_ADMIN,
	.exec = exec_check,
};
