/** Tests that calm fds are reported together, at ticks, and that the first report after a silence comes at once. */
import { expect, test, vi } from 'vitest';
import { FdWatch } from './fd-watch.ts';
import { native, POLL } from './index.ts';
import { guardAgainstLeaks } from './testing/children.ts';

guardAgainstLeaks();

const REST_MS = 300;

/** Two socket pairs, watched; `reports` has one entry for each call of a handler. */
interface WatchedPairs extends Disposable {
  readonly watch: FdWatch;
  readonly ours: number[];
  readonly theirs: number[];
  /** `turn`: of the event loop. */
  readonly reports: { fd: number; at: number; turn: number }[];
}

/** Watches two pairs, which the test disposes itself: the leak check runs before `onTestFinished`. */
function watched(): WatchedPairs {
  const watch = new FdWatch(() => REST_MS);
  const pairs = [native.socketPair(), native.socketPair()];
  const reports: { fd: number; at: number; turn: number }[] = [];
  let turn = 0;
  const room = new Uint8Array(100);
  for (const [ours] of pairs)
    watch.watch(ours, POLL.readable, () => {
      reports.push({ fd: ours, at: performance.now(), turn });
      setImmediate(() => turn++);
      native.read(ours, room);
    });
  return {
    watch,
    ours: pairs.map(([a]) => a),
    theirs: pairs.map(([, b]) => b),
    reports,
    [Symbol.dispose]: () => {
      watch[Symbol.dispose]();
      for (const fd of pairs.flat()) native.close(fd);
    },
  };
}

const byte = Uint8Array.of(120);

async function reported(reports: readonly unknown[], count: number): Promise<void> {
  await vi.waitFor(() => expect(reports).toHaveLength(count), { interval: 5, timeout: 20_000 });
}

test('[SCR-40] calm fds are reported at once after a silence, and then together, at the next tick', async () => {
  using open = watched();
  const { watch, ours, theirs, reports } = open;
  for (const fd of ours) watch.setCalm(fd, true);
  expect(ours.map((fd) => watch.isCalm(fd))).toEqual([true, true]);
  native.write(theirs[0]!, byte);
  await reported(reports, 1);
  for (const fd of theirs) for (let n = 0; n < 5; n++) native.write(fd, byte);
  await reported(reports, 3); // one for each fd
  const [first, second, third] = reports;
  expect(second!.at - first!.at).toBeGreaterThan(REST_MS - 20);
  expect([second!.turn > first!.turn, third!.turn === second!.turn]).toEqual([true, true]); // one batch: no rest in between
});

test('[SCR-41] an fd that is no longer calm, or waits to write, is reported although the others rest', async () => {
  using open = watched();
  const { watch, ours, theirs, reports } = open;
  for (const fd of ours) watch.setCalm(fd, true);
  native.write(theirs[0]!, byte);
  await reported(reports, 1);
  watch.setCalm(ours[0]!, false);
  native.write(theirs[1]!, byte); // this one rests
  native.write(theirs[0]!, byte);
  await reported(reports, 2);
  expect(reports.map(({ fd }) => fd)).toEqual([ours[0], ours[0]]);
  watch.change(ours[1]!, POLL.readable | POLL.writable);
  expect(watch.isCalm(ours[1]!)).toBe(false);
  watch.setCalm(ours[1]!, true);
  expect(watch.isCalm(ours[1]!)).toBe(false);
  await vi.waitFor(() => expect(reports.map(({ fd }) => fd)).toContain(ours[1]), { interval: 5, timeout: 20_000 });
});

test('a calm fd can be unwatched while the others rest, and closed', async () => {
  using open = watched();
  const { watch, ours, theirs, reports } = open;
  for (const fd of ours) watch.setCalm(fd, true);
  native.write(theirs[0]!, byte);
  await reported(reports, 1);
  watch.unwatch(ours[0]!);
  for (const fd of theirs) native.write(fd, byte);
  await reported(reports, 2);
  expect(reports[1]!.fd).toBe(ours[1]);
});
