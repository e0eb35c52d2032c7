/** Tests syncing many files in one job. */
import { openSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { native } from './index.ts';
import { folder, guardAgainstLeaks } from './testing/children.ts';

const { EBADF, EINVAL } = constants.errno;

guardAgainstLeaks();

const sync = (fds: readonly number[]): Promise<readonly number[]> =>
  new Promise((resolve) => native.syncFiles(Int32Array.from(fds), resolve));

test('[LIFE-5] many files are synced in one job, which closes its fds, and each has its own result', async () => {
  const files = Array.from({ length: 40 }, (_, at) => openSync(join(folder, `file-${at}`), 'w'));
  for (const fd of files) writeSync(fd, 'bytes');
  const pipe = native.openPipe();
  expect(await sync([...files, pipe, 999_999])).toEqual([...files.map(() => 0), -EINVAL, -EBADF]);
  expect(await sync([])).toEqual([]);
});

test('a duplicate outlives the fd that it was made of', async () => {
  const fd = openSync(join(folder, 'one'), 'w');
  const copy = native.duplicate(fd);
  native.close(fd);
  expect([await sync([copy]), native.duplicate(fd)]).toEqual([[0], -EBADF]);
});

test('what is not an array of fds and a function is refused', () => {
  expect(() => native.syncFiles([] as never, () => undefined)).toThrow(TypeError);
  expect(() => native.syncFiles(new Int32Array(0), 7 as never)).toThrow(TypeError);
});
