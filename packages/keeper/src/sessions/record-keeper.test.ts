import { mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { readRecord, type SessionRecord } from '@spool/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Semaphore } from '@spool/native/semaphore';
import { RecordKeeper } from './record-keeper.ts';

let place: string;
let folder: string;
let complaints: string[];
beforeEach(() => {
  place = mkdtempSync(`${tmpdir()}/spool-record-`);
  folder = `${place}/sessions/abcdefgh`;
  mkdirSync(`${place}/sessions`);
  complaints = [];
});
afterEach(() => rmSync(place, { recursive: true }));

const keeper = (): RecordKeeper =>
  new RecordKeeper({ folder, diskAccess: new Semaphore(2), warn: (sentence) => complaints.push(sentence) });

const record = (name: string): SessionRecord => ({
  run: { id: 'abcdefgh', command: ['true'], cwd: '/', env: {} },
  name,
  pid: 1,
  startedAt: 1,
  size: null,
  controlGroup: null,
  ending: null,
  end: null,
});

test('[LIFE-10] a write is there at once, and durable soon; nothing but the record is left', async () => {
  const records = keeper();
  for (const name of ['one', 'two', 'three']) {
    records.write(record(name));
    expect(readRecord(folder)!.name).toBe(name);
  }
  await records.durable();
  records.write(record('four'));
  await records.durable();
  expect(readRecord(folder)!.name).toBe('four');
  expect(readdirSync(folder)).toEqual(['session.json']);
});

test('[LOG-6] a record that the disk refuses is tried again until it is taken, the newest of them, and told once', async () => {
  rmSync(`${place}/sessions`, { recursive: true });
  writeFileSync(`${place}/sessions`, 'in the way');
  const records = keeper();
  records.write(record('first'));
  records.write(record('second'));
  let isDurable = false;
  const durable = records.durable().then(() => (isDurable = true));
  expect({ isDurable, told: complaints.length }).toEqual({ isDurable: false, told: 1 });
  unlinkSync(`${place}/sessions`);
  await durable;
  expect(readRecord(folder)!.name).toBe('second');
  expect(complaints).toHaveLength(1);
});

test('after the session was removed nothing is written, and nobody waits', async () => {
  const records = keeper();
  records.write(record('one'));
  records.close();
  rmSync(folder, { recursive: true });
  records.write(record('two'));
  await records.durable();
  expect(readdirSync(`${place}/sessions`)).toEqual([]);
});
