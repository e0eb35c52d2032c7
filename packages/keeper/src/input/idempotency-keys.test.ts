import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { IdempotencyKeys } from './idempotency-keys.ts';

function folder(): string {
  const made = mkdtempSync(`${tmpdir()}/spool-keys-`);
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test('[IN-43] keys are remembered, also by the next one, however long and odd they are', () => {
  const where = folder();
  const keys = ['task-7', 'x'.repeat(200), 'a\nb', '', '\0'];
  const first = new IdempotencyKeys(where);
  for (const key of keys) {
    expect(first.has(key)).toBe(false);
    first.add(key);
    expect(first.has(key)).toBe(true);
  }
  const next = new IdempotencyKeys(where);
  expect(keys.filter((key) => !next.has(key))).toEqual([]);
  expect(next.has('task-8')).toBe(false);
});

test('[IN-43] the newest thousand are kept, and the file stays small', () => {
  const where = folder();
  const keys = new IdempotencyKeys(where);
  for (let at = 0; at < 5000; at++) keys.add(`key ${at}`);
  for (const known of [keys, new IdempotencyKeys(where)]) {
    expect(known.has('key 4999')).toBe(true);
    expect(known.has('key 4000')).toBe(true);
    expect(known.has('key 3999')).toBe(false);
  }
  expect(readFileSync(`${where}/keys`, 'latin1').length).toBeLessThanOrEqual(2000 * 25);
});
