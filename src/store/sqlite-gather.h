#pragma once
/*
 * A WAL that is written in few calls. SQLite writes each page in two, a frame's head and the page, and a commit
 * has up to some dozens of pages.
 */

/* The name for sqlite3_open_v2(); NULL: SQLite's own way is to be taken. */
const char *sqlite_gather(void);
