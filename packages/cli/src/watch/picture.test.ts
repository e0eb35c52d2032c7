import { expect, test } from 'vitest';
import { displayWidth } from '../output/printable.ts';
import { sessionWith } from './fixture.ts';
import { WatchList } from './list.ts';
import { bodyRows, pictureOf, type WatchPicture } from './picture.ts';
import { WatchScreen } from './screen.ts';
import { WatchSelection } from './selection.ts';

const SESSIONS = [
  sessionWith('deploy', {}, { state: 'blocked', kind: 'confirm', since: 10_000 }),
  sessionWith('build', { milestone: { name: 'x', title: '412 packages installed', offset: 1 } }),
  sessionWith('tests', { state: 'failed', exitCode: 3, endedAt: 0 }),
];

function pictured(change: Partial<WatchPicture> = {}, sessions = SESSIONS): WatchPicture {
  const list = new WatchList();
  list.replace(sessions);
  return {
    rows: list.shown({ filter: '', showsEnded: true }),
    counts: list.counts(),
    selected: 'build',
    top: 0,
    lastLines: new Map([['deploy', 'Continue? [y/N]']]),
    filter: '',
    showsEnded: true,
    showsHelp: false,
    footer: { type: 'keys' },
    now: 70_000,
    ...change,
  };
}

/** What is read, without looks. */
const plain = (lines: readonly string[]): string[] => lines.map((line) => line.replace(/\x1b\[[\d;]*m/g, '').trimEnd());

test('[STATE-4] a row tells the state, the name, since when, what it does and what it said last', () => {
  const size = { cols: 90, rows: 8 };
  expect(plain(pictureOf(pictured(), size, true))).toEqual([
    ' spool  1 blocked · 1 working · 1 ended',
    '  STATE            NAME    SINCE  DOING                    LAST LINE',
    '! blocked confirm  deploy     1m                           Continue? [y/N]',
    '  working          build      1m  412 packages installed',
    '  failed 3         tests      1m',
    '',
    '',
    ' enter attach · ? help · q quit · p prompt · s stop · / filter · a hide ended',
  ]);
  const [, , blocked, chosen, failed] = pictureOf(pictured(), size, true);
  expect([blocked!.slice(0, 7), chosen!.slice(0, 4), failed!.slice(0, 5)]).toEqual([
    '\x1b[1;33m',
    '\x1b[7m',
    '\x1b[31m',
  ]);
  expect(pictureOf(pictured(), size, false).join('')).not.toMatch(/\x1b\[(?:\d;)?3\d/); // no colours for who wants none
});

const HOSTILE = [
  '\x1b[2J\x1b]0;evil\x07\r\n\x9b31m',
  '漢字'.repeat(300),
  'e\u0301'.repeat(3000),
  '\u202eright to left\u2066',
  '👩‍👩‍👧‍👦'.repeat(50),
  '\ud800 half a character',
];

test.each([
  [200, 50],
  [80, 24],
  [40, 10],
  [20, 5],
  [10, 3],
  [5, 2],
  [2, 1],
  [1, 1],
])('[STATE-4] in %s × %s nothing is wider or higher than the terminal, and nothing hostile is obeyed', (cols, rows) => {
  const sessions = HOSTILE.map((text, at) =>
    sessionWith(
      `s${at}`,
      { name: text, title: text, command: [text] },
      at % 2 ? { state: 'blocked', kind: text, activity: text } : {},
    ),
  );
  const lastLines = new Map(sessions.map(({ id, name }) => [id, name]));
  for (const footer of [
    { type: 'keys' },
    { type: 'message', text: HOSTILE.join(''), isTrouble: true },
    { type: 'question', text: HOSTILE.join('') },
    { type: 'input', label: HOSTILE.join(''), text: HOSTILE.join('') },
  ] as const) {
    for (const change of [{}, { showsHelp: true }, { rows: [], filter: HOSTILE.join('') }]) {
      const lines = pictureOf(
        pictured({ lastLines, selected: 's1', footer, ...change }, sessions),
        { cols, rows },
        true,
      );
      expect(lines).toHaveLength(rows);
      for (const line of lines) {
        const text = line.replace(/\x1b\[[\d;]*m/g, '');
        expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2066]/);
        expect(displayWidth(text)).toBeLessThanOrEqual(Math.max(1, cols - 1));
        expect(line.length).toBeLessThan(5000);
      }
    }
  }
});

test('of a long text that is being typed one sees the end', () => {
  const footer = { type: 'input', label: 'prompt for x:', text: `${'a'.repeat(5000)} the end 漢字` } as const;
  const [line] = plain(pictureOf(pictured({ footer }), { cols: 40, rows: 5 }, true)).slice(-1);
  expect(line).toBe(' prompt for x: aaaaaaaaaa the end 漢字');
});

test('[STATE-4] only the rows that have changed are sent, in one synchronized update; a new size paints all', () => {
  const screen = new WatchScreen();
  const size = { cols: 80, rows: 3 };
  expect(screen.paint(['a', '', 'c'], size)).toBe(
    '\x1b[?2026h\x1b[m\x1b[2J\x1b[1;1H\x1b[ma\x1b[m\x1b[K\x1b[3;1H\x1b[mc\x1b[m\x1b[K\x1b[?2026l',
  );
  expect(screen.paint(['a', '', 'c'], size)).toBe('');
  expect(screen.paint(['a', 'b', 'c'], size)).toBe('\x1b[?2026h\x1b[2;1H\x1b[mb\x1b[m\x1b[K\x1b[?2026l');
  expect(screen.paint(['a', 'b', 'c'], { cols: 81, rows: 3 })).toContain('\x1b[2J');
  screen.forget();
  expect(screen.paint(['a', 'b', 'c'], { cols: 81, rows: 3 })).toContain('\x1b[2J');
});

test('the chosen row is a session: it stays chosen where it goes, stays in view, and its neighbour follows when it is gone', () => {
  const rowsOf = (ids: readonly string[]): WatchPicture['rows'] =>
    pictured(
      {},
      ids.map((id, at) => sessionWith(id, { startedAt: at })),
    ).rows;
  const selection = new WatchSelection();
  const many = rowsOf(Array.from({ length: 500 }, (_, at) => `s${at}`));
  const fit = bodyRows({ cols: 80, rows: 13 });
  const state = (): unknown => [selection.id, selection.top];
  selection.settle(many, fit);
  expect(state()).toEqual(['s0', 0]);
  selection.move(many, Infinity);
  selection.settle(many, fit);
  expect(state()).toEqual(['s499', 490]);
  selection.move(many, -3);
  selection.settle(many, fit);
  expect(state()).toEqual(['s496', 490]);
  selection.settle(many.slice(400), fit);
  expect(state()).toEqual(['s496', 90]);
  selection.settle(many.slice(400, 450), fit);
  expect(state()).toEqual(['s449', 40]);
  selection.settle([], fit);
  expect(state()).toEqual([null, 0]);
  selection.move([], 1);
  expect(selection.id).toBe(null);
});
