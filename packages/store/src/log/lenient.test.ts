import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Log } from './log.ts';

let place: string;
beforeEach(() => (place = mkdtempSync(`${tmpdir()}/log-lenient-`)));
afterEach(() => rmSync(place, { recursive: true }));

test('[LIFE-9] a file in the place of the folder: without leave it is an error, with it all that was there is a gap', () => {
  const folder = `${place}/log`;
  writeFileSync(folder, 'not a folder');
  expect(() => Log.open(folder)).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  using log = Log.open(folder, { lenient: true, endAtLeast: 700 });
  expect(log.failure?.code).toBe('ENOTDIR');
  expect(log.end).toBe(700);
  expect(log.read(100, 1000)).toEqual({ type: 'gap', from: 100, to: 700, reason: 'damaged' });
  expect(log.read(700, 1)).toEqual({ type: 'end', from: 700 });
  expect([[...log.marks(0, 700)], log.timeAt(5), log.offsetAt(0), log.retain(0)]).toEqual([[], undefined, 700, 0]);
  expect(readFileSync(folder, 'utf8')).toBe('not a folder');
});

test('[LIFE-9] once the folder is usable again the log continues after its last byte, and no offset is used twice', async () => {
  const folder = `${place}/log`;
  {
    using before = Log.open(folder);
    before.append(Buffer.from('first'), 1);
    await before.flush();
  }
  const aside = `${place}/aside`;
  mkdirSync(aside);
  renameSync(folder, `${aside}/log`);
  writeFileSync(folder, '');
  using log = Log.open(folder, { lenient: true, endAtLeast: 5 });
  expect(() => log.sink()).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  log.markResize(80, 24, 2);
  log.skip(10, 2);
  expect(log.end).toBe(15);
  await log.flush();
  expect(await log.compressOne()).toBe(false);
  rmSync(folder);
  renameSync(`${aside}/log`, folder);
  log.append(Buffer.from('second'), 3);
  expect([log.failure, log.end]).toEqual([null, 21]);
  expect(Buffer.from((log.read(0, 100) as { bytes: Uint8Array }).bytes).toString()).toBe('first');
  expect(log.read(5, 100)).toMatchObject({ type: 'gap', from: 5, to: 15 });
  expect(Buffer.from((log.read(15, 100) as { bytes: Uint8Array }).bytes).toString()).toBe('second');
});

test('[LIFE-9] while the folder is unknown nothing is written into it, even if it is there again', async () => {
  const folder = `${place}/log`;
  {
    using before = Log.open(folder);
    before.append(Buffer.from('first'), 1);
    before.markResize(80, 24, 1);
    await before.flush();
  }
  const filesOf = (): Record<string, string> =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'latin1')]));
  const whole = filesOf();
  renameSync(folder, `${place}/aside`);
  writeFileSync(folder, '');
  using log = Log.open(folder, { lenient: true, endAtLeast: 5 });
  rmSync(folder);
  renameSync(`${place}/aside`, folder);
  log.skip(10, 2);
  log.markResize(100, 30, 2);
  await log.flush();
  expect(filesOf()).toEqual(whole);
  log.append(Buffer.from('second'), 3);
  expect(log.read(5, 100)).toMatchObject({ type: 'gap', from: 5, to: 15 });
  expect([...log.marks(0, 5)].filter(({ type }) => type === 'resize')).toMatchObject([{ cols: 80, rows: 24 }]);
});

test('[LIFE-9] a bug in our code is not damage: it is thrown, lenient or not', () => {
  expect(() => Log.open(`${place}/a\0b`, { lenient: true })).toThrow(TypeError);
});
