import { expect, test } from 'vitest';
import { programsWithGrammar } from './grammar/command-grammar.ts';
import { lintPolicy } from './lint.ts';
import type { PolicyRule } from './policy.ts';

const lint = (...rules: PolicyRule[]): string[] =>
  lintPolicy({ rules }).map(({ rule, level, message }) => `${rule} ${level}: ${message}`);

test.each<[PolicyRule[], RegExp]>([
  [[{ decision: 'allow', command: 'npm *' }], /^1 fault: no grammar .* npm, so \* covers nothing/],
  [[{ decision: 'allow', command: 'npm run test:*' }], /covers nothing/],
  [[{ decision: 'allow', command: 'git push *' }], /no grammar .* git push/],
  [[{ decision: 'allow', command: 'sort -o *' }], /-o is not known/],
  [[{ decision: 'allow', command: 'find * -delete' }], /-delete is not known/],
  [[{ decision: 'allow', command: 'ls | wc' }], /\| without quotes is never part/],
  [[{ decision: 'allow', command: 'for *' }], /never understood/],
  [[{ decision: 'allow', command: 'ls *', path: 'src/**' }], /can never match/],
  [[{ decision: 'allow', tool: 'Edit', command: 'ls *' }], /runs no commands/],
  [[{ decision: 'allow', tool: 'execute' }], /needs a command/],
  [[{ decision: 'allow', command: 'npm test', arguments: 'any' }], /no other arguments/],
  [[{ decision: 'deny', command: 'npm *', arguments: 'any' }], /counts only in rules that allow/],
  [[{ decision: 'deny', path: '.env' }], /\*\*\/\.env/],
  [[{ decision: 'deny', path: '~root/x' }], /only a shell/],
  [[{ decision: 'deny', path: '$X/x' }], /only a shell/],
  [[{ decision: 'allow', path: 'a/../b' }], /never match a real path/],
  [
    [
      { decision: 'allow', command: 'ls *' },
      { decision: 'allow', command: 'ls *' },
    ],
    /^2 fault: rule 1 says the same/,
  ],
  [
    [
      { decision: 'allow', tool: 'Bash', command: 'ls *' },
      { decision: 'deny', tool: 'B*' },
    ],
    /^1 fault: rule 2 comes first/,
  ],
  [
    [
      { decision: 'allow', tool: 'mcp__x', arguments: 'any' },
      { decision: 'deny', command: 'rm *' },
    ],
    /^1 fault: rule 2 might mean anything that mcp__x does/,
  ],
  [[{ decision: 'allow', tool: 'Task', command: 'ls' }], /runs no commands/],
  [
    [
      { decision: 'allow', command: 'make *', arguments: 'any' },
      { decision: 'deny', path: '**/.env' },
    ],
    /^1 fault: rule 2 restricts this tool/,
  ],
])('[POL-8] %j is a mistake', (rules, expected) => {
  expect(lint(...rules).join('\n')).toMatch(expected);
});

test('[POL-8] rules without limits are explained, and those that are right are not mentioned', () => {
  expect(lint({ decision: 'allow', command: 'make *', arguments: 'any' })).toEqual([
    expect.stringMatching(/^1 note: make runs with any arguments .* write files, run other programs/),
  ]);
  expect(lint({ decision: 'allow', tool: 'mcp__x', arguments: 'any' })).toEqual([
    expect.stringMatching(/note: mcp__x/),
  ]);
  expect(lint({ decision: 'allow', tool: 'Bash' })).toEqual([expect.stringMatching(/note: every command line/)]);
  for (const program of programsWithGrammar())
    expect([program, lint({ decision: 'allow', command: `${program} *` })]).toEqual([
      program,
      // These take no arguments at all.
      [],
    ]);
  expect(
    lint(
      { decision: 'allow', tool: 'Bash', command: 'git log --author=*' },
      { decision: 'allow', tool: 'Bash', command: 'git *' },
      { decision: 'allow', tool: 'Bash', command: 'npm test' },
      { decision: 'allow', tool: 'Edit', path: 'src/**' },
      { decision: 'deny', path: '**/.env' },
    ),
  ).toEqual([]);
});
