#!/usr/bin/env bats
# The official SDK as a client, over both transports.
load ../e2e/helper
load sdk

# The tools there have to be, in order.
tools='agent_send board_set board_show condition_report get_lesson get_workflow_step inbox_replies message_send mission_list
  mission_result mission_run reminder reminder_complete schedule schedule_cancel schedule_edit schedule_list
  schedule_preview set_reminder_boundary'

lists_tools() {
  sdk_open "$1"
  sdk_ask '{"list":"tools"}' > listed
  command jq -r '.tools[].name' listed | sort > there
  tr -s ' ' '\n' <<< "$tools" | sed '/^$/d' > known
  same '' "$(comm -23 known there)"
}

schemas_are_valid() {
  local answer

  sdk_open "$1"
  answer=$(sdk_ask '{"schemas":true}')
  same '[]' "$(command jq -c .wrong <<< "$answer")"
  [ "$(command jq .count <<< "$answer")" -ge 17 ]
}

@test "the SDK lists every tool over stdio" {
  lists_tools stdio
}

@test "the SDK lists every tool over HTTP, in a session" {
  use_http
  BELFRY_MCP_TOKEN=$(http_token --session s-1)
  lists_tools http
}

@test "T7 T16 over HTTP without a session, tools that could only fail are not listed" {
  use_http
  tools=$(sed 's/board_set//; s/inbox_replies//; s/set_reminder_boundary//' <<< "$tools")
  lists_tools http
  same '' "$(comm -13 known there)"
}

@test "every tool's schemas compile, and it has its annotations: stdio" {
  schemas_are_valid stdio
}

@test "every tool's schemas compile, and it has its annotations: HTTP" {
  use_http
  BELFRY_MCP_TOKEN=$(http_token --session s-1)
  schemas_are_valid http
}

@test "a tool that is not there is an error that names it, over both" {
  use_http
  for transport in stdio http; do
    sdk_open $transport
    has "$(sdk_call no_such_tool)" no_such_tool
    sdk_close
  done
}

@test "both transports tell the same of the tools" {
  use_http
  for transport in stdio http; do
    sdk_open $transport
    sdk_call board_show > answer
    # but for the time of it, and the zone, which is that of a process's $TZ
    command jq 'del(.structuredContent | .now, .timezone, .timezone_source)' answer > "$transport.json"
    sdk_close
  done
  [ -s stdio.json ]
  diff stdio.json http.json
}
