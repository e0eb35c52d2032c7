import { expect, test } from 'vitest';
import { folderOf, lineOf, nameOf } from './shown.ts';

test.each([
  ['plain', 'plain'],
  ['مراجعة', 'مراجعة'],
  ['🦊 👩‍👩‍👧', '🦊 👩‍👩‍👧'],
  ['a\u202egnp.exe', String.raw`a\u202egnp.exe`],
  ['zero\u200bwidth', String.raw`zero\u200bwidth`],
  ['two\nlines', String.raw`two\nlines`],
])('[PAGE-8] the name %j is shown as %s', (name, shown) => expect(nameOf({ name })).toBe(shown));

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
