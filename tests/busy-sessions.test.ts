/** Many sessions that never rest. What they cost is measured by `npm run bench -- scale`. */
import { existsSync, readdirSync } from 'node:fs';
import { program, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const SIZE = { cols: 120, rows: 40 };
const env = { PATH: process.env.PATH! };

test('[SCR-2, SCR-3] thirty screens that are painted all the time leave no heap of keyframes, and each is up to date', async () => {
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
