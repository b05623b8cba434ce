#pragma once
/* The daemon's own diary on stderr, one line an event: time, level, text. Never message bodies. */
enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };

void log_set_level(enum log_level least);
/*
 * Where stderr is the file `path` now, it stays so: when somebody deletes that file or moves it away, the
 * next line makes it anew. `path` is borrowed, until NULL ends it. Elsewhere, as in a journal, nothing is done.
 */
void log_follow(const char *path);
void log_at(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define log_debug(...) log_at(LOG_LEVEL_DEBUG, __VA_ARGS__)
#define log_info(...) log_at(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_warning(...) log_at(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_error(...) log_at(LOG_LEVEL_ERROR, __VA_ARGS__)
