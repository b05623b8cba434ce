#pragma once
/*
 * Messages as files: the body and the attachments of a message are on disk, under the number it
 * will get, before its row is. What a crash leaves without a row is replaced by the next message
 * with that number.
 *
 *	missions/ID/messages/SEQ.md, SEQ.files/NAME    in the thread of a mission
 *	threads/ID/SEQ.md, SEQ.files/NAME              in any other
 *	spool/NAME                                     on their way here: whoever asks wrote them
 */
#include "base/json.h"
#include "store/mission.h"
#include "store/thread.h"

#define MAIL_BODY_INLINE ((size_t)64 * 1024) /* a longer body comes by the spool */
#define MAIL_FILES_MAX 10
#define MAIL_FILE_MAX ((int64_t)25 * 1000 * 1000)
#define MAIL_NAME_MAX 100 /* bytes of an attachment's name */

/*
 * Put body and attachments of the next message of `t` in place and fill in text, size, file and
 * attachments. args: `body`, or `spool`, the name of a file in spool/; `spooled_files`, a list of
 * {"spool", "name"}. `m` is the thread's mission, or NULL. What is taken out of the spool keeps its
 * name there too, so that a turn can be tried again: whoever put it there removes it.
 */
int mail_file_place(const char *state_dir, const struct thread *t, const struct mission *m,
		    const json_t *args, struct mail *mail, struct error *err);

/* A name for an attachment: no folders, nothing hidden, nothing a terminal would obey. */
void mail_file_name(const char *raw, char ret[MAIL_NAME_MAX + 1]);
/* "report (2).pdf": the same name for the `nth` time. */
void mail_file_name_again(const char *name, int nth, char ret[MAIL_NAME_MAX + 1]);
