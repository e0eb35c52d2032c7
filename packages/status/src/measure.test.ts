/**
 * Tests the status at the marks of real recordings, measured on those that the rules were not tuned on (`testing/truth.ts`).
 *
 * The recordings are replayed with the real terminal model and the real reader of events, at their own times.
 */
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { mistakes, percent, SCREEN_ALONE, shareRight, table, verdicts, workedMs } from './testing/measurement.ts';
import { type StatusRecording, recordings } from './testing/recordings.ts';
import { replay } from './testing/replay.ts';
import { EXCEPTIONS, HELD_OUT, LEFT_OUT, TRUTH } from './testing/truth.ts';

vi.setConfig({ testTimeout: 60_000 });

const ALL = recordings();
const MARKED = ALL.filter(({ events }) => events.some(([, type]) => type === 'm'));
const heldOut = MARKED.filter(({ name }) => HELD_OUT.has(name));
const tuned = MARKED.filter(({ name }) => !HELD_OUT.has(name));

const KNOWN_MISTAKES = [
  // The program's own report is wrong for this purpose: a terminal continues to run in the background, but its prompt waits.
  'codex/tui-session-full 18431 ms idle-after-interrupt: working (program), not idle',
];

const KNOWN_BY_SCREEN = [
  // Soon after its start: the box is drawn, but the lines beside it still change.
  'codex/tui-session-full 1875 ms idle-startup: starting (process), not idle',
  // The same mark by the screen alone: the interrupted answer has no line below it that reports the interruption.
  'codex/tui-session-full 18431 ms idle-after-interrupt: working (codex/interruptible), not idle',
];

test('[STATE-1] on recordings that no rule was tuned on, at least 95 % of the marks are right', () => {
  const found = heldOut.flatMap((recording) => verdicts(recording));
  expect(shareRight(found), mistakes(found).join('\n')).toBeGreaterThanOrEqual(0.95);
});

test('[STATE-1] also by the screen alone, without reports, titles and notifications', () => {
  const found = heldOut.flatMap((recording) => verdicts(recording, SCREEN_ALONE));
  expect(shareRight(found), mistakes(found).join('\n')).toBeGreaterThanOrEqual(0.95);
});

test('[STATE-1] work is seen as long as the programs themselves say that they work, by the screen alone', () => {
  const spans = heldOut.map(workedMs);
  const [said, found] = [sum(spans.map((span) => span.said)), sum(spans.map((span) => span.found))];
  expect(said).toBeGreaterThan(20_000);
  expect(found / said).toBeGreaterThanOrEqual(0.95);
});

test('on the recordings that the rules were tuned on, the mistakes are known', () => {
  expect(mistakes(tuned.flatMap((recording) => verdicts(recording)))).toEqual(KNOWN_MISTAKES);
  expect(mistakes(tuned.flatMap((recording) => verdicts(recording, SCREEN_ALONE)))).toEqual(KNOWN_BY_SCREEN);
});

test('[STATE-1] also where nothing tells which agent was started: it is recognised by what it shows', () => {
  const unnamed = heldOut.map((recording) => ({ ...recording, command: ['bash'] }));
  const found = unnamed.flatMap((recording) => verdicts(recording, SCREEN_ALONE));
  expect(shareRight(found), mistakes(found).join('\n')).toBeGreaterThanOrEqual(0.95);
});

test('programs that are not agents: a shell is idle at each key, an editor asks no question', () => {
  const states = (name: string): string[] => {
    const seen = new Set<string>();
    replay(
      ALL.find((recording) => recording.name === name)!,
      {
        looksAlways: true,
        onEvent: ([, type], { state }) => type === 'i' && seen.add(state),
      },
    );
    return [...seen];
  };
  expect(states('local/bash')).toEqual(['idle']);
  expect(['local/vim', 'local/tmux'].flatMap(states)).not.toContain('blocked');
});

test.each([
  ['with everything', undefined],
  ['by the screen alone', SCREEN_ALONE],
] as const)(
  '[STATE-1] no dialog reads idle, at no read between its mark and the key that answers it: %s',
  (_, withholds) => {
    const idle: string[] = [];
    let [looks, dialogs] = [0, 0];
    for (const recording of MARKED) {
      let dialog: string | null = null;
      replay(recording, {
        looksAlways: true,
        ...(withholds && { withholds }),
        onEvent: ([ms, type, label], { state, evidence }) => {
          if (type === 'i') dialog = null;
          if (type === 'm') dialog = TRUTH[label as string] === 'blocked' ? (label as string) : null;
          if (type === 'm' && dialog !== null) dialogs++;
          if (dialog === null) return;
          looks++;
          if (state === 'idle') idle.push(`${recording.name} ${ms} ms ${dialog}: ${evidence[0]?.why}`);
        },
      });
    }
    expect(idle).toEqual([]);
    expect(dialogs).toBe(countOf('blocked'));
    expect(looks).toBeGreaterThan(dialogs);
  },
);

test('every mark has a truth, or a reason why it is left out; both halves of the split are there', () => {
  const labels = new Set(
    MARKED.flatMap(({ events }) => events.flatMap(([, type, label]) => (type === 'm' ? [label] : []))),
  );
  expect([...labels].filter((label) => !(label in TRUTH) && !(label in LEFT_OUT))).toEqual([]);
  expect([...Object.keys(TRUTH), ...Object.keys(LEFT_OUT)].filter((label) => !labels.has(label))).toEqual([]);
  expect(Object.keys(EXCEPTIONS).filter((key) => !HELD_OUT.has(key.split(' ')[0]!))).toEqual([]);
  expect([...HELD_OUT].filter((name) => !ALL.some((recording) => recording.name === name))).toEqual([]);
});

test('docs/state.md shows the figures as they are', () => {
  const page = readFileSync(new URL('../../../docs/state.md', import.meta.url), 'utf8');
  expect(page).toContain(figuresOf('Held out', heldOut));
  expect(page).toContain(figuresOf('Tuned on', tuned));
});

function figuresOf(title: string, half: readonly StatusRecording[]): string {
  const everything = half.flatMap((recording) => verdicts(recording));
  const screenAlone = half.flatMap((recording) => verdicts(recording, SCREEN_ALONE));
  const right = `${percent(shareRight(everything))} right, ${percent(shareRight(screenAlone))} by the screen alone`;
  return `${title}: ${half.length} recordings, ${everything.length} marks, ${right}.\n\n${table(everything, screenAlone)}\n`;
}

function countOf(state: string): number {
  return MARKED.flatMap(({ events }) =>
    events.filter(([, type, label]) => type === 'm' && TRUTH[label as string] === state),
  ).length;
}

const sum = (all: readonly number[]): number => all.reduce((one, other) => one + other, 0);
