/** Tests many sessions that print without a pause. `npm run bench -- scale` measures their cost. */
import { existsSync, readdirSync } from 'node:fs';
import { outputOf, program, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const SIZE = { cols: 120, rows: 40 };
const env = { PATH: process.env.PATH! };

test('[SCR-2, SCR-3, SCR-40] thirty screens that are painted all the time leave no heap of keyframes, and each is up to date', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = [program('busy-screen'), '10', '120', '40'];
  const ids: string[] = [];
  for (let n = 0; n < 30; n++) ids.push((await client.run({ command, size: SIZE, env })).id);
  // Ten frames of each: with a model that is dropped after each frame, that was ten keyframes.
  const framesOf = async (id: string): Promise<number> => {
    const { content } = await client.screen(id, { format: 'text' });
    return Number(/frame (\d+)/.exec(content)?.[1] ?? 0);
  };
  for (const id of ids) await until('ten frames are painted', async () => (await framesOf(id)) >= 10, 60_000);
  for (const id of ids) {
    const folder = `${daemon.home}/sessions/${id}/keyframes`;
    expect(existsSync(folder) ? readdirSync(folder).length : 0).toBeLessThanOrEqual(1);
  }
});

test('[SCR-40, SCR-41, LOG-1] the output of twenty sessions that print steadily is whole; a key and a query are answered meanwhile', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const prints = `${program('busy-screen')} lines 25 4`;
  const run = (script: string): Promise<{ id: string }> =>
    client.run({ command: ['sh', '-c', script], size: { cols: 80, rows: 24 }, env });
  const steady: string[] = [];
  for (let n = 0; n < 20; n++) steady.push((await run(`${prints}; exit 7`)).id);
  const { id: asking } = await run(`stty raw -echo; ${prints}; printf '\\033[6n'; exec head -c 6`);
  const { id: echoing } = await run(`stty -echo; ${prints} & exec cat`);
  const shows = (text: string): Promise<void> =>
    until(`it shows ${text}`, async () => (await client.screen(echoing)).content.includes(text), 60_000);
  await shows('0000008');
  await client.write(echoing, Buffer.from('typed\n'));
  await shows('typed');
  const lineOf = (at: number): string =>
    `${String(at).padStart(8, '0')} compiled packages/core/src/module-${at % 97}.ts in ${at % 31} ms\r\n`;
  const expected = Array.from({ length: 100 }, (_, at) => lineOf(at)).join('');
  for (const id of steady) {
    expect((await client.wait(id)).exitCode).toBe(7);
    expect((await outputOf(client, id)).toString()).toBe(expected);
  }
  expect((await client.wait(asking)).exitCode).toBe(0);
});
