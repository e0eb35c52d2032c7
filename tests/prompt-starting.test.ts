/**
 * Tests an agent that starts slowly, asks, or accepts prompts in its own way: a small program with the name and the screen of
 * one, which records every byte that it reads and every prompt that it accepts. The real ones are in `prompt-at-once.test.ts`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import { TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };

/**
 * An agent with these modes: `ready`, `newline` (treats the first Enter as a new line), `deaf` (prints, and accepts nothing),
 * `trust`, `splash`.
 */
const AGENT = `
const { appendFileSync } = require('node:fs');
const [mode, readTo, takenTo] = process.argv.slice(2);
let [said, draft, enters] = [[], '', 0];
const rows = () => draft.split('\\n').map((row, at) => (at === 0 ? ' > ' : '   ') + row);
function draw() {
  const box = ['▄'.repeat(60), ...(draft === '' ? [' >   Type your message or @path/to/file'] : rows()), '▀'.repeat(60)];
  const lines = ['Gemini CLI v0.61.0', ...said.slice(-8), '', ...box, ' ~/project'];
  const row = lines.length - 2;
  const col = draft === '' ? 4 : rows().at(-1).length + 1;
  process.stdout.write('\\x1b[2J\\x1b[H' + lines.join('\\r\\n') + '\\x1b[' + row + ';' + col + 'H');
}
function take(text) {
  for (const key of text.replace(/\\x1b\\[20[01]~/g, '').split(/(\\r)/).filter(Boolean)) {
    if (key !== '\\r') draft += key;
    else if (mode === 'deaf') said.push('something is printed');
    else if (mode === 'newline' && enters++ === 0) draft += '\\n';
    else if (draft !== '') {
      appendFileSync(takenTo, JSON.stringify(draft) + '\\n');
      said.push(' > ' + draft.trim(), '', '✦ done');
      draft = '';
    }
  }
  draw();
}
process.stdout.write('Loading a splash\\r\\n');
setTimeout(() => {
  if (mode === 'splash') return;
  process.stdin.setRawMode(true);
  process.stdout.write('\\x1b[?2004h');
  let isOpen = false;
  process.stdin.on('data', (bytes) => {
    appendFileSync(readTo, bytes);
    if (isOpen && mode !== 'trust') take(bytes.toString());
  });
  setTimeout(() => {
    isOpen = true;
    if (mode !== 'trust') return draw();
    process.stdout.write('\\x1b[2J\\x1b[HDo you trust the files in this folder?\\r\\n\\r\\n● 1. Trust folder\\r\\n  2. No');
  }, 300);
}, Number(process.env.START_MS));
setInterval(() => {}, 1000);`;

interface FakeAgent {
  readonly id: string;
  readonly taken: () => readonly string[];
  readonly read: () => string;
}

async function start(client: Client, daemon: TestDaemon, mode: string, startMs = 700): Promise<FakeAgent> {
  const folder = `${daemon.home}/fake-${mode}`;
  mkdirSync(folder);
  const [script, launcher, readTo, takenTo] = ['agent.cjs', 'gemini', 'read', 'taken'].map(
    (name) => `${folder}/${name}`,
  );
  writeFileSync(script!, AGENT);
  writeFileSync(readTo!, '');
  writeFileSync(takenTo!, '');
  const words = [process.execPath, script!, mode, readTo!, takenTo!].map((word) => `'${word}'`).join(' ');
  writeFileSync(launcher!, `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 });
  const env = { PATH: process.env.PATH!, START_MS: String(startMs) };
  const { id } = await client.run({ command: [launcher!], size: PTY, env });
  const lines = (): readonly string[] => readFileSync(takenTo!, 'utf8').split('\n').filter(Boolean);
  return {
    id,
    taken: () => lines().map((line) => JSON.parse(line) as string),
    read: () => readFileSync(readTo!, 'utf8'),
  };
}

test('[IN-21, IN-47] a prompt right after the start waits for the input line, and arrives once; also where Enter becomes a new line', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const ready = await start(client, daemon, 'ready');
  expect(await client.prompt(ready.id, 'tell me more')).toMatchObject({ isConfirmed: true, reason: null });
  expect(ready.taken()).toEqual(['tell me more']);
  const newline = await start(client, daemon, 'newline');
  expect(await client.prompt(newline.id, 'tell me more')).toMatchObject({ isConfirmed: true });
  expect(newline.taken()).toEqual(['tell me more\n']);
});

test('[IN-48] what stays in the input line is not confirmed, whatever is printed; the answer and the exit code say so', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id, taken } = await start(client, daemon, 'deaf');
  expect(await client.prompt(id, 'tell me more', { confirmMs: 1500 })).toMatchObject({
    ...{ isConfirmed: false, reaction: null },
    reason: 'Enter was pressed, but the text is still in its input line',
  });
  expect(taken()).toEqual([]);
  const again = await daemon.spool(['prompt', '--clear', '--confirm', '1s', id, 'and', 'more']);
  expect(again.code).not.toBe(0);
});

test('[IN-21] a dialog of a start, or a splash that stays, gets no byte', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const trust = await start(client, daemon, 'trust');
  await expect(client.prompt(trust.id, 'tell me more')).rejects.toMatchObject({ code: 'INPUT_BLOCKED' });
  expect(trust.read()).toBe('');
  const splash = await start(client, daemon, 'splash');
  await expect(client.prompt(splash.id, 'tell me more', { readyMs: 1500 })).rejects.toMatchObject({
    code: 'AGENT_NOT_READY',
  });
  const refused = await daemon.spool(['prompt', '--ready', '1s', splash.id, 'tell me more']);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('nothing was typed') as string });
  expect((await client.screen(splash.id)).content).not.toContain('tell me');
});

test('[IN-48] a prompt that is forced upon a start is lost, and is not confirmed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id, taken } = await start(client, daemon, 'ready');
  await until('it has a screen', async () => (await client.screen(id)).content.includes('splash'));
  const forced = await client.prompt(id, 'tell me more', { force: true, confirmMs: 3000 });
  expect({ isConfirmed: forced.isConfirmed, taken: taken() }).toEqual({ isConfirmed: false, taken: [] });
});

test('[IN-21] a keeper that dies while a prompt waits for an agent: the prompt arrives once', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id, taken } = await start(client, daemon, 'ready', 4000);
  const prompted = client.prompt(id, 'tell me more');
  await until('it has a screen', async () => (await client.screen(id)).content.includes('splash'));
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  expect(await prompted).toMatchObject({ isConfirmed: true, isRepeated: false });
  expect(taken()).toEqual(['tell me more']);
});
