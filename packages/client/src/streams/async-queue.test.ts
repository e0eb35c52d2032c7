import { expect, test } from 'vitest';
import { AsyncQueue } from './async-queue.ts';

class QueueFixture {
  readonly waiting: string[] = [];
  ends = 0;
  readonly abort = new AbortController();
  readonly queue = new AsyncQueue<string>({
    signal: this.abort.signal,
    take: () => this.waiting.shift(),
    drop: () => (this.waiting.length = 0),
    onEnd: () => this.ends++,
  });

  push(item: string): void {
    this.waiting.push(item);
    this.queue.flush();
  }
}

const DONE = { done: true, value: undefined };
const item = (value: string): unknown => ({ done: false, value });

test('a reader that waits gets the next item, and one that comes late gets what waits', async () => {
  const desk = new QueueFixture();
  const first = desk.queue.next();
  desk.push('a');
  desk.push('b');
  expect([await first, await desk.queue.next()]).toEqual([item('a'), item('b')]);
});

test('an end comes after what waits; a second end changes nothing; the error is thrown once', async () => {
  const desk = new QueueFixture();
  desk.push('a');
  desk.queue.end(new Error('gone'));
  desk.queue.end(new Error('another'));
  expect(await desk.queue.next()).toEqual(item('a'));
  await expect(desk.queue.next()).rejects.toThrow('gone');
  expect([await desk.queue.next(), desk.ends, desk.queue.ended.aborted]).toEqual([DONE, 1, true]);
});

test('a close drops what waits, also after the end', async () => {
  const desk = new QueueFixture();
  desk.push('a');
  desk.queue.end();
  desk.queue.close();
  expect([await desk.queue.next(), desk.ends]).toEqual([DONE, 1]);
});

test('the signal of the reader ends it with its reason, for a reader that waits too', async () => {
  const desk = new QueueFixture();
  const waiting = desk.queue.next();
  desk.abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect([await desk.queue.next(), desk.ends]).toEqual([DONE, 1]);
});

test('a signal that was given long ago ends it at once', async () => {
  const abort = new AbortController();
  abort.abort(new Error('enough'));
  const queue = new AsyncQueue<string>({ signal: abort.signal, take: () => 'a', drop: () => {} });
  expect(queue.isEnded).toBe(true);
});
