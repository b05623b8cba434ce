# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared with run.sh
# Calls of MCP tools: a read (board_show) and a write (schedule, durable before its answer). Beside them the same
# rows of the request table, asked at the control socket without MCP.

mcp_seconds=2
mcp_read='{"name":"board_show","arguments":{}}'
mcp_write='{"name":"schedule","arguments":{"in":"30d","prompt":"look at it"}}'
raw_read='{"request":"tool board_show","args":{},"caller":{"surface":"mcp","session":"s"}}'
raw_write='{"request":"tool schedule","args":{"in":"30d","prompt":"look at it"},"caller":{"surface":"mcp","session":"s"}}'

# mcp_row WHAT CLIENTS RAW COMMAND...
mcp_row() {
  local what=$1 clients=$2 raw=$3 rate p50 p99 beside
  shift 3
  read -r rate p50 p99 < <("$@")
  read -r beside _ < <("$tools/socket-bench" rate "$socket" "$clients" $mcp_seconds "$raw")
  row "mcp, $what" "$rate" /s "control socket, $clients client(s)" "$beside" '' ''
  row "mcp, $what, p99" "$(calc "$p99 / 1000")" ms '' '' '' ''
}

bench_mcp() {
  local url token kind call raw count
  mkdir -m 0700 "$scratch/mcp"
  printf 'agents: {bench: {command: [true]}}\ndefaultAgent: bench\nhttp: {port: 0}\n' > "$scratch/mcp/config.yml"
  start_daemon mcp
  url=$(cat "$home/http")
  token=$("$belfry" token add --json | jq -r .token)
  for kind in read write; do
    call=mcp_$kind raw=raw_$kind
    mcp_row "stdio, ${kind}s" 1 "${!raw}" "$tools/mcp-bench" stdio $mcp_seconds "${!call}" "$belfry" mcp --session s
    for count in 1 8; do
      mcp_row "HTTP, $count connection(s), ${kind}s" $count "${!raw}" \
        "$tools/mcp-bench" http $mcp_seconds "${!call}" "$url" "$token" $count
    done
  done
  stop_daemon
}
