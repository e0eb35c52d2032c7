/**
 * The skill for agents. It is a module so that the bundle contains it; a test parses every command in it. Keeps MCP-8.
 */
export const SKILL = `---
name: spool
description: Run commands, servers and other agents in terminal sessions that keep running after you exit. Use it for anything long-running or interactive - dev servers, builds, REPLs, ssh, other coding agents - and to inspect, wait for or answer running sessions.
---

# spool

A session is one command in its own terminal. It keeps running when you, your shell or your harness exit, and its complete
output is kept. Refer to a session by its id, the first 4 or more characters of it, or its name. Every verb accepts --json and --help.
If the spool_* tools (MCP) are available, prefer them: they do the same.

## Start

~~~sh
spool run -d --name api --cwd server -- npm run dev      # in the background; prints the id
spool run -d --name tests --timeout 10m -- npm test      # stopped after ten minutes
spool run -d --name claude --size 120x40 -- claude       # another agent
spool task run --timeout 10m -- npm install              # waits; exit code, and the last lines on failure
spool run --pipes -- ./filter.sh                         # no terminal: waits, passes on output and exit code
~~~

Always use \`spool run -d\` for long-running commands; without -d, spool waits for the end. A session gets a clean
environment; add variables with --env NAME (copies your value) or --env NAME=VALUE.

## Look

~~~sh
spool ls                            # what waits for an answer first
spool screen claude                 # the current screen; best for full-screen programs and agents
spool logs --tail 50 tests          # the last lines as plain text
spool logs --since '#4096' tests    # only output after this offset: continue where you stopped
spool explain claude                # its state (working, idle, blocked) and the evidence for it
~~~

Offsets count bytes of output. \`spool wait --json\` and \`spool prompt --json\` return the current offset.

## Wait, instead of polling or sleeping

~~~sh
spool wait --timeout 10m tests                                  # until it ends; returns its exit code
spool wait --until 'match:/listening on .*:(\\d+)/' -t 60s api   # until a line matches
spool wait --until idle,blocked -t 10m claude                   # done, or asking something
spool wait --any --until exit,blocked one two                   # whichever comes first
~~~

Exit code 124 means that the wait timed out; the session keeps running.

## Type

~~~sh
spool prompt claude "run the tests and fix what fails" --wait idle,blocked --timeout 10m
spool keys claude Down Enter                                    # answer a dialog
spool keys api C-c                                              # interrupt
spool send api --enter "rs"                                     # the exact text, then Enter
~~~

\`spool prompt\` checks that the session reacts. Exit code 4 means that nothing was typed, because the session asks something
and Enter would answer it. Look with \`spool screen\`, decide, and answer with \`spool keys\`. Never use --force to get past a
question that you have not read.

## End

~~~sh
spool stop api           # SIGTERM, then SIGKILL, for all its processes; its output is kept
spool rm tests           # delete a session of yours and its output
~~~

Stop and delete only the sessions that you started yourself, each by its name, and only when you no longer need them. All other
sessions belong to the user, also ended ones: their output may be needed. Leave them alone, and never use a flag that selects
several sessions.
`;
