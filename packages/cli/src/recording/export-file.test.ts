import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { ExportFile, type ExportFileOptions } from './export-file.ts';

const folder = mkdtempSync(`${tmpdir()}/spool-test-export-file-`);
afterAll(() => rmSync(folder, { recursive: true }));

/** An export that writes these and ends, or does not. */
async function exported(
  path: string,
  texts: readonly string[],
  isComplete = true,
  options: ExportFileOptions = { mayReplace: true },
): Promise<void> {
  await using file = new ExportFile(path, options);
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
  await expect(exported(`${folder}/no/such`, ['x'])).rejects.toThrow(
    `cannot write "${folder}/no/such": no such file or directory`,
  );
  await expect(exported('/dev/full', ['x'])).rejects.toThrow('cannot write "/dev/full": no space left on device');
  expect(existsSync('/dev/full')).toBe(true);
});

test('[PAST-40] a file that is there is not replaced, unless that was asked for', async () => {
  const path = `${folder}/there`;
  writeFileSync(path, 'precious');
  await expect(exported(path, ['x'], true, {})).rejects.toThrow(`"${path}" exists already; use --force to replace it`);
  await expect(new ExportFile(path).check()).rejects.toThrow('exists already');
  expect(readFileSync(path, 'utf8')).toBe('precious');
  await exported('/dev/null', ['x'], true, {});
});

test('[PAST-40] it can be compressed; what has not come to its end is not there either', async () => {
  const text = 'größe '.repeat(100_000);
  await exported(`${folder}/whole.gz`, [text, text], true, { isCompressed: true });
  expect(gunzipSync(readFileSync(`${folder}/whole.gz`)).toString() === text + text).toBe(true);
  await exported(`${folder}/half.gz`, [text], false, { isCompressed: true });
  expect(existsSync(`${folder}/half.gz`)).toBe(false);
});
