#pragma once
/*
 * Requests of which nobody knows whether they were carried out: a small file each in the state folder, with the id
 * that was asked with. Who asks the same again within the hour asks with that id, and so does nothing twice.
 */
#include <stdbool.h>

#include "base/json.h"
#include "config/home.h"

struct unsure {
	const struct home *home;
	const char *request;
	const json_t *args, *claim; /* NULL: none */
};

#define UNSURE_ID_MAX 40

/* The id of the same request, asked before; false: there is none, which is nearly always so. */
bool unsure_recall(const struct unsure *u, char ret[static UNSURE_ID_MAX]);
void unsure_remember(const struct unsure *u, const char *id);
void unsure_forget(const struct unsure *u);
