import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetLastRecord, readRecord, type SessionRecord, writeRecord } from './record.ts';

let folder: string;
beforeEach(() => {
  folder = `${mkdtempSync(`${tmpdir()}/spool-record-`)}/abcdefgh`;
});
afterEach(() => rmSync(`${folder}/..`, { recursive: true }));

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

test('a record is read as it was written, and only its owner can read the file', () => {
  writeRecord(folder, record('one'));
  expect(readRecord(folder)).toEqual(record('one'));
  expect(statSync(`${folder}/session.json`).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('[LIFE-10] a record that a power cut left empty falls back to the last one that was durable', () => {
  writeRecord(folder, record('durable'));
  writeRecord(folder, record('second'), { keepLast: true });
  writeRecord(folder, record('third')); // the second was not durable yet, so the first one stays
  expect(readRecord(folder)!.name).toBe('third');
  writeFileSync(`${folder}/session.json`, '');
  expect(readRecord(folder)!.name).toBe('durable');
});

test('once the new record is durable, the one before is gone', () => {
  writeRecord(folder, record('first'));
  writeRecord(folder, record('second'), { keepLast: true });
  forgetLastRecord(folder);
  forgetLastRecord(folder);
  expect(existsSync(`${folder}/session.json.last`)).toBe(false);
  writeFileSync(`${folder}/session.json`, '{"half":');
  expect(readRecord(folder)).toBeNull();
});

test('[LIFE-44] a record that is written again keeps the members that a later version has added', () => {
  writeRecord(folder, record('one'));
  const path = `${folder}/session.json`;
  writeFileSync(path, JSON.stringify({ ...record('one'), mood: { of: 'a later version' } }));
  writeRecord(folder, record('renamed'));
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ ...record('renamed'), mood: { of: 'a later version' } });
});
