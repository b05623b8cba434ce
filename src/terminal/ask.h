#pragma once
/*
 * Questions to a person at a terminal. Ctrl-C and Ctrl-D at any of them mean: never mind. Every
 * function then returns ASK_CANCELLED, and the terminal is as it was.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "terminal/style.h"

#define ASK_CANCELLED 1
#define ASK_EXIT_STATUS 130 /* what a shell makes of Ctrl-C */

/* Whether somebody is there to be asked: standard input and output are a terminal. */
bool ask_is_possible(void);

/* From here on Ctrl-C is an answer. Before the first question. */
void ask_begin(void);
/* Whether Ctrl-C was pressed since. */
bool ask_was_interrupted(void);

/*
 * One line, without blanks around it; `shown` is what an empty one stands for, in brackets, or
 * NULL. Pasted lines are refused with a word, and it is asked again. Returns 0 (*ret is the caller's, "" when the line was empty) or ASK_CANCELLED.
 */
int ask_line(const char *question, const char *shown, char **ret);

/*
 * Lines as they are typed or pasted, until one that is a single dot, which was typed. Returns 0 or
 * ASK_CANCELLED.
 */
int ask_lines(struct buf *ret);

/* Returns 0 and sets *ret; an empty line is `otherwise`. */
int ask_yes(const char *question, bool otherwise, bool *ret);

/*
 * Let $VISUAL or $EDITOR work on a text; `suffix` is how its file's name ends. Returns 0 with the
 * new text in `text`, or negative when there is no editor or it failed.
 */
int ask_editor(struct buf *text, const char *suffix, struct error *err);
