/** Tests that a prompt is text for an input line: an unknown full-screen program would take it as commands. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import { seen, TestDaemon, until } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, HOME: '/' };

/** Fills the screen like a pager, and records the keys that it reads. `i` makes it report that it is idle, by OSC 7501. */
const PAGER = String.raw`
  stty raw -echo
  printf '\033[?1049h\033[H\033[2Jpage one\r\npage two\r\n\033[7mhelp: h\033[m'
  while IFS= read -rsn1 key; do
    case "$key" in
      i) printf '\033]7501;state=idle\033\\' ;;
      *) printf '<%q>' "$key" >> "$KEYS" ;;
    esac
  done`;

const keysOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

async function pager(client: Client, file: string): Promise<string> {
  const { id } = await client.run({
    command: ['bash', '-c', PAGER],
    name: 'page',
    size: PTY,
    env: { ...env, KEYS: file },
  });
  await seen(client, id, 'help: h');
  return id;
}

test('[IN-11] a prompt to an unknown full-screen program is refused, and nothing is typed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const file = `${daemon.home}/keys`;
  const id = await pager(client, file);
  await expect(client.prompt(id, '!touch x')).rejects.toMatchObject({
    code: 'STATE_UNKNOWN',
    details: { session: 'page', reason: expect.stringContaining('spool send') as unknown },
  });
  const refused = await daemon.spool(['prompt', '--clear', 'page', '!touch x']);
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain('"page"');
  expect(refused.stderr).toContain('full-screen program');
  await client.write(id, 'Z');
  await until('it has read the key', () => keysOf(file) !== '');
  expect(keysOf(file)).toBe('<Z>');
  await client.prompt(id, 'go', { force: true, confirmMs: 0 });
  await until('by force it is typed', () => keysOf(file).startsWith('<Z><g><o>'));
});

test('[IN-11] a full-screen program that says that it is idle takes a prompt', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const file = `${daemon.home}/keys`;
  const id = await pager(client, file);
  await client.write(id, 'i');
  await client.waitUntil(id, 'idle', { timeoutMs: 20_000 });
  await client.prompt(id, 'go', { confirmMs: 0 });
  await until('it is typed', () => keysOf(file).startsWith('<g><o>'));
});

testNeeding(missingProgram('less'))('[IN-11] the real less runs no command of a prompt', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const [text, made] = [`${daemon.home}/text`, `${daemon.home}/made`];
  writeFileSync(text, 'line\n'.repeat(500));
  const { id } = await client.run({ command: ['less', text], size: PTY, env: { ...env, TERM: 'xterm-256color' } });
  await seen(client, id, 'line');
  await expect(client.prompt(id, `!touch ${made}`)).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:STATE_UNKNOWN|INPUT_BLOCKED)$/) as unknown,
  });
  await client.write(id, 'q');
  await client.waitUntil(id, 'exit', { timeoutMs: 20_000 });
  expect(existsSync(made)).toBe(false);
});
