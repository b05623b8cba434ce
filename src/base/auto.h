#pragma once
/*
 * Owned locals that release themselves.
 *
 *	DEFINE_AUTO(struct zone, zone_unref)        once, in the header of the type
 *	AUTO(zone_unref) struct zone *z = NULL;     released when z leaves its scope
 *	*ret = steal_ptr(&z);                       success hands it over
 */
#include <unistd.h>

#define DEFINE_AUTO(type, release)                                                                 \
	static inline void auto_##release(type **owned)                                            \
	{                                                                                          \
		if (*owned)                                                                        \
			release(*owned);                                                           \
	}

#define AUTO(release) __attribute__((cleanup(auto_##release)))

static inline void auto_close_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
#define AUTO_CLOSE __attribute__((cleanup(auto_close_fd)))

#define steal_ptr(owned)                                                                           \
	({                                                                                         \
		__typeof__(owned) steal_slot_ = (owned);                                           \
		__typeof__(*(owned)) steal_value_ = *steal_slot_;                                  \
		*steal_slot_ = NULL;                                                               \
		steal_value_;                                                                      \
	})

static inline int steal_fd(int *fd)
{
	int value = *fd;

	*fd = -1;
	return value;
}
