/** Tests `attach --history all` while output continues: no line is missing or doubled where the screen begins. */
import { seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { shownLines } from './support/shown-lines.ts';

const env = { PATH: process.env.PATH!, HOME: '/', TERM: 'xterm-256color' };
const SIZE = { cols: 80, rows: 24 };
const CTRL_BACKSLASH = '\x1c';

test('[PAST-7] while output goes on, and into a terminal of another size: no line is missing or doubled where the screen begins', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  // It prints without a pause: some long lines, some colours, a burst from time to time.
  const script = `
    let at = 0;
    const line = () => process.stdout.write(++at + (at % 7 === 0 ? ' ' + 'x'.repeat(150) : '') + (at % 5 === 0 ? '\\x1b[32m green\\x1b[m' : '') + '\\n');
    for (let n = 0; n < 3000; n++) line();
    setInterval(() => { for (let n = 0; n < (at % 50 === 0 ? 200 : 7); n++) line(); }, 10);`;
  const session = await client.run({ command: [process.execPath, '-e', script], size: SIZE, env });
  await seen(client, session.id, '3000');
  for (const size of [SIZE, { cols: 131, rows: 45 }, { cols: 50, rows: 12 }]) {
    using terminal = new Terminal([SPOOL, 'attach', '--quiet', '--history', 'all', session.id], daemon.env, size);
    await until('the screen is there', () => terminal.printed.includes('\x1b[!p'), 60_000);
    const shown = terminal.printed.length;
    await until('output goes on after it', () => terminal.printed.length > shown + 20_000, 60_000);
    terminal.type(CTRL_BACKSLASH);
    expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
    const lines = shownLines(terminal.printed, size).filter((text) => /^\d/.test(text));
    lines.pop(); // it may be unfinished
    expect(lines.find((text, at) => text !== textOf(at + 1))).toBe(undefined);
    expect(lines.length).toBeGreaterThan(3000);
  }
}, 240_000);

const textOf = (at: number): string =>
  `${at}${at % 7 === 0 ? ` ${'x'.repeat(150)}` : ''}${at % 5 === 0 ? ' green' : ''}`;
