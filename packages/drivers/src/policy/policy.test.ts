/** Rules, and hundreds of lines that try to get something past them. */
import { expect, test } from 'vitest';
import { decidePermission, permissionAsk, policyCommand, policyRequest } from './request.ts';
import { type Policy, type PolicyVerdict, readPolicy } from './policy.ts';
import { fakeFiles } from './testing/fake-files.ts';
import { HOSTILE } from './testing/hostile-lines.ts';
import { OPTION_LINES, REPRODUCED } from './testing/option-lines.ts';

const allow = (command: string): Policy['rules'][number] => ({ decision: 'allow', tool: 'Bash', command });

/** Generous rules, as a person writes them who does not want to be asked. */
const GENEROUS: Policy = {
  rules: [
    ...['git status', 'git log *', 'git diff *', 'git show *', 'git *', 'ls *', 'cat *', 'echo *', 'pwd', 'grep *'],
    ...['rg *', 'find *', 'sort *', 'head *', 'tail *', 'wc *', 'sed *', 'awk *', 'npm test', 'npm run *'],
    ...['tar *', 'xargs *', 'timeout *', 'env *', 'time *', 'printf *', 'test *', 'cd *', 'true', 'python3 --version'],
    ...[
      'uniq *',
      'date *',
      'file *',
      'diff *',
      'df *',
      'make *',
      'curl *',
      'scp *',
      'npx *',
      'split *',
      'python3 *',
      'bash *',
    ],
    ...['sha256sum *', 'cut *', 'node --version', 'jq *', 'which *', 'man *', 'tee *', 'sudo *', 'if *', 'for *'],
  ].map(allow),
};

const bash = (policy: Policy, command: string, more: object = {}): PolicyVerdict =>
  decidePermission(policy, { tool: 'Bash', input: { command, ...more }, cwd: '/project' }, fakeFiles());

test('there are more than 500 hostile lines, none twice', () => {
  const all = [...HOSTILE, ...OPTION_LINES, ...REPRODUCED];
  expect(all.filter((line, at) => all.indexOf(line) !== at && !HOSTILE.includes(line))).toEqual([]);
  expect(HOSTILE.length).toBeGreaterThanOrEqual(200);
  expect(OPTION_LINES.length).toBeGreaterThanOrEqual(250);
});

test.each([...HOSTILE, ...OPTION_LINES].map((line) => [line]))('[POL-2] is not allowed: %j', (line) => {
  expect(bash(GENEROUS, line).decision).not.toBe('allow');
});

test.each(REPRODUCED.map((line) => [line]))('[POL-2] was allowed once, and is asked: %j', (line) => {
  expect(bash(GENEROUS, line).decision).toBe('ask');
});

test.each([
  'git status',
  'git status -sb',
  'git log --oneline -5',
  "git log -p --author='A B' --since='2 days ago' -- src/a.ts",
  "git log --format='%h %an %s' -n 3",
  'git diff HEAD~1 -- src/a.ts',
  'git diff --stat main..HEAD',
  'git branch -a',
  'git branch --list main',
  'git blame -L 1,5 src/a.ts',
  'ls -la src',
  'ls',
  'ls --color=never -1 src packages',
  'cat package.json | grep "name" | wc -l',
  "echo 'a b; rm -rf /'",
  'echo "quoted; && || | text"',
  'git show HEAD; git status',
  'true || echo no',
  "find src -name '*.ts' -type f",
  "find -L . packages -maxdepth 3 -name '*.ts' -not -path './node_modules/*' -mtime -7 -print",
  'grep -rnE "a|b" src --include=x -C 3',
  "rg -n 'TODO' src -g '*.ts'",
  'head -20 x',
  'head -n 20 x | tail -n +3',
  'sort -k 2,2 -t , -rn x | uniq -c | sort -rn | head -5',
  'cut -d, -f1 x',
  'date +%s',
  "date -u '+%Y-%m-%d'",
  "printf '%s\\n' a b",
  'wc -l src/a.ts src/b.ts',
  'diff -u a b',
  'npm test',
  "echo 'größe 大きさ'",
])('[POL-5] what the rules mean is allowed: %s', (line) => {
  expect(bash(GENEROUS, line)).toMatchObject({ decision: 'allow' });
});

const DENYING = [
  ...GENEROUS.rules,
  { decision: 'deny', command: 'rm *' },
  { decision: 'deny', command: 'git push *' },
] as const;

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
  expect(bash({ rules: DENYING }, line).decision).toBe('deny');
  expect(bash({ rules: [{ decision: 'allow' }, ...DENYING] }, line).decision).toBe('deny');
});

test.each([
  'xargs --max-args 1 rm',
  'ls | xargs --max-args 1 rm',
  'timeout --signal KILL 5 rm x',
  'sudo --user root rm x',
  'cmd=rm; $cmd x',
  'r=r; ${r}m x',
  'busybox rm x',
  "perl -e 'unlink x'",
  'echo cm0geA== | base64 -d | sh',
  'npm test -- rm',
  'python3 x.py',
  'ls *',
  'git -c alias.x=push x',
])('[POL-41] with a rule that denies, every doubt asks, also behind one that allows everything: %s', (line) => {
  const rules = [{ decision: 'allow' }, { decision: 'deny', command: 'rm *' }] as const;
  expect(bash({ rules }, line).decision).toBe('ask');
  expect(bash({ rules: [{ decision: 'allow', tool: 'Bash' }, rules[1]] }, line).decision).toBe('ask');
  // Without a rule that denies, everything is what it says.
  expect(bash({ rules: [rules[0]] }, line).decision).toBe('allow');
  expect(bash({ rules }, 'ls -la | head -3').decision).toBe('allow');
});

test.each([
  ['ls -R *', 'ls -lR src', 'ask'],
  ['ls -R *', 'ls src', 'allow'],
  ['ls -R *', 'ls -R src', 'deny'],
  ['/usr/bin/cat *', 'cat x', 'ask'],
  ['cat .env', 'cat ./.env', 'ask'],
  ['cat .env', 'cat .env', 'deny'],
  ['grep secret *', 'grep -esecret x', 'ask'],
  ['git log --all *', 'git log -5', 'ask'],
  ['git log --all *', 'git log', 'allow'],
  ['git push *', 'git log', 'allow'],
])('[POL-41] what the rule deny %s might mean is asked: %s is %s', (command, line, expected) => {
  expect(bash({ rules: [...GENEROUS.rules, { decision: 'deny', command }] }, line).decision).toBe(expected);
});

test('[POL-1] what no rule knows is asked; an empty policy allows nothing', () => {
  expect(bash({ rules: [] }, 'ls').decision).toBe('ask');
  expect(bash(GENEROUS, 'whoami').decision).toBe('ask');
  const read = { tool: 'Read', input: { file_path: 'a' }, cwd: '/p' };
  expect(decidePermission({ rules: [] }, read, fakeFiles()).decision).toBe('ask');
});

test.each([
  [{ command: 'npm run *', arguments: 'any' }, 'npm run build', 'allow'],
  [{ command: 'npm run *', arguments: 'any' }, 'ls | npm run build', 'allow'],
  [{ command: 'npm run *', arguments: 'any' }, 'npm run $x', 'ask'],
  [{ command: 'npm run *', arguments: 'any' }, 'npm run build > x', 'ask'],
  [{ command: 'npm run *' }, 'npm run build', 'ask'],
  [{ command: 'npm run build' }, 'npm run build', 'allow'],
  [{ command: 'npm run build' }, 'npm run build x', 'ask'],
  [{ command: 'npm run build' }, 'echo x | npm run build', 'ask'],
  [{ command: 'cd src' }, 'cd src', 'allow'],
  [{ command: 'cd src' }, 'cd src && ls', 'ask'],
  [{ command: 'cd *', arguments: 'any' }, 'cd src && ls', 'ask'],
  [{ command: 'time ls' }, 'time ls', 'ask'],
  [{ command: 'repeat 3 ls' }, 'repeat 3 ls', 'ask'],
  [{ command: 'noglob ls' }, 'noglob ls', 'ask'],
  [{ command: './build.sh' }, './build.sh', 'allow'],
  [{ command: 'grep "a b" *' }, "grep 'a b' x", 'allow'],
  [{ command: 'sort -o *' }, 'sort -o x', 'ask'],
  [{ command: 'sort -o x y' }, 'sort -o x y', 'allow'],
  [{ command: 'cat src/*' }, 'cat src/a', 'allow'],
  [{ command: 'cat src/*' }, 'cat src/../../etc/passwd', 'ask'],
  [{ command: 'cat src/*' }, 'cat src/link', 'ask'],
  [{ command: 'cat src/*' }, 'cat src/a /etc/passwd', 'ask'],
])('[POL-5] a rule %j and the line %s: %s', (rule, command, expected) => {
  const rules = [{ decision: 'allow', tool: 'Bash', ...rule }, allow('ls *'), allow('echo *')] as Policy['rules'];
  const files = fakeFiles({ '/project/src/link': '/etc/passwd' });
  expect(decidePermission({ rules }, { tool: 'Bash', input: { command }, cwd: '/project' }, files).decision).toBe(
    expected,
  );
});

test('[POL-2] a line that two parsers read differently is not allowed, by an exact rule either', () => {
  const rules = ['export "A=b c"', 'export A=b'].map(allow);
  expect(bash({ rules }, "export A='b c'")).toMatchObject({
    decision: 'ask',
    reason: expect.stringContaining('two ways'),
  });
  expect(bash({ rules }, 'export A=b').decision).toBe('allow');
});

test.each([
  [{ cwd: '/project' }, 'npm test', 'allow'],
  [{ cwd: '.' }, 'npm test', 'allow'],
  [{ cwd: '/elsewhere' }, 'npm test', 'ask'],
  [{ cwd: 'evil' }, 'npm test', 'ask'],
  [{ workdir: 'evil' }, 'npm test', 'ask'],
  [{ cwd: '/elsewhere' }, 'git status', 'ask'],
  [{ cwd: '/elsewhere' }, 'ls', 'allow'],
  [{ cwd: '/dev' }, 'cat sda', 'ask'],
  [{ cwd: '$X' }, 'ls', 'ask'],
  [{ cwd: 7 }, 'ls', 'ask'],
  [{ cwd: '/project', workdir: 'evil' }, 'ls', 'ask'],
  [{ description: 'anything; at > all', timeout: 5 }, 'ls', 'allow'],
  [{ dangerouslyDisableSandbox: true }, 'ls', 'ask'],
  [{ script: 'rm x' }, 'ls', 'ask'],
  [{ file_path: '/etc/passwd' }, 'ls', 'ask'],
])('[POL-3] the folder and every key of a command count: %j %s is %s', (more, line, expected) => {
  expect(bash(GENEROUS, line, more).decision).toBe(expected);
});

test('[POL-7] a list of words keeps its quoting', () => {
  const rules = [...GENEROUS.rules, ...GENEROUS.rules.map((rule) => ({ ...rule, tool: 'shell' }))];
  const asks = (command: unknown, tool = 'Bash'): string =>
    decidePermission({ rules }, { tool, input: { command }, cwd: '/p' }, fakeFiles()).decision;
  expect(asks(['echo', 'a; rm x'])).toBe('allow');
  expect(asks(['ls', '-l', 'a b'])).toBe('allow');
  expect(asks(['ls; rm x'])).toBe('ask');
  // Codex runs each command in a login shell; for any other tool that is one more program.
  expect(asks(['bash', '-lc', 'ls -l'], 'shell')).toBe('allow');
  expect(asks(['bash', '-lc', 'ls -l'])).toBe('ask');
  expect(asks(['bash', '-lc', 'ls; rm x'], 'shell')).toBe('ask');
  expect(asks(['bash', '-lc', 'ls', 'x'], 'shell')).toBe('ask');
  expect(asks(['/tmp/bash', '-lc', 'ls'], 'shell')).toBe('ask');
  expect(asks(['ls', 7])).toBe('ask');
  expect(asks([])).toBe('ask');
  expect(asks(undefined)).toBe('ask');
});

test('a rule that is not understood is a fault, because it may be a denial', () => {
  for (const value of [
    null,
    {},
    { rules: [{}] },
    { rules: [], extra: 1 },
    { rules: [{ decision: 'deny', comand: 'rm' }] },
    { rules: [{ decision: 'allow', command: '* x' }] },
    { rules: [{ decision: 'allow', command: 'l* x' }] },
    { rules: [{ decision: 'allow', command: 'x *', arguments: 'all' }] },
  ])
    expect(readPolicy(value)).toHaveProperty('fault');
  expect(readPolicy({ rules: GENEROUS.rules })).toHaveProperty('policy');
});

test('[POL-40] a request of an agent is answered with the rule, or left to a person', () => {
  const options = [{ id: 'a', label: 'Allow', kind: 'allow_once' }] as const;
  const asked = (name: string, input: unknown) =>
    ({ kind: 'permission.requested', request: 'r', name, input, options }) as const;
  const answer = (event: Parameters<typeof policyCommand>[1], policy: Policy = GENEROUS) =>
    policyCommand(policy, event, '/p', fakeFiles());
  expect(answer(asked('Bash', { command: 'git status' }))).toEqual({
    command: { do: 'permission', request: 'r', behavior: 'allow' },
    rule: 'allow Bash command git status',
  });
  expect(answer(asked('Bash', { command: 'whoami' }))).toBeUndefined();
  expect(answer({ ...asked('Bash', { command: 'git status' }), humanOnly: true })).toBeUndefined();
  const deny: Policy = { rules: [{ decision: 'deny', command: 'rm *' }] };
  expect(answer({ ...asked('Bash', { command: 'rm x' }), humanOnly: true }, deny)).toMatchObject({
    command: { behavior: 'deny' },
  });
  const lineOf = (command: string): string | undefined =>
    policyRequest(permissionAsk(asked('shell', { command }), '/p'), '/home/user').line;
  expect(lineOf("/bin/bash -lc 'git status'")).toBe('git status');
  expect(lineOf(String.raw`/bin/bash -lc "echo \"a\" 'b' \$x"`)).toBe(`echo "a" 'b' $x`);
  for (const line of [
    "/bin/bash -lc 'git status'; rm x",
    "X=1 bash -c 'ls'",
    "bash -lc 'ls' x",
    "bash -c 'ls' > f",
    "bash -c 'ls' &",
    'bash -c "$(rm x)"',
  ])
    expect(lineOf(line)).toBe(line);
});
