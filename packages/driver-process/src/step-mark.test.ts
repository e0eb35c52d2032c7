import { setImmediate as turn } from 'node:timers/promises';
import { native } from '@spool/native';
import { SLOT_BYTES } from '@spool/protocol';
import { expect, test } from 'vitest';
import { DriverPace } from './pace.ts';
import { StepMark } from './step-mark.ts';

test('[DRV-44] exactly the driver that works is in the pipe, and none while the process waits', async () => {
  const pipe = native.openPipe();
  /** Returns what a keeper would read at this moment, and puts it back. */
  const marked = (): number[] => {
    const bytes = Buffer.alloc(100);
    const read = Math.max(0, native.read(pipe, bytes));
    if (read > 0) native.write(pipe, bytes.subarray(0, read));
    return Array.from({ length: read / SLOT_BYTES }, (_, at) => bytes.readUInt32LE(at * SLOT_BYTES));
  };
  const mark = new StepMark(pipe);
  const [one, two] = [new DriverPace(() => mark.set(1)), new DriverPace(() => mark.set(2))];
  expect(marked()).toEqual([]);
  one.begin();
  one.begin();
  expect(marked()).toEqual([1]);
  two.begin();
  expect([marked(), mark.slot]).toEqual([[2], 2]);
  await turn();
  expect([marked(), mark.slot]).toEqual([[], null]);
  const seen: number[][] = [];
  const note = (): void => void seen.push(marked());
  await Promise.all([
    one.sleep(2).then(note),
    two.turn().then(note),
    new Promise<void>((resolve) => void one.after(1, () => resolve(note()))),
  ]);
  expect(seen.toSorted()).toEqual([[1], [1], [2]]);
  await turn();
  expect(marked()).toEqual([]);
  native.close(pipe);
});

test('[DRV-43] the pauses of a driver that has ended end with its error, and nothing of it works again', async () => {
  const begun: string[] = [];
  const pace = new DriverPace(() => void begun.push('work'));
  const pauses = [pace.sleep(1), pace.turn()];
  pace.after(1, () => begun.push('after'));
  pace.end(new Error('over'));
  pauses.push(pace.sleep(0), pace.turn());
  expect((await Promise.allSettled(pauses)).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(begun).toEqual([]);
});
