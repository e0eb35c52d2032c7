import { expect, test } from 'vitest';
import { commandOf, displayName, folderOf, lineOf } from './session-words.ts';

test.each([
  ['plain', 'plain'],
  ['مراجعة', 'مراجعة'],
  ['🦊 👩‍👩‍👧', '🦊 👩‍👩‍👧'],
  ['a\u202egnp.exe', String.raw`a\u{202e}gnp.exe`],
  ['zero\u200bwidth', String.raw`zero\u{200b}width`],
  ['two\nlines', String.raw`two\nlines`],
])('[PAGE-8] the name %j is shown as %s', (name, shown) => expect(displayName({ name })).toBe(shown));

test.each([
  [['npm', 'test'], 'npm test'],
  [['bash', '-c', "echo it's"], String.raw`bash -c 'echo it'\''s'`],
  [['/bin/sh', '-c', 'npm test && ls'], 'npm test && ls'],
])('a command is shown as one would type it: %j', (command, shown) => expect(lineOf(command)).toBe(shown));

test.each([
  ['/', '/'],
  ['/home/ann', '/home/ann'],
  ['/home/ann/work/shop', '…/work/shop'],
])('the folder %s is shown as %s', (path, shown) => expect(folderOf(path)).toBe(shown));

test('an agent without a terminal is shown by its name', () => {
  const driver = { state: 'running', firstOffset: 0, offset: 0 } as const;
  expect(commandOf({ command: ['x'], driver: { ...driver, name: 'claude' }, size: null })).toBe(
    'Claude Code, headless',
  );
  expect(commandOf({ command: ['x'], driver: { ...driver, name: 'acp' }, size: null })).toBe('acp, headless');
});
