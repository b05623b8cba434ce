#pragma once
/* Other programs of this machine, which have the terminal while they run. */
#include <stdbool.h>

/* Whether a program of this name is in PATH. */
bool program_is_installed(const char *name);

/* The file this program was started from; its name where that has gone. Caller frees. */
char *program_self(void);

/*
 * Run a program until it ends. Keys that interrupt are its own meanwhile. Returns its wait status,
 * or -1 when there is no process for it; exit status 127 when it cannot be started.
 */
int program_run(const char *const *argv);
