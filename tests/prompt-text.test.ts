/** Tests that prompts are text, for every sender and every interface: none of their bytes presses a key or runs a second line. */
import { existsSync } from 'node:fs';
import { seen, TestDaemon } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, PS1: '$ ', HOME: '/' };
/** Prompts that would end or stop a shell, or run another line, if they were typed. */
const PRESSING = ['\x03', 'echo a\recho b', '\x04', '\x1a', '\x1b[201~\r', 'x\x7f', 'x\u009b'];

test('[IN-22] a prompter presses no key: control characters are refused over the WebSocket and over REST', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const gateway = await TestGateway.start(daemon);
  const { token } = await gateway.token('prompter');
  const { id } = await client.run({ command: ['bash', '--norc', '--noprofile', '-i'], size: PTY, env });
  await client.waitUntil(id, 'prompt', { timeoutMs: 20_000 });
  const { offset } = await client.get(id);
  const socket = await gateway.frames(token);
  for (const text of PRESSING) {
    // The gateway refuses them for the role; the keeper would refuse them for all.
    expect(await socket.request('prompt', { session: id, text })).toMatchObject({ code: 'ROLE_TOO_LOW' });
    const answer = await gateway.ask(`/api/sessions/${id}/prompt`, { token, body: { text } });
    expect({ text, refusal: [answer.status, answer.code] }).toEqual({ text, refusal: [403, 'ROLE_TOO_LOW'] });
  }
  expect(await client.get(id)).toMatchObject({ offset, state: 'running' });
  // Also for clients that may press keys: `send` is for that.
  await expect(client.prompt(id, 'a\x03', { force: true })).rejects.toMatchObject({
    code: 'PROMPT_NOT_TEXT',
    details: { byte: '\\x03', at: 1 },
  });
});

test('[IN-22] a prompt of several lines runs no second line: it is refused without bracketed paste, and one paste with it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const gateway = await TestGateway.start(daemon);
  const { token } = await gateway.token('prompter');
  const file = `${daemon.home}/second-line`;
  const text = `echo first\ntouch ${file}`;
  const { id } = await client.run({ command: ['sh'], size: PTY, env });
  const { id: piped } = await client.run({ command: ['sh'], env, size: null });
  await client.waitUntil(id, 'prompt', { timeoutMs: 20_000 });
  const socket = await gateway.frames(token);
  for (const session of [id, piped]) {
    expect(await socket.request('prompt', { session, text })).toMatchObject({ code: 'PROMPT_HAS_LINES' });
    const answer = await gateway.ask(`/api/sessions/${session}/prompt`, { token, body: { text } });
    expect(answer).toMatchObject({ status: 409, code: 'PROMPT_HAS_LINES' });
  }
  // New lines at the end do not count as lines.
  expect(await client.prompt(id, 'echo one-$((1+1))\n\n')).toMatchObject({ isConfirmed: true });
  await seen(client, id, 'one-2');
  expect(existsSync(file)).toBe(false);

  const reader = `process.stdin.setRawMode(true); process.stdout.write('\\x1b[?2004hready\\n');
    process.stdin.on('data', (bytes) => process.stdout.write('<' + JSON.stringify(bytes.toString()) + '>\\n'));`;
  const { id: pasting } = await client.run({ command: [process.execPath, '-e', reader], size: PTY, env });
  await seen(client, pasting, 'ready');
  expect((await gateway.ask(`/api/sessions/${pasting}/prompt`, { token, body: { text: 'a\nb' } })).status).toBe(200);
  await seen(client, pasting, '<"\\u001b[200~a\\nb\\u001b[201~">');
});

test('[IN-42] a program on pipes confirms a prompt by reading it; what it prints meanwhile does not', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id: reads } = await client.run({ command: ['cat'], env, size: null });
  expect(await client.prompt(reads, 'hello')).toMatchObject({ isConfirmed: true, reaction: 'read', reason: null });
  const prints = 'while sleep 0.05; do echo line; done';
  const { id: deaf } = await client.run({ command: ['sh', '-c', prints], env, size: null });
  await seen(client, deaf, 'line');
  expect(await client.prompt(deaf, 'hello', { confirmMs: 400 })).toMatchObject({
    ...{ isConfirmed: false, reaction: null, reason: 'the program has not read the line' },
  });
});
