/** The skill for agents. Fenced with tildes and in a module, so that the bundle holds it; a test parses every command in it. */
export const SKILL = `---
name: spool
description: Run commands, servers and other agents in terminals that survive you, with spool. Use it for anything long-running or interactive - dev servers, builds, REPLs, ssh, other coding agents - and to look at, wait for or answer what already runs.
---

# spool

A session is one command in a terminal of its own. It goes on when you, your shell or your harness end, and every byte it
wrote is kept. A session is named by its id, a unique beginning of the id, or its name. Every verb takes --json and --help.
When the spool_* tools (MCP) are there, prefer them: they do the same.

## Start

~~~sh
spool run -d --name api --cwd server -- npm run dev      # in the background; prints the id
spool run -d --name tests --timeout 10m -- npm test      # stopped after ten minutes
spool run -d --name claude --size 120x40 -- claude       # another agent
spool task run --timeout 10m -- npm install              # to its end: exit code, and the last lines when it failed
spool run --pipes -- ./filter.sh                         # no terminal: waits, passes output and exit code through
~~~

Always give \`spool run\` -d for what runs long: without it spool waits for the end. A child gets a clean environment; add what it needs
with --env NAME (your value) or --env NAME=VALUE.

## Look

~~~sh
spool ls                            # running ones first
spool screen claude                 # what a person would see now; best for full-screen programs and agents
spool logs --tail 50 tests          # the last lines, as clean text
spool logs --since @4096 tests      # only what came after an offset: read on where you stopped
spool explain claude                # what it does (working, idle, blocked), and why spool thinks so
~~~

Offsets count the bytes that a session has written. \`spool wait --json\` and \`spool prompt --json\` tell the present one.

## Wait, instead of polling or sleeping

~~~sh
spool wait --timeout 10m tests                                  # for the end; the exit code is that of the session
spool wait --until 'match:/listening on .*:(\\d+)/' -t 60s api   # for a line of output
spool wait --until idle,blocked -t 10m claude                   # done, or asking something
spool wait --any --until exit,blocked one two                   # whichever comes first
~~~

Exit code 124 means that the time was over and nothing came; the session goes on.

## Type

~~~sh
spool prompt claude "run the tests and fix what fails" --wait idle,blocked --timeout 10m
spool keys claude Down Enter                                    # answer a dialog
spool keys api C-c                                              # interrupt
spool send api --enter "rs"                                     # text as it is, then Enter
~~~

\`spool prompt\` makes sure that the text was taken. Its exit code is 4 while the session is blocked: it asks something, and
Enter would be the answer. Look with \`spool screen\`, decide, and answer with \`spool keys\`. Never use --force to get past a
question that you have not read.

## End

~~~sh
spool stop api           # asked first, then killed, with all its processes; its output stays
spool rm --ended         # forget all that ended, and their output
~~~

Stop what you started when it is no longer needed, and nothing else: other sessions may be a person's.
`;
