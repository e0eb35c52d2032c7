/** Tests many fds with one entry in the loop. */
import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { native, POLL } from './index.ts';
import { freshNode, guardAgainstLeaks, until } from './testing/children.ts';

guardAgainstLeaks();

test('reports fd and events, again and again while they hold', async () => {
  const [a, b] = native.socketPair();
  expect(await until(a, POLL.writable)).toBe(POLL.writable);
  native.write(b, Buffer.from('x'));
  expect(await until(a, POLL.readable)).toBe(POLL.readable);
  expect(await until(a, POLL.readable)).toBe(POLL.readable);
  expect(await until(a, POLL.readable | POLL.writable)).toBe(POLL.readable | POLL.writable);
  native.close(b);
  expect((await until(a, POLL.readable)) & POLL.hangup).toBe(POLL.hangup);
  native.close(a);
});

test('a silent fd reports nothing, not even a hang-up, until it is asked for again', async () => {
  const [a, b] = native.socketPair();
  const [c, d] = native.socketPair();
  const reports: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const own = native.createPoller((ready) => {
    reports.push(ready[0]!, ready[1]! & POLL.hangup);
    own.close();
    resolve();
  });
  own.set(a, POLL.readable);
  own.set(a, 0);
  native.close(b);
  native.write(d, Buffer.from('x'));
  for (let turn = 0; turn < 3; turn++) await until(c, POLL.readable); // the loop turns, and polls `own` too
  expect(reports).toEqual([]);
  own.set(a, POLL.readable);
  await promise;
  expect(reports).toEqual([a, POLL.hangup]);
  for (const fd of [a, c, d]) native.close(fd);
});

test('an fd deleted, silenced or closed in the callback is not reported later in the same batch', async () => {
  const pairs = Array.from({ length: 10 }, () => native.socketPair());
  for (const act of ['delete', 'silence', 'close', 'change'] as const) {
    const seen: number[] = [];
    let batch = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = native.createPoller((ready, count) => {
      batch = Math.max(batch, count);
      for (let at = 0; at < count; at++) {
        const [fd, events] = [ready[2 * at]!, ready[2 * at + 1]!];
        if (fd === -1) expect(events).toBe(0);
        else seen.push(fd);
        for (const [other] of pairs)
          if (other !== fd || act === 'close') {
            if (act === 'delete') own.delete(other);
            else if (act === 'silence') own.set(other, 0);
            else if (act === 'close') own.close();
            else own.set(other, POLL.readable); // the event that waits in the batch was `writable`
          }
      }
      resolve();
    });
    for (const [fd] of pairs) own.set(fd, POLL.writable);
    await promise;
    own.close();
    expect({ act, batch, seen: seen.length }).toEqual({ act, batch: pairs.length, seen: 1 });
  }
  for (const fd of pairs.flat()) native.close(fd);
});

test('a number that is closed and used again within a batch does not get the report of the old one', async () => {
  const [a, b] = native.socketPair();
  const [c, d] = native.socketPair();
  const seen: string[] = [];
  const opened: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const own = native.createPoller((ready, count) => {
    if (count !== 2) return;
    const [first, second] = [ready[0]!, ready[2]!];
    own.delete(second);
    native.close(second);
    while (!opened.includes(second)) opened.push(...native.socketPair());
    own.set(second, POLL.readable);
    for (let at = 1; at < count; at++) if (ready[2 * at] !== -1) seen.push(`${ready[2 * at]}`);
    own.delete(first);
    resolve();
  });
  own.set(a, POLL.writable);
  own.set(c, POLL.writable);
  await promise;
  own.close();
  expect(seen).toEqual([]);
  for (const fd of new Set([a, b, c, d, ...opened])) native.close(fd);
});

test('more ready fds than fit one batch are all reported', async () => {
  const fds = Array.from({ length: 300 }, () => native.socketPair()).flat();
  const seen = new Set<number>();
  const { promise, resolve } = Promise.withResolvers<void>();
  let largest = 0;
  const own = native.createPoller((ready, count) => {
    largest = Math.max(largest, count);
    for (let at = 0; at < count; at++) seen.add(ready[2 * at]!);
    if (seen.size === fds.length) resolve();
  });
  for (const fd of fds) own.set(fd, POLL.writable);
  await promise;
  own.close();
  expect(largest).toBe(256);
  for (const fd of fds) native.close(fd);
});

test('closing twice is fine, watching afterwards is not; a file cannot be watched', () => {
  const own = native.createPoller(() => {});
  const file = openSync('/etc/passwd', 'r');
  expect(() => own.set(file, POLL.readable)).toThrow(expect.objectContaining({ code: 'EPERM', syscall: 'epoll_ctl' }));
  expect(() => own.set(9999, POLL.readable)).toThrow(expect.objectContaining({ code: 'EBADF' }));
  own.delete(file); // never added: no entry to remove
  own.close();
  own.close();
  own.delete(file);
  expect(() => own.set(file, POLL.readable)).toThrow(expect.objectContaining({ code: 'EBADF' }));
  const { set } = own;
  expect(() => set(1, 1)).toThrow(TypeError); // called without its poller
  expect(() => native.createPoller(undefined as never)).toThrow(TypeError);
  closeSync(file);
});

test('what the callback throws is an uncaughtException, and the next report still comes', async () => {
  expect(
    await freshNode(`
      const [a] = native.socketPair();
      const caught = [];
      process.on('uncaughtException', (error) => caught.push(error.message));
      const poller = native.createPoller(() => {
        if (caught.length < 3) throw new Error('no. ' + caught.length);
        poller.close();
        report(caught);
      });
      poller.set(a, 4);`),
  ).toEqual(['no. 0', 'no. 1', 'no. 2']);
});

test('promises that the callback resolves go on at once, and in order with ticks', async () => {
  expect(
    await freshNode(`
      const [a] = native.socketPair();
      const order = [];
      const poller = native.createPoller(() => {
        poller.close();
        Promise.resolve().then(() => order.push('promise'));
        process.nextTick(() => order.push('tick'));
        setImmediate(() => { order.push('immediate'); report(order); });
        order.push('callback');
      });
      poller.set(a, 4);`),
  ).toEqual(['callback', 'tick', 'promise', 'immediate']);
});

test('an open poller keeps the process alive, and a worker or process may end with one open', async () => {
  expect(
    await freshNode(`
      const { Worker } = require('worker_threads');
      const worker = new Worker(\`
        const native = require(\${JSON.stringify(ADDON)});
        const [a] = native.socketPair();
        const poller = native.createPoller(() => { poller.set(a, 0); require('worker_threads').parentPort.postMessage('up'); });
        poller.set(a, 4);\`, { eval: true });
      worker.on('message', async () => {
        const code = await worker.terminate();
        const [a] = native.socketPair();
        let left = 3;
        const poller = native.createPoller(() => { if (--left === 0) { report(code); process.exit(0); } });
        poller.set(a, 4);
      });`),
  ).toBe(1);
});
