# `belfry setup`: the configuration of clients. It has no store and no daemon; the clients are not needed.
# shellcheck disable=SC2016
load helper
e2e_shown_once=1

setup_test() {
  export HOME=$BATS_TEST_TMPDIR/person
  unset CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME
  mkdir -p "$HOME" work
  cd work || return 1
  program=$BELFRY_BIN
}

# set_up ARGUMENT...: without trying it.
set_up() {
  belfry setup "$@" --no-check --program "$program"
}

# Everything below a folder: names, modes, links and bytes.
picture() {
  (cd "$1" && find . -printf '%p %y %m %l\n' | sort && find . -type f | sort | xargs -r -d '\n' cat)
}

# there_and_back CLIENT [FLAG]: put in, nothing twice, taken out: as before.
there_and_back() {
  local before between

  before=$(picture "$HOME" && picture .)
  set_up "$@"
  between=$(picture "$HOME" && picture .)
  [ "$between" != "$before" ]
  run -0 set_up "$@"
  has "$output" 'is set up already: nothing to do'
  same "$between" "$(picture "$HOME" && picture .)"
  belfry setup "$@" --undo
  same "$before" "$(picture "$HOME" && picture .)"
  run -0 belfry setup "$@" --undo
  has "$output" "has no setup on record here: nothing to do"
  same "$before" "$(picture "$HOME" && picture .)"
}

# A stand-in for the program: `mcp` answers as a server would, `hook` ends with what HOOK_STATUS says.
stand_in() {
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  cat > "$BATS_TEST_TMPDIR/bin/belfry" << 'END'
#!/bin/sh
case $1 in
  hook)
    cat >> "$STAND_IN_LOG"
    echo " $*" >> "$STAND_IN_LOG"
    printf '%s' "$HOOK_SAYS"
    echo "about the hook" >&2
    exit "${HOOK_STATUS:-0}"
    ;;
  mcp)
    [ -z "$NO_SERVER" ] || { echo "no store" >&2; exit 1; }
    while read -r line; do
      case $line in
        *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"belfry","version":"1"}}}' ;;
        *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"reminder"},{"name":"schedule"}]}}' ;;
      esac
    done
    ;;
esac
END
  chmod +x "$BATS_TEST_TMPDIR/bin/belfry"
  export STAND_IN_LOG=$BATS_TEST_TMPDIR/log
  program=$BATS_TEST_TMPDIR/bin/belfry
}

@test "setup: Claude Code gets hooks, permissions and the MCP server, for the person or a project" {
  run -0 set_up claude
  has "$output" "$HOME/.claude/settings.json (new): 14 permissions, 10 hooks"
  has "$output" "$HOME/.claude.json (new): the MCP server"
  same "'$program' hook Stop" "$(jq -r '.hooks.Stop[0].hooks[0].command' "$HOME/.claude/settings.json")"
  same 'Bash(belfry message send:*) mcp__belfry__board_set' "$(command jq -r '.permissions.allow[:2] | join(" ")' "$HOME/.claude/settings.json")"
  same "stdio $program mcp" "$(command jq -r '.mcpServers.belfry | .type + " " + .command + " " + .args[0]' "$HOME/.claude.json")"
  set_up claude --project
  same "$(cat "$HOME/.claude/settings.json")" "$(cat .claude/settings.json)"
  same "$(cat "$HOME/.claude.json")" "$(cat .mcp.json)"
  same '600 644' "$(stat -c %a "$HOME/.claude.json" .mcp.json | paste -sd' ')"
}

@test "T6 A8 setup: a tool that starts, steers or schedules an agent stays asked for, unless --allow-runs says otherwise" {
  for client in claude codex gemini; do
    run -0 set_up $client
    has "$output" 'Asked for each time: agent_send, mission_run, reminder, schedule, schedule_cancel, schedule_edit'
    has "$output" 'the tools board_set,'
  done
  cat "$HOME/.claude/settings.json" "$HOME/.codex/config.toml" "$HOME/.gemini/policies/belfry.toml" "$HOME/.gemini/settings.json" > all
  run ! grep -E 'agent_send|schedule_cancel|mission_run|"mcp__belfry"|mcp__belfry__(reminder|schedule)"|schedule_edit|"trust"|mode = "approve"$' all
  python3 -c 'import sys, tomllib
t = tomllib.load(open(sys.argv[1], "rb"))["mcp_servers"]["belfry"]
assert t["default_tools_approval_mode"] == "prompt" and t["tools"]["message_send"]["approval_mode"] == "approve"' "$HOME/.codex/config.toml"
  # what an earlier one put in goes, and comes back
  set_up claude --allow-runs
  same 'Bash(belfry message send:*) mcp__belfry' "$(command jq -r '.permissions.allow | join(" ")' "$HOME/.claude/settings.json")"
  set_up codex --allow-runs
  grep -qxF 'default_tools_approval_mode = "approve"' "$HOME/.codex/config.toml"
  set_up claude
  same 0 "$(command jq -r '.permissions.allow | map(select(. == "mcp__belfry")) | length' "$HOME/.claude/settings.json")"
  for client in claude codex gemini; do belfry setup $client --undo; done
  [ ! -e "$HOME/.claude/settings.json" ] && [ ! -e "$HOME/.codex/config.toml" ] && [ ! -e "$HOME/.gemini/settings.json" ]
}

@test "setup: CLAUDE_CONFIG_DIR, CODEX_HOME and XDG_CONFIG_HOME are followed" {
  CLAUDE_CONFIG_DIR=$HOME/elsewhere set_up claude
  [ -e "$HOME/elsewhere/settings.json" ]
  [ -e "$HOME/elsewhere/.claude.json" ]
  CODEX_HOME=$HOME/cx set_up codex
  [ -e "$HOME/cx/config.toml" ]
  XDG_CONFIG_HOME=$HOME/xdg set_up opencode
  [ -e "$HOME/xdg/opencode/opencode.json" ]
  [ ! -e "$HOME/.claude" ]
}

@test "setup: Codex gets the server in TOML, hooks and a rule" {
  set_up codex
  grep -qxF '[mcp_servers.belfry]' "$HOME/.codex/config.toml"
  grep -qxF "command = \"$program\"" "$HOME/.codex/config.toml"
  same "'$program' hook UserPromptSubmit" "$(jq -r '.hooks.UserPromptSubmit[0].hooks[0].command' "$HOME/.codex/hooks.json")"
  grep -qF '["belfry", "message", "send"]' "$HOME/.codex/rules/belfry.rules"
  python3 -c 'import sys, tomllib; print(tomllib.load(open(sys.argv[1], "rb"))["mcp_servers"]["belfry"]["args"])' "$HOME/.codex/config.toml"
  set_up codex --project
  cmp .codex/config.toml "$HOME/.codex/config.toml"
}

@test "setup: Gemini CLI gets the server, hooks by its own names, and a policy of the person's" {
  set_up gemini
  same "$program null" "$(command jq -r '.mcpServers.belfry | "\(.command) \(.trust)"' "$HOME/.gemini/settings.json")"
  same "'$program' hook BeforeAgent --client gemini 5000" "$(command jq -r '.hooks.BeforeAgent[0].hooks[0] | "\(.command) \(.timeout)"' "$HOME/.gemini/settings.json")"
  grep -qF 'commandPrefix = "belfry message send"' "$HOME/.gemini/policies/belfry.toml"
  set_up gemini --project
  [ -e .gemini/settings.json ]
  [ ! -e .gemini/policies ]
}

@test "setup: opencode gets the server, and a permission to send only beside others" {
  set_up opencode
  same "local $program mcp" "$(command jq -r '.mcp.belfry | [.type] + .command | join(" ")' "$HOME/.config/opencode/opencode.json")"
  same null "$(jq -r '.permission.bash' "$HOME/.config/opencode/opencode.json")"
  printf '{\n  // mine\n  "permission": {"bash": {"*": "ask"}},\n}\n' > opencode.jsonc
  set_up opencode --project --allow-runs
  [ ! -e opencode.json ]
  has "$(cat opencode.jsonc)" '"permission": {"bash": {"*": "ask", "belfry message send *": "allow"}},'
  belfry setup opencode --project --undo
  same $'{\n  // mine\n  "permission": {"bash": {"*": "ask"}},\n}' "$(cat opencode.jsonc)"
}

# The rules for Belfry's tools in the person's opencode.json: "agent_send=ask …".
opencode_rules() {
  command jq -r '.permission | if type == "object" then to_entries | map("\(.key)=\(.value)") | join(" ") else tostring end' "$HOME/.config/opencode/opencode.json"
}

@test "T33 setup opencode: what starts, steers or schedules an agent is asked for, unless --allow-runs" {
  local asks='belfry_agent_send=ask belfry_mission_run=ask belfry_reminder=ask belfry_schedule=ask belfry_schedule_cancel=ask belfry_schedule_edit=ask'

  run -0 set_up opencode --dry-run
  has "$output" '+    "belfry_mission_run": "ask",'
  run -0 set_up opencode
  has "$output" "Allowed without a question: 'belfry message send'; the tools board_set,"
  has "$output" 'Asked for each time: agent_send, mission_run, reminder, schedule, schedule_cancel, schedule_edit, which'
  same "$asks" "$(opencode_rules)"
  run -0 set_up opencode --allow-runs
  has "$output" "Allowed without a question: 'belfry message send' and every tool of Belfry"
  same null "$(opencode_rules)"
  set_up opencode
  same "$asks" "$(opencode_rules)"
  # also in a file that the client has written anew meanwhile
  command jq '.theme = "x"' "$HOME/.config/opencode/opencode.json" > new
  cat new > "$HOME/.config/opencode/opencode.json"
  set_up opencode --allow-runs
  same null "$(opencode_rules)"
  set_up opencode
  same "$asks" "$(opencode_rules)"
  belfry setup opencode --undo
  same '{"theme":"x"}' "$(command jq -c . "$HOME/.config/opencode/opencode.json")"
}

@test "T33 setup opencode: the person's own permission stays as it is, and is told" {
  local file=$HOME/.config/opencode/opencode.json others='reminder, schedule, schedule_cancel, schedule_edit'

  mkdir -p "$HOME/.config/opencode"
  printf '{\n  "permission": {"*": "allow", "belfry_mission_run": "allow", "belfry_agent_send": "deny"}, // mine\n}\n' > "$file"
  cp "$file" before
  run -0 set_up opencode
  has "$output" 'set_reminder_boundary, mission_run'
  has "$output" "Asked for each time: $others"
  has "$output" 'As your own "permission" says, which stays as it is: agent_send, mission_run'
  grep -qF '{"*": "allow", "belfry_mission_run": "allow", "belfry_agent_send": "deny", "belfry_reminder": "ask",' "$file"
  set_up opencode --allow-runs
  grep -qF '{"*": "allow", "belfry_mission_run": "allow", "belfry_agent_send": "deny"}, // mine' "$file"
  set_up opencode
  belfry setup opencode --undo
  cmp before "$file"
  for word in allow ask deny; do
    printf '{"permission": "%s"}' $word > "$file"
    run -0 set_up opencode
    has "$output" "As your own \"permission\" says, which stays as it is: agent_send, mission_run, $others"
    same $word "$(opencode_rules)"
    case $word in
      allow) has "$output" 'every tool of Belfry, also those that start' ;;
      ask) has "$output" 'Asked for each time: board_set,' ;;
      deny) [[ $output != *'Allowed without'* ]] ;;
    esac
    belfry setup opencode --undo
  done
  # what denies all is not made to ask, and a pattern of the person's counts
  for own in '"*": "deny"' '"belfry_*": "allow"'; do
    printf '{"permission": {%s}}' "$own" > "$file"
    set_up opencode
    same 1 "$(command jq '.permission | length' "$file")"
    belfry setup opencode --undo
    same "{\"permission\": {$own}}" "$(cat "$file")"
  done
}

@test "T33 setup: every tool is either allowed or asked for" {
  set_up claude --json > allowed
  printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
    BELFRY_SESSION=s-1 belfry mcp > said
  same "$(command jq -rs '.[-1].result.tools | map(.name) | sort | join(" ")' said)" \
    "$(command jq -r '.allowed + .asked | sort | join(" ")' allowed)"
}

@test "setup: nothing twice, and undone it never was: every client, with and without files" {
  local client

  for client in claude codex gemini opencode; do
    there_and_back "$client"
    there_and_back "$client" --project
  done
  mkdir -p "$HOME/.claude" "$HOME/.codex" "$HOME/.gemini" "$HOME/.config/opencode" .claude
  printf '\xef\xbb\xbf{\r\n\t"model": "x", // mine\r\n\t"hooks": {},\r\n\t"permissions": {"allow": [ ]},\r\n}\r\n' > "$HOME/.claude/settings.json"
  printf '{"numStartups":3,"mcpServers":{"x":{"command":"x"}},"n":1.50}' > "$HOME/.claude.json"
  printf 'model = "x" # mine\n\n[mcp_servers.x]\ncommand = "x"' > "$HOME/.codex/config.toml"
  printf '{}' > "$HOME/.codex/hooks.json"
  printf '{\n    "mcpServers": {\n    }\n}' > "$HOME/.gemini/settings.json"
  : > "$HOME/.config/opencode/opencode.json"
  printf '/* only this */\n' > .claude/settings.json
  printf '# mine\nagents:\n  bob: {directory: /tmp} # not run\n' > "$BELFRY_HOME/config.yml"
  for client in claude codex gemini opencode; do
    there_and_back "$client"
    there_and_back "$client" --project
  done
}

@test "setup: what is there stays byte for byte, in its own style" {
  mkdir -p "$HOME/.claude"
  printf '{\r\n\t"model": "x", // mine\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"Bash(ls:*)" // list\r\n\t\t]\r\n\t}\r\n}\r\n' > "$HOME/.claude/settings.json"
  cp "$HOME/.claude/settings.json" before
  set_up claude
  # all its bytes, in their order
  python3 -c 'import sys
old, new = (iter(open(p, "rb").read()) for p in sys.argv[1:])
sys.exit(not all(byte in new for byte in old))' before "$HOME/.claude/settings.json"
  same '' "$(grep -vc $'\r$' "$HOME/.claude/settings.json" | grep -v '^0$')"
  grep -qF $'\t\t\t"Bash(ls:*)", // list\r' "$HOME/.claude/settings.json"
  grep -qxF $'\t\t\t"mcp__belfry__set_reminder_boundary"\r' "$HOME/.claude/settings.json"
}

@test "setup: undone after the client rewrote its file, the rest stays" {
  printf '{"permissions": {"allow": ["mcp__belfry"]}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}' > s.json
  mkdir -p "$HOME/.claude"
  command jq . s.json > "$HOME/.claude/settings.json"
  set_up claude
  command jq -S '.theme = "dark"' "$HOME/.claude/settings.json" > new
  cat new > "$HOME/.claude/settings.json"
  command jq '.numStartups = 2' "$HOME/.claude.json" > new
  cat new > "$HOME/.claude.json"
  belfry setup claude --undo
  # the rule that was there before is the person's
  same "$(command jq -cS '.theme = "dark"' s.json)" "$(command jq -cS . "$HOME/.claude/settings.json")"
  same '{"numStartups":2}' "$(command jq -c . "$HOME/.claude.json")"
}

@test "F14 setup: an undo takes only what is on record, also when it is asked for twice" {
  local own='{"permissions":{"allow":["mcp__belfry__board_set","Bash(belfry message send:*)"]}}'
  mkdir -p "$HOME/.claude"
  echo "$own" > "$HOME/.claude/settings.json"
  run -0 belfry setup claude --undo
  has "$output" 'has no setup on record here: nothing to do'
  same "$own" "$(cat "$HOME/.claude/settings.json")"
  set_up claude
  belfry setup claude --undo
  same "$own" "$(cat "$HOME/.claude/settings.json")"
  belfry setup claude --undo
  same "$own" "$(cat "$HOME/.claude/settings.json")"
  rm "$HOME/.claude/settings.json"
  set_up claude
  set_up codex
  rm "$BELFRY_HOME/setup.json"
  command jq '.hooks.Stop += [{"hooks": [{"type": "command", "command": "not-belfry hook Stop"}]}]' "$HOME/.claude/settings.json" > new
  cat new > "$HOME/.claude/settings.json"
  cp -r "$HOME" before
  belfry setup claude --undo
  belfry setup codex --undo
  diff -r before "$HOME"
}

@test "setup: a new place of the program is corrected where it stands" {
  set_up claude
  set_up codex
  command jq '.mcpServers.belfry.env = {"A": "1"}' "$HOME/.claude.json" > new
  cat new > "$HOME/.claude.json"
  mkdir new-place
  ln -s "$BELFRY_BIN" new-place/belfry
  program=$PWD/new-place/belfry
  set_up claude
  set_up codex
  same "{\"type\":\"stdio\",\"command\":\"$program\",\"args\":[\"mcp\"],\"env\":{\"A\":\"1\"}}" "$(command jq -c .mcpServers.belfry "$HOME/.claude.json")"
  same 10 "$(grep -c "'$program' hook" "$HOME/.claude/settings.json")"
  same 0 "$(grep -c "'$BELFRY_BIN' hook" "$HOME/.claude/settings.json")"
  same 1 "$(grep -c '^command = ' "$HOME/.codex/config.toml")"
  # and back again
  program=$BELFRY_BIN
  set_up claude
  set_up codex
  same 10 "$(grep -c "'$BELFRY_BIN' hook" "$HOME/.claude/settings.json")"
  belfry setup claude --undo
  belfry setup codex --undo
  same '' "$(cd "$HOME" && find . -type f)"
}

@test "setup: --dry-run shows a diff that patch takes, and changes nothing" {
  local before

  printf '{\n  "x": 1\n}\n' > .mcp.json
  before=$(picture "$HOME" && picture .)
  set_up claude --project --dry-run > "$BATS_TEST_TMPDIR/diff"
  same "$before" "$(picture "$HOME" && picture .)"
  grep -qxF '+      "args": ["mcp"]' "$BATS_TEST_TMPDIR/diff"
  cp .mcp.json "$BATS_TEST_TMPDIR/mine"
  sed -n '/^--- .*mcp.json/,$p' "$BATS_TEST_TMPDIR/diff" | grep -v '^nothing' > "$BATS_TEST_TMPDIR/part"
  same created,changed "$(set_up claude --project --dry-run --json | command jq -r '[.files[].change] | join(",")')"
  set_up claude --project
  patch -s "$BATS_TEST_TMPDIR/mine" "$BATS_TEST_TMPDIR/part"
  cmp "$BATS_TEST_TMPDIR/mine" .mcp.json
  run -0 belfry setup claude --project --undo --dry-run
  has "$output" '-      "args": ["mcp"]'
  [ -e .claude/settings.json ]
}

@test "setup: what cannot be read or written is refused before anything is changed" {
  local before

  mkdir .claude
  printf '{\n  "mcpServers": {\n    "x": 1,,\n  }\n}\n' > .mcp.json
  before=$(picture .)
  refused 2 "$PWD/.mcp.json: line 3, column 12: a name in quotation marks is expected" setup claude --project
  printf '["a"]' > .mcp.json
  refused 4 "$PWD/.mcp.json: it is not an object" setup claude --project
  printf '{"mcpServers": "x"}' > .mcp.json
  refused 4 "$PWD/.mcp.json: 'mcpServers' is not an object" setup claude --project
  printf '{}' > .mcp.json
  chmod 444 .mcp.json
  refused 5 "'$PWD/.mcp.json' is not writable" setup claude --project
  rm .mcp.json
  mkdir .mcp.json
  refused 4 "'$PWD/.mcp.json' is not a regular file" setup claude --project
  rmdir .mcp.json
  mkfifo .mcp.json
  refused 4 "'$PWD/.mcp.json' is not a regular file" setup claude --project
  rm .mcp.json
  ln -s nowhere .mcp.json
  refused 7 "cannot follow '$PWD/.mcp.json'" setup claude --project
  rm .mcp.json
  chmod 555 .claude
  refused 5 "folder '$PWD/.claude' is not writable" setup claude --project
  chmod 755 .claude
  same '' "$(find . -type f)"
  mkdir .codex
  echo 'mcp_servers = {x = {command = "x"}}' > .codex/config.toml
  refused 4 "'mcp_servers' is written as one value" setup codex --project
  echo 'a = [' > .codex/config.toml
  refused 2 "$PWD/.codex/config.toml: line 1, column 5: a list that does not end" setup codex --project
  [ ! -e .codex/hooks.json ]
  echo 'agents: [' > "$BELFRY_HOME/config.yml"
  run ! belfry setup claude
  same '' "$(find "$HOME" -type f)"
}

@test "setup: when the second file cannot be written, the first is as before" {
  mkdir -p "$HOME/.claude"
  printf '{"mine": 1}' > "$HOME/.claude/settings.json"
  printf '{"long": "%s"}' "$(head -c 300000 /dev/zero | tr '\0' x)" > "$HOME/.claude.json"
  picture "$HOME" > "$BATS_TEST_TMPDIR/before"
  run -7 bash -c 'trap "" XFSZ; ulimit -f 100; exec "$@"' - "$BELFRY_BIN" setup claude --no-check
  has "$output" "cannot write '$HOME/.claude.json': File too large"
  picture "$HOME" > "$BATS_TEST_TMPDIR/after"
  cmp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
  [ ! -e "$BELFRY_HOME/setup.json" ]
  [ ! -e "$BELFRY_HOME/config.yml" ]
  set_up claude
}

@test "setup: wrong arguments are refused" {
  refused 2 "'cursor'" setup cursor
  refused 2 'exclude each other' setup claude --user --project
  refused 3 'is not a program that can be run' setup claude --program /nowhere/belfry
}

@test "setup: an MCP server called belfry that is something else is only replaced when forced" {
  printf '{"mcpServers": {"belfry": {"type": "http", "url": "http://x"}}}\n' > .mcp.json
  cp .mcp.json before
  refused 4 "'mcpServers.belfry' is there already, and is not Belfry's" setup claude --project
  [ ! -e .claude ]
  belfry setup claude --project --undo
  cmp before .mcp.json
  set_up claude --project --force
  same "$program" "$(jq -r .mcpServers.belfry.command .mcp.json)"
  belfry setup claude --project --undo
  cmp before .mcp.json
}

@test "setup: a link stays a link, a mode stays a mode" {
  mkdir dots
  printf '{}\n' > dots/mcp.json
  chmod 640 dots/mcp.json
  ln -s dots/mcp.json .mcp.json
  set_up claude --project
  [ -L .mcp.json ]
  same 640 "$(stat -c %a dots/mcp.json)"
  same "$program" "$(jq -r .mcpServers.belfry.command dots/mcp.json)"
  same '' "$(find . -name '*belfry-*')"
  belfry setup claude --project --undo
  [ -L .mcp.json ]
  same '{}' "$(cat dots/mcp.json)"
}

@test "setup: an agent that reminders can start is added to config.yml when there is none" {
  printf '# mine\nagents:\n  bob: {directory: /tmp}\n' > "$BELFRY_HOME/config.yml"
  cp "$BELFRY_HOME/config.yml" before
  run -0 set_up claude
  has "$output" "$BELFRY_HOME/config.yml (changed): an agent that reminders can start"
  same $'# mine\nagents:\n  bob: {directory: /tmp}\n  claude:\n    adapter: claude' "$(cat "$BELFRY_HOME/config.yml")"
  run -0 set_up codex
  [[ $output != *config.yml* ]]
  echo '# more' >> "$BELFRY_HOME/config.yml"
  belfry setup claude --undo
  same $'# mine\nagents:\n  bob: {directory: /tmp}\n# more' "$(cat "$BELFRY_HOME/config.yml")"
  # one that was changed since is the person's
  set_up claude
  sed -i 's/adapter: claude/&\n    timeout: 2h/' "$BELFRY_HOME/config.yml"
  belfry setup claude --undo
  grep -q 'timeout: 2h' "$BELFRY_HOME/config.yml"
  set_up claude --project
  [ "$(grep -c adapter "$BELFRY_HOME/config.yml")" -eq 1 ]
}

@test "setup: it is tried: the server, a hook, the client" {
  stand_in
  mkdir clients
  touch clients/claude
  chmod +x clients/claude
  PATH=$PWD/clients:$PATH run -0 "$BELFRY_BIN" setup claude --program "$program"
  has "$output" "✓ 'belfry mcp' answers with 2 tools"
  has "$output" '✓ hooks are answered'
  has "$output" "✓ Claude Code is '$PWD/clients/claude'"
  has "$output" 'Next: start Claude Code anew and say:'
  has "$(cat "$STAND_IN_LOG")" '"hook_event_name":"SessionStart"'
  has "$(cat "$STAND_IN_LOG")" ' hook SessionEnd'
  HOOK_SAYS='{"a": 1}' "$BELFRY_BIN" setup gemini --program "$program"
  has "$(cat "$STAND_IN_LOG")" ' hook SessionStart --client gemini'
}

@test "setup: what does not work is said, and is the exit status" {
  stand_in
  NO_SERVER=1 run -6 "$BELFRY_BIN" setup claude --program "$program"
  has "$output" "✗ 'belfry mcp' did not answer as an MCP server: no store"
  HOOK_STATUS=2 run -6 "$BELFRY_BIN" setup claude --program "$program"
  has "$output" '✗ the hook failed: about the hook'
  HOOK_SAYS=nonsense run -6 "$BELFRY_BIN" setup claude --program "$program"
  has "$output" '✗ the hook printed something that is no JSON'
  PATH=/usr/bin:/bin run -0 "$BELFRY_BIN" setup codex --program "$program"
  has "$output" "✗ 'codex' is not in your PATH: is Codex installed?"
  same 'true true false' "$(PATH=/usr/bin:/bin "$BELFRY_BIN" setup codex --json --program "$program" | command jq -r '[.checks[].ok | tostring] | join(" ")')"
}

@test "setup alone names the clients, which are installed, which are set up, and the next command" {
  mkdir bin
  ln -s /bin/true bin/codex
  set_up gemini
  PATH=$PWD/bin:/usr/bin:/bin run -0 --separate-stderr "$BELFRY_BIN" setup
  same 'Belfry can be set up in:|  claude    Claude Code  not in your PATH|  codex     Codex        installed, not set up|  gemini    Gemini CLI   set up already, but not in your PATH|  opencode  opencode     not in your PATH|Next: belfry setup codex (--dry-run shows what it would change)' \
    "$(paste -sd '|' <<< "$output")"
  same '' "$stderr"
  same 'gemini' "$(json '[.clients[] | select(.set_up) | .name] | join(" ")' belfry setup --json)"
  refused 2 'CLIENT is missing' setup --undo
}

@test "setup: doctor knows which clients are set up" {
  same 'none is set up' "$(belfry doctor --json | command jq -r '.checks[] | select(.name == "clients") | .detail')"
  set_up claude
  set_up codex
  same 'set up in Claude Code, Codex' "$(belfry doctor --json | command jq -r '.checks[] | select(.name == "clients") | .detail')"
}

@test "setup: the plugin says what the program would write" {
  local plugin=$e2e_root/dist/claude-plugin

  for file in .claude-plugin/plugin.json .claude-plugin/marketplace.json .mcp.json hooks/hooks.json; do
    command jq -e . "$plugin/$file" > /dev/null
  done
  set_up claude
  same "$(command jq -cS --arg p "'$program' " '.hooks | (.. | .command?) |= (select(. != null) | ltrimstr($p) | "belfry " + .)' "$HOME/.claude/settings.json")" \
    "$(command jq -cS .hooks "$plugin/hooks/hooks.json")"
  same "$(command jq -cS '.mcpServers.belfry.command = "belfry"' "$HOME/.claude.json")" "$(command jq -cS . "$plugin/.mcp.json")"
  same "belfry $("$BELFRY_BIN" --version | cut -d' ' -f2)" "$(command jq -r '.name + " " + .version' "$plugin/.claude-plugin/plugin.json")"
  grep -q '^name: belfry$' "$plugin/skills/belfry/SKILL.md"
}

@test "F16 setup codex leaves a rule that you wrote yourself, as README has it" {
  local rule='prefix_rule(pattern=["belfry", "message", "send"], decision="allow")'
  mkdir -p "$HOME/.codex/rules"
  echo "$rule" > "$HOME/.codex/rules/belfry.rules"
  grep -qF "$rule" "$e2e_root/README.md"
  set_up codex
  same "$rule" "$(cat "$HOME/.codex/rules/belfry.rules")"
  belfry setup codex --undo
  same "$rule" "$(cat "$HOME/.codex/rules/belfry.rules")"
}

@test "F16 setup opencode does not call allowed what your own rule asks for" {
  mkdir -p "$HOME/.config/opencode"
  echo '{"permission":{"bash":"ask"}}' > "$HOME/.config/opencode/opencode.json"
  run -0 set_up opencode
  has "$output" "Not 'belfry message send'"
  run -0 belfry setup opencode --undo
  echo '{"permission":{"bash":{"*":"ask"}}}' > "$HOME/.config/opencode/opencode.json"
  run -0 set_up opencode
  has "$output" "Allowed without a question: 'belfry message send'"
}
