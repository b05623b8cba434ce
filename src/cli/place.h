#pragma once
/* Where runs of agents have their files, and how an agent finds back to us. */
#include "agent/wrapper.h"
#include "cli/cli.h"

struct place {
	char *missions, *threads, *repos, *program, **environment;
	struct wrapper_place for_wrapper; /* borrows from the others */
};
/* Folders that the arguments `missions` and `repos` name, else those in the state folder. */
int place_find(const struct cli *c, struct place *ret, struct error *err);
void place_fini(struct place *p);
#define AUTO_PLACE __attribute__((cleanup(place_fini)))
