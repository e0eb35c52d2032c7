/** Tests confirmed input: prompts whose acceptance is detected, pastes, keys that arrive once. */
import { existsSync, writeFileSync } from 'node:fs';
import type { Client } from '@spool/client';
import { outputOf, seen, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH!, PS1: '$ ', HOME: '/' };

/** Prints its input, write by write, so that a paste and its Enter can be distinguished. */
const ECHO_READS = `
process.stdin.setRawMode(true);
process.stdout.write('\\x1b[?2004hready\\n');
process.stdin.on('data', (bytes) => {
  process.stdout.write('<' + JSON.stringify(bytes.toString()) + '>\\n');
  if (bytes.includes(4)) process.exit();
});`;

async function prompter(client: Client): Promise<string> {
  const { id } = await client.run({ command: [process.execPath, '-e', ECHO_READS], size: PTY, env });
  await seen(client, id, 'ready');
  await client.waitUntil(id, 'output', { after: 0 });
  return id;
}

test('[IN-40] a prompt is a bracketed paste, and Enter a write of its own', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await prompter(client);
  const prompted = await client.prompt(id, 'first line\nsecond line');
  expect(prompted).toMatchObject({ isConfirmed: true, isRepeated: false });
  await client.write(id, '\x04');
  await client.wait(id);
  const printed = (await outputOf(client, id)).toString();
  expect(printed).toContain('<"\\u001b[200~first line\\nsecond line\\u001b[201~">');
  expect(printed).toContain('<"\\r">');
});

test('[IN-42] a prompt to a shell is confirmed by what comes of it; one that nobody reads is not', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['bash', '--norc', '--noprofile', '-i'], size: PTY, env });
  await client.waitUntil(id, 'prompt', { timeoutMs: 10_000 });
  expect(await client.prompt(id, 'echo done-$((1+1)); sleep 0.1')).toMatchObject({ isConfirmed: true });
  await seen(client, id, 'done-2');

  for (const echo of ['echo', '-echo']) {
    const deaf = await client.run({
      command: ['sh', '-c', `stty ${echo}; echo deaf; exec sleep 1000`],
      size: PTY,
      env,
    });
    await seen(client, deaf.id, 'deaf');
    const { isConfirmed, reaction } = await client.prompt(deaf.id, 'hello', { confirmMs: 500 });
    expect({ echo, isConfirmed, reaction }).toEqual({ echo, isConfirmed: false, reaction: null });
  }
  // The terminal echoes for a busy shell, too; its own output meanwhile is not an answer either.
  const busy = 'for i in 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 0.1; done; exec sleep 1000';
  const { id: shell } = await client.run({ command: ['bash', '-c', busy], size: PTY, env });
  await seen(client, shell, 'line 2');
  expect(await client.prompt(shell, 'hello', { confirmMs: 1000 })).toMatchObject({ isConfirmed: false });
});

test('[IN-9] a prompt to a shell that runs a command is refused: the command, or its dialog, would read it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const file = `${daemon.home}/precious`;
  writeFileSync(file, '');
  const { id } = await client.run({ command: ['bash', '--norc', '--noprofile', '-i'], size: PTY, env });
  await client.waitUntil(id, 'prompt', { timeoutMs: 10_000 });
  await client.write(id, `sleep 3; rm -i ${file}\r`);
  await until('it works', async () => (await client.get(id)).status.state === 'working');
  await expect(client.prompt(id, 'yes')).rejects.toMatchObject({ code: 'INPUT_BUSY' });
  await client.waitUntil(id, 'blocked', { timeoutMs: 20_000 });
  await expect(client.prompt(id, 'yes')).rejects.toMatchObject({ code: 'INPUT_BLOCKED' });
  expect(existsSync(file)).toBe(true);
  await client.write(id, 'n\r');
  await client.waitUntil(id, 'prompt', { timeoutMs: 20_000 });
  expect(await client.prompt(id, 'echo back-$((1+1))')).toMatchObject({ isConfirmed: true });
});

test('[IN-43] a prompt that somebody else has used the key of is typed all the same', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = 'read -p "first> " a; echo "[$a]"; read -p "second> " b; echo "[$b]"; sleep 1000';
  const { id } = await client.run({ command: ['bash', '-c', script], size: PTY, env });
  await seen(client, id, 'first> ');
  await client.writeOnce(id, 'job-7', 'sent\r');
  await seen(client, id, 'second> ');
  expect(await client.prompt(id, 'prompted', { key: 'job-7' })).toMatchObject({ isRepeated: false, isConfirmed: true });
  expect(await seen(client, id, '[prompted]')).toContain('[sent]');
});

test('[IN-42] a prompt that was taken is known as such, also when the session now asks something', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({ command: ['bash', '--norc', '--noprofile', '-i'], size: PTY, env });
  await client.waitUntil(id, 'prompt', { timeoutMs: 10_000 });
  const ask = (): ReturnType<Client['prompt']> => client.prompt(id, `read -p 'Sure? [y/N] ' x`, { key: 'ask' });
  expect(await ask()).toMatchObject({ isRepeated: false });
  await client.waitUntil(id, 'blocked', { timeoutMs: 10_000 });
  expect(await ask()).toMatchObject({ isRepeated: true });
  expect((await client.screen(id)).content.match(/Sure\?/g)).toHaveLength(2); // in the command, and as the question
});

test('[IN-41] while a session waits for a decision, a prompt is refused and nothing is typed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { id } = await client.run({
    command: ['bash', '-c', 'read -p "Delete everything? [y/N] " x; echo "got <$x>"'],
    size: PTY,
    env,
  });
  await client.waitUntil(id, 'blocked', { timeoutMs: 10_000 });
  await expect(client.prompt(id, 'please go on')).rejects.toMatchObject({ code: 'INPUT_BLOCKED' });
  const refused = await daemon.spool(['prompt', id, 'please', 'go', 'on']);
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain('the session "bash" is asking: Delete everything? [y/N]');
  await client.prompt(id, 'n', { force: true });
  await client.wait(id);
  expect((await outputOf(client, id)).toString()).toContain('got <n>');
});

test('[IN-43] the same prompt with the same key is typed once, also across a keeper that was killed', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await prompter(client);
  expect(await client.prompt(id, 'only once', { key: 'task-7' })).toMatchObject({ isRepeated: false });
  expect(await client.prompt(id, 'only once', { key: 'task-7' })).toMatchObject({ isRepeated: true });
  const { keeper } = await client.status();
  process.kill(keeper.pid, 'SIGKILL');
  await until('there is another keeper', async () => (await client.status()).keeper.pid !== keeper.pid);
  expect(await client.prompt(id, 'only once', { key: 'task-7' })).toMatchObject({ isRepeated: true });
  expect(await client.writeOnce(id, 'other', 'x')).toBe(true);
  expect(await client.writeOnce(id, 'other', 'x')).toBe(false);
  await client.write(id, '\x04');
  await client.wait(id);
  const printed = (await outputOf(client, id)).toString();
  expect(printed.match(/only once/g)).toHaveLength(1);
  expect(printed.match(/<"x/g)).toHaveLength(1);
});

test('[IN-40] two prompts at once are two prompts', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await prompter(client);
  await Promise.all([client.prompt(id, 'aaaa'), client.prompt(id, 'bbbb')]);
  await client.write(id, '\x04');
  await client.wait(id);
  const reads = [...(await outputOf(client, id)).toString().matchAll(/<"(.*?)">/g)].map(([, read]) => read);
  expect(reads.slice(0, 4)).toEqual(['\\u001b[200~aaaa\\u001b[201~', '\\r', '\\u001b[200~bbbb\\u001b[201~', '\\r']);
});

test('[IN-4] paste, keys and send from the command line', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await prompter(client);
  expect((await daemon.spool(['paste', id, '-'], { input: 'one\ntwo' })).code).toBe(0);
  expect((await daemon.spool(['keys', id, 'Up', 'M-x F5'])).code).toBe(0);
  expect(await daemon.spool(['send', id, '--key', 'k', 'sent'])).toMatchObject({ code: 0, stderr: '' });
  const again = await daemon.spool(['send', id, '--key', 'k', 'sent']);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/nothing was typed now/) as string });
  await client.keys(id, ['Down Left', 'y']);
  expect((await daemon.spool(['keys', id, 'C-d'])).code).toBe(0);
  await client.wait(id);
  const printed = (await outputOf(client, id)).toString();
  expect(printed).toContain('<"\\u001b[200~one\\ntwo\\u001b[201~">');
  // Consecutive keys may be read at once.
  const reads = [...printed.matchAll(/<"(.*?)">/g)].map(([, read]) => read).join('');
  expect(reads).toContain('\\u001b[A\\u001bx\\u001b[15~sent\\u001b[B\\u001b[Dy\\u0004');
});

test('[IN-5] keys of the SDK follow the cursor-key mode that the program has set', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await prompter(client);
  await client.keys(id, ['Up']);
  const { id: editor } = await client.run({
    command: [process.execPath, '-e', `process.stdout.write('\\x1b[?1h');${ECHO_READS}`],
    size: PTY,
    env,
  });
  await seen(client, editor, 'ready');
  await client.keys(editor, ['Up', 'C-Left']);
  expect(await seen(client, id, '\\u001b[A')).not.toContain('\\u001bOA');
  expect(await seen(client, editor, '\\u001b[1;5D')).toContain('\\u001bOA');
});

test('[IN-6] who typed is recorded for input with a key and for prompts, too', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await prompter(client);
  expect((await client.get(id)).typed).toBeNull();
  await client.writeOnce(id, 'a key', 'x');
  const { typed } = await client.get(id);
  expect(typed).toMatchObject({ who: expect.stringContaining(String(process.pid)) as string });
  await daemon.spool(['prompt', '--key', 'another', id, 'hello']);
  expect((await client.get(id)).typed!.who).toMatch(/^spool \d+|cli/);
  expect((await client.get(id)).typed!.who).not.toBe(typed!.who);
});
