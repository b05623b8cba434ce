#pragma once
/*
 * Threads and messages as JSON: what `inbox list`, `inbox show`, `inbox search`, `inbox reply` and
 * `message send` answer with.
 *
 * A thread:
 *	id             "mis-k3f9x2" of a mission, else "thr-…"
 *	title          the cron's name, or how the prompt begins; one line
 *	agent          who answers in it, or null
 *	mission        {"id", "state", "cron", "resumable"}, or null; cron null when it is of none
 *	messages       how many were written, which is the number of the last one; retention deletes
 *	               old ones of threads without a mission
 *	unread, asks, waiting    how many are unread, wait for an answer, and how many replies the
 *	               agent does not have yet
 *	last_at, last_sender, preview      of the newest message
 *	wanted         whether the mission goes on by itself, as soon as it can: a reply waits
 *	archived       true or false
 *
 * A message:
 *	thread, seq    which one: "mis-k3f9x2", 3
 *	sender         "agent", "person", "belfry"; author: the name, or null
 *	at             when it was written
 *	title          or null
 *	text           Markdown, at most 64 KiB of it; whole: whether that is all; size: of all of it
 *	file           where all of it is, or null
 *	attachments    [{"name", "size", "file"}]
 *	read           true or false
 *	ask            null, "open", "answered" or "expired"; ask_until, ask_default: or null;
 *	               answered_by: the seq of the reply to it, or of the default
 *	reply          null, or of a person's: "waiting", "offered", "delivered"
 *	on_request     true in the thread of a session: a reply waits until that asks for it
 *	run            "mis-k3f9x2/2", the run that wrote it, or null
 *
 * inbox list     {"threads": […], "unread": N, "asks": N, "more": CURSOR or null}; unread and asks
 *                are those of the whole inbox
 * inbox show     {"thread": {…}, "messages": […], "more": SEQ or null}   oldest first; more: there
 *                are older ones, ask again with before = SEQ. Asked with after: newer ones, ask
 *                again with after = SEQ. A page has at most 200 messages (last: fewer) or 1 MiB
 * inbox search   {"messages": [{…, "thread_title", "snippet"}], "words": […], "more": CURSOR or
 *                null}   newest first; snippet is one line around the first word that was found,
 *                text at most 4 KiB; words are what was looked for, as people would mark them
 * message send, inbox reply      {"thread": {…}, "message": {…}}
 * inbox read, unread, archive, unarchive   {"thread": {…}, "changed": N}
 * inbox read --all, archive --read   {"done": "read", "threads": N, "messages": N that were unread, "asks": N that are open, "more":
 *                true: asked again, it goes on}
 */
#include "request/json.h"
#include "store/thread.h"

/* `m` is the thread's mission, or NULL; files are below `state_dir`. */
json_t *json_thread(const struct thread *t, const struct mission *m);
json_t *json_mail(const struct thread *t, const struct mail *m, const char *state_dir);
