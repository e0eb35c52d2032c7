import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AnswerWriter } from './answer-writer.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/spool-answers-`);
  mkdirSync(`${folder}/answers`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (answer: string, output: string): string => JSON.stringify({ answer, output });

test('[CHAN-5] an answer is written once, and no later one replaces it', async () => {
  const id = '0123456789abcdef';
  for (const output of ['first', 'second']) {
    const writer = new AnswerWriter(folder);
    writer.write({ offset: 5, lines: [line(id, output), line('../../escape', 'x')], closes: false });
    expect(writer.writtenBefore(9)).toBe(5);
    await writer.settled();
    expect(writer.writtenBefore(9)).toBe(9);
  }
  expect(readFileSync(`${folder}/answers/${id}`, 'utf8')).toBe('first');
  expect(readdirSync(`${folder}/answers`)).toEqual([id]);
});

test('[CHAN-40] an answer that cannot be written is tried again, and one without its folder harms nothing', async () => {
  const [id, next] = ['0123456789abcdef', 'fedcba9876543210'];
  const writer = new AnswerWriter(folder, 1);
  renameSync(`${folder}/answers`, `${folder}/aside`);
  writeFileSync(`${folder}/answers`, ''); // as a full disk: each write fails
  writer.write({ offset: 1, lines: [line(id, 'first')], closes: false });
  await new Promise((resolve) => setTimeout(resolve, 1));
  rmSync(`${folder}/answers`);
  renameSync(`${folder}/aside`, `${folder}/answers`);
  await writer.settled();
  writeFileSync(`${folder}/other`, 'whole');
  symlinkSync(`${folder}/other`, `${folder}/answers/.${next}.${process.pid}`);
  writer.write({ offset: 2, lines: [line(next, 'second')], closes: false });
  await writer.settled();
  expect(readFileSync(`${folder}/answers/${next}`, 'utf8')).toBe('second');
  expect(readFileSync(`${folder}/other`, 'utf8')).toBe('whole');
  rmSync(`${folder}/answers`, { recursive: true });
  writer.write({ offset: 3, lines: [line(id, 'third')], closes: false });
  await writer.settled();
  expect(writer.writtenBefore(9)).toBe(9);
});
