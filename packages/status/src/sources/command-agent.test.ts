import { expect, test } from 'vitest';
import { BUILT_IN_RULES } from '../built-in-rules.ts';
import { agentOfCommand } from './command-agent.ts';

test.each([
  ['claude --permission-mode manual', 'claude'],
  ['/home/u/.local/bin/claude', 'claude'],
  ['codex --no-daemon', 'codex'],
  ['npx -y @openai/codex@latest exec', 'codex'],
  ['npx @google/gemini-cli', 'gemini'],
  ['bunx opencode-ai', 'opencode'],
  ['pnpm dlx @anthropic-ai/claude-code', 'claude'],
  ['npm exec -- codex', 'codex'],
  ['env -i FOO=1 BAR=2 grok', 'grok'],
  ['sudo -E nice claude', 'claude'],
  ['node /usr/lib/node_modules/@google/gemini-cli/dist/index.js', 'gemini'],
  ['node --max-old-space-size=4096 /opt/codex/bin/codex.js', 'codex'],
  ['C:\\tools\\claude.exe', 'claude'],
  ['bash', 'shell'],
  ['-zsh', 'shell'],
  ['/bin/bash --norc -i', 'shell'],
  ['make all', null],
  ['vim claude.md', null],
  ['node server.js', null],
  ['cat codex', null],
  ['', null],
])('%s: %s', (command, agent) => expect(agentOfCommand(BUILT_IN_RULES, command.split(' '))).toBe(agent));

test('a script of a shell is looked into', () => {
  expect(agentOfCommand(BUILT_IN_RULES, ['bash', '-lc', 'exec claude "$@"'])).toBe('claude');
  expect(agentOfCommand(BUILT_IN_RULES, ['sh', '-c', 'FOO=1 npx @openai/codex'])).toBe('codex');
  expect(agentOfCommand(BUILT_IN_RULES, ['sh', '-c', 'make'])).toBe('shell');
});
