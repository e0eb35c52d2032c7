import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { unreadableRecord } from './unreadable.ts';

/** Imitates the refusal of the system, because root may read everything. */
const refusing = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code });
};

function recordFor(code: string): ReturnType<typeof unreadableRecord> {
  const folder = mkdtempSync(`${tmpdir()}/spool-unreadable-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return unreadableRecord(folder, 'abcdefgh12', refusing(code));
}

test.each(['EACCES', 'EPERM', 'EIO'])('[LIFE-9] a session whose record is refused with %s is listed', (code) => {
  const record = recordFor(code);
  expect(record).toMatchObject({ name: 'abcdefgh12', end: { state: 'lost', offset: 0 } });
});

test('[LIFE-9] a folder without a record is not a session', () => {
  expect(recordFor('ENOENT')).toBe(null);
  expect(recordFor('ENOTDIR')).toBe(null);
});
