import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
