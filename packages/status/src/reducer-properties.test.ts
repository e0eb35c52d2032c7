/**
 * Tests for any events in any order that the reducer does not throw, does not grow, and gives the same result for the same input.
 */
import fc from 'fast-check';
import type { Status } from '@spool/protocol';
import type { OscEvent } from '@spool/vt';
import { expect, test } from 'vitest';
import { BUILT_IN_RULES } from './built-in-rules.ts';
import { StatusReducer } from './reducer.ts';
import type { ScreenView } from './sources/screen-lines.ts';

type Step =
  | { readonly do: 'fact'; readonly fact: OscEvent; readonly at: number }
  | { readonly do: 'output'; readonly bytes: number; readonly at: number; readonly offset: number }
  | { readonly do: 'screen'; readonly view: ScreenView; readonly at: number; readonly offset: number }
  | { readonly do: 'typed' | 'tick' | 'exited' | 'check'; readonly at: number };

const LINES = [
  '',
  'user@box:~$ ',
  '❯ ',
  '──────────',
  ' Do you want to proceed?',
  ' ❯ 1. Yes',
  '   2. No',
  ' Esc to cancel · Tab to amend',
  '✽ Baking… (3s)',
  '  esc to interrupt',
  '• Working (2s • esc to interrupt)',
  '› Ask Codex to do anything',
  'Continue? [y/N] ',
  'cc -c a.c',
  '漢字 😀',
];

const at = fc.integer({ min: -1000, max: 3_000_000 });
const offset = fc.integer({ min: 0, max: 1_000_000 });
const text = fc.oneof(
  fc.constantFrom('◐ Claude Code', '✳ x', '✋  Action Required', 'needs your approval', ''),
  fc.string(),
);
const id = fc.oneof(fc.constantFrom('', 'a', 'a/b'), fc.string({ maxLength: 8 }));
const fact: fc.Arbitrary<OscEvent> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom<object>(
        ...(['prompt-start', 'prompt-end', 'command-start', 'command-end', 'bell-rung'] as const).map((type) => ({
          type,
        })),
      ),
      text.map((command) => ({ type: 'command-text', command })),
      text.map((title) => ({ type: 'title-changed', title })),
      text.map((body) => ({ type: 'notified', title: '', body })),
      fc.constantFrom('none', 'indeterminate').map((state) => ({ type: 'progress-changed', progress: { state } })),
      fc
        .integer({ min: 0, max: 100 })
        .map((percent) => ({ type: 'progress-changed', progress: { state: 'normal', percent } })),
      fc
        .record({
          state: fc.constantFrom('idle', 'working', 'done', 'blocked', 'error', 'clear'),
          id,
          app: fc.constantFrom('codex', 'x'),
        })
        .map((status) => ({ type: 'status-reported', status })),
    ),
    offset,
  )
  .map(([kind, end]) => ({ ...kind, start: end, end }) as OscEvent);

const view: fc.Arbitrary<ScreenView> = fc.record({
  lines: fc
    .array(fc.oneof(fc.constantFrom(...LINES), fc.string()), { maxLength: 12 })
    .map((lines) => lines.map((line) => line.trimEnd())),
  cursor: fc.record({ row: fc.integer({ min: 0, max: 14 }), col: fc.integer({ min: 0, max: 100 }) }),
  isCursorVisible: fc.boolean(),
  isAlternate: fc.boolean(),
  title: text,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('fact' as const), fact, at }), weight: 4 },
  fc.record({ do: fc.constant('output' as const), bytes: fc.integer({ min: 0, max: 9999 }), at, offset }),
  { arbitrary: fc.record({ do: fc.constant('screen' as const), view, at, offset }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constantFrom('typed' as const, 'tick' as const, 'check' as const), at }), weight: 3 },
);
const steps = fc.array(step, { maxLength: 60 });
const command = fc.constantFrom('claude', 'codex', 'bash', 'make').map((program) => [program]);

function play(
  program: readonly string[],
  all: readonly Step[],
  onStatus: (status: Status) => void = () => {},
): StatusReducer {
  const reducer = new StatusReducer({ rules: BUILT_IN_RULES, command: program, startedAt: 0 });
  for (const each of all) {
    if (each.do === 'fact') reducer.fact(each.fact, each.at);
    else if (each.do === 'output') reducer.output(each.bytes, each.at, each.offset);
    else if (each.do === 'screen') reducer.screen(each.view, each.at, each.offset);
    else if (each.do === 'exited') reducer.exited(each.at, 0, 1, null);
    else if (each.do === 'check') {
      const { nextCheckAt } = reducer;
      if (nextCheckAt === null) continue;
      reducer.tick(nextCheckAt);
      expect(reducer.nextCheckAt ?? Number.POSITIVE_INFINITY).toBeGreaterThan(nextCheckAt);
    } else reducer[each.do](each.at);
    onStatus(reducer.status);
  }
  return reducer;
}

test('any order of anything: nothing is thrown, since never goes back, a check never asks for itself', () => {
  fc.assert(
    fc.property(command, steps, (program, all) => {
      let last: Status | undefined;
      play(program, all, (status) => {
        expect(status.since).toBeGreaterThanOrEqual(last?.since ?? 0);
        // Another question is another block; see `dialog.ts`.
        if (status.state === last?.state && status.state !== 'blocked') expect(status.since).toBe(last.since);
        expect(status.evidence.length).toBeLessThanOrEqual(8);
        if (status.state !== 'starting')
          expect(status.evidence[0]).toMatchObject({ source: status.source, says: status.state });
        last = status;
      });
    }),
    { numRuns: 300 },
  );
});

test('the same input gives the same status', () => {
  fc.assert(
    fc.property(command, steps, (program, all) => {
      const [one, other] = [play(program, all), play(program, all)];
      expect(one.status).toEqual(other.status);
      expect(one.nextCheckAt).toBe(other.nextCheckAt);
    }),
    { numRuns: 100 },
  );
});

test('an end is the end after anything', () => {
  fc.assert(
    fc.property(command, steps, steps, (program, before, after) => {
      const states = new Set<string>();
      let isOver = false;
      play(program, [...before, { do: 'exited', at: 0 }, ...after], ({ state }) => {
        isOver ||= state === 'exited';
        if (isOver) states.add(state);
      });
      expect([...states]).toEqual(['exited']);
    }),
    { numRuns: 100 },
  );
});

test('its memory is bounded, however many reports there are', () => {
  const reducer = new StatusReducer({ rules: BUILT_IN_RULES, command: ['x'], startedAt: 0 });
  const long = 'x'.repeat(100_000);
  for (let at = 0; at < 5000; at++) {
    reducer.fact(
      { type: 'status-reported', status: { state: 'working', id: `part-${at}` }, start: at, end: at + 1 },
      at,
    );
    reducer.fact({ type: 'command-text', command: `${at}`, start: at, end: at + 1 }, at);
    reducer.output(1, at, at);
  }
  // 5000 parts, of which 64 are kept: they are cleared, or dropped.
  for (let at = 5000 - 64; at < 5000; at++)
    reducer.fact({ type: 'status-reported', status: { state: 'clear', id: `part-${at}` }, start: 0, end: 1 }, 6000);
  expect(reducer.status.source).not.toBe('program');
  reducer.fact({ type: 'command-start', command: long, start: 0, end: 1 }, 5000);
  reducer.fact({ type: 'notified', title: long, body: `needs your approval ${long}`, start: 0, end: 1 }, 5000);
  reducer.screen({ ...NO_VIEW, lines: [`Continue? ${long} [y/N]`] }, 5000, 1);
  expect(JSON.stringify(reducer.status).length).toBeLessThan(4000);
});

const NO_VIEW: ScreenView = {
  lines: [],
  cursor: { row: 0, col: 0 },
  isCursorVisible: true,
  isAlternate: false,
  title: '',
};
