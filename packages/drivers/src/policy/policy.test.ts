/** Rules, and 200 lines that try to get something past them. */
import { expect, test } from 'vitest';
import { HOSTILE } from './testing/hostile-lines.ts';
import { decide, type Policy, readPolicy } from './policy.ts';
import { policyCommand, policyRequest } from './request.ts';

const allow = (command: string): Policy['rules'][number] => ({ decision: 'allow', tool: 'Bash', command });

/** Generous, as a person writes them who wants to be left alone. */
const GENEROUS: Policy = {
  rules: [
    ...['git status', 'git log *', 'git diff *', 'git show *', 'git *', 'ls *', 'cat *', 'echo *', 'pwd', 'grep *'],
    ...['rg *', 'find *', 'sort *', 'head *', 'wc *', 'sed *', 'awk *', 'npm test', 'npm run *', 'node --version'],
    ...['tar *', 'xargs *', 'timeout *', 'env *', 'time *', 'printf *', 'test *', 'cd *', 'true', 'python3 --version'],
  ].map(allow),
};

const bash = (policy: Policy, command: string): string =>
  decide(policy, { tool: 'Bash', command, cwd: '/project' }).decision;

test('there are 200 hostile lines, none twice', () => {
  expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
  expect(HOSTILE.length).toBeGreaterThanOrEqual(200);
});

test.each(HOSTILE.map((line) => [line]))('[POL-2] is not allowed: %s', (line) => {
  expect(bash(GENEROUS, line)).not.toBe('allow');
});

test.each([
  'git status',
  'git log --oneline -5',
  'git diff HEAD~1 -- src/a.ts',
  'ls -la src',
  'cat package.json | grep "name" | wc -l',
  'cd src && npm test',
  "echo 'a b; rm -rf /'",
  'echo "quoted; && || | text"',
  'npm run build 2>&1 | head -20',
  'grep -rn "TODO" src > /dev/null',
  'timeout 30 npm test',
  'git show HEAD; git status',
  'true || echo no',
  'if true; then echo yes; fi',
  '(cd src && ls -l)',
  "find src -name '*.ts' -type f",
  'git log \\\n  --oneline',
  'npm test # and a comment',
])('[POL-2] what the rules mean is allowed: %s', (line) => {
  expect(decide(GENEROUS, { tool: 'Bash', command: line, cwd: '/project' })).toMatchObject({ decision: 'allow' });
});

test.each([
  'rm -rf x',
  '/bin/rm x',
  'ls; rm x',
  'echo $(rm x)',
  'r""m x',
  "$'\\x72m' x",
  'bash -c "rm x"',
  'find . -exec rm {} +',
  'ls | xargs rm',
  'sudo -u root rm x',
  'eval "rm x"',
  'cat <<EOF\n$(rm x)\nEOF',
  'git -C /x push origin main',
  'git push',
  'echo "unterminated $(rm x)',
])('[POL-1] deny wins, wherever the command hides: %s', (line) => {
  const rules = [
    ...GENEROUS.rules,
    { decision: 'deny', command: 'rm *' },
    { decision: 'deny', command: 'git push *' },
  ] as const;
  expect(bash({ rules }, line)).toBe('deny');
});

test('[POL-1] what no rule knows is asked; an empty policy allows nothing', () => {
  expect(bash({ rules: [] }, 'ls')).toBe('ask');
  expect(bash(GENEROUS, 'whoami')).toBe('ask');
  expect(decide({ rules: [] }, { tool: 'Read', paths: ['a'], cwd: '/p' }).decision).toBe('ask');
});

test.each([
  ['src/a.ts', 'allow'],
  ['./src/deep/b.ts', 'allow'],
  ['/project/src/a.ts', 'allow'],
  ['src/../../etc/passwd', 'ask'],
  ['/etc/passwd', 'ask'],
  ['src/.env', 'deny'],
  ['src/x/../.env', 'deny'],
  ['srcs/a.ts', 'ask'],
  ['~/src/a.ts', 'ask'],
  ['src/a\u0000.ts', 'ask'],
])('[POL-3] a path counts as it is, not as it is written: %s', (path, expected) => {
  const rules = [
    { decision: 'allow', tool: 'Edit', path: 'src/**' },
    { decision: 'deny', path: '**/.env' },
  ] as const;
  expect(decide({ rules }, { tool: 'Edit', paths: [path], cwd: '/project' }).decision).toBe(expected);
  const both = decide({ rules }, { tool: 'Edit', paths: ['src/a.ts', path], cwd: '/project' }).decision;
  expect(both).toBe(expected);
});

test('a rule that is not understood is a fault, because it may be a denial', () => {
  for (const value of [
    null,
    {},
    { rules: [{}] },
    { rules: [{ decision: 'deny', comand: 'rm' }] },
    { rules: [{ decision: 'allow', command: '* x' }] },
  ])
    expect(readPolicy(value)).toHaveProperty('fault');
  expect(readPolicy({ rules: GENEROUS.rules })).toHaveProperty('policy');
});

test('[POL-1] a request of an agent is answered with the rule, or left to a person', () => {
  const options = [{ id: 'a', label: 'Allow', kind: 'allow_once' }] as const;
  const asked = (name: string, input: unknown) =>
    ({ kind: 'permission.requested', request: 'r', name, input, options }) as const;
  expect(policyCommand(GENEROUS, asked('Bash', { command: 'git status' }), '/p')).toEqual({
    do: 'permission',
    request: 'r',
    behavior: 'allow',
    rule: 'allow Bash command git status',
  });
  expect(policyCommand(GENEROUS, asked('Bash', { command: 'whoami' }), '/p')).toBeUndefined();
  expect(
    policyCommand(GENEROUS, { ...asked('Bash', { command: 'git status' }), humanOnly: true }, '/p'),
  ).toBeUndefined();
  expect(policyRequest(asked('shell', { command: "/bin/bash -lc 'git status'" }), '/p').command).toBe('git status');
  for (const line of [
    "/bin/bash -lc 'git status'; rm x",
    "X=1 bash -c 'ls'",
    "bash -lc 'ls' x",
    "bash -c 'ls' > f",
    "bash -c 'ls' &",
  ])
    expect(policyRequest(asked('shell', { command: line }), '/p').command).toBe(line);
});
