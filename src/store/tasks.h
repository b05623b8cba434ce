#pragma once
/* The view scheduled_tasks with its triggers, for each database: part of the schema's second step. */
extern const char tasks_sqlite[], tasks_postgres[];
