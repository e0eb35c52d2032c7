import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Scratch } from './testing/fixture.ts';
import { LogSync } from './sync.ts';

test('files that could not be synced are tried again by the next round, and deleted files count as done', async () => {
  using scratch = new Scratch();
  const refused = join(scratch.root, 'refused');
  symlinkSync('/nowhere', refused); // links are not followed: ELOOP
  const sync = new LogSync(() => undefined);
  sync.addFile(refused);
  sync.addFile(join(scratch.root, 'gone'));
  sync.addFolder(scratch.root);
  expect([(await sync.flush())?.code, sync.isEmpty]).toEqual(['ELOOP', false]);
  expect([(await sync.flush())?.code, sync.isEmpty]).toEqual(['ELOOP', false]);
  rmSync(refused);
  writeFileSync(refused, '');
  expect([await sync.flush(), sync.isEmpty]).toEqual([undefined, true]);
});

test('however many ask while a round is under way, one more round is enough for all', async () => {
  using scratch = new Scratch();
  let rounds = 0;
  const sync = new LogSync(() => {
    rounds++;
    sync.addFolder(scratch.root);
    return undefined;
  });
  const first = sync.flush();
  expect(rounds).toBe(1); // the round includes the first file
  const others = [sync.flush(), sync.flush(), sync.flush()];
  expect([await first, ...(await Promise.all(others)), rounds]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    2,
  ]);
  await sync.flush();
  expect(rounds).toBe(3);
});
