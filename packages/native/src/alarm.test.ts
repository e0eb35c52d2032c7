import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { native } from './index.ts';
import { freshNode } from './testing/children.ts';

test('an alarm rings once, at the last time that was set, and never after it was closed', async () => {
  const rings: number[] = [];
  const startedAt = performance.now();
  const rung = Promise.withResolvers<void>();
  const alarm = native.createAlarm(() => {
    rings.push(performance.now() - startedAt);
    rung.resolve();
  });
  const closed = native.createAlarm(() => rings.push(-1));
  closed.set(1);
  closed.close();
  closed.set(1);
  closed.close();
  alarm.set(1);
  alarm.set(60_000);
  alarm.set(30);
  await rung.promise;
  expect(rings[0]).toBeGreaterThanOrEqual(29);
  await sleep(5);
  expect(rings).toHaveLength(1);
  alarm.close();
});

test('[SPEED-20] an alarm that is moved before its time wakes nothing; a timer of Node that is moved does', async () => {
  const { alarm, timer } = await freshNode<{ alarm: number; timer: number }>(`
    const loops = () => performance.nodeTiming.uvMetricsInfo.loopCount;
    // Every 20 ms something else wakes the process, and the time is moved. A ring is a wake-up that was due.
    let rings = 0;
    const turns = async (move) => {
      const from = loops() + rings;
      for (let turn = 0; turn < 40; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        move();
      }
      return loops() - from - rings;
    };
    const alarm = native.createAlarm(() => rings++);
    const moved = await turns(() => alarm.set(29));
    alarm.close();
    rings = 0;
    const timer = setTimeout(() => {}, 29);
    const refreshed = await turns(() => timer.refresh());
    clearTimeout(timer);
    report({ alarm: moved, timer: refreshed });`);
  expect(alarm).toBeLessThan(50);
  expect(alarm).toBeLessThan(timer);
});

test('what the callback throws is an uncaughtException, and promises that it resolves go on at once', async () => {
  expect(
    await freshNode(`
      const order = [];
      process.on('uncaughtException', (error) => order.push(error.message));
      const alarm = native.createAlarm(() => {
        Promise.resolve().then(() => order.push('promise'));
        setImmediate(() => {
          alarm.close();
          report([...order, 'immediate']);
        });
        throw new Error('thrown');
      });
      alarm.set(1);`),
  ).toEqual(expect.arrayContaining(['thrown', 'promise', 'immediate']));
});

test('an alarm that is open when its worker ends is closed, and called by a wrong object it throws', async () => {
  expect(
    await freshNode(`
      const { Worker } = require('worker_threads');
      const worker = new Worker(
        'const native = require(' + JSON.stringify(ADDON) + '); native.createAlarm(() => {}).set(60000); process.exit(0);',
        { eval: true },
      );
      worker.on('exit', (code) => report(code));`),
  ).toBe(0);
  const { set } = native.createAlarm(() => {});
  expect(() => set(1)).toThrow(TypeError);
  expect(() => native.createAlarm(undefined as never)).toThrow(TypeError);
});
