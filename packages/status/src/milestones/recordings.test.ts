/** Tests every recording of a tool (tests/fixtures/milestones), unchanged and cut at random places. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Milestone } from '@spool/protocol';
import { LineText } from '@spool/vt';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCatalogue } from './catalogue.ts';
import { MilestoneReader, PROGRESS_STEP } from './milestone-reader.ts';

const FOLDER = fileURLToPath(new URL('../../../../tests/fixtures/', import.meta.url));
const NAMES = readdirSync(`${FOLDER}milestones`).flatMap((file) => (file.endsWith('.pty') ? [file.slice(0, -4)] : []));
const { catalogue } = readCatalogue();

function milestonesIn(chunks: Iterable<Uint8Array>, offset = 0): Milestone[] {
  const lines = new LineText({ offset });
  const reader = new MilestoneReader(catalogue);
  const found: Milestone[] = [];
  let end = offset;
  for (const chunk of chunks) {
    end += chunk.length;
    for (const line of lines.feed(chunk)) found.push(...reader.line(line.text, line.end));
    found.push(...reader.openLine(lines.current, end));
  }
  for (const line of lines.flush()) found.push(...reader.line(line.text, line.end));
  return found;
}

/** Yields the writes of a program: a line, or a bar and the next one over it. */
function* writes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0, at = 1; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== 0x0d && bytes[at - 1] !== 0x0a) continue;
    yield bytes.subarray(from, at);
    from = at;
  }
}

function* pieces(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++)
    yield bytes.subarray(at, (at += lengths[turn % lengths.length]!));
}

const atAnyOffset = (one: Milestone): Milestone => ({ ...one, offset: expect.any(Number) });
const isProgress = ({ percent }: Pick<Milestone, 'percent'>): boolean => percent !== undefined;

describe.each(NAMES)('%s', (name) => {
  const bytes = new Uint8Array(readFileSync(`${FOLDER}milestones/${name}.pty`));
  const expected = (JSON.parse(readFileSync(`${FOLDER}milestones/${name}.json`, 'utf8')) as { milestones: Milestone[] })
    .milestones;

  test('[TASK-5] every milestone is found, and nothing else', () =>
    expect(milestonesIn(writes(bytes))).toEqual(expected.map(atAnyOffset)));

  test('[TASK-5] cut anyhow, the same ones are found at the same bytes, and progress only grows', () => {
    const certain = milestonesIn([bytes], 1000).filter((one) => !isProgress(one));
    expect(certain).toEqual(expected.filter((one) => !isProgress(one)).map(atAnyOffset));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 }), (lengths) => {
        const found = milestonesIn(pieces(bytes, lengths), 1000);
        expect(found.filter((one) => !isProgress(one))).toEqual(certain);
        const reached = new Map<string, number>();
        for (const { name, percent } of found) {
          if (percent === undefined) continue;
          const last = reached.get(name) ?? 0;
          expect(percent >= last + PROGRESS_STEP || percent === 100 || last === 100).toBe(true);
          reached.set(name, percent);
        }
      }),
      { numRuns: 10 },
    );
  });

  test('[TASK-5] a milestone is at the byte after the line that said so', () => {
    for (const { offset, ...one } of milestonesIn([bytes]).filter((one) => !isProgress(one))) {
      const before = milestonesIn([bytes.subarray(0, offset)]);
      expect(before.at(-1)).toEqual({ ...one, offset });
    }
  });
});

test('[TASK-5] the screens of agents, which quote any text, have no milestones', () => {
  const files = readdirSync(`${FOLDER}terminal`, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.pty'),
  );
  expect(files.length).toBeGreaterThan(10);
  for (const file of files)
    expect([file, milestonesIn([readFileSync(`${FOLDER}terminal/${file}`)])]).toEqual([file, []]);
});
