import { expect, test } from 'vitest';
import { claudeArgumentsFault } from './claude-arguments.ts';

test('[CHAN-2] known options and a prompt get hooks', () => {
  for (const words of [
    [],
    ['fix the build'],
    ['--model', 'opus'],
    ['--resume=x'],
    ['-c'],
    ['--', 'fix the build'],
    ['--verbose', 'Fix it'],
    ['-r', 'abc', 'do it'],
  ])
    expect([words, claudeArgumentsFault(words)]).toEqual([words, null]);
});

test('[CHAN-2] a subcommand, another kind of run, settings of the user and an unknown option run as typed', () => {
  const typed = [
    ['mcp', 'list'],
    ['update'],
    ['-p', 'x'],
    ['--print'],
    ['--settings', 'x'],
    ['--bare'],
    ['--help'],
    ['--a-later-option'],
    ['--verbose', 'doctor'],
    ['-c', 'update'],
    ['--ide=x'],
    ['--model=opus', 'mcp'],
    ['--', 'mcp'],
  ];
  for (const words of typed) expect([words, claudeArgumentsFault(words)]).toEqual([words, expect.any(String)]);
});
