#pragma once
/* Every row of the table, by the file that holds it. */
#include "request/request.h"

/* add.c */
extern const struct request_row reminder_add_row, reminder_edit_row;
/* reminder.c */
extern const struct request_row reminder_list_row, reminder_show_row, reminder_remove_row,
	reminder_pause_row, reminder_resume_row, reminder_complete_row, reminder_run_row;
/* import.c */
extern const struct request_row reminder_export_row, reminder_import_row, import_begin_row,
	import_rows_row, import_commit_row, import_abort_row, import_status_row;
/* next.c, simulate.c, why.c */
extern const struct request_row next_row, simulate_row, why_row;
/* queue.c */
extern const struct request_row queue_list_row, queue_show_row, queue_take_row, queue_offer_row,
	queue_settle_row;
/* live.c */
extern const struct request_row agent_list_row, live_attach_row, live_start_row, live_stop_row,
	live_restart_row, live_remove_row, live_send_row, live_host_row, tools_list_row;
/* mission.c */
extern const struct request_row mission_new_row, mission_list_row, mission_show_row,
	mission_logs_row, mission_resume_row, mission_stop_row, mission_archive_row,
	mission_unarchive_row, mission_remove_row;
/* status.c */
extern const struct request_row status_row, doctor_row, config_check_row, daemon_run_row,
	daemon_start_row, daemon_stop_row, daemon_status_row, store_check_row, daemon_halt_row;
/* cron.c, cron-edit.c */
extern const struct request_row cron_add_row, cron_ls_row, cron_show_row, cron_edit_row,
	cron_enable_row, cron_disable_row, cron_run_row, cron_logs_row, cron_history_row,
	cron_rm_row, cron_defaults_row;
/* task.c, board.c */
extern const struct request_row task_add_row, task_list_row, task_show_row, task_edit_row,
	task_cancel_row, board_set_row, board_clear_row, board_show_row;
/* apply.c */
extern const struct request_row apply_row;
/* message.c, inbox.c */
extern const struct request_row message_send_row, inbox_row, inbox_list_row, inbox_show_row,
	inbox_reply_row, inbox_read_row, inbox_unread_row, inbox_archive_row, inbox_unarchive_row,
	inbox_search_row;
/* boundary.c, hook.c */
extern const struct request_row boundary_set_row, boundary_show_row, boundary_clear_row, hook_row,
	hook_event_row, hook_printed_row;
/* mcp.c, setup.c */
extern const struct request_row mcp_row, setup_row;
/* agent.c */
extern const struct request_row agent_ls_row, agent_start_row, agent_attach_row, agent_stop_row,
	agent_restart_row, agent_send_row, agent_peek_row, agent_remove_row, run_row;
/* token.c */
extern const struct request_row token_add_row, token_ls_row, token_rm_row, token_check_row;
/* tool-reminder-row.c, tool-condition.c */
extern const struct request_row tool_reminder_row, tool_reminder_complete_row,
	tool_condition_report_row;
/* tool-schedule.c, tool-preview.c */
extern const struct request_row tool_schedule_row, tool_schedule_list_row, tool_schedule_edit_row,
	tool_schedule_cancel_row, tool_schedule_preview_row;
/* tool-mail.c */
extern const struct request_row tool_message_send_row, tool_agent_send_row, tool_inbox_replies_row;
/* tool-mission.c */
extern const struct request_row tool_mission_run_row, tool_mission_list_row,
	tool_mission_result_row;
/* tool-board.c */
extern const struct request_row tool_board_set_row, tool_board_show_row;
/* lesson.c */
extern const struct request_row lesson_list_row, lesson_show_row, workflow_list_row,
	workflow_show_row, tool_get_lesson_row, tool_get_workflow_step_row;
