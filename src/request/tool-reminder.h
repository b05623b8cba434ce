#pragma once
/* The tool `reminder`: what it does (tool-reminder.c), for its row (tool-reminder-row.c). */
#include "request/request.h"

request_exec tool_reminder_exec;
