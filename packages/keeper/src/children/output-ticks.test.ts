import { beforeEach, expect, test, vi } from 'vitest';
import { OutputTicks, TICK_MS, type TickedOutput } from './output-ticks.ts';

beforeEach(() => void vi.useFakeTimers());
/** A pipe: its bytes are stored at once while they are reported, and otherwise when they are taken. */
class Pipe implements TickedOutput {
  readonly ticks: OutputTicks;
  /** The pieces that were stored: time and bytes. */
  readonly stored: [ms: number, bytes: number][] = [];
  isReported = true;
  #waiting = 0;

  constructor(ticks: OutputTicks) {
    this.ticks = ticks;
  }

  write(bytes: number): void {
    this.#waiting += bytes;
    if (this.isReported) this.take();
  }

  take(): number {
    const bytes = this.#waiting;
    this.#waiting = 0;
    if (bytes === 0) return 0;
    this.stored.push([performance.now(), bytes]);
    this.ticks.took(this, bytes);
    return bytes;
  }

  setReported(isReported: boolean): void {
    this.isReported = isReported;
    if (isReported) this.take(); // the poller finds the pipe readable
  }
}

function stream(pipes: readonly Pipe[], ms: number): void {
  for (let at = 0; at < ms; at += 20) {
    for (const pipe of pipes) pipe.write(100);
    vi.advanceTimersByTime(20);
  }
}

test('[EVT-8] the first pieces are taken as they come, and those of a stream at common ticks', () => {
  const ticks = new OutputTicks();
  const pipes = [new Pipe(ticks), new Pipe(ticks)];
  stream(pipes, 2000);
  for (const { stored } of pipes) {
    expect(stored.length).toBeLessThan(35); // of 100
    expect(stored.slice(0, 8).map(([, bytes]) => bytes)).toEqual(Array(8).fill(100));
    expect(Math.max(...stored.slice(8).map(([, bytes]) => bytes))).toBeLessThanOrEqual(600);
  }
  const [one, other] = pipes.map(({ stored }) => stored.at(-1)![0]);
  expect(one).toBe(other);
});

test('[EVT-8] after a pause the first piece is taken at once, also beside others that stream', () => {
  const ticks = new OutputTicks();
  const quiet = new Pipe(ticks);
  const busy = new Pipe(ticks);
  stream([quiet, busy], 1000);
  stream([busy], 300);
  expect([quiet.isReported, busy.isReported]).toEqual([true, false]);
  vi.advanceTimersByTime(7);
  quiet.write(5);
  expect(quiet.stored.at(-1)).toEqual([performance.now(), 5]);
  vi.advanceTimersByTime(2 * TICK_MS);
  expect(busy.isReported).toBe(true);
  expect(vi.getTimerCount()).toBe(0); // no timer runs during silence
});

test('[EVT-8] whoever writes to the agent does not wait for a tick, and neither does a flood', () => {
  const ticks = new OutputTicks();
  const pipe = new Pipe(ticks);
  stream([pipe], 1000);
  ticks.hurry(pipe);
  pipe.write(7);
  expect(pipe.stored.at(-1)).toEqual([performance.now(), 7]);
  stream([pipe], 1000);
  expect(pipe.isReported).toBe(false);
  pipe.write(60_000);
  vi.advanceTimersByTime(TICK_MS);
  expect(pipe.isReported).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
