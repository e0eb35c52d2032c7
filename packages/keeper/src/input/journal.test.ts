import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { native } from '@spool/native';
import { until } from '@spool/testkit';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { InputJournal } from './journal.ts';

test('[EVT-6] a disk that refuses the journal is tried again, so that a later kill repeats nothing', async () => {
  const place = mkdtempSync(`${tmpdir()}/spool-journal-`);
  try {
    const journal = new InputJournal(`${place}/session`);
    journal.recordTyped('keys', 7); // the folder is missing: the file cannot be written
    expect(new InputJournal(`${place}/session`).typedOf('keys')).toBe(0);
    mkdirSync(`${place}/session`);
    await until('it is written', () => new InputJournal(`${place}/session`).typedOf('keys') === 7);
    journal.close();
  } finally {
    rmSync(place, { recursive: true });
  }
});

test('[LIFE-1] [IN-6] whatever is recorded, in any order, the next keeper finds it', () => {
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ typed: fc.constantFrom('one', 'two', 'äö'), bytes: fc.integer({ min: 1, max: 900 }) }),
    },
    fc.record({ answered: fc.nat(1e12) }),
    fc.record({ escrowed: fc.boolean(), isLater: fc.boolean() }),
    fc.record({ ended: fc.boolean() }),
    fc.record({ typist: fc.constantFrom('cli 1', 'page ü'), at: fc.integer({ min: 0, max: 5000 }) }),
    fc.constant({ release: true }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const folder = mkdtempSync(`${tmpdir()}/spool-journal-`);
      const journal = new InputJournal(folder);
      const typed = new Map<string, number>();
      let isEscrowedLater = false;
      for (const taken of steps) {
        if ('typed' in taken) {
          typed.set(taken.typed, (typed.get(taken.typed) ?? 0) + taken.bytes);
          journal.recordTyped(taken.typed, typed.get(taken.typed)!);
          isEscrowedLater = false;
        } else if ('answered' in taken) journal.recordAnswered(taken.answered);
        else if ('escrowed' in taken) {
          journal.recordEscrowed(taken.escrowed, taken);
          isEscrowedLater = taken.isLater;
        } else if ('ended' in taken) journal.recordEnded(taken.ended);
        else if ('typist' in taken) journal.recordTypist({ who: taken.typist, at: taken.at });
        else journal.release();
        const next = new InputJournal(folder);
        for (const [stream, offset] of typed) expect(next.typedOf(stream)).toBe(offset);
        expect([next.answeredTo, next.isEnded, next.typist?.who]).toEqual([
          journal.answeredTo,
          journal.isEnded,
          journal.typist?.who,
        ]);
        if (!isEscrowedLater) expect(next.isEscrowed).toBe(journal.isEscrowed);
        expect(Math.abs((journal.typist?.at ?? 0) - (next.typist?.at ?? 0))).toBeLessThan(1000);
      }
      journal.close();
      rmSync(folder, { recursive: true });
    }),
    { numRuns: 100 },
  );
});

test('of one key after the other, only the digits of the offset are written', () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-journal-`);
  const journal = new InputJournal(folder);
  journal.recordTyped('one', 8);
  const write = vi.spyOn(native, 'writeAt');
  for (const offset of [9, 10, 99_999, Number.MAX_SAFE_INTEGER]) journal.recordTyped('one', offset);
  expect(write.mock.calls.map(([, bytes]) => bytes.length)).toEqual([16, 16, 16, 16]);
  write.mockRestore();
  expect(new InputJournal(folder).typedOf('one')).toBe(Number.MAX_SAFE_INTEGER);
  journal.close();
  rmSync(folder, { recursive: true });
});
