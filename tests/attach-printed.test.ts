/**
 * Tests attached terminals that show older output: recorded agents, history, huge screens. Hardly a plain byte passes them while they are
 * attached, so one way through the client is enough (ATT-14).
 */
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { expectClean, seenBy, showsTruth } from './support/reference-terminal.ts';

const CTRL_BACKSLASH = '\x1c';
const FIRST = { cols: 80, rows: 24 };
const SECOND = { cols: 100, rows: 30 };

/** Recordings of full-screen agents, which are not available everywhere; each stops in the middle of a run. */
const RECORDINGS = fileURLToPath(new URL('./fixtures/terminal/', import.meta.url));

for (const agent of ['claude', 'codex', 'gemini', 'grok', 'opencode']) {
  test(`[ATT-1, ATT-4] ${agent}, as recorded: whoever attaches in the middle sees what one who was always there sees`, async () => {
    const [recording] = readdirSync(RECORDINGS + agent).filter((name) => name.endsWith('.pty'));
    const file = `${RECORDINGS}${agent}/${recording!}`;
    await using daemon = new TestDaemon();
    const client = await daemon.client();
    for (const part of [0.3, 0.6, 0.9]) {
      const bytes = Math.floor(statSync(file).size * part);
      const command = ['sh', '-c', `stty raw -echo; head -c ${bytes} '${file}'; exec cat >/dev/null`];
      const session = await client.run({ command, size: FIRST, env: { PATH: process.env.PATH! } });
      await until('all of it is there', async () => (await client.get(session.id)).offset >= bytes);
      using terminal = new Terminal([SPOOL, 'attach', session.id], daemon.env, FIRST);
      terminal.answersQueries();
      await showsTruth(terminal, FIRST, client, session.id, FIRST);
      terminal.type(CTRL_BACKSLASH);
      await terminal.ended();
      expectClean(await seenBy(FIRST, terminal.printed));
      await client.kill(session.id);
    }
  });
}

test('`run` shows all of it, not only its last screen; `attach --history` brings the past', async () => {
  await using daemon = new TestDaemon();
  using terminal = new Terminal([SPOOL, 'run', '--name', 'count', '--', 'seq', '1', '300'], daemon.env, FIRST);
  expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
  const lines = (await seenBy(FIRST, terminal.printed)).lines();
  for (const line of ['1', '150', '300']) expect(lines).toContain(line);
  using later = new Terminal([SPOOL, 'attach', '--history', '100', 'count'], daemon.env, FIRST);
  await later.ended();
  const past = (await seenBy(FIRST, later.printed)).lines();
  expect([past.includes('170'), past.includes('190'), past.includes('300')]).toEqual([false, true, true]);
});

test('[ATT-1] `attach --history` into a terminal of another size: each line once, in order', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['sh', '-c', 'seq -f "line %g." 1 200; printf ready; exec sleep 1000'],
    size: FIRST,
    env: { PATH: process.env.PATH! },
  });
  await seen(client, session.id, 'ready');
  for (const size of [SECOND, { cols: 60, rows: 15 }]) {
    using terminal = new Terminal([SPOOL, 'attach', '--history', '100', session.id], daemon.env, size);
    await until('the size is applied', async () => (await client.get(session.id)).size?.cols === size.cols);
    await until('the past is there', async () => (await seenBy(size, terminal.printed)).lines().includes('line 120.'));
    const lines = (await seenBy(size, terminal.printed)).lines().filter((line) => line.startsWith('line '));
    const first = 200 - lines.length + 1;
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, at) => `line ${first + at}.`));
    terminal.type(CTRL_BACKSLASH);
    await terminal.ended();
  }
});

test('[ATT-1] a screen that takes megabytes to paint is shown like any other', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const size = { cols: 300, rows: 100 };
  const script = `
    let text = '';
    for (let at = 0; at < 300 * 99; at++) {
      const colour = (shift) => [0, 8, 16].map((bits) => ((at * 2654435761) >>> (bits + shift)) & 255).join(';');
      text += '\\x1b[38;2;' + colour(0) + ';48;2;' + colour(3) + 'm▀';
    }
    process.stdout.write('\\x1b[H' + text + '\\x1b[mready');
    setInterval(() => {}, 1000);`;
  const session = await client.run({
    command: [process.execPath, '-e', script],
    size,
    env: { PATH: process.env.PATH! },
  });
  await until('it is painted', async () => (await client.screen(session.id)).content.includes('ready'));
  for await (const item of client.attach(session.id)) {
    if (item.type !== 'snapshot') continue;
    expect(item.bytes.length).toBeGreaterThan(1024 * 1024); // otherwise the test would prove nothing
    break;
  }
  using terminal = new Terminal([SPOOL, 'attach', session.id], daemon.env, size);
  await showsTruth(terminal, size, client, session.id, size);
  expect((await daemon.spool(['screen', '--format', 'ansi', session.id])).code).toBe(0);
  expect((await daemon.spool(['export', '--html', session.id])).stdout).toContain('ready');
});
