#include "config/edit.h"

int edit_cron_add(const char *text, size_t len, const char *name,
		  const struct edit_setting *settings, size_t count, struct buf *ret,
		  struct error *err)
{
	(void)text;
	(void)len;
	(void)name;
	(void)settings;
	(void)count;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int edit_cron_set(const char *text, size_t len, const char *name,
		  const struct edit_setting *settings, size_t count, struct buf *ret,
		  struct error *err)
{
	(void)text;
	(void)len;
	(void)name;
	(void)settings;
	(void)count;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}

int edit_cron_remove(const char *text, size_t len, const char *name, struct buf *ret,
		     struct error *err)
{
	(void)text;
	(void)len;
	(void)name;
	(void)ret;
	return error_set(err, ERR_UNAVAILABLE, "not built yet");
}
