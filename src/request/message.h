#pragma once
/* Messages to the person: what `message send` and the tool of the same name share. */
#include "request/request.h"
#include "store/mission.h"
#include "store/thread.h"

/* What a surface calls these arguments, in errors. */
struct message_words {
	const char *ask, *until, *answer; /* "--ask", "--timeout", "--default" */
	const char *example;		  /* of `until` */
};

/* `title`: one line. */
int message_read_title(const json_t *args, struct mail *mail, struct error *err);
/* `ask` and `default`; mail->ask_until is there already. */
int message_read_ask(const json_t *args, const struct message_words *words, struct mail *mail,
		     struct error *err);
/* The mission a message is from, by its whole id. */
int message_mission(const struct request *rq, const char *id, struct mission **ret,
		    struct error *err);
/* ERR_CONFLICT when no answer could reach it. */
int message_may_ask(const struct request *rq, const struct mission *m, const struct mail *mail,
		    const struct message_words *words, struct error *err);
