# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# What an agent waits for at each of its prompts: `belfry hook`, from spawn to exit, beside 10,000 reminders that are
# pending, for its agent. Every prompt is a new one, counted and durable.

hook_prompts() {
  "$tools/raw-bench" feed "{\"session_id\":\"s\",\"cwd\":\"$home\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"go on\",\"prompt_id\":\"$1-#\"}" \
    "$2" "$belfry" hook UserPromptSubmit
}

hook_rows() {
  local what=$1 ours50=$2 ours99=$3 true50 true99
  read -r true50 true99 < <("$tools/raw-bench" spawn 300 /bin/true)
  row "hook, $what, p50" "$(calc "$ours50 / 1000")" ms 'posix_spawn of /bin/true' "$(calc "$true50 / 1000")" '' ''
  row "hook, $what, p99" "$(calc "$ours99 / 1000")" ms 'posix_spawn of /bin/true' "$(calc "$true99 / 1000")" \
    '≤ 50 ms' 'v <= 50'
}

bench_hook() {
  local p50 p99
  mkdir -m 0700 "$scratch/hook"
  echo "agents: {bench: {directory: $scratch/hook}}" > "$scratch/hook/config.yml"
  start_daemon hook
  reminders_at 10000 $(($(date +%s) + 43200)) > "$scratch/hook.jsonl"
  "$belfry" reminder import "$scratch/hook.jsonl" > /dev/null
  "$belfry" boundary set --session s --suppress-for-calls 9999 -m later > /dev/null
  hook_prompts warm 50 > /dev/null
  read -r p50 p99 < <(hook_prompts daemon 500)
  hook_rows 'a daemon runs' "$p50" "$p99"
  stop_daemon
  hook_prompts cold 20 > /dev/null
  read -r p50 p99 < <(hook_prompts alone 300)
  hook_rows 'no daemon' "$p50" "$p99"
}
