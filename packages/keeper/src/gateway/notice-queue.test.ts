import type { Notice } from '@spool/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { NoticeQueue, NOTICES_MAX } from './notice-queue.ts';

class NoticeQueueFixture {
  readonly warned: string[] = [];
  untaken = 0;
  readonly queue = new NoticeQueue({ onUntaken: () => this.untaken++, warn: (sentence) => this.warned.push(sentence) });

  push(name: string): number {
    return this.queue.push({ at: 1, about: 'exit', session: 'a', name, labels: {}, title: '', body: '' });
  }

  take(after = 0): { names: string[]; leave: () => void } {
    const names: string[] = [];
    const leave = this.queue.take(after, (notices: readonly Notice[]) =>
      names.push(...notices.map(({ name }) => name)),
    );
    return { names, leave };
  }
}

test('[NOTE-41] a notice stays until it is reported as done, and the next gateway gets it too', () => {
  const desk = new NoticeQueueFixture();
  const n = desk.push('one');
  expect(desk.untaken).toBe(1);
  expect(desk.take().names).toEqual(['one']);
  desk.push('two');
  expect(desk.take(n).names).toEqual(['two']);
  expect(desk.take().names).toEqual(['one', 'two']);
  desk.queue.done(n, [{ channel: 'webhook', trouble: 'no' }]);
  expect(desk.take().names).toEqual(['two']);
  expect(desk.warned).toEqual(['a notification was not delivered (webhook): no']);
});

test('[NOTE-41] whoever waits is answered once; whoever has left is not', () => {
  const desk = new NoticeQueueFixture();
  const [waits, left] = [desk.take(), desk.take()];
  left.leave();
  desk.push('one');
  desk.push('two');
  expect([waits.names, left.names, desk.untaken]).toEqual([['one'], [], 0]);
});

test('[NOTE-41] the oldest give way when nobody takes them, and that is said once', () => {
  const desk = new NoticeQueueFixture();
  for (let i = 0; i < NOTICES_MAX + 5; i++) desk.push(String(i));
  const { names } = desk.take();
  expect([names.length, names[0], desk.warned.length]).toEqual([NOTICES_MAX, '5', 1]);
});

test('[NOTE-41] a gateway that outlives its keeper gets the notices of the next one, which counts from its own beginning', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const before = new NoticeQueueFixture();
  before.push('one');
  const last = before.push('two');
  vi.setSystemTime(Date.now() + 50); // keepers are not replaced faster than this
  const next = new NoticeQueueFixture();
  const { names } = next.take(last);
  next.push('three');
  expect(names).toEqual(['three']);
});
