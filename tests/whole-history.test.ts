/** Tests `attach --history all` and `screen --history all`: every line of a session above its screen, from the log. */
import { readFileSync } from 'node:fs';
import { seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { shownLines } from './support/shown-lines.ts';

const env = { PATH: process.env.PATH!, HOME: '/', TERM: 'xterm-256color' };
const SIZE = { cols: 80, rows: 24 };
const LINES = 1_000_000;
/** The memory limit: a terminal model of all lines would take a gigabyte. */
const MEMORY_KB_MAX = 600_000;
const CTRL_BACKSLASH = '\x1c';

/** Returns the peak memory of a process and its children, in KB. */
function peakMemory(pid: number): number {
  const own = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  return Math.max(Number(own?.[1] ?? 0), ...children.map(peakMemory));
}

const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join('');

test('[PAST-7] a session of a million lines: all of them above the screen, as `logs` prints them, in bounded memory', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = `seq 1 ${LINES}; printf '\\033[31mred\\033[m'; exec sleep 1000`;
  const session = await client.run({ command: ['sh', '-c', script], name: 'long', size: SIZE, env });
  await until('all is written', async () => (await session.tail({ bytes: 10 })).includes('red'), 120_000);
  const { stdout } = await daemon.spool(['screen', '--history', 'all', 'long']);
  expect(stdout === `${numbers(1, LINES)}red\n`).toBe(true);
  const logs = await daemon.spool(['logs', 'long']);
  expect(stdout === logs.stdout).toBe(true);

  using terminal = new Terminal([SPOOL, 'attach', '--quiet', '--history', 'all', 'long'], daemon.env, SIZE);
  await until('the screen is there', () => /\x1b\[[\d;]*31m.*red/s.test(terminal.printed.slice(-5000)), 240_000);
  expect(peakMemory(terminal.pid)).toBeLessThan(MEMORY_KB_MAX);
  const printed = terminal.printed
    .slice(terminal.printed.indexOf('\x1b[2J'))
    .replaceAll(/\x1b\][^\x1b]*\x1b\\|\x1b[[(*+)][\d;?<>=!]*[ -/]*[@-~]|\x1b./g, '')
    .match(/\d+/g)!
    .map(Number)
    .filter((number) => number > 0);
  expect(printed.findIndex((number, at) => number !== at + 1)).toBe(-1);
  expect(printed).toHaveLength(LINES);
  terminal.type(CTRL_BACKSLASH);
  expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
}, 600_000);

test('[PAST-7] `screen --history all`: with colours, as a page, at a place; below a full-screen program; not as JSON', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = `seq 1 50; printf '\\033[31mred\\033[m\\r\\n'; printf '\\033[?1049h\\033[Hfull'; exec sleep 1000`;
  const session = await client.run({ command: ['sh', '-c', script], name: 'all', size: SIZE, env });
  await seen(client, session.id, 'full');
  const shown = async (...flags: string[]): Promise<string> => {
    const { code, stdout, stderr } = await daemon.spool(['screen', '--history', 'all', ...flags, 'all']);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  expect(await shown()).toBe(`${numbers(1, 50)}red\nfull\n`);
  expect(await shown('--format', 'ansi')).toContain('50\n\x1b[31mred\x1b[m\nfull\n');
  expect(await shown('--format', 'html')).toMatch(/>1\n2\n.*\n50\n<span style="color:#[\da-f]+">red<\/span>\nfull\n/s);
  expect(await shown('--at', '#111')).toBe(numbers(1, 30));
  for (const flags of [['--json'], ['--format', 'json']]) {
    const refused = await daemon.spool(['screen', '--history', 'all', ...flags, 'all']);
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([2, expect.stringContaining('spool logs --json')]);
  }
  const many = await daemon.spool(['screen', '--history', '20001', 'all']);
  expect([many.code, many.stderr]).toEqual([2, expect.stringContaining('from 0 to 20000, or all')]);
  const piped = await daemon.spool(['attach', '-r', '--history', 'some', 'all']);
  expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining('or all')]);
});

test('[PAST-7] an ended session, read-only in a terminal of another size, is shown whole; without a terminal too', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({ command: ['seq', '1', '20000'], name: 'over', size: SIZE, env });
  await session.wait();
  using terminal = new Terminal([SPOOL, 'attach', '-r', '--history', 'all', 'over'], daemon.env, {
    cols: 60,
    rows: 10,
  });
  expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
  const lines = shownLines(terminal.printed, { cols: 60, rows: 10 }).filter((text) => /^\d+$/.test(text));
  expect(lines.slice(0, 19_977)).toEqual(numbers(1, 19_977).trim().split('\n'));
  const piped = await daemon.spool(['attach', '--history', 'all', 'over']);
  expect(piped.stdout).toBe(numbers(1, 20_000));
});
