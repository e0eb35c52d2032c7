/** Tests the queue against a real socket: the kernel takes as much as fits and refuses the rest, as a terminal does. */
import { randomBytes } from 'node:crypto';
import { native } from '@spool/native';
import { expect, onTestFinished, test } from 'vitest';
import { DirectSink } from './input-sink.ts';
import { INPUT_QUEUE_BYTES_MAX, InputQueue } from './queue.ts';

class Child {
  readonly queue: InputQueue;
  /** The requests of the queue to be notified of room (true), or not (false). */
  readonly wanted: boolean[] = [];
  readonly #room = new Uint8Array(64 * 1024);
  #end: number;

  constructor() {
    const [terminal, child] = native.socketPair();
    this.#end = child;
    this.queue = new InputQueue(new DirectSink(terminal), (wanted) => this.wanted.push(wanted));
    onTestFinished(() => {
      native.close(terminal);
      this.leave();
    });
  }

  /** Reads the bytes that have arrived. */
  read(): Buffer {
    const chunks: Buffer[] = [];
    for (let read: number; (read = native.read(this.#end, this.#room)) > 0;)
      chunks.push(Buffer.from(this.#room.subarray(0, read)));
    return Buffer.concat(chunks);
  }

  /** Reads, and lets the queue continue, until no more bytes come. */
  readAll(): Buffer {
    const chunks: Buffer[] = [];
    for (let chunk: Buffer; (chunk = this.read()).length > 0;) {
      chunks.push(chunk);
      if (this.wanted.at(-1)) this.queue.flush();
    }
    return Buffer.concat(chunks);
  }

  /** Writes until the kernel takes no more; returns the bytes that were pushed. */
  stuff(): Buffer {
    const bytes = randomBytes(512 * 1024);
    void this.queue.push(bytes);
    expect(this.queue.bytes).toBeGreaterThan(0);
    return bytes;
  }

  leave(): void {
    if (this.#end !== -1) native.close(this.#end);
    this.#end = -1;
  }
}

test('[IN-1] what fits is in the terminal before the push returns, and said so at that moment', async () => {
  const child = new Child();
  const said: number[] = [];
  const pushed = child.queue.push(Buffer.from('hello'), (written) => said.push(written));
  expect([said, child.read().toString(), child.queue.bytes, child.wanted]).toEqual([[5], 'hello', 0, []]);
  await pushed;
});

test('[IN-1] [IN-3] what the terminal takes in parts arrives whole, in order, byte for byte; each part is told', async () => {
  const child = new Child();
  const bytes = randomBytes(INPUT_QUEUE_BYTES_MAX);
  const told: number[] = [];
  let isIn = false;
  const pushed = child.queue.push(bytes, (written) => told.push(written)).then(() => (isIn = true));
  const after = child.queue.push(Buffer.from('after'));
  await Promise.resolve();
  expect([isIn, child.wanted]).toEqual([false, [true]]);
  expect(child.queue.bytes).toBe(bytes.length - told[0]! + 'after'.length);
  expect(child.readAll().equals(Buffer.concat([bytes, Buffer.from('after')]))).toBe(true);
  await Promise.all([pushed, after]);
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  expect([told.at(-1), told.length > 1, child.queue.bytes, child.wanted]).toEqual([
    bytes.length,
    true,
    0,
    [true, false],
  ]);
});

test('[IN-2] a write that does not fit is refused whole, and all that was taken arrives', async () => {
  const child = new Child();
  const taken: Buffer[] = [];
  const pending: Promise<void>[] = [];
  let refused: Promise<void> | undefined;
  for (let at = 0; !refused; at++) {
    const bytes = Buffer.alloc(60_000, 65 + at);
    const before = child.queue.bytes;
    const pushed = child.queue.push(bytes);
    if (before + bytes.length > INPUT_QUEUE_BYTES_MAX) refused = pushed;
    else {
      taken.push(bytes);
      pending.push(pushed);
    }
    expect(child.queue.bytes).toBeLessThanOrEqual(INPUT_QUEUE_BYTES_MAX);
  }
  await expect(refused).rejects.toMatchObject({
    code: 'INPUT_QUEUE_FULL',
    details: { queuedBytes: child.queue.bytes },
  });
  expect(child.readAll().equals(Buffer.concat(taken))).toBe(true);
  await Promise.all(pending);
  const last = child.queue.push(Buffer.from('there is room again'));
  expect(child.read().toString()).toBe('there is room again');
  await last;
});

test('[IN-1] bytes that wait are copied: whoever pushed them may use their room again', () => {
  const child = new Child();
  const before = child.stuff();
  const bytes = Buffer.from('as it was');
  void child.queue.push(bytes);
  bytes.fill('x');
  expect(child.readAll().subarray(before.length).toString()).toBe('as it was');
});

test('[IN-1] an empty push is done when all before it is in', async () => {
  const child = new Child();
  child.stuff();
  let isDone = false;
  const done = child.queue.push(new Uint8Array(0)).then(() => (isDone = true));
  await Promise.resolve();
  expect(isDone).toBe(false);
  child.readAll();
  await done;
});

test('[IN-2] when the child ends, what waits is refused, and so is what comes later', async () => {
  const child = new Child();
  const waiting = child.queue.push(randomBytes(INPUT_QUEUE_BYTES_MAX));
  child.queue.close();
  await expect(waiting).rejects.toMatchObject({ code: 'SESSION_EXITED' });
  await expect(child.queue.push(Buffer.from('x'))).rejects.toMatchObject({ code: 'INPUT_CLOSED' });
  expect(child.queue.bytes).toBe(0);
});

test('[IN-2] a child that closed its input refuses what is written and what waits', async () => {
  const waitsFor = new Child();
  const waiting = waitsFor.queue.push(randomBytes(INPUT_QUEUE_BYTES_MAX));
  waitsFor.leave();
  waitsFor.queue.flush();
  await expect(waiting).rejects.toMatchObject({ code: 'INPUT_CLOSED' });
  const writesTo = new Child();
  writesTo.leave();
  await expect(writesTo.queue.push(Buffer.from('x'))).rejects.toMatchObject({ code: 'INPUT_CLOSED' });
});
