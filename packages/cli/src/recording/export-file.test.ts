import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { ExportFile } from './export-file.ts';

const folder = mkdtempSync(`${tmpdir()}/spool-test-export-file-`);
afterAll(() => rmSync(folder, { recursive: true }));

/** An export that writes these and ends, or does not. */
async function exported(path: string, texts: readonly string[], isComplete = true): Promise<void> {
  await using file = new ExportFile(path);
  for (const text of texts) await file.write(text);
  if (isComplete) await file.end();
}

test('what is complete is there, for its owner alone, also when it is empty', async () => {
  await exported(`${folder}/whole`, ['größe ', 'x'.repeat(300_000)]);
  expect(readFileSync(`${folder}/whole`, 'utf8')).toBe(`größe ${'x'.repeat(300_000)}`);
  expect(statSync(`${folder}/whole`).mode & 0o777).toBe(0o600);
  await exported(`${folder}/empty`, []);
  expect(readFileSync(`${folder}/empty`, 'utf8')).toBe('');
});

test('what has not come to its end is not there', async () => {
  await exported(`${folder}/begun`, ['some'], false);
  expect(existsSync(`${folder}/begun`)).toBe(false);
});

test('what was there before is replaced by the first text, and never removed', async () => {
  const path = `${folder}/before`;
  writeFileSync(path, 'a long text of before');
  await exported(path, [], false);
  expect(readFileSync(path, 'utf8')).toBe('a long text of before');
  await exported(path, ['new']);
  expect(readFileSync(path, 'utf8')).toBe('new');
  await exported(path, ['half'], false);
  expect(existsSync(path)).toBe(true);
});

test('what cannot be written is told with its name', async () => {
  await expect(exported(`${folder}/no/such`, ['x'])).rejects.toThrow(`cannot write "${folder}/no/such": ENOENT`);
  await expect(exported('/dev/full', ['x'])).rejects.toThrow('cannot write "/dev/full": ENOSPC');
  expect(existsSync('/dev/full')).toBe(true);
});
