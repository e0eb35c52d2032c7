import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CheckpointFile } from './checkpoint-file.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(`${tmpdir()}/spool-test-`)));
afterEach(() => rmSync(folder, { recursive: true }));

const TEXT = Buffer.from('{"state": "of a driver"}').toString('base64');

test('[EVT-11] a checkpoint is read as it was written, and the last one counts', async () => {
  const file = new CheckpointFile(folder);
  expect(await file.read()).toBeNull();
  await Promise.all([file.write('QQ=='), file.write(TEXT)]);
  expect(await new CheckpointFile(folder).read()).toBe(TEXT);
});

test('[EVT-11] a damaged or torn checkpoint reads as none', async () => {
  await new CheckpointFile(folder).write(TEXT);
  const path = `${folder}/checkpoint`;
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at]! ^= 1;
    writeFileSync(path, damaged);
    expect(await new CheckpointFile(folder).read(), `byte ${at}`).toBeNull();
    writeFileSync(path, whole.subarray(0, at));
    expect(await new CheckpointFile(folder).read(), `${at} bytes`).toBeNull();
  }
});

test('a folder that is gone: it says so, and there is none', async () => {
  const file = new CheckpointFile(`${folder}/gone`);
  await expect(file.write(TEXT)).rejects.toThrow('ENOENT');
  expect(await file.read()).toBeNull();
});
