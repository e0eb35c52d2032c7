import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Log } from '@spool/store';
import { expect, onTestFinished, test } from 'vitest';
import { type CpuClock, REPLAY_MS_MAX } from './drawing-cost.ts';
import { FLOOD_KEYFRAME_EVERY_BYTES, Keyframes } from './keyframes.ts';
import type { FromScreens, ScreenAnswer, TerminalSource } from '../messages.ts';
import { PastQuestions } from './past-questions.ts';

const LINE_BYTES = 64;
/** Returns a line with a mode, which only the model can read: plain lines would take no time. */
const line = (number: number): string => `\x1b[?7h${String(number).padEnd(LINE_BYTES - 7, '.')}\r\n`;

/** Creates a session that has written this many lines of 64 bytes, and has no keyframe. */
function flooded(lines: number): TerminalSource {
  const folder = mkdtempSync(`${tmpdir()}/spool-past-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(`${folder}/log`);
  using log = Log.open(`${folder}/log`);
  for (let from = 0; from < lines; from += 10_000) {
    const count = Math.min(10_000, lines - from);
    log.append(Buffer.from(Array.from({ length: count }, (_, n) => line(from + n)).join('')), 1000 + from);
  }
  const firstSize = { cols: 80, rows: 10 };
  return { id: 'flooded', folder, firstSize, pid: 1, command: ['x'], startedAt: 0, isAdopted: false };
}

type Screen = Extract<ScreenAnswer, { type: 'screen' }>;

/** Asks for the screen after `lines` lines; `turns` counts the turns of other work before the answer. */
function ask(
  source: TerminalSource,
  lines: number,
  historyLines = 0,
  cpuMs: CpuClock = () => 0,
): { shown: string[]; turns: number } {
  const told: FromScreens[] = [];
  const questions = new PastQuestions(
    (message) => told.push(message),
    ({ folder }) => new Keyframes(folder),
    cpuMs,
  );
  const at = { offset: lines * LINE_BYTES };
  questions.add({ request: 1, source, what: { type: 'screen', at, format: 'text', historyLines }, end: at.offset });
  let turns = 0;
  for (; questions.areWaiting; turns++) questions.work();
  const [message] = told;
  if (message?.type !== 'answer') throw new Error(JSON.stringify(message));
  const { content } = message.answer as Screen;
  return { shown: content.split('\n').map((text) => text.replace(/\.+$/, '')), turns };
}

test(
  '[SCR-1] a screen inside a flood is exact, made in slices, and what the replay found is kept',
  { timeout: 60_000 },
  () => {
    const lines = (1.25 * FLOOD_KEYFRAME_EVERY_BYTES) / LINE_BYTES;
    const source = flooded(lines);
    const first = ask(source, lines - 1000);
    expect(first.shown.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, n) => String(lines - 1000 - 9 + n)));
    expect(first.turns).toBeGreaterThan(4);
    const offsets = new Keyframes(source.folder).before(Infinity).reverse();
    expect(offsets.map((offset) => Math.floor(offset / FLOOD_KEYFRAME_EVERY_BYTES))).toEqual([1, 1]);
    const second = ask(source, lines - 500);
    expect(second.shown[0]).toBe(String(lines - 500 - 9));
    expect(second.turns).toBeLessThan(first.turns / 2);
  },
);

test('[SCR-1] lines above the screen are found in the log, as many as are asked for', () => {
  const lines = 60_000;
  const source = flooded(lines);
  ask(source, 50_000); // this leaves keyframes, with a few lines each
  const { shown } = ask(source, lines, 1000);
  expect(shown.slice(0, 1009)).toEqual(Array.from({ length: 1009 }, (_, n) => String(lines - 1009 + n)));
});

/** Returns a clock for which each step of drawing takes this long. */
function steps(ms: number): { readonly cpuMs: CpuClock; readonly spent: () => number } {
  let calls = 0;
  return { cpuMs: () => Math.floor(++calls / 2) * ms, spent: () => Math.floor(calls / 2) * ms };
}

test('[SCR-8] a replay of costly output leaves a keyframe for each half second of drawing, and the next one is that short', () => {
  const lines = 10_000;
  const source = flooded(lines);
  const first = steps(100);
  ask(source, lines, 0, first.cpuMs);
  const count = new Keyframes(source.folder).before(Infinity).length;
  expect(first.spent()).toBeGreaterThan(10 * REPLAY_MS_MAX);
  expect(count).toBeGreaterThanOrEqual(Math.floor(first.spent() / REPLAY_MS_MAX) - 1);
  expect(count).toBeLessThanOrEqual(Math.ceil((2 * first.spent()) / REPLAY_MS_MAX));
  for (const each of [1234, 5000, 7777, 9999]) {
    const again = steps(100);
    expect(ask(source, each, 0, again.cpuMs).shown[8]).toBe(String(each - 1));
    expect(again.spent()).toBeLessThanOrEqual(REPLAY_MS_MAX + 100);
  }
});

test('[SCR-9] a replay that no client waits for ends, and one that has not begun never begins', () => {
  const source = flooded(200_000);
  const told: FromScreens[] = [];
  const begun: string[] = [];
  const questions = new PastQuestions(
    (message) => told.push(message),
    ({ id, folder }) => {
      begun.push(id);
      return new Keyframes(folder);
    },
    steps(1).cpuMs,
  );
  const what = { type: 'screen', at: null, format: 'text', historyLines: 0 } as const;
  for (const request of [1, 2, 3])
    questions.add({ request, source: { ...source, id: `asked-${request}` }, what, end: 200_000 * LINE_BYTES });
  questions.work();
  questions.cancel(2);
  questions.cancel(1);
  questions.cancel(3);
  questions.cancel(3);
  expect([questions.areWaiting, begun, told]).toEqual([false, ['asked-1'], []]);
});

test('a question about a session that was removed is dropped, and the next one has its turn', () => {
  const source = flooded(100);
  const told: FromScreens[] = [];
  const questions = new PastQuestions(
    (message) => told.push(message),
    ({ folder }) => new Keyframes(folder),
  );
  const what = { type: 'screen', at: null, format: 'text', historyLines: 0 } as const;
  questions.add({ request: 1, source: { ...source, id: 'removed' }, what, end: 6400 });
  questions.add({ request: 2, source, what, end: 6400 });
  questions.forget('removed');
  while (questions.areWaiting) questions.work();
  expect(told.map((message) => message.type === 'answer' && message.request)).toEqual([2]);
});
