import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Log } from '@spool/store';
import { native } from '@spool/native';
import type { FdHandler, FdWatch } from '@spool/native/fd-watch';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OutputPump } from './output-pump.ts';

let place: string;
let source: number;
let file: number;
let isFull: boolean;
let end: number;
let events: string[];
let ready: FdHandler;
let mayRest: boolean;
let isCalm: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  place = mkdtempSync(`${tmpdir()}/spool-pump-`);
  source = native.openPipe();
  file = openSync(`${place}/log`, 'w');
  isFull = false;
  mayRest = false;
  isCalm = false;
  end = 0;
  events = [];
});
afterEach(() => {
  vi.useRealTimers();
  native.close(source);
  closeSync(file);
  rmSync(place, { recursive: true });
});

/** Creates a pump from a pipe into a log that refuses while `isFull`. */
function pump(): OutputPump {
  const log = {
    get end() {
      return end;
    },
    sink() {
      if (isFull) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      return { fd: file, position: end, roomBytes: 1 << 20 };
    },
    advance: (bytes: number) => (end += bytes),
    skip: (bytes: number) => (end += bytes),
  };
  const watch = {
    watch: (_fd: number, _events: number, handler: FdHandler) => (ready = handler),
    setCalm: (_fd: number, calm: boolean) => (isCalm = calm),
    unwatch() {},
  };
  const made = new OutputPump({
    log: log as unknown as Log,
    sources: [{ fd: source, stream: 'stdout', pipe: -1 }],
    watch: watch as unknown as FdWatch,
    onOutput: () => mayRest,
    onTrouble: (trouble, from, to) => events.push(trouble ? `trouble at ${from}` : `well again, hole ${from}-${to}`),
    onReserve: (endAtLeast) => events.push(`reserved ${endAtLeast}`),
  });
  made.start();
  return made;
}

function print(text: string): void {
  writeSync(source, text);
  ready(1);
}

test('[LOG-6] trouble is told in the same moment, not later', () => {
  pump();
  print('before');
  isFull = true;
  print('lost');
  expect(events[0]).toBe('trouble at 6');
});

test('[LOG-6] [LOG-3] once the log takes bytes again, no offset beyond its end stays spoken for', () => {
  pump();
  print('before');
  isFull = true;
  print('lost');
  isFull = false;
  vi.advanceTimersByTime(200);
  print('after');
  expect(events).toEqual([
    'trouble at 6',
    expect.stringMatching(/^reserved 10\d{5}/),
    'well again, hole 6-10',
    'reserved 10',
  ]);
  expect(end).toBe(15);
});

test('[SCR-40] output rests in its terminal only after many small pieces that nobody waits for, and a large one ends that', () => {
  const made = pump();
  const small = (): void => print('a line\n');
  for (let n = 0; n < 100; n++) small();
  expect([isCalm, made.isCalm]).toEqual([false, false]); // a client waits
  mayRest = true;
  for (let n = 0; n < 15; n++) small();
  expect(isCalm).toBe(false);
  small();
  expect([isCalm, made.isCalm]).toEqual([true, true]);
  print('x'.repeat(3000));
  expect([isCalm, made.isCalm]).toEqual([false, false]);
  for (let n = 0; n < 16; n++) small();
  expect(isCalm).toBe(true);
  mayRest = false;
  small();
  expect(isCalm).toBe(false);
});

test('[SCR-41] a key ends the rest at once, before there is output', () => {
  const made = pump();
  mayRest = true;
  for (let n = 0; n < 16; n++) print('a line\n');
  expect(isCalm).toBe(true);
  made.hurry();
  expect([isCalm, made.isCalm]).toEqual([false, false]);
});
