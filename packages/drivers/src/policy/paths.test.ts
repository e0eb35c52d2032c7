/** Rules about files: real folders and links, keys of inputs, and names of tools. */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decidePermission } from './request.ts';
import type { Policy, PolicyDecision } from './policy.ts';
import { makePolicyFiles, type PolicyFiles } from './policy-files.ts';
import { realPath } from './real-path.ts';
import { fakeFiles } from './testing/fake-files.ts';

const RULES = [
  { decision: 'allow', tool: 'Edit', path: 'src/**' },
  { decision: 'deny', path: '**/.env' },
] as const;

const edit = (input: object, files: PolicyFiles = fakeFiles(), rules: Policy['rules'] = RULES, cwd = '/project') =>
  decidePermission({ rules }, { tool: 'Edit', input, cwd }, files).decision;

test.each<[string, PolicyDecision]>([
  ['src/a.ts', 'allow'],
  ['./src/deep/b.ts', 'allow'],
  ['/project/src/a.ts', 'allow'],
  ['src/../../etc/passwd', 'ask'],
  ['/etc/passwd', 'ask'],
  ['src/.env', 'deny'],
  ['src/x/../.env', 'deny'],
  ['/elsewhere/.env', 'deny'],
  ['../.env', 'deny'],
  ['~/.env', 'deny'],
  ['$HOME/.env', 'deny'],
  ['srcs/a.ts', 'ask'],
  ['~/src/a.ts', 'ask'],
  ['$HOME/src/a.ts', 'ask'],
  ['src/$X/a.ts', 'ask'],
  ['src/a\u0000.ts', 'ask'],
  ['', 'ask'],
])('[POL-3] a path counts as it is, not as it is written: %j is %s', (path, expected) => {
  expect(edit({ file_path: path })).toBe(expected);
  const rules = [...RULES, { decision: 'allow', tool: 'MultiEdit', path: 'src/**' }] as const;
  const both = { tool: 'MultiEdit', input: { paths: ['src/a.ts', path] }, cwd: '/project' };
  expect(decidePermission({ rules }, both, fakeFiles()).decision).toBe(expected);
});

test.each([
  [{ decision: 'deny', path: '~/.ssh/**' }, '/home/user/.ssh/id', 'deny'],
  [{ decision: 'deny', path: '$HOME/.ssh/**' }, '/home/user/.ssh/id', 'deny'],
  [{ decision: 'deny', path: '/etc/**' }, '/etc/passwd', 'deny'],
  [{ decision: 'deny', path: 'secret/**' }, 'secret/a', 'deny'],
  [{ decision: 'ask', path: '**/*.key' }, '/x/a.key', 'ask'],
  [{ decision: 'ask', path: '**/*.key' }, '/x/a.kay', 'allow'],
] as const)('[POL-3] the rule %j counts everywhere: %s is %s', (rule, path, expected) => {
  expect(edit({ file_path: path }, fakeFiles(), [{ decision: 'allow' }, rule])).toBe(expected);
});

describe('in a real folder', () => {
  let folder: string;
  let files: PolicyFiles;
  beforeAll(() => {
    folder = fs.realpathSync(fs.mkdtempSync(`${tmpdir()}/spool-test-`));
    files = makePolicyFiles(fs, `${folder}/home`);
    for (const name of ['project/src/deep', 'home/.ssh', 'elsewhere'])
      fs.mkdirSync(`${folder}/${name}`, { recursive: true });
    fs.writeFileSync(`${folder}/elsewhere/.env`, '');
    fs.symlinkSync('../../home/.ssh', `${folder}/project/src/out`);
    fs.symlinkSync('deep', `${folder}/project/src/in`);
    fs.symlinkSync(`${folder}/elsewhere/.env`, `${folder}/project/src/plain.txt`);
    fs.symlinkSync('loop', `${folder}/project/src/loop`);
    fs.symlinkSync('project', `${folder}/alias`);
    fs.symlinkSync('../home', `${folder}/project/swapped`);
  });
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  test.each<[string, PolicyDecision]>([
    ['src/deep/new/file.ts', 'allow'],
    ['src/in/a.ts', 'allow'],
    ['src/out/authorized_keys', 'ask'],
    ['src/out/new/file', 'ask'],
    ['src/out/../file', 'ask'],
    ['src/in/../a.ts', 'allow'],
    ['src/plain.txt', 'deny'],
    ['src/loop', 'ask'],
    ['swapped/.ssh/id', 'ask'],
  ])('[POL-3] links are followed when the decision is made: %s is %s', (path, expected) => {
    expect(edit({ file_path: path }, files, RULES, `${folder}/project`)).toBe(expected);
  });

  test('[POL-3] a folder that became a link after the rule was written is not what the rule names', () => {
    const rules = [{ decision: 'allow', tool: 'Edit', path: 'swapped/**' }] as const;
    expect(edit({ file_path: 'swapped/.ssh/id' }, files, rules, `${folder}/project`)).toBe('ask');
    // The agent's own folder may be reached through a link.
    expect(edit({ file_path: 'src/a.ts' }, files, RULES, `${folder}/alias`)).toBe('allow');
    expect(edit({ file_path: `${folder}/alias/src/a.ts` }, files, RULES, `${folder}/project`)).toBe('allow');
  });

  test('[POL-3] a rule that denies counts behind links, on both sides', () => {
    const rules = [{ decision: 'allow' }, { decision: 'deny', path: `${folder}/alias/secret/**` }] as const;
    expect(edit({ file_path: `${folder}/project/secret/a` }, files, rules, '/')).toBe('deny');
    expect(edit({ file_path: `${folder}/alias/secret/a` }, files, rules, '/')).toBe('deny');
  });

  test('[POL-3] a real path is the one that the kernel finds', () => {
    expect(realPath(files, 'src/out/../x', `${folder}/project`)).toBe(`${folder}/home/x`);
    expect(realPath(files, '/', '/')).toBe('/');
    expect(realPath(files, 'a', 'relative')).toBeUndefined();
    const refuses = {
      ...files,
      linkTarget: () => {
        throw new Error('EACCES');
      },
    };
    expect(realPath(refuses, '/a', '/')).toBeUndefined();
  });

  test("[POL-3] a path through the kernel's view of a process cannot be known, and is denied only by its name", () => {
    fs.mkdirSync(`${folder}/project/secret`);
    fs.symlinkSync('/proc/self/cwd', `${folder}/project/here`);
    fs.symlinkSync('/dev/fd', `${folder}/project/fds`);
    const rules = [{ decision: 'allow' }, { decision: 'deny', path: 'secret/**' }] as const;
    const decisions = (tool: string, input: object): string =>
      decidePermission({ rules }, { tool, input, cwd: `${folder}/project` }, files).decision;
    const ways = ['self/cwd', 'thread-self/cwd', '1/cwd', 'self/root', 'self/task/1/cwd', 'self/fd/3'].flatMap(
      (way) => [`/proc/${way}/secret/x`, `//proc/./${way}/secret/x`, `${'../'.repeat(20)}proc/${way}/secret/x`],
    );
    for (const path of [
      ...ways,
      'here/secret/x',
      'src/../here/secret/x',
      'fds/3/secret/x',
      '/dev/fd/3',
      '/dev/stdin',
    ]) {
      expect([path, decisions('Read', { file_path: path })]).toEqual([path, 'ask']);
      for (const line of [`cat ${path}`, `grep x ${path}`, `grep -f ${path} x`, `ls -l ${path}`])
        expect([line, decisions('Bash', { command: line })]).toEqual([line, 'ask']);
    }
    expect(decisions('Read', { file_path: 'src/a' })).toBe('allow');
    const deny = [{ decision: 'allow' }, { decision: 'deny', path: '/proc/**' }] as const;
    expect(edit({ file_path: '/proc/self/environ' }, files, deny, `${folder}/project`)).toBe('deny');
  });

  test('[POL-3] a program that resolves .. as text arrives in a folder of the rule, too, or is asked', () => {
    // By the kernel `src/out/../x` is in the home folder, as text it is in src.
    fs.symlinkSync('../src/deep', `${folder}/home/back`);
    const rules = [{ decision: 'allow', tool: 'Edit', path: '../home/**' }] as const;
    expect(edit({ file_path: 'src/out/../x' }, files, rules, `${folder}/project`)).toBe('ask');
    const deny = [{ decision: 'allow' }, { decision: 'deny', path: `${folder}/elsewhere/**` }] as const;
    fs.symlinkSync('../elsewhere', `${folder}/project/away`);
    expect(edit({ file_path: 'src/out/../../away/x' }, files, deny, `${folder}/project`)).toBe('deny');
  });

  test('[POL-3] commands that read files obey rules about files', () => {
    const bash = (command: string, cwd?: string): string =>
      decidePermission(
        {
          rules: [
            ...['cat *', 'grep *', 'ls *', 'npm test'].map((each) => ({ decision: 'allow', command: each }) as const),
            { decision: 'allow', command: 'node *', arguments: 'any' },
            RULES[1],
          ],
        },
        { tool: 'Bash', input: { command, ...(cwd === undefined ? {} : { cwd }) }, cwd: `${folder}/project` },
        files,
      ).decision;
    expect(bash('cat src/deep/a.ts')).toBe('allow');
    expect(bash('cat .env')).toBe('deny');
    expect(bash('cat src/plain.txt')).toBe('deny');
    expect(bash('ls | cat - ../elsewhere/.env')).toBe('deny');
    expect(bash('cat .env', '../elsewhere')).toBe('deny');
    expect(bash('grep -r x src')).toBe('ask');
    expect(bash('grep x .env')).toBe('ask');
    expect(bash('grep x src/a.ts')).toBe('allow');
    expect(bash('npm test')).toBe('allow');
    expect(bash('node x.js')).toBe('ask');
  });
});

test.each<[string, object, PolicyDecision]>([
  ['Edit', { file_path: 'src/a.ts', old_string: 'a/b', new_string: '/etc/passwd', replace_all: true }, 'allow'],
  ['Edit', { file_path: '.env', command: 'ls' }, 'deny'],
  ['Edit', { file_path: 'src/a.ts', command: 'ls' }, 'ask'],
  ['Edit', { file_path: 'src/a.ts', target_file: '.env' }, 'deny'],
  ['Edit', { file_path: 'src/a.ts', targetFile: 'b' }, 'ask'],
  ['Edit', { file_path: 'src/a.ts', edits: [{ file: 'src/b.ts' }] }, 'ask'],
  ['Edit', { file_path: 'src/a.ts', edits: [{ old_string: 'a', new_string: 'b' }] }, 'allow'],
  ['Edit', { file_path: 'src/a.ts', edits: [{ path: '/etc/passwd' }] }, 'ask'],
  ['Edit', { file_path: ['src/a.ts', '.env'] }, 'deny'],
  ['Edit', { file_path: { a: 1 } }, 'ask'],
  ['Edit', { content: 'x' }, 'ask'],
  ['Edit', {}, 'ask'],
])('[POL-7] every key of an input counts: %s %j is %s', (tool, input, expected) => {
  expect(decidePermission({ rules: RULES }, { tool, input, cwd: '/project' }, fakeFiles()).decision).toBe(expected);
});

test.each<[Policy['rules'], string, unknown, PolicyDecision]>([
  [[{ decision: 'allow', tool: 'mcp__x' }], 'mcp__x', { a: 1, b: 'text' }, 'allow'],
  [[{ decision: 'allow', tool: 'mcp__x' }], 'mcp__x', { destination: '/etc/x' }, 'ask'],
  [[{ decision: 'allow', tool: 'mcp__x', arguments: 'any' }], 'mcp__x', { destination: '/etc/x' }, 'allow'],
  [[{ decision: 'allow', tool: 'mcp__x' }], 'mcp__x', { where: 'a/b' }, 'ask'],
  [[{ decision: 'allow', tool: 'mcp__x' }], 'mcp__x', { name: 'Ada', says: "What's new? 3 + 4" }, 'allow'],
  [[{ decision: 'allow', tool: 'mcp__x', arguments: 'any' }], 'mcp__x', { where: 'a/b' }, 'allow'],
  [[{ decision: 'allow', tool: 'mcp__x' }, RULES[1]], 'mcp__x', { where: 'a/b' }, 'ask'],
  [[{ decision: 'allow', tool: 'mcp__x', arguments: 'any' }, RULES[1]], 'mcp__x', { where: 'a/.env' }, 'deny'],
  [[{ decision: 'allow', tool: 'mcp__x' }], 'mcp__x', { command: 'ls', script: 'rm' }, 'ask'],
  [[{ decision: 'allow', tool: 'mcp__x' }], 'mcp__x', { command: 'ls' }, 'allow'],
  [
    [
      { decision: 'allow', tool: 'mcp__x' },
      { decision: 'deny', command: 'rm *' },
    ],
    'mcp__x',
    { script: 'rm -rf' },
    'ask',
  ],
  [[{ decision: 'allow', tool: 'mcp__x' }], 'mcp__x', 'text', 'ask'],
  [[{ decision: 'allow', tool: 'WebFetch' }, RULES[1]], 'WebFetch', { url: 'https://x/y', prompt: 'a/b' }, 'allow'],
  [[{ decision: 'allow', tool: 'WebFetch' }], 'WebFetch', { url: 'file:///etc/passwd' }, 'ask'],
  [[{ decision: 'allow', tool: 'Glob' }], 'Glob', { pattern: 'src/**' }, 'allow'],
  [[{ decision: 'allow', tool: 'Glob' }], 'Glob', { pattern: '/etc/*' }, 'ask'],
  [[{ decision: 'allow', tool: 'Grep' }, RULES[1]], 'Grep', { pattern: 'x', path: 'src' }, 'ask'],
  [[{ decision: 'allow' }, RULES[1]], 'delete', { path: 'src' }, 'ask'],
  [[{ decision: 'allow' }, RULES[1]], 'move', { source: '.', destination: 'x' }, 'ask'],
  [[{ decision: 'allow' }], 'delete', { path: 'src' }, 'allow'],
  [[{ decision: 'allow', tool: 'apply_patch' }, RULES[1]], 'apply_patch', {}, 'ask'],
  [[{ decision: 'allow', tool: 'apply_patch' }], 'apply_patch', { grantRoot: '/' }, 'ask'],
  [[{ decision: 'allow', tool: 'Bash' }], 'Bash', { description: 'Read' }, 'ask'],
  [[{ decision: 'allow', tool: 'execute' }], 'execute', { command: 'ls' }, 'ask'],
  [[{ decision: 'allow' }], 'execute', { command: 'ls' }, 'ask'],
  [[{ decision: 'allow', tool: 'execute', command: 'ls *' }], 'execute', { command: 'ls -l' }, 'allow'],
  [[{ decision: 'allow', tool: 'Read' }], '', { command: 'ls' }, 'ask'],
])('[POL-7] the rules %j and the tool %s with %j: %s', (rules, tool, input, expected) => {
  expect(decidePermission({ rules }, { tool, input, cwd: '/project' }, fakeFiles()).decision).toBe(expected);
});
