import { expect, test } from 'vitest';
import { folderOf, lineOf, displayName } from './session-words.ts';

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
