#pragma once
/*
 * Lessons and workflows: Markdown that agents are told to read when it matters, beside config.yml.
 *
 *	lessons/ID.md               an ID may have folders in it: "errors/handling"
 *	workflows/NAME.md           its steps are its headings of the second level, "## Plan"
 *	workflows/NAME/STEP.md      or a file each, in the order of their names: 01-plan.md is "plan"
 *
 * Names are of a-z, 0-9, '-' and '_'. The first heading is the title, the first paragraph the summary.
 * Files are plain ones of at most LIBRARY_PAGE_MAX bytes of UTF-8; no link is followed below the two
 * folders, so that no name leads out of them. Nothing is kept: what is read is what is there now.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"
#include "base/error.h"

#define LIBRARY_PAGE_MAX ((size_t)64 * 1024)
#define LIBRARY_PAGES_MAX 1000 /* lessons, workflows, or steps of one */
#define LIBRARY_ID_MAX 200     /* bytes */

struct library_page {
	char *id;	       /* "error-handling", "bug-fix", "bug-fix/investigate" */
	char *title, *summary; /* never NULL when it could be read; summary may be "" */
	char *text;	       /* all of it; NULL in lists */
	char *problem;	       /* why it cannot be read, with its file; NULL when it can */
	size_t step_count;     /* of a workflow in a list */
};
void library_page_fini(struct library_page *p);
#define AUTO_PAGE __attribute__((cleanup(library_page_fini)))

struct library {
	struct library_page *pages;
	size_t count;
};
void library_fini(struct library *l);
#define AUTO_LIBRARY __attribute__((cleanup(library_fini)))

/*
 * By id, in order; one that cannot be read is there with its problem. `thorough`: all of every file is
 * looked at, else only how it begins. No folder is no lessons.
 */
int library_lessons(const char *config_dir, bool thorough, struct library *ret, struct error *err);
int library_workflows(const char *config_dir, bool thorough, struct library *ret,
		      struct error *err);

/* ERR_NOT_FOUND has the nearest name, and where it would have to be. */
int library_lesson(const char *config_dir, const char *id, struct library_page *ret,
		   struct error *err);
/* The workflow, whose text is what stands before its first step, and its steps, without their texts. */
int library_workflow(const char *config_dir, const char *name, struct library_page *ret,
		     struct library *ret_steps, struct error *err);
/* "bug-fix/investigate": that step, and all of its workflow; *ret_at is which of them it is. */
int library_step(const char *config_dir, const char *id, struct library_page *ret,
		 struct library *ret_steps, size_t *ret_at, struct error *err);

/* --- library-page.c: Markdown, as far as it matters here ------------------------------------ */

/* Its title (else `fallback`) and its summary. */
void library_head(const char *text, size_t len, const char *fallback, struct library_page *ret);
/*
 * Where the next step of a workflow begins, at or after *at, and what it is called: "2. Write tests" is
 * "write-tests". Returns false at the end, where *at is then. The caller frees *ret_name.
 */
bool library_next_step(const char *text, size_t len, size_t *at, char **ret_name);
