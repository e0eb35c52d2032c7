/** Verbs that connect Spool to agents and shells, and `version`. */
import type { Verb } from '../arguments.ts';

export const INTEGRATE_VERBS = {
  mcp: {
    summary: 'run an MCP server on stdin and stdout: sessions as tools for an agent',
    operands: [],
    flags: {
      'allow-approve': { kind: 'on', about: 'also let it answer the permissions that other agents ask for' },
    },
    details: [
      'The agent starts it: add `spool mcp` as the command of an MCP server in its settings.',
      'The server ends when its stdin closes; sessions keep running. Sessions that it starts get the label mcp=AGENT.',
    ].join('\n'),
    examples: [['spool mcp', 'run by the agent; for Claude Code: claude mcp add spool -- spool mcp']],
  },
  driver: {
    summary: 'run an agent in a pipe: commands in, events out',
    operands: ['claude|codex|opencode|acp|gemini|grok', '[ARGUMENT…]'],
    flags: {
      cwd: { kind: 'text', value: 'DIR', about: 'the folder to run in (default: this one)' },
      model: { kind: 'text', value: 'NAME', about: "the agent's model" },
      mode: { kind: 'text', value: 'NAME', about: "the agent's own permission or collaboration mode" },
      resume: { kind: 'text', value: 'ID', about: "resume this session, by the agent's own id" },
      program: { kind: 'text', value: 'COMMAND', about: "the agent's program (default: its name)" },
      replay: {
        kind: 'text',
        value: 'FILE',
        about: 'start no agent: turn a recording of its output into events; - reads stdin',
      },
    },
    details: [
      'No daemon is involved: nothing is kept, and the agent ends with this command. It gets the whole environment, and each ARGUMENT.',
      'A line of stdin is a command, such as {"do": "prompt", "content": [{"type": "text", "text": "fix it"}]} or',
      '{"do": "permission", "request": ID, "behavior": "allow"}; docs/agents.md has all of them. A line that is not a command is',
      'refused by an event. When stdin has ended and all prompts are done, the agent is closed, its open requests are denied, and the',
      'exit code is 0. If the agent ends before that, the exit code is its own. A signal ends the agent and all processes that it started.',
      '',
      'With --replay, FILE has the lines that the agent wrote, a stream of server-sent events, or a trace: {"t": MS, "dir": "in|out|err", "data": …}.',
      'A line that the driver does not know is an event of kind "raw". The exit code is 0, whatever is in the file.',
    ].join('\n'),
    examples: [
      ['spool driver claude -- --add-dir ../lib', 'for a program: write commands, read events'],
      ['spool driver claude --replay run.ndjson', 'the events of a run, without the agent'],
    ],
  },
  skill: {
    summary: 'print a skill file that teaches an agent to use spool',
    operands: [],
    flags: {},
    examples: [['spool skill > .claude/skills/spool/SKILL.md', 'for the agents of a project']],
  },
  completions: {
    summary: 'print shell completions',
    operands: ['bash|zsh|fish'],
    flags: {},
    examples: [
      ['spool completions bash > ~/.local/share/bash-completion/completions/spool', 'for bash'],
      ['spool completions zsh > "${fpath[1]}/_spool"', 'for zsh'],
      ['spool completions fish > ~/.config/fish/completions/spool.fish', 'for fish'],
    ],
  },
  'shell-integration': {
    summary: 'print a script that makes your shell mark its prompts and commands',
    operands: ['bash|zsh|fish'],
    flags: {},
    details: [
      'With the marks (OSC 133) Spool knows which command runs in a shell, and how it ended.',
      'Outside of a session the script does nothing.',
    ].join('\n'),
    examples: [
      ['eval "$(spool shell-integration bash)"', 'at the end of ~/.bashrc'],
      ['eval "$(spool shell-integration zsh)"', 'at the end of ~/.zshrc'],
      ['spool shell-integration fish | source', 'at the end of ~/.config/fish/config.fish'],
    ],
  },
  version: {
    summary: 'print the version',
    operands: [],
    flags: {},
    examples: [['spool version', '']],
  },
} as const satisfies Record<string, Verb>;
