/**
 * Tests `spool attach` over a network with delay that breaks repeatedly: typed input arrives once, output is shown once, and the
 * terminal shows the session's screen after a reconnect.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Client } from '@spool/client';
import { FlakyProxy, seen, SPOOL, Terminal, TestDaemon, until } from '@spool/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';
import { seenBy, truth } from './support/reference-terminal.ts';

const SIZE = { cols: 80, rows: 24 };
/** The delay in each direction. */
const DELAY_MS = 60;

let daemon: TestDaemon;
let afar: TestDaemon;
let client: Client;
let proxy: FlakyProxy;
let folder: string;
let flags: readonly string[];

beforeEach(async () => {
  daemon = new TestDaemon();
  afar = new TestDaemon();
  const gateway = await TestGateway.start(daemon);
  client = await daemon.client();
  proxy = await new FlakyProxy(gateway.port).start();
  proxy.delayMs = DELAY_MS;
  folder = mkdtempSync(`${tmpdir()}/spool-test-`);
  writeFileSync(`${folder}/token`, (await gateway.token('operator')).token, { mode: 0o600 });
  flags = ['--host', `http://127.0.0.1:${proxy.port}`, '--token-file', `${folder}/token`];
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await afar[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function showsSession(terminal: Terminal, session: string): Promise<void> {
  let last: unknown;
  await until('the terminal shows the screen of the session', async () => {
    const { picture } = await seenBy(SIZE, terminal.printed);
    const wanted = await truth(client, session, SIZE);
    last = [picture.lines, wanted.lines];
    return JSON.stringify(picture.lines) === JSON.stringify(wanted.lines);
  }).catch(() => {
    const [shown, wanted] = last as [unknown, unknown];
    expect(shown).toEqual(wanted);
  });
}

test('[REM-12] attach with delay and cuts: every key arrives once, every byte is shown once', async () => {
  const { id } = await client.run({ command: ['sh', '-c', 'stty raw -echo; echo ready; exec cat'], size: SIZE });
  await seen(client, id, 'ready');
  using terminal = new Terminal([SPOOL, ...flags, 'attach', id], afar.env, SIZE);
  await terminal.sees('ready');
  let typed = '';
  for (let key = 0; key < 300; key++) {
    terminal.type(`${key},`);
    typed += `${key},`;
    if (key % 25 === 24) {
      await new Promise((resolve) => setTimeout(resolve, 40 + (key % 7) * 30)); // in the middle of a request or an answer
      if (key % 50 === 24) proxy.closeAll();
      else {
        proxy.kill();
        await proxy.start();
      }
    }
  }
  expect(await seen(client, id, typed.slice(-20))).toContain(typed);
  await showsSession(terminal, id);
  // Without newlines the text continues from row to row.
  const shown = (await seenBy(SIZE, terminal.printed)).picture.lines.join('');
  expect(shown.slice(shown.indexOf('0,1,2'))).toBe(typed);
  await client.kill(id);
  await terminal.ended();
});

test('[REM-12] while the link is away a line says so; then it is gone, and nothing is missing', async () => {
  const script =
    'stty -echo; for i in $(seq 30); do echo row $i; done; printf "prompt> "; read x; echo "got $x"; exec cat';
  const { id } = await client.run({ command: ['sh', '-c', script], size: SIZE });
  await seen(client, id, 'prompt> ');
  using far = new Terminal([SPOOL, ...flags, 'attach', id], afar.env, SIZE);
  using near = new Terminal([SPOOL, 'attach', id], daemon.env, SIZE);
  for (const terminal of [far, near]) await terminal.sees('prompt> ');
  proxy.kill();
  await far.sees('the connection is lost');
  expect((await seenBy(SIZE, far.printed)).picture.lines.at(-1)).toMatch(/^\[spool: the connection is lost/);
  far.type('typed while away\r');
  near.type('and here\r');
  await near.sees('got and here');
  expect(near.printed).not.toContain('connection is lost');
  await proxy.start();
  await far.sees('typed while away');
  await far.sees('got and here');
  for (const terminal of [far, near]) await showsSession(terminal, id);
  const { lines } = (await seenBy(SIZE, far.printed)).picture;
  expect(lines.join('\n')).not.toContain('connection is lost');
  expect((await client.get(id)).viewers).toHaveLength(2);
  await client.kill(id);
  for (const terminal of [far, near]) await terminal.ended();
});

test('[REM-12] a terminal of another size says it too, and a session that ends meanwhile is shown to its end', async () => {
  const { id } = await client.run({ command: ['sh', '-c', 'echo begin; read x; echo "end $x"; exit 5'], size: SIZE });
  using near = new Terminal([SPOOL, 'attach', id], daemon.env, { cols: 100, rows: 40 });
  using far = new Terminal([SPOOL, ...flags, 'attach', '--read-only', id], afar.env, { cols: 60, rows: 10 });
  for (const terminal of [far, near]) await terminal.sees('begin');
  proxy.kill();
  await far.sees('the connection is lost');
  near.type('of it\r');
  expect(await near.ended()).toMatchObject({ code: 5 });
  await proxy.start();
  expect(await far.ended()).toMatchObject({ code: 5 });
  expect(far.printed.slice(far.printed.lastIndexOf('\x1b[?1049l'))).toContain('end of it');
});
