import { expect, test } from 'vitest';
import { isLineEditor } from './line-editors.ts';

test.each([
  ['bash', 'bash', true],
  ['bash', '-bash', true],
  ['bash', 'bash --norc -l', true],
  ['bash', 'bash --rcfile own.sh', true],
  ['bash', 'bash -O extglob', true],
  ['python3', 'python3 -', true],
  ['python3', 'python3 -i app.py', true],
  ['psql', 'psql shop', true],
  ['bash', 'bash -c read', false],
  ['bash', 'bash -lc read', false],
  ['bash', 'bash ./menu.sh', false],
  ['bash', 'bash ./menu.sh -i', false],
  ['bash', 'bash --rcfile own.sh menu.sh', false],
  ['python3', 'python3 app.py', false],
  ['python3.12', 'python3 -m app', false],
  ['bashful', 'bashful', false],
  ['vim', 'vim', false],
])('[IN-45] %s, started as `%s`: %s', (name, line, isEditor) => {
  expect(isLineEditor(name, line.split(' '))).toBe(isEditor);
});
