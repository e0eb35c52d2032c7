/** Tests the keeper's side of the screen thread, with a thread that the test plays. */
import { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import type { FromScreens, ScreenSource, ToScreens } from './messages.ts';
import { Screens } from './screens.ts';

interface Thread {
  readonly heard: ToScreens[];
  emit(name: string, value: unknown): void;
}

const threads = vi.hoisted((): Thread[] => []);

vi.mock('node:worker_threads', () => ({
  Worker: class extends EventEmitter implements Thread {
    readonly heard: ToScreens[] = [];

    constructor() {
      super();
      threads.push(this);
    }

    postMessage(message: ToScreens): void {
      this.heard.push(message);
    }

    unref(): void {}
  },
}));

const say = (message: FromScreens): void => threads[0]!.emit('message', message);

beforeEach(() => void threads.splice(0));

const SOURCE: ScreenSource = {
  id: 'abc',
  folder: '/nowhere',
  firstSize: { cols: 80, rows: 24 },
  pid: 7,
  command: ['sh'],
  startedAt: 0,
  isAdopted: false,
};

function start(): { screens: Screens; reached: number[] } {
  const reached: number[] = [];
  const ignore = (): void => {};
  const screens = new Screens('/nowhere', {
    onAnswers: ignore,
    onReached: (_, offset) => reached.push(offset),
    onFocusMode: ignore,
    onStatus: ignore,
    onLooked: ignore,
    onMilestone: ignore,
    onCommand: ignore,
    onOscEvent: ignore,
    warn: ignore,
  });
  return { screens, reached };
}

test('[QRY-2] the colours of a terminal are told to the next thread, too', () => {
  const { screens } = start();
  screens.follow(SOURCE, 0, 0);
  screens.colours('abc', { foreground: 'rgb:0000/0000/0000' });
  screens.colours('abc', { foreground: 'rgb:1111/2222/3333' });
  threads[0]!.emit('error', new Error('a fault'));
  expect(threads).toHaveLength(2);
  expect(threads[1]!.heard.map(({ type }) => type)).toEqual(['follow', 'colours']);
  expect(threads[1]!.heard[1]).toMatchObject({ id: 'abc', colours: { foreground: 'rgb:1111/2222/3333' } });
});

test('[QRY-1] a session that never queries its terminal is not read from its start again', () => {
  const { screens, reached } = start();
  screens.follow(SOURCE, 0, 0);
  for (const offset of [1000, 300_000, 301_000, 900_000]) say({ type: 'followed', sessions: [{ id: 'abc', offset }] });
  expect(reached).toEqual([300_000, 900_000]);
  threads[0]!.emit('error', new Error('a fault'));
  expect(threads[1]!.heard[0]).toMatchObject({ type: 'follow', answeredTo: 900_000 });
});

test('[SCR-9] the thread learns that a client has left, or has waited too long, and the answer is refused', async () => {
  vi.useFakeTimers();
  const { screens } = start();
  const client = new AbortController();
  const what = { type: 'screen', at: { offset: 1 }, format: 'text', historyLines: 0 } as const;
  const left = screens.ask(SOURCE, 10, what, client.signal).catch((error: unknown) => error);
  const late = screens.ask(SOURCE, 10, what).catch((error: unknown) => error);
  const answered = screens.ask(SOURCE, 10, what, client.signal).catch((error: unknown) => error);
  say({ type: 'failed', request: 3, reason: 'a fault' });
  await answered;
  client.abort();
  expect(await left).toMatchObject({ code: 'CONNECTION_LOST' });
  vi.advanceTimersByTime(30_000);
  expect(await late).toMatchObject({ code: 'INTERNAL' });
  const cancelled = threads[0]!.heard.filter(({ type }) => type === 'cancel');
  expect(cancelled).toEqual([
    { type: 'cancel', request: 1 },
    { type: 'cancel', request: 2 },
  ]);
  vi.useRealTimers();
});
