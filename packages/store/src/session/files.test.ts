import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Scratch, sampleBytes } from '../log/testing/fixture.ts';
import { Log } from '../log/log.ts';
import { bytesBesideLog, dropKeyframesBefore, isEmptySession, lastKeyframeIn, removeFolder } from './files.ts';

function session(scratch: Scratch, files: Record<string, number>): string {
  const folder = join(scratch.root, 'session');
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), Buffer.alloc(bytes));
  }
  return folder;
}

test('[LOG-5] keyframes, history and journal count, each once, and the log does not count twice', async () => {
  using scratch = new Scratch();
  const folder = session(scratch, {
    'log/0000000000000000.log': 1000,
    'keyframes/0000000000000000.key': 300,
    'keyframes/0000000000000500.key': 200,
    'history.ndjson': 40,
    'input.json': 2,
  });
  expect(await bytesBesideLog(folder)).toBe(542);
  expect(await bytesBesideLog(join(scratch.root, 'gone'))).toBe(0);
});

test('[LOG-5] what lies beside the log makes its oldest segments go sooner', () => {
  using scratch = new Scratch();
  using log = Log.open(scratch.log, { segmentBytes: 1000, retainBytes: 10_000 });
  log.append(sampleBytes(5500), 1000);
  expect(log.retain(1000)).toBe(0);
  expect(log.retain(1000, 4000)).toBe(0);
  expect(log.retain(1000, 6500)).toBeGreaterThanOrEqual(2000);
});

test('[LOG-5] keyframes of what is no longer kept go with it', async () => {
  using scratch = new Scratch();
  const folder = session(scratch, {
    'keyframes/0000000000000000.key': 1,
    'keyframes/0000000000004096-0000000000000015.key': 1,
  });
  expect(lastKeyframeIn(folder)).toBe(4096);
  await dropKeyframesBefore(folder, 4096);
  expect(readdirSync(join(folder, 'keyframes'))).toEqual(['0000000000004096-0000000000000015.key']);
  await dropKeyframesBefore(join(scratch.root, 'gone'), 1);
});

test('[LOG-10] a folder is empty if no file in it holds a byte; a link or a byte anywhere makes it data', async () => {
  using scratch = new Scratch();
  const folder = session(scratch, { 'session.json.tmp': 10, 'session.json': 0, 'log/0000000000000000.log': 0 });
  expect(await isEmptySession(folder)).toBe(true);
  writeFileSync(join(folder, 'log/0000000000000000.idx'), 'x');
  expect(await isEmptySession(folder)).toBe(false);
  using other = new Scratch();
  const linked = session(other, { 'log/0000000000000000.log': 0 });
  symlinkSync('/etc', join(linked, 'link'));
  expect(await isEmptySession(linked)).toBe(false);
});

test('[LOG-11] a folder is removed with all that is in it, and nothing that it links to', async () => {
  using scratch = new Scratch();
  const folder = session(scratch, { 'log/a': 1, 'log/deep/b': 1, 'keyframes/c': 1 });
  const outside = join(scratch.root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'x');
  symlinkSync(outside, join(folder, 'log/link'));
  await removeFolder(folder);
  await removeFolder(folder); // gone already
  expect([existsSync(folder), readdirSync(outside)]).toEqual([false, ['precious']]);
});
