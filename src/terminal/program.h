#pragma once
/* Other programs of this machine. */
#include <stdbool.h>

/* Whether a program of this name is in PATH. */
bool program_is_installed(const char *name);
