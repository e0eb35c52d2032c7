/**
 * Inputs that say more than they seem to: every tool that is known with generated keys and values beside its own, odd characters in
 * commands and paths, and the requests of recorded agents, which must be understood.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Conversation } from '../testing/conversation.ts';
import { eventsOf, inputsOf, recordings } from '../testing/recordings.ts';
import { knownTool, knownToolNames } from './known-tools.ts';
import type { PolicyDecision, PolicyRule } from './policy.ts';
import { decidePermission, permissionAsk, policyCommand, policyRequest } from './request.ts';
import { fakeFiles } from './testing/fake-files.ts';

const RUNS = Math.ceil((2000 * Number(process.env['SPOOL_TEST_ROUNDS'] ?? 100)) / 100);

const decided = (rules: readonly PolicyRule[], tool: string, input: unknown): PolicyDecision =>
  decidePermission({ rules }, { tool, input, cwd: '/project' }, fakeFiles()).decision;

const ELSEWHERE = fc.constantFrom(
  '/etc/passwd',
  '../x',
  '~/.ssh/id',
  '$HOME/x',
  'src/../../x',
  'file:///etc/x',
  'secret',
);
const KEY = fc.oneof(
  fc.constantFrom(
    ...'output out to where name saveAs dst outfile pathname abspath tofile backup link log script cmd args x url query prompt'.split(
      ' ',
    ),
    ...'Path FILE_PATH file-path filePath2 f\u0456le_path path\u200b \u00a0path __proto__ constructor toString 0 -o command'.split(
      ' ',
    ),
  ),
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
);
/** The value in any shape. */
const HELD = fc.oneof(
  ELSEWHERE,
  ELSEWHERE.map((path) => [path]),
  ELSEWHERE.map((path) => ({ a: { b: [path] } })),
  fc.tuple(KEY, ELSEWHERE).map(([key, path]) => ({ [key]: path })),
);
/** Returns an object with this as its own key, whatever the key is. */
const withKey = (input: object, key: string, value: unknown): unknown =>
  Object.defineProperty({ ...input }, key, { value, enumerable: true });

const FILE_TOOLS = knownToolNames().filter((name) => /^(read|edit|search|delete|move)$/.test(knownTool(name)!.kind));

test('[POL-7] a key that a tool does not have is never allowed, by a rule with or without a path', () => {
  fc.assert(
    fc.property(fc.constantFrom(...FILE_TOOLS), KEY, HELD, (tool, key, held) => {
      const keys = knownTool(tool)!.keys;
      fc.pre(!keys.has(key));
      const input = withKey({ path: 'src/a' }, key, held);
      const rules: PolicyRule[] = [
        { decision: 'allow', tool, path: 'src/**' },
        { decision: 'allow', tool },
      ];
      for (const rule of rules) expect(decided([rule], tool, input)).toBe('ask');
      expect(decided([rules[0]!], tool, { path: 'src/a' })).toBe('allow');
    }),
    { numRuns: RUNS, seed: 19 },
  );
});

test('[POL-7] a key that a tool has cannot hold a file that the rule does not allow', () => {
  for (const tool of FILE_TOOLS)
    for (const [key, role] of knownTool(tool)!.keys)
      for (const held of ['/etc/passwd', ['/etc/passwd'], { path: '/etc/passwd' }, [{ path: '/etc/passwd' }]]) {
        const isText = role === 'text' || role === 'content' ? typeof held === 'string' : false;
        // A list of texts that a search leaves out.
        const isTexts = role === 'texts' && Array.isArray(held) && typeof held[0] === 'string';
        if (key === 'path' || isText || isTexts) continue;
        const rules = [{ decision: 'allow', tool, path: 'src/**' }] as const;
        expect([tool, key, held, decided(rules, tool, { path: 'src/a', [key]: held })]).toEqual([
          tool,
          key,
          held,
          'ask',
        ]);
      }
});

test('[POL-42] a tool that is not known is allowed in a folder only if nothing else of its input could be a file', () => {
  fc.assert(
    fc.property(KEY, HELD, (key, held) => {
      fc.pre(!/^(file_path|notebook_path|filePath|filepath|paths?|absolute_path|dir_path)$/.test(key));
      const rules = [{ decision: 'allow', tool: 'mcp__x', path: 'src/**' }] as const;
      expect(decided(rules, 'mcp__x', withKey({ path: 'src/a' }, key, held))).toBe('ask');
      expect(decided(rules, 'mcp__x', { path: 'src/a', depth: 3, all: true })).toBe('allow');
    }),
    { numRuns: RUNS, seed: 19 },
  );
});

test('[POL-1] where a rule restricts commands or files, a tool that is not known is never allowed', () => {
  const restricting: PolicyRule[] = [
    { decision: 'deny', command: 'rm *' },
    { decision: 'ask', command: 'rm *' },
    { decision: 'deny', path: 'secret/**' },
    { decision: 'ask', tool: 'mcp__*', path: 'secret/**' },
  ];
  const named = ["r''m -rf ~", String.raw`$(printf '\x72m') x`, ['r', 'm'], 'secret', [114, 109], 7, true, null, ''];
  fc.assert(
    fc.property(
      fc.constantFrom(...restricting),
      fc.constantFrom('mcp__shell__run', 'anything', '', 'toString'),
      fc.oneof(fc.dictionary(KEY, fc.oneof(HELD, fc.constantFrom(...named))), fc.jsonValue()),
      (rule, tool, input) => {
        fc.pre(rule.tool === undefined || tool.startsWith('mcp__'));
        for (const allow of [{ decision: 'allow' }, { decision: 'allow', tool: '*', arguments: 'any' }] as const)
          expect(decided([allow, rule], tool, input)).not.toBe('allow');
      },
    ),
    { numRuns: RUNS, seed: 19 },
  );
  // Not a rule about this tool.
  const other = [{ decision: 'allow' }, { decision: 'deny', tool: 'Bash', command: 'rm *' }] as const;
  expect(decided(other, 'mcp__demo__add', { a: 2, b: 3 })).toBe('allow');
});

/** Blanks, marks and controls of Unicode, and everything of Latin-1 that is not a letter. */
const ODD = [
  ...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((text) =>
    /[^A-Za-z0-9_./,:@%+= ;&|~-]/.test(text),
  ),
  ...'\u034f\u061c\u115f\u1160\u1680\u17b4\u180e\u2000\u2003\u2007\u2009\u200a\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e',
  ...'\u202f\u205f\u2060\u2061\u2066\u2069\u206f\u3000\u3164\ufe00\ufe0f\ufeff\uff0f\uff1b\uff5c\uffa0\ufff9\ufffd\ud800\u0301\u2215\u2013',
  '\u{e0001}',
  '\u{e0100}',
];

test('[POL-2] an odd character outside of quotes is never allowed, wherever it is', () => {
  const lines = ['ls -la src', './build.sh', 'npm run build', 'git status', "bash -lc 'ls'", 'bash -lc ./build.sh'];
  const rules = ['ls *', 'git *', './build.sh', 'npm run build'].map(
    (command) => ({ decision: 'allow', command }) as const,
  );
  const allowed: string[] = [];
  for (const tool of ['Bash', 'shell', 'execute'])
    for (const line of lines)
      for (const odd of ODD)
        for (let at = 0; at <= line.length; at++) {
          const command = `${line.slice(0, at)}${odd}${line.slice(at)}`;
          // An even number of quotes is needed; one more is never whole.
          if (decided(rules, tool, { command }) === 'allow') allowed.push(`${tool} ${JSON.stringify(command)}`);
        }
  expect(allowed).toEqual([]);
  expect(['ls -la src', './build.sh', 'npm run build'].map((command) => decided(rules, 'Bash', { command }))).toEqual(
    Array(3).fill('allow'),
  );
  expect(decided(rules, 'shell', { command: "/bin/bash -lc 'npm run build'" })).toBe('allow');
  // The shell that another tool starts is one more program.
  expect(
    ['bash -lc ls', "bash -c 'ls'", 'bash -c ls\\ -la'].map((command) => decided(rules, 'Bash', { command })),
  ).toEqual(Array(3).fill('ask'));
});

test('[POL-3] an odd character in a path does not lead out of the folder of a rule, or past one that denies', () => {
  const allow = [{ decision: 'allow', tool: 'Edit', path: 'src/**' }] as const;
  const deny = [{ decision: 'allow' }, { decision: 'deny', path: 'secret/**' }] as const;
  for (const odd of ODD) {
    for (const path of [`${odd}/etc/passwd`, `src/${odd}/../../../x`, `src${odd}/../x`, `${odd}src/a`, `src${odd}/a`])
      expect([path, decided(allow, 'Edit', { file_path: path })]).toEqual([path, 'ask']);
    for (const path of [`secret/${odd}`, `secret/a${odd}/b`, `./secret/${odd}/../b`])
      expect([path, decided(deny, 'Read', { file_path: path })]).toEqual([path, expect.stringMatching(/deny|ask/)]);
  }
});

test.each([
  ' /etc/passwd',
  '/project/src/a ',
  '\u00a0/etc/passwd',
  'src/a\ufeff',
  'src/a\n',
  'src\\..\\x',
  '\\etc',
  'file:///project/src/a',
  'FILE:/etc/passwd',
  'x+y:/etc',
  'src/se\u0301cret',
  'src/\u212b',
])('[POL-3] a path that a tool may change before it opens it is never allowed: %j', (path) => {
  for (const rule of [{ decision: 'allow', path: '**' }, { decision: 'allow' }] as const) {
    for (const tool of ['Edit', 'Read', 'LS', 'mcp__x'])
      expect([tool, decided([rule], tool, { path })]).toEqual([tool, 'ask']);
    expect(decided([{ decision: 'allow', command: 'pwd' }], 'Bash', { command: 'pwd', cwd: path })).toBe('ask');
  }
  expect(decided([{ decision: 'allow', path: '**' }], 'Edit', { path: 'src/[id] größe.tsx' })).toBe('allow');
});

test.each<[string, PolicyDecision]>([
  ['**/*.ts', 'allow'],
  ['src/{a,b}/**/*.{ts,tsx}', 'allow'],
  ['*', 'allow'],
  ['{a,../etc}/*', 'ask'],
  ['{..,a}/x', 'ask'],
  ['{/etc,a}/*', 'ask'],
  ['{a,/etc/*}', 'ask'],
  ['{a,~/.ssh/*}', 'ask'],
  ['/etc/*', 'ask'],
  ['../*', 'ask'],
  ['@(..)/x', 'ask'],
  ['[.][.]/x', 'ask'],
  ['$HOME/*', 'ask'],
])('[POL-7] a pattern of names stays below its folder: %s is %s', (pattern, expected) => {
  for (const tool of ['Glob', 'glob', 'search', 'list'])
    expect(decided([{ decision: 'allow', tool }], tool, { pattern })).toBe(expected);
});

test('[POL-42] a path of a tool that is not known may be a pattern', () => {
  const rules = [{ decision: 'allow', path: 'src/**' }] as const;
  expect(decided(rules, 'read_many_files', { paths: ['src/a'] })).toBe('allow');
  expect(decided(rules, 'read_many_files', { paths: ['src/{a,../../etc/x}'] })).toBe('ask');
  expect(decided(rules, 'mcp__x', { path: 'src/*' })).toBe('ask');
});

/** Returns the event that a request over ACP becomes. */
function acpEvent(toolCall: object) {
  const talk = new Conversation('acp');
  const [initialize] = talk.started();
  const agentInfo = { name: 'any', version: '1' };
  const [create] = talk.says({ jsonrpc: '2.0', id: initialize.id, result: { protocolVersion: 1, agentInfo } });
  talk.says({ jsonrpc: '2.0', id: create.id, result: { sessionId: 's1' } });
  talk.prompt('go', 'p1');
  const params = { sessionId: 's1', toolCall: { toolCallId: 't1', ...toolCall }, options: [] };
  talk.says({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params });
  return talk.last('permission.requested')!;
}

test.each<[object, readonly PolicyRule[], 'allow' | 'deny' | undefined]>([
  [
    { kind: 'execute', name: 'dev_shell', rawInput: { cmd: 'r""m x' } },
    [{ decision: 'allow' }, { decision: 'deny', command: 'rm *' }],
    undefined,
  ],
  [{ kind: 'execute', name: 'dev_shell', rawInput: { cmd: 'ls' } }, [{ decision: 'allow' }], undefined],
  [
    { kind: 'execute', name: 'dev_shell', rawInput: { command: 'ls' } },
    [{ decision: 'allow', command: 'ls *' }],
    'allow',
  ],
  [
    { kind: 'edit', name: 'editor', rawInput: { id: 5 } },
    [{ decision: 'allow' }, { decision: 'deny', path: '**/.env' }],
    undefined,
  ],
  [{ kind: 'execute', name: 'Read', rawInput: { path: 'src/a' } }, [{ decision: 'allow', tool: 'Read' }], undefined],
  [
    { kind: 'read', name: 'Read', rawInput: { path: 'src/a' } },
    [{ decision: 'allow', tool: 'Read', path: 'src/**' }],
    'allow',
  ],
  [
    { kind: 'read', name: 'Bash', rawInput: { command: 'ls' } },
    [{ decision: 'allow', tool: 'Bash', command: 'ls *' }],
    undefined,
  ],
  [
    { kind: 'edit', rawInput: { path: 'src/a' }, locations: [{ path: 'src/a' }] },
    [{ decision: 'allow', path: 'src/**' }],
    'allow',
  ],
  [
    { kind: 'edit', rawInput: { path: 'src/a' }, locations: [{ path: '/project/src/a', line: 3 }] },
    [{ decision: 'allow', path: 'src/**' }],
    'allow',
  ],
  [
    { kind: 'edit', rawInput: { path: 'src/a' }, locations: [{ path: '/etc/shadow' }] },
    [{ decision: 'allow', path: 'src/**' }],
    undefined,
  ],
  [
    { kind: 'edit', rawInput: { path: 'src/a' }, locations: [{ path: 'src/.env' }] },
    [{ decision: 'allow' }, { decision: 'deny', path: '**/.env' }],
    'deny',
  ],
  [{ kind: 'read', locations: [{ path: 'src/a' }] }, [{ decision: 'allow', path: 'src/**' }], 'allow'],
])(
  '[POL-7] the kind and the files beside the input of an ACP request count: %j with %j is %s',
  (call, rules, expected) => {
    expect(policyCommand({ rules }, acpEvent(call), '/project', fakeFiles())?.command.behavior).toBe(expected);
  },
);

test('[POL-7] requests of recorded agents are understood', () => {
  const doubts = recordings().flatMap(({ agent, bytes }) =>
    eventsOf(agent, inputsOf(bytes)).flatMap((event) => {
      if (event.kind !== 'permission.requested') return [];
      const request = policyRequest(permissionAsk(event, '/home/user/project'), '/home/user');
      return request.doubts.map((doubt) => `${agent} ${event.name}: ${doubt}`);
    }),
  );
  expect([...new Set(doubts)]).toEqual([]);
});

test('[POL-7] a request that is not whole, or whose call says something else, is not allowed by a rule, and may be denied', () => {
  const event = {
    kind: 'permission.requested',
    request: 'r',
    name: 'Bash',
    input: { command: 'ls' },
    options: [],
  } as const;
  const answer = (more: object, decision: 'allow' | 'deny'): string | undefined =>
    policyCommand({ rules: [{ decision, command: 'ls *' }] }, { ...event, ...more }, '/p', fakeFiles())?.command
      .behavior;
  expect(answer({}, 'allow')).toBe('allow');
  for (const more of [{ call: { command: 'rm x' } }, { call: null }, { isCut: true }, { humanOnly: true }])
    expect([more, answer(more, 'allow'), answer(more, 'deny')]).toEqual([more, undefined, 'deny']);
});
