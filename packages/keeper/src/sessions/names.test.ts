import { expect, test } from 'vitest';
import { freeName } from './names.ts';

test.each([
  [['claude'], [], 'claude'],
  [['/usr/bin/claude', '--x'], ['claude'], 'claude-2'],
  [['claude'], ['claude', 'claude-2', 'claude-4'], 'claude-3'],
  [['claude'], ['claude-2'], 'claude'],
  [[`/x/${'a'.repeat(300)}`], ['a'.repeat(100)], `${'a'.repeat(100)}-2`],
])('[NAME-40] %j, where %j are taken, is called %j', (command, taken, name) => {
  expect(freeName({ command }, new Set(taken))).toBe(name);
});
