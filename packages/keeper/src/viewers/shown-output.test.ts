import { expect, test, vi } from 'vitest';
import type { ScreenAnswer, ScreenAsk } from '../screens/messages.ts';
import { type AskScreen, ShownOutput } from './shown-output.ts';

/** A screen that a test changes; `past` is its content at earlier offsets. */
class FakeScreen {
  now = { offset: 100, text: 'before', scrolled: 0 as number | null };
  past = 'before';
  isBroken = false;
  asked: string[] = [];

  ask = ((what) => this.#answer(what)) as AskScreen;

  async #answer(what: ScreenAsk): Promise<ScreenAnswer> {
    this.asked.push(what.type);
    await Promise.resolve();
    if (this.isBroken) throw new Error('the thread is being restarted');
    if (what.type === 'shown') return { type: 'shown', ...this.now };
    const rest = { at: 0, cols: 80, rows: 24, isExact: true, missingBytes: 0, title: '' };
    return { type: 'screen', offset: 100, content: this.past, ...rest };
  }
}

async function waiting(
  screen: FakeScreen,
  after: number,
  end: number,
): Promise<{ shown: number; output: ShownOutput }> {
  const result = { shown: 0, output: undefined as unknown as ShownOutput };
  result.output = new ShownOutput(screen.ask, after, end, () => result.shown++);
  await vi.advanceTimersByTimeAsync(1);
  return result;
}

test('[STATE-5] output that changes nothing on the screen is not told; what changes it is, once', async () => {
  vi.useFakeTimers();
  const screen = new FakeScreen();
  const wait = await waiting(screen, 100, 100);
  screen.now = { ...screen.now, offset: 120 };
  wait.output.grown(120);
  await vi.advanceTimersByTimeAsync(1000);
  expect(wait.shown).toBe(0);
  const { length } = screen.asked;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(screen.asked).toHaveLength(length); // there is no polling
  screen.now = { ...screen.now, offset: 130, text: 'after' };
  for (const end of [125, 130, 140]) wait.output.grown(end);
  await vi.advanceTimersByTimeAsync(1000);
  expect(wait.shown).toBe(1);
});

test('[STATE-5] the same line again and again scrolls, and counts', async () => {
  vi.useFakeTimers();
  const screen = new FakeScreen();
  const wait = await waiting(screen, 100, 100);
  screen.now = { ...screen.now, offset: 102, scrolled: 1 };
  wait.output.grown(102);
  await vi.advanceTimersByTimeAsync(100);
  expect(wait.shown).toBe(1);
});

test('[STATE-5] a wait from an earlier offset compares with the screen at that offset', async () => {
  vi.useFakeTimers();
  const same = new FakeScreen();
  same.now = { offset: 200, text: 'before', scrolled: 7 };
  expect((await waiting(same, 100, 200)).shown).toBe(0);
  const other = new FakeScreen();
  other.now = { offset: 200, text: 'after', scrolled: 7 };
  expect((await waiting(other, 100, 200)).shown).toBe(1);
});

test('[STATE-5] a thread that is behind is asked again; one that fails ends the wait; a closed wait is told nothing', async () => {
  vi.useFakeTimers();
  const slow = new FakeScreen();
  const wait = await waiting(slow, 100, 100);
  wait.output.grown(110);
  await vi.advanceTimersByTimeAsync(200);
  slow.now = { ...slow.now, offset: 110, text: 'after' };
  await vi.advanceTimersByTimeAsync(200);
  expect(wait.shown).toBe(1);

  const broken = new FakeScreen();
  const early = await waiting(broken, 100, 100);
  broken.isBroken = true;
  early.output.grown(110);
  await vi.advanceTimersByTimeAsync(1);
  expect(early.shown).toBe(1);

  const left = new FakeScreen();
  const closed = await waiting(left, 100, 100);
  closed.output.close();
  left.now = { ...left.now, offset: 110, text: 'after' };
  closed.output.grown(110);
  await vi.advanceTimersByTimeAsync(200);
  expect(closed.shown).toBe(0);
});
