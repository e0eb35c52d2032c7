import { expect, test } from 'vitest';
import { grokArgumentsFault } from './grok-arguments.ts';

test('[CHAN-2] known options of Grok and a prompt get a leader', () => {
  for (const words of [[], ['-m', 'grok'], ['--model=grok', '-c'], ['say hello'], ['--', 'x']])
    expect(grokArgumentsFault(words)).toBeNull();
});

test('[CHAN-2] a subcommand, a leader of the user and an unknown option of Grok run as typed', () => {
  for (const words of [['agent', 'stdio'], ['--leader-socket', '/x'], ['--worktree'], ['-p', 'x'], ['-m']])
    expect(grokArgumentsFault(words)).toEqual(expect.any(String));
});
