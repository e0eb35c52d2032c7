import { expect, test } from 'vitest';
import { LookTimes } from './look-times.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Counts the looks in ten seconds of output, each piece `everyMs` after the previous one. */
function looksAt(piece: string, everyMs: number, isWorking: boolean): number {
  const looks = new LookTimes();
  let count = 0;
  for (let now = 0; now < 10_000; now += 10) {
    if (now % everyMs === 0) looks.output(bytes(piece), now, isWorking);
    if (now < looks.dueAt) continue;
    looks.looked();
    count++;
  }
  return count;
}

test('[SCR-3] finished lines of plain text are looked at twice a second, anything else as soon as it pauses', () => {
  expect(looksAt('compiled one.ts\r\n', 50, true)).toBeLessThan(25);
  for (const piece of ['Continue? [y/N] ', 'one\r\ntwo', '\x1b[32mgreen\x1b[m\r\n', '50 %\r'])
    expect(looksAt(piece, 50, true)).toBeGreaterThan(150);
  expect(looksAt('compiled one.ts\r\n', 50, false)).toBeGreaterThan(150); // a dialog may be scrolling away
});

test('[STATE-1] what may be a question is looked at 40 ms after the output rests, whatever came before', () => {
  const looks = new LookTimes();
  looks.output(bytes('compiled one.ts\r\n'), 1000, true);
  expect(looks.dueAt).toBe(1200);
  looks.output(bytes('Continue? [y/N] '), 1050, true);
  expect(looks.dueAt).toBe(1090);
  looks.output(bytes('\r\n'), 1060, true); // still due: the following output may have answered the question
  expect(looks.dueAt).toBe(1100);
  looks.looked();
  expect([looks.isPending, looks.dueAt]).toEqual([false, Infinity]);
});

test('[STATE-1] whatever may draw a dialog is looked at within 100 ms of its last byte, also after plain lines', () => {
  const dialogs = [
    'Proceed? (y/n) ',
    '\x1b[2J\x1b[HDo you want to proceed?',
    'Password:',
    '\x1b[7m> 1. Yes\x1b[m\r\n',
    '50 %\r',
  ];
  for (const dialog of dialogs)
    for (const isWorking of [true, false]) {
      const looks = new LookTimes();
      looks.output(bytes('compiled one.ts\r\n'), 1399, isWorking);
      looks.output(bytes(dialog), 1400, isWorking);
      expect(looks.dueAt - 1400).toBeLessThanOrEqual(100);
    }
});

test('[STATE-1] lines that stop are looked at soon after, and lines that never stop at least twice a second', () => {
  const looks = new LookTimes();
  looks.output(bytes('one\n'), 1000, true);
  expect(looks.dueAt).toBe(1200);
  for (let at = 1050; at <= 1450; at += 50) looks.output(bytes('two\n'), at, true);
  expect(looks.dueAt).toBe(1500);
});
