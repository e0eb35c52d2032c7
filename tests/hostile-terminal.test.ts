/**
 * Tests the output of a hostile program on a terminal that only shows it: every verb, with a terminal as its standard output and
 * none as its standard input.
 */
import { SPOOL, Terminal, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';
import { isNode, read, syntaxNodes, typeScriptFiles } from './support/sources.ts';

/** Sequences that make a terminal answer, type, store or run something. */
const HOSTILE: readonly (readonly [name: string, bytes: string])[] = [
  ['clipboard', '\x1b]52;c;ZXZpbA==\x07'],
  ['clipboard query', '\x1b]52;c;?\x1b\\'],
  ['DA', '\x1b[c'],
  ['DA2', '\x1b[>c'],
  ['DSR', '\x1b[6n'],
  ['ENQ', '\x05'],
  ['iTerm2 file', '\x1b]1337;File=name=eA==:ZXZpbA==\x07'],
  ['DECRQSS', '\x1bP$qm\x1b\\'],
  ['XTVERSION', '\x1b[>q'],
  ['colour query', '\x1b]11;?\x07'],
  ['keyboard query', '\x1b[?u'],
  ['C1 as bytes', '\x9b6n'],
  ['C1 as characters', '\xc2\x9b6n'],
  ['DECID', '\x1bZ'],
];

/** Matches any such sequence, and every C1 control: none of them draws. */
const OBEYED =
  /\x05|\x1b\](?!8;|[02];spool)|\x1bP|\x1b_|\x1bZ|\x1b\[[0-9;>=?]*[cnqu]|\xc2[\x80-\x9f]|(?<![\xc2-\xf4][\x80-\xbf]{0,2})[\x80-\x9f]/;

const octal = (text: string): string =>
  [...text].map((byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`).join('');
const PRINTS = `printf 'BEFORE${HOSTILE.map(([, bytes]) => octal(bytes)).join('x')}AFTER\\n'`;
/** A program that is also hostile by its name, its folder and its arguments. */
const COMMAND = ['sh', '-c', PRINTS, '\x1b]52;c;ZXZpbA==\x07\x1b[6n\u009b6n'];

const VERBS: readonly (readonly [verb: string, ...rest: string[]])[] = [
  ['run', '--', ...COMMAND],
  ['run', '--headless', '--', ...COMMAND],
  ['run', '--json', '--', ...COMMAND],
  ['run', '--summary', '--', ...COMMAND],
  ['attach', 'hostile'],
  ['attach', 'hostile', '--json'],
  ['logs', 'hostile'],
  ['logs', '--follow', 'hostile'],
  ['logs', '--raw', 'hostile'],
  ['logs', '--json', 'hostile'],
  ['replay', '--speed', '1000', 'hostile'],
  ['screen', 'hostile'],
  ['screen', '--format', 'ansi', 'hostile'],
  ['screen', '--format', 'html', 'hostile'],
  ['screen', '--json', 'hostile'],
  ['export', '--text', 'hostile'],
  ['export', '--html', 'hostile'],
  ['export', '--asciicast', 'hostile'],
  ['task', 'run', '--verbose', '--', ...COMMAND],
  ['task', 'run', '--json', '--', ...COMMAND],
  ['task', 'wait', 'hostile'],
  ['task', 'logs', 'hostile'],
  ['task', 'logs', '--raw', 'hostile'],
  ['summary', 'hostile'],
  ['summary', '--json', 'hostile'],
  ['wait', '--until', 'match:/BEFORE.*/', 'hostile'],
];
/** Verbs that show no output, but names, commands and titles. */
const QUIET_VERBS: readonly (readonly [verb: string, ...rest: string[]])[] = [
  ['ls', '--all'],
  ['ls', '--json'],
  ['ls', '--quiet', '--names'],
  ['inspect', 'hostile'],
  ['inspect', '--json', 'hostile'],
  ['explain', '--history', 'hostile'],
  ['explain', '--json', '--history', 'hostile'],
  ['events'],
  ['events', '--json'],
  ['task', 'ls', '--all'],
  ['task', 'run', '--', ...COMMAND], // its last line, if it is visible before the end
  ['prompt', 'hostile', 'x'],
  ['attach', '\x1b]52;c;ZXZpbA==\x07\u009b6n'],
  ['attach', '\x1b]52;c;ZXZpbA==\x07\u009b6n', '--json'],
];

async function shownBy(daemon: TestDaemon, args: readonly string[]): Promise<string> {
  const command = ['sh', '-c', '"$@" < /dev/null; echo THE-END', 'sh', SPOOL, ...args];
  using terminal = new Terminal(command, daemon.env, { cols: 200, rows: 50 });
  await terminal.sees('THE-END');
  return terminal.printed.replace(/THE-END[^]*/, '');
}

test('[ATT-8] no verb passes hostile output on to a terminal, also where standard input is none', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({
    command: COMMAND,
    name: 'hostile',
    size: { cols: 80, rows: 24 },
    env: { PATH: process.env.PATH! },
    isTask: true,
  });
  await client.wait(id);
  const offences: string[] = [];
  for (const args of [...VERBS, ...QUIET_VERBS]) {
    const shown = await shownBy(daemon, args);
    const found = OBEYED.exec(shown);
    if (found)
      offences.push(`${args.slice(0, 3).join(' ')}: ${JSON.stringify(shown.slice(found.index, found.index + 20))}`);
    const isQuiet = QUIET_VERBS.includes(args);
    if (!isQuiet && !/BEFORE.*AFTER/s.test(shown))
      offences.push(`${args.slice(0, 3).join(' ')}: shows ${JSON.stringify(shown)}`);
    if (shown === '') offences.push(`${args.slice(0, 3).join(' ')}: shows nothing`);
  }
  expect(offences).toEqual([]);
});

test('[ATT-8] the exact bytes go into pipes and files, and to a terminal only by force', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: COMMAND, name: 'hostile', size: null, env: { PATH: process.env.PATH! } });
  await client.wait(id);
  const bytes = Buffer.from(`BEFORE${HOSTILE.map(([, each]) => each).join('x')}AFTER\n`, 'latin1');
  expect((await daemon.spool(['logs', '--raw', 'hostile'])).bytes).toEqual(bytes);
  expect((await daemon.spool(['attach', 'hostile'])).bytes).toEqual(bytes);
  expect(await shownBy(daemon, ['logs', '--raw', '--force', 'hostile'])).toContain('\x1b]52;c;ZXZpbA==\x07');
});

test('[ATT-8] a session that is left by Ctrl-C leaves no mode behind', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  await client.run({
    command: ['sh', '-c', `printf '\\033[?1049h\\033[?25lfull screen'; exec sleep 1000`],
    name: 'full',
    size: { cols: 80, rows: 24 },
    env: { PATH: process.env.PATH! },
  });
  using terminal = new Terminal(
    ['sh', '-c', 'sleep 1000 | exec "$@"', 'sh', SPOOL, 'attach', '--raw', 'full'],
    daemon.env,
  );
  await terminal.sees('full screen');
  terminal.type('\x03');
  await terminal.sees('\x1b[?1049l');
  expect(terminal.printed).toMatch(/\x1b\[\?25h/);
});

/** Files that write raw bytes to a terminal; all of these bytes are their own or have passed the filter. */
const WRITES_AS_IT_IS: ReadonlySet<string> = new Set([
  'packages/cli/src/output/stdio.ts',
  'packages/cli/src/session-output/session-output.ts',
  'packages/cli/src/tui/terminal-view.ts',
  'packages/cli/src/tui/terminal.ts',
  'packages/cli/src/attach/terminal-attach.ts',
  'packages/cli/src/tasks/live.ts',
  'packages/cli/src/verbs/replay.ts',
  'packages/cli/src/recording/replay-player.ts',
]);

test('[ATT-8] what writes to a terminal as it is can be counted on the fingers', () => {
  const offences = typeScriptFiles('packages/cli/src')
    .filter((file) => !file.endsWith('.test.ts') && !WRITES_AS_IT_IS.has(file))
    .flatMap((file) => (writesAsItIs(read(file)) ? [file] : []));
  expect(offences).toEqual([]);
});

/** Returns whether a source calls `writeOut`, or uses a descriptor or stream of the process itself. */
function writesAsItIs(source: string): boolean {
  for (const node of syntaxNodes(source)) {
    if (node.type === 'Identifier' && (node['name'] === 'writeOut' || node['name'] === 'writeSync')) return true;
    if (node.type !== 'MemberExpression' || !isNode(node['property']) || !isNode(node['object'])) continue;
    const { object, property } = node as unknown as Record<'object' | 'property', { type: string; name?: string }>;
    if (property.name !== 'write' || object.type !== 'MemberExpression') continue;
    const stream = (object as unknown as { property: { name?: string } }).property.name;
    if (stream === 'stdout' || stream === 'stderr') return true;
  }
  return false;
}
