#pragma once
/*
 * libmicrohttpd, loaded when HTTP is configured and not before: it brings a TLS library that costs
 * every start of the program more than the rest of it. mhd->MHD_run(…) is MHD_run(…).
 */
#include <microhttpd.h>

#include "base/error.h"

/* clang-format off */
#define HTTP_FUNCTIONS(X) \
	X(MHD_start_daemon) X(MHD_stop_daemon) X(MHD_run) X(MHD_get_timeout) \
	X(MHD_get_daemon_info) X(MHD_add_connection) X(MHD_get_connection_info) \
	X(MHD_suspend_connection) X(MHD_resume_connection) X(MHD_get_connection_values) \
	X(MHD_lookup_connection_value) X(MHD_queue_response) X(MHD_add_response_header) \
	X(MHD_create_response_from_buffer) X(MHD_create_response_from_callback) \
	X(MHD_destroy_response)
/* clang-format on */

struct http_library {
#define HTTP_MEMBER(name) __typeof__(name) *name;
	HTTP_FUNCTIONS(HTTP_MEMBER)
#undef HTTP_MEMBER
};

/* Loaded once, kept for the life of the process. */
int http_library_load(const struct http_library **ret, struct error *err);
