#!/usr/bin/env bats
# Lessons and workflows: Markdown beside config.yml that agents are told to read (M9).
load helper
e2e_shown_once=1 # they are files: the store does not matter

setup_test() {
  mkdir -p "$BELFRY_HOME/lessons/c" "$BELFRY_HOME/workflows/feature-development"
  printf 'agents:\n  ada:\n' > "$BELFRY_HOME/config.yml"
  cat > "$BELFRY_HOME/lessons/error-handling.md" << 'END'
# Handling errors

Name the input, the place
and the remedy.

## Details

Never lose the first error.
END
  printf 'Free what you take.\n' > "$BELFRY_HOME/lessons/c/memory.md"
  cat > "$BELFRY_HOME/workflows/bug-fix.md" << 'END'
# Fixing a bug

In this order.

## 1. Investigate

Find out why.

## Fix

Mend the cause.
END
  printf '# Plan\n\nThink first.\n' > "$BELFRY_HOME/workflows/feature-development/01-plan.md"
  printf '# Execute\n\nThen do it.\n' > "$BELFRY_HOME/workflows/feature-development/02-execute.md"
}

# A tool's request, as the server of MCP sends it.
tool() {
  printf '{"request":"tool %s","args":%s,"caller":{"surface":"mcp"}}\n' "$1" "$2" | talk
}

@test "M9 lessons are listed with title and summary, and shown whole" {
  run -0 belfry lesson list
  has "$output" 'error-handling'
  has "$output" 'Handling errors'
  has "$output" 'Name the input, the place and the remedy.'
  has "$output" 'c/memory'
  same 'c/memory,error-handling' "$(json '[.[].id] | join(",")' belfry lesson list --json)"
  same "$(cat "$BELFRY_HOME/lessons/error-handling.md")" "$(belfry lesson show error-handling)"
  same 'Handling errors' "$(json .title belfry lesson show error-handling --json)"
  same 'Free what you take.' "$(belfry lesson show c/memory)"
}

@test "M9 workflows are listed with their steps, and shown whole or by the step" {
  same '2 2' "$(json '[.[].steps | tostring] | join(" ")' belfry workflow list --json)"
  run -0 belfry workflow show bug-fix
  has "$output" 'In this order.'
  has "$output" '1. bug-fix/investigate'
  has "$output" '2. bug-fix/fix'
  run -0 belfry workflow show bug-fix/investigate
  has "$output" 'Find out why.'
  has "$output" 'next: bug-fix/fix'
  [[ $output != *"Mend the cause."* ]]
  run -0 belfry workflow show feature-development
  has "$output" '1. feature-development/plan'
  same 'feature-development/execute' "$(json .next belfry workflow show feature-development/plan --json)"
  same null "$(json .next belfry workflow show feature-development/execute --json)"
}

@test "M9 the calls that an injected block names are answered: get_lesson, get_workflow_step" {
  start_daemon
  run -0 tool get_lesson '{"id":"error-handling"}'
  same 'Handling errors' "$(jq -r .result.title <<< "$output")"
  has "$output" 'Never lose the first error.'
  run -0 tool get_workflow_step '{"step":"feature-development/plan"}'
  same 'feature-development/execute' "$(jq -r .result.next <<< "$output")"
  has "$output" 'Think first.'
  # what is written now is what is read next
  printf '# Handling errors\n\nAnew.\n' > "$BELFRY_HOME/lessons/error-handling.md"
  run -0 tool get_lesson '{"id":"error-handling"}'
  same 'Anew.' "$(jq -r .result.summary <<< "$output")"
  run -0 tool get_lesson '{"id":"error-handlin"}'
  same not_found "$(jq -r .error.code <<< "$output")"
  has "$output" "did you mean 'error-handling'?"
}

@test "M9 no name leads out of the folders, and what cannot be read is named" {
  printf 'secret\n' > "$BELFRY_HOME/secret.md"
  ln -s ../secret.md "$BELFRY_HOME/lessons/out.md"
  printf 'caf\351\n' > "$BELFRY_HOME/lessons/latin.md"
  head -c 70000 /dev/zero | tr '\0' x > "$BELFRY_HOME/lessons/long.md"
  printf 'no steps\n' > "$BELFRY_HOME/workflows/empty.md"
  refused 2 'no name of a lesson' lesson show ../secret
  refused 2 'no name of a lesson' lesson show /etc/passwd
  refused 2 'link' lesson show out
  refused 2 'UTF-8' lesson show latin
  refused 2 'too long' lesson show long
  refused 2 'has no steps' workflow show empty
  run -3 belfry workflow show bugfix
  has "$output" "did you mean 'bug-fix'?"
  run -3 belfry workflow show bug-fix/fx
  has "$output" "did you mean 'bug-fix/fix'?"
  # the others can still be read, and everybody hears of these
  run -0 belfry lesson list
  has "$output" 'too long'
  has "$output" 'Handling errors'
  run -0 --separate-stderr belfry config check
  has "$stderr" "lesson 'out' cannot be read"
  has "$stderr" "lesson 'latin' cannot be read"
  has "$stderr" "lesson 'long' cannot be read"
  has "$stderr" "workflow 'empty' cannot be read"
  same 4 "$(json '.bad_pages | length' belfry config check --json)"
  run belfry doctor
  has "$output" 'cannot be read'
}

@test "M9 without lessons and workflows it is said how to write one" {
  rm -r "$BELFRY_HOME/lessons" "$BELFRY_HOME/workflows"
  run -0 belfry lesson list
  has "$output" 'lessons/ID.md'
  run -0 belfry workflow list
  has "$output" 'workflows/NAME.md'
  run -3 belfry lesson show error-handling
  has "$output" 'lessons/error-handling.md'
  run belfry doctor
  has "$output" '0 lessons, 0 workflows'
}

@test "names of lessons, workflows and steps are completed" {
  run -0 belfry complete-words lesson show ''
  has "$output" 'error-handling'
  has "$output" 'c/memory'
  run -0 belfry complete-words workflow show ''
  has "$output" 'bug-fix/investigate'
  has "$output" 'feature-development/plan'
}

@test "Lessons that others may write are not served: agents obey them" {
  chmod 666 "$BELFRY_HOME/lessons/error-handling.md"
  refused 5 "may be written by others (mode 666): they could tell your agents what to do" lesson show error-handling
  has "$(belfry lesson show c/memory)" 'Free what you take.'
  run belfry doctor
  has "$output" "✗ lessons"
  run belfry config check
  has "$output" "lessons/error-handling.md' may be written by others"
  chmod 644 "$BELFRY_HOME/lessons/error-handling.md"
  chmod 777 "$BELFRY_HOME/lessons/c"
  refused 5 "'$BELFRY_HOME/lessons/c' may be written by others (mode 777)" lesson show c/memory
  chmod 755 "$BELFRY_HOME/lessons/c"
  chmod 777 "$BELFRY_HOME/lessons"
  refused 5 "'$BELFRY_HOME/lessons' may be written by others (mode 777)" lesson show c/memory
}
