import { expect, test } from 'vitest';
import { REQUEST_SCHEMAS } from './schemas.ts';
import type { Op } from './messages.ts';

const run = { id: 'abcdefgh12', command: ['sh'], cwd: '/', env: {} };
const watch = { session: 'web', from: 'start', creditBytes: 0 };
const MiB = 1024 * 1024;

const accepted: readonly (readonly [op: Op, ask: unknown])[] = [
  ['run', run],
  ['run', { ...run, id: 'a'.repeat(32), command: ['sh', '-c', '', 'with spaces', '日本', '\n\t\x1b'], cwd: '/tmp/ü' }],
  ['run', { ...run, env: { PATH: '/bin', EMPTY: '', 'odd name': 'x=y', ünï: '1' } }],
  ['run', { ...run, name: 'my web server ✓', labels: { role: 'db', empty: '' } }],
  ['run', { ...run, size: { cols: 1, rows: 10_000, widthPx: 0, heightPx: 100_000 } }],
  ['run', { ...run, umask: 0o777, nofileSoft: 3, timeoutMs: 1, retainBytes: 0, retainMs: 0 }],
  ['run', { ...run, name: undefined, size: undefined }],
  ['list', {}],
  ['list', { after: 'abcdefgh12' }],
  ['get', { session: '' }],
  ['get', { session: 'x'.repeat(200) }],
  ['watch', watch],
  ['watch', { ...watch, from: 'end' }],
  ['watch', { ...watch, from: Number.MAX_SAFE_INTEGER, creditBytes: 16 * MiB }],
  ['watch', { ...watch, from: { tailBytes: 0 } }],
  ['unwatch', { channel: 0xffff_ffff }],
  ['attach', { session: '', creditBytes: 65_536, typing: 'abcdefgh' }],
  [
    'attach',
    {
      session: 'x',
      creditBytes: 0,
      from: 5,
      size: { cols: 80, rows: 24 },
      isReadOnly: true,
      takeover: true,
      historyLines: 10,
      colours: { foreground: '#ffffff', background: '#00FF00', cursor: '#123456' },
      typing: 'abcdefghij',
    },
  ],
  ['view', { channel: 1, size: { cols: 80, rows: 24 }, isFocused: true }],
  ['screen', { session: '', format: 'html', at: { time: 1.5 }, historyLines: 3 }],
  ['screen', { session: '', format: 'text', at: { offset: 0 } }],
  ['screen', { session: '', format: 'snapshot' }],
  ['grids', { tiles: [{ session: 'a' }, { session: 'b', seen: { offset: 3, stamp: '1.2' } }] }],
  ['marks', { session: '', from: 0 }],
  ['offsetAt', { session: '', time: 0 }],
  ['update', { session: '', name: 'new', labels: { a: 'b' }, sizePolicy: 'fixed' }],
  ['resize', { session: 'web', cols: 80, rows: 24 }],
  ['stop', { session: 'web' }],
  ['stop', { session: 'web', graceMs: 0 }],
  ['kill', { session: 'web' }],
  ['signal', { session: 'web', signal: 'SIGUSR1' }],
  ['signal', { session: 'web', signal: 'SIGRTMIN+3' }],
  ['closeInput', { session: 'web' }],
  ['remove', { session: 'web', force: true }],
  ['wait', { session: 'web' }],
  ['wait', { session: 'web', until: ['idle', 'blocked', 'exit', 'prompt', 'output'], after: 12 }],
  ['answer', { session: 's', question: { text: 'Go?' }, option: 'Yes' }],
  ['prompt', { session: 'web', text: 'do it\nnow', key: 'k', force: true, confirmMs: 0 }],
  ['type', { session: 'web', key: 'k', base64: 'YQ==' }],
  ['explain', { session: '' }],
  ['watchEvents', { session: 'a', from: { lineAt: 3 }, creditBytes: 1 }],
  ['command', { session: 'a', id: 'x', command: { do: 'interrupt' } }],
  ['appendEvents', { session: 'a', end: 0, line: '{}', consumed: 0 }],
  ['events', {}],
  ['events', { sessions: ['web'], types: ['milestone'] }],
  ['SUBSCRIBE_WORKER_OUTPUT', { agent: 'web' }],
  [
    'SUBSCRIBE_WORKER_OUTPUT',
    { agent: 'web', from: 0, flushMs: 16, maxBytes: 4096, chunking: 'semantic', ansi: 'strip' },
  ],
  ['UNSUBSCRIBE_WORKER_OUTPUT', { channel: 3 }],
  ['status', {}],
  ['renew', { part: 'holder' }],
  ['renew', { part: 'keeper' }],
  ['testNotification', {}],
  ['gateway', { action: 'start', options: { port: 7733, basePath: '/spool' } }],
  ['gateway', { action: 'start', options: { tls: 'own', host: '0.0.0.0' } }],
  [
    'gateway',
    { action: 'start', options: { tailscale: true, publicUrl: 'https://a.example/b', trustedProxies: ['::1'] } },
  ],
  ['serveGateway', { failure: { code: 'INTERNAL', details: {} } }],
  ['createToken', { kind: 'share', role: 'viewer', scope: { sessions: ['abcdefgh'] }, uses: 3 }],
  ['listTokens', {}],
  ['revokeToken', { token: 'dashboard' }],
  ['recordAudit', { entries: [{ at: 1, token: null, who: 'x', what: 'login' }] }],
  ['audit', { after: 3 }],
  ['redeemToken', { token: 'spool_x', name: 'Firefox', port: 7733 }],
  ['notices', { after: 0 }],
  ['noticeDone', { n: 1, outcomes: [{ channel: 'webhook', trouble: null }] }],
  ['shutdown', {}],
  ['shutdown', { graceMs: 3_600_000 }],
];

test.each(accepted)('%s accepts %j', (op, ask) => {
  expect(REQUEST_SCHEMAS[op].safeParse(ask)).toMatchObject({ success: true, data: JSON.parse(JSON.stringify(ask)) });
});

test.each<readonly [op: Op, ask: object]>([
  ['attach', { session: 'x', creditBytes: 0, typing: 'abcdefgh' }],
  ['watch', watch],
  ['view', { channel: 1, size: { cols: 80, rows: 24 } }],
])('[WIRE-4] %s ignores what a later version says about how to show it', (op, ask) => {
  expect(REQUEST_SCHEMAS[op].safeParse({ ...ask, fromTheFuture: true })).toMatchObject({ success: true, data: ask });
});

test('every request has a row that is accepted', () => {
  expect(new Set(accepted.map(([op]) => op))).toEqual(new Set(Object.keys(REQUEST_SCHEMAS)));
});

test.each<readonly [op: Op, why: string, ask: unknown]>([
  ['run', 'nothing', undefined],
  ['run', 'null', null],
  ['run', 'a list', [run]],
  ['run', 'a word', 'sh'],
  ['run', 'no command', { ...run, command: [] }],
  ['run', 'a command that is a line', { ...run, command: 'sh -c true' }],
  ['run', 'a command with a number in it', { ...run, command: ['sleep', 1] }],
  ['run', 'a NUL in the command', { ...run, command: ['sh', 'a\0b'] }],
  ['run', 'too many arguments', { ...run, command: Array(10_001).fill('x') }],
  ['run', 'an argument beyond reason', { ...run, command: ['x'.repeat(512 * 1024 + 1)] }],
  ['run', 'a relative folder', { ...run, cwd: 'tmp' }],
  ['run', 'a folder that begins with a dot', { ...run, cwd: './' }],
  ['run', 'a folder named by ~', { ...run, cwd: '~/x' }],
  ['run', 'an empty folder', { ...run, cwd: '' }],
  ['run', 'a NUL in the folder', { ...run, cwd: '/tmp\0/etc' }],
  ['run', 'no environment', { ...run, env: undefined }],
  ['run', 'an environment that is a list', { ...run, env: ['A=1'] }],
  ['run', 'a variable without a name', { ...run, env: { '': 'x' } }],
  ['run', 'a variable with = in its name', { ...run, env: { 'A=B': 'x' } }],
  ['run', 'a NUL in a variable name', { ...run, env: { 'A\0B': 'x' } }],
  ['run', 'a NUL in a value', { ...run, env: { A: 'x\0y' } }],
  ['run', 'a value that is no text', { ...run, env: { A: 1 } }],
  ['run', 'a value that is null', { ...run, env: { A: null } }],
  ['run', 'no id', { ...run, id: undefined }],
  ['run', 'an id that is short', { ...run, id: 'abcdefg' }],
  ['run', 'an id that is long', { ...run, id: 'a'.repeat(33) }],
  ['run', 'an id in upper case', { ...run, id: 'ABCDEFGH12' }],
  ['run', 'an id that is a path', { ...run, id: '../../etc/passwd' }],
  ['run', 'an id with a dot', { ...run, id: 'abcdefgh.x' }],
  ['run', 'an id with a line after it', { ...run, id: 'abcdefgh12\n' }],
  ['run', 'an empty name', { ...run, name: '' }],
  ['run', 'a name with an escape', { ...run, name: 'a\x1b]0;x\x07' }],
  ['run', 'a name with a line feed', { ...run, name: 'a\nb' }],
  ['run', 'a name with an eight-bit control', { ...run, name: 'a\u009bb' }],
  ['run', 'a name with DEL', { ...run, name: 'a\x7f' }],
  ['run', 'a name with a NUL', { ...run, name: 'a\0' }],
  ['run', 'a long name', { ...run, name: 'x'.repeat(101) }],
  ['run', 'a label with a control character', { ...run, labels: { 'a\n': 'x' } }],
  ['run', 'a label that is no text', { ...run, labels: { a: {} } }],
  ['run', 'a long label', { ...run, labels: { a: 'x'.repeat(201) } }],
  ['run', 'a size without rows', { ...run, size: { cols: 80 } }],
  ['run', 'a size of nothing', { ...run, size: { cols: 0, rows: 0 } }],
  ['run', 'a size below zero', { ...run, size: { cols: -1, rows: 24 } }],
  ['run', 'half a column', { ...run, size: { cols: 80.5, rows: 24 } }],
  ['run', 'a size that is null', { ...run, size: null }],
  ['run', 'a size beyond reason', { ...run, size: { cols: 65_536, rows: 24 } }],
  ['run', 'a size with more in it', { ...run, size: { cols: 80, rows: 24, depth: 3 } }],
  ['run', 'a umask beyond 777', { ...run, umask: 0o1000 }],
  ['run', 'too few open files', { ...run, nofileSoft: 2 }],
  ['run', 'a timeout of nothing', { ...run, timeoutMs: 0 }],
  ['run', 'a timeout that no timer holds', { ...run, timeoutMs: 2 ** 31 }],
  ['run', 'a retention below zero', { ...run, retainBytes: -1 }],
  ['run', 'a word that it does not know', { ...run, shell: true }],
  [
    'run',
    '__proto__ beside the rest',
    JSON.parse(`{"__proto__":{"umask":0},"id":"abcdefgh12","command":["sh"],"cwd":"/","env":{}}`),
  ],
  ['list', 'a word that it does not know', { all: true }],
  ['get', 'nothing', {}],
  ['get', 'a number', { session: 1 }],
  ['get', 'a list', { session: ['web'] }],
  ['get', 'a long name', { session: 'x'.repeat(201) }],
  ['watch', 'an offset below zero', { ...watch, from: -1 }],
  ['watch', 'half an offset', { ...watch, from: 0.5 }],
  ['watch', 'an offset beyond 2^53', { ...watch, from: 2 ** 53 }],
  ['watch', 'an offset as text', { ...watch, from: '0' }],
  ['watch', 'a word for the offset', { ...watch, from: 'middle' }],
  ['watch', 'a tail below zero', { ...watch, from: { tailBytes: -1 } }],
  ['watch', 'a tail with more in it', { ...watch, from: { tailBytes: 1, lines: 1 } }],
  ['watch', 'no credit', { session: 'web', from: 'start' }],
  ['watch', 'credit without end', { ...watch, creditBytes: 16 * MiB + 1 }],
  ['unwatch', 'a channel below zero', { channel: -1 }],
  ['attach', 'a colour that is none', { session: '', creditBytes: 0, typing: 'abcdefgh', colours: { cursor: 'red' } }],
  ['attach', 'a stream without a name', { session: '', creditBytes: 0, typing: '' }],
  ['view', 'a size of nothing', { channel: 1, size: { cols: 0, rows: 1 } }],
  ['screen', 'a format that there is not', { session: '', format: 'pdf' }],
  ['screen', 'an offset and a time', { session: '', format: 'text', at: { offset: 1, time: 2 } }],
  ['marks', 'an offset below zero', { session: '', from: -1 }],
  ['offsetAt', 'a time that is no number', { session: '', time: 'now' }],
  ['update', 'a policy that there is not', { session: '', sizePolicy: 'widest' }],
  ['resize', 'a size of nothing', { session: 'web', cols: 0, rows: 24 }],
  ['stop', 'a grace below zero', { session: 'web', graceMs: -1 }],
  ['stop', 'a grace of more than an hour', { session: 'web', graceMs: 3_600_001 }],
  ['signal', 'a number', { session: 'web', signal: 9 }],
  ['signal', 'a signal without SIG', { session: 'web', signal: 'KILL' }],
  ['signal', 'a signal in lower case', { session: 'web', signal: 'sigkill' }],
  ['signal', 'a signal and more', { session: 'web', signal: 'SIGKILL; reboot' }],
  ['remove', 'force as text', { session: 'web', force: 'yes' }],
  ['events', 'a word that it does not know', { since: 0 }],
])('%s refuses %s', (op, _why, ask) => expect(REQUEST_SCHEMAS[op].safeParse(ask).success).toBe(false));

test.each(['env', 'labels'] as const)(
  'names out of hell in `%s` are ordinary names or none: no prototype is touched',
  (field) => {
    const hostile = JSON.parse(
      '{"__proto__":"evil","constructor":"c","prototype":"p","toString":"t","hasOwnProperty":"h"}',
    ) as object;
    const parsed = REQUEST_SCHEMAS.run.safeParse({ ...run, [field]: hostile });
    expect(Object.prototype).not.toHaveProperty('evil');
    if (!parsed.success) return;
    const found = parsed.data[field]!;
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    expect(Object.entries(found).filter(([name]) => name !== '__proto__')).toEqual([
      ['constructor', 'c'],
      ['prototype', 'p'],
      ['toString', 't'],
      ['hasOwnProperty', 'h'],
    ]);
  },
);
