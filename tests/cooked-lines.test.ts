/** Tests long lines: one that the kernel would cut is refused, and one that a program reads by itself arrives whole. */
import { expect, test } from 'vitest';
import type { Client } from '@spool/client';
import { outputOf, seen, TestDaemon } from '@spool/testkit';

const env = { PATH: process.env.PATH! };
const size = { cols: 80, rows: 24 };
const xs = (count: number): string => 'x'.repeat(count);
const tooLong = expect.objectContaining({ code: 'LINE_TOO_LONG' });

async function start(client: Client, script: string): Promise<string> {
  const { id } = await client.run({ command: ['sh', '-c', script], env, size });
  await seen(client, id, 'ready');
  return id;
}

test('[IN-10] a line that a cooked terminal would cut is refused whole; one that fits arrives whole', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await start(client, 'stty -echo; echo ready; exec cat');
  await expect(client.write(id, `${xs(4096)}\n`)).rejects.toEqual(tooLong);
  await expect(client.writeOnce(id, 'key', `${xs(5000)}\n`)).rejects.toEqual(tooLong);
  await expect(client.paste(id, xs(5000))).rejects.toEqual(tooLong);
  await expect(client.prompt(id, xs(5000))).rejects.toEqual(tooLong);
  const sent = await daemon.spool(['send', id, '--enter', xs(5000)]);
  expect([sent.code === 0, sent.stderr]).toEqual([false, expect.stringContaining('at most 4095 bytes')]);
  // Sent in pieces, it is the same line.
  await client.write(id, xs(3000));
  await expect(client.write(id, xs(3000))).rejects.toEqual(tooLong);
  await client.write(id, `${'y'.repeat(1095)}\n`);
  await client.writeOnce(id, 'key', 'end\n');
  const output = (await seen(client, id, 'end\r\n')).replaceAll('\r', '');
  expect(output.slice(output.indexOf('ready\n') + 6)).toBe(`${xs(3000)}${'y'.repeat(1095)}\nend\n`);
});

test('[IN-10] many lines of any length that fit arrive whole, however the writes cut them', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await start(client, 'stty -echo -onlcr; echo ready; exec cat');
  const text = Array.from({ length: 60 }, (_, at) => xs((at * 997) % 4096)).join('\n');
  for (let at = 0; at < text.length; at += 1500) await client.write(id, text.slice(at, at + 1500));
  await client.write(id, '\n\x04');
  await client.wait(id);
  expect((await outputOf(client, id)).toString()).toBe(`ready\n${text}\n`);
});

test('[IN-10] a program that reads by itself gets every byte of a long line', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const id = await start(client, 'stty raw -echo; echo ready; exec head -c 20000 | wc -c');
  await client.write(id, xs(6000));
  await client.write(id, xs(6000));
  await client.write(id, xs(8000));
  expect((await client.wait(id)).exitCode).toBe(0);
  expect((await outputOf(client, id)).toString()).toContain('20000');
});

test('[IN-10] what a raw program was typed before does not count for the line of the next', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const script = 'stty raw -echo; echo ready; head -c 3000 | wc -c; stty sane -echo; echo cooked; exec cat';
  const id = await start(client, script);
  await client.write(id, xs(3000));
  await seen(client, id, 'cooked');
  await client.write(id, `${xs(2000)}\n`);
  await seen(client, id, `${xs(2000)}\r\n`);
});
