import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { outputOf, seen, TestDaemon, until } from '@spool/testkit';
import { expect, onTestFinished, test } from 'vitest';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

test('[IN-1] [IN-3] a megabyte of any bytes arrives in order, and is acknowledged when it is in', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const bytes = randomBytes(1024 * 1024);
  const command = ['bash', '-c', `stty raw -echo; echo ready; head -c ${bytes.length} | sha256sum`];
  const session = await client.run({ command, size: PTY, env });
  await seen(client, session.id, 'ready');
  await client.write(session.id, bytes);
  await client.wait(session.id);
  expect((await outputOf(client, session.id)).toString()).toContain(createHash('sha256').update(bytes).digest('hex'));
});

test('[IN-1] many writers at once: each write stays whole', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const session = await client.run({
    command: ['bash', '-c', 'stty raw -echo; echo ready; head -c 40000'],
    size: PTY,
    env,
  });
  await seen(client, session.id, 'ready');
  const writers = await Promise.all(Array.from({ length: 4 }, () => daemon.client()));
  await Promise.all(
    writers.flatMap((writer, at) =>
      Array.from({ length: 100 }, () => writer.write(session.id, String(at).repeat(99) + '\n')),
    ),
  );
  await client.wait(session.id);
  const lines = (await outputOf(client, session.id))
    .toString()
    .split('ready')[1]!
    .replace(/^\r?\n/, '')
    .split('\n');
  expect(lines.filter((line) => line !== '' && !/^(\d)\1{98}$/.test(line))).toEqual([]);
});

test('[IN-2] a child that does not read: the queue fills, the write is refused whole, and what was taken arrives', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const folder = mkdtempSync(`${tmpdir()}/spool-test-input-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // It reads only once the file exists, and then all input.
  const script = `stty raw -echo; echo ready; until [ -e ${folder}/go ]; do sleep 0.02; done; exec cat > ${folder}/read`;
  const session = await client.run({ command: ['bash', '-c', script], size: PTY, env });
  await seen(client, session.id, 'ready');
  const writes = Array.from({ length: 40 }, (_, at) => Buffer.alloc(64 * 1024, 65 + at));
  const results = writes.map((bytes) =>
    client.write(session.id, bytes).then(
      () => 'in',
      (error: { code: string }) => error.code,
    ),
  );
  expect(await Promise.race(results)).toBe('INPUT_QUEUE_FULL');
  writeFileSync(`${folder}/go`, '');
  const settled = await Promise.all(results);
  expect(new Set(settled)).toEqual(new Set(['INPUT_QUEUE_FULL', 'in']));
  const taken = Buffer.concat(writes.filter((_, at) => settled[at] === 'in'));
  const read = (): Buffer => (existsSync(`${folder}/read`) ? readFileSync(`${folder}/read`) : Buffer.alloc(0));
  await until('all that was taken is read', () => read().length >= taken.length);
  expect(read().equals(taken)).toBe(true);
});

test('[IN-2] what waits for a child that ends is refused', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = ['bash', '-c', 'stty raw -echo; echo ready; exec sleep 1000'];
  const session = await client.run({ command, size: PTY, env });
  await seen(client, session.id, 'ready');
  const waiting = client.write(session.id, 'x'.repeat(64 * 1024));
  waiting.catch(() => {}); // it is checked below
  await client.kill(session.id);
  await expect(waiting).rejects.toMatchObject({ code: 'SESSION_EXITED' });
});

test('[IN-44] closing the input of a child on pipes ends it, and so it does on a terminal', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const piped = await client.run({ command: ['sha256sum'], size: null, env });
  await client.write(piped.id, 'abc');
  await client.closeInput(piped.id);
  await client.wait(piped.id);
  expect((await outputOf(client, piped.id)).toString()).toContain(createHash('sha256').update('abc').digest('hex'));
  const terminal = await client.run({ command: ['cat'], size: PTY, env });
  await client.closeInput(terminal.id);
  expect(await client.wait(terminal.id)).toMatchObject({ exitCode: 0 });
});

/** Reads a little at a time, like a busy agent; prints the number of bytes, and a hash. */
const SLOW_READER = `
process.stdin.setRawMode(true);
process.stdout.write('ready');
const hash = require('node:crypto').createHash('sha256');
let length = 0;
process.stdin.on('readable', () => {
  const bytes = process.stdin.read();
  if (bytes === null) return;
  hash.update(bytes);
  length += bytes.length;
  process.stdout.write('.');
  if (length >= Number(process.argv[1])) {
    process.stdout.write('GOT ' + length + ' ' + hash.digest('hex') + ' END');
    return;
  }
  process.stdin.pause();
  setTimeout(() => process.stdin.resume(), 10);
});`;

test('[IN-1, LIFE-1] a paste that the terminal takes in parts arrives once, however often the keeper is killed in it', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const text = randomBytes(60_000).toString('hex');
  const run = async (): Promise<string> => {
    const command = [process.execPath, '-e', SLOW_READER, String(text.length)];
    const { id } = await client.run({ command, size: PTY, env });
    await seen(client, id, 'ready');
    return id;
  };
  const expected = `GOT ${text.length} ${createHash('sha256').update(text).digest('hex')} END`;
  const killIn = async (id: string, from: number): Promise<void> => {
    const { keeper } = await client.status();
    await until('it has read a little more', async () => (await client.get(id)).offset > from + 5);
    process.kill(keeper.pid, 'SIGKILL');
  };
  const viewed = await run();
  const attachment = client.attach(viewed);
  await attachment.type(Buffer.from(text));
  await killIn(viewed, 5);
  await killIn(viewed, 15);
  expect(await seen(client, viewed, ' END')).toContain(expected);
  attachment.close();
  // With a key, the client sends the input again after a break, and continues at the same place.
  const keyed = await run();
  const typing = client.writeOnce(keyed, 'paste', text);
  await killIn(keyed, 5);
  await typing;
  expect(await seen(client, keyed, ' END')).toContain(expected);
});
