import { ansiLine, type Line, plainText } from '@spool/render';
import { expect, test } from 'vitest';
import { displayWidth } from '../output/printable.ts';
import { sessionWith } from './fixture.ts';
import { WatchList } from './list.ts';
import type { Size } from '@spool/protocol';
import { layoutOf } from './layout.ts';
import { pictureOf, type WatchPicture } from './picture.ts';
import { ScreenLines } from '../tui/screen-lines.ts';
import { TextInput } from '../tui/text-input.ts';
import { WatchSelection } from './selection.ts';

const SESSIONS = [
  sessionWith('deploy', {}, { state: 'blocked', kind: 'confirm', since: 10_000 }),
  sessionWith('build', { milestone: { name: 'x', title: '412 packages installed', offset: 1 } }),
  sessionWith('tests', { state: 'failed', exitCode: 3, endedAt: 0 }),
];

const KEYS = { type: 'keys', isAsking: false } as const;

function pictured(
  size: Size,
  change: Partial<WatchPicture> = {},
  {
    sessions = SESSIONS,
    preview = false,
    panel = 0,
  }: { sessions?: typeof SESSIONS; preview?: boolean; panel?: number } = {},
): WatchPicture {
  const list = new WatchList();
  list.replace(sessions);
  return {
    rows: list.shown({ filter: '', showsEnded: true }),
    counts: list.counts(),
    selected: 'build',
    top: 0,
    lastLines: new Map([['deploy', 'Continue? [y/N]']]),
    filter: '',
    isFiltering: false,
    showsEnded: true,
    showsHelp: false,
    order: null,
    layout: layoutOf(size, { rows: sessions.length, preview, panel }),
    previewTitle: '',
    panel: [],
    request: [],
    message: null,
    footer: KEYS,
    now: 70_000,
    ...change,
  };
}

/** Returns the text of the lines, without looks. */
const plain = (lines: readonly (Line | null)[]): (string | null)[] =>
  lines.map((line) => line && plainText(line).trimEnd());

test('[STATE-4] a row tells the state, the name, since when, what it does and what it said last', () => {
  const size = { cols: 90, rows: 8 };
  expect(plain(pictureOf(pictured(size), size))).toEqual([
    ' spool  1 blocked · 1 working · 1 ended',
    '  STATE            NAME    SINCE  DOING                     LAST LINE',
    '! blocked confirm  deploy     1m                            Continue? [y/N]',
    '  working          build      1m  412 packages installed',
    '  failed 3         tests      1m',
    '',
    '',
    ' enter attach · ? help · q quit · p prompt · n new · s stop · x remove · / filter',
  ]);
  const painted = (mode: 'colours' | 'weights'): string[] =>
    pictureOf(pictured(size), size).map((line) => ansiLine(line!, mode));
  const [, , blocked, chosen, failed] = painted('colours');
  expect([blocked!.slice(0, 7), chosen!.slice(0, 4), failed!.slice(0, 5)]).toEqual([
    '\x1b[1;33m',
    '\x1b[7m',
    '\x1b[31m',
  ]);
  expect(painted('weights').join('')).not.toMatch(/\x1b\[(?:\d;)?3\d/); // no colours for who wants none
});

test('[WATCH-40] in 40 columns a state is one word, and what fits is told', () => {
  const size = { cols: 40, rows: 8 };
  expect(plain(pictureOf(pictured(size), size)).slice(1, 5)).toEqual([
    '  STATE     NAME    SINCE  DOING',
    '! blocked   deploy     1m  Continue? […',
    '  working   build      1m  412 package…',
    '  failed 3  tests      1m',
  ]);
});

test('[WATCH-40] of a list that does not fit, it says which part is shown', () => {
  const size = { cols: 40, rows: 8 };
  const sessions = Array.from({ length: 20 }, (_, at) => sessionWith(`s${at}`, { startedAt: at }));
  const lines = plain(pictureOf(pictured(size, { top: 3, lastLines: new Map() }, { sessions }), size));
  expect(lines[1]).toBe('  STATE    NAME    SINCE  L…  4–8 of 20');
});

test('[WATCH-40] what one column does not need goes to the other', () => {
  const size = { cols: 90, rows: 8 };
  const long = 'a long last line that takes all the room that there is, and more of it than there is';
  const lines = (title: string): string => {
    const sessions = [sessionWith('build', { title })];
    return plain(pictureOf(pictured(size, { lastLines: new Map([['build', long]]) }, { sessions }), size))[2]!;
  };
  expect(lines('short')).toBe(
    '  working  build      1m  short         a long last line that takes all the room that th…',
  );
  expect(lines('')).toBe('  working  build      1m  a long last line that takes all the room that there is, and mo…');
  expect(lines(`${long} indeed`)).toBe(
    '  working  build      1m  a long last line that takes a…  a long last line that takes al…',
  );
});

test('[WATCH-40] a preview takes the rows that the list does not need; a panel is below it', () => {
  const size = { cols: 60, rows: 20 };
  const change = { previewTitle: 'build · 200×50', panel: ['build asks: Go?', '  1  Yes', '  2  No'] };
  expect(plain(pictureOf(pictured(size, change, { preview: true, panel: 3 }), size)).slice(2)).toEqual([
    '! blocked   deploy     1m                   Continue? [y/N]',
    '  working   build      1m  412 packages installed',
    '  failed 3  tests      1m',
    '── build · 200×50 ─────────────────────────────────────────',
    ...Array.from({ length: 10 }, () => null),
    ' build asks: Go?',
    '   1  Yes',
    '   2  No',
    ' enter attach · ? help · q quit · p prompt · n new · s stop',
  ]);
});

test.each([
  [{ cols: 80, rows: 24 }, 2, null, { list: 3, preview: 17 }],
  [{ cols: 80, rows: 24 }, 100, null, { list: 10, preview: 10 }],
  [{ cols: 200, rows: 50 }, 100, null, { list: 23, preview: 23 }],
  [{ cols: 40, rows: 15 }, 100, null, { list: 12, preview: 0 }],
  [{ cols: 40, rows: 15 }, 4, null, { list: 4, preview: 7 }],
  [{ cols: 40, rows: 15 }, 8, null, { list: 12, preview: 0 }],
  [{ cols: 40, rows: 15 }, 100, true, { list: 6, preview: 5 }],
  [{ cols: 40, rows: 9 }, 100, true, { list: 6, preview: 0 }],
  [{ cols: 80, rows: 24 }, 0, null, { list: 21, preview: 0 }],
  [{ cols: 80, rows: 24 }, 9, false, { list: 21, preview: 0 }],
])('[WATCH-40] in %j with %s sessions (preview: %s) the rows are shared so', (size, rows, preview, shared) => {
  expect(layoutOf(size, { rows, preview, panel: 0 })).toMatchObject(shared);
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
    KEYS,
    { type: 'message', text: HOSTILE.join(''), isTrouble: true },
    { type: 'question', text: HOSTILE.join('') },
    { type: 'input', label: HOSTILE.join(''), input: new TextInput(HOSTILE.join('')) },
  ] as const) {
    const panel = HOSTILE;
    for (const change of [
      {},
      { showsHelp: true },
      { rows: [], filter: HOSTILE.join('') },
      { panel, previewTitle: HOSTILE.join('') },
    ]) {
      const lines = pictureOf(
        pictured(
          { cols, rows },
          { lastLines, selected: 's1', footer, ...change },
          { sessions, preview: true, panel: 'panel' in change ? 5 : 0 },
        ),
        { cols, rows },
      );
      expect(lines).toHaveLength(rows);
      for (const line of lines) {
        if (line === null) continue;
        const text = plainText(line);
        expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2066]/);
        expect(displayWidth(text)).toBeLessThanOrEqual(Math.max(1, cols - 1));
        expect(text.length).toBeLessThan(5000);
      }
    }
  }
});

test('of a long text that is being typed one sees the end', () => {
  const footer = {
    type: 'input',
    label: 'prompt for x:',
    input: new TextInput(`${'a'.repeat(5000)} the end 漢字`),
  } as const;
  const size = { cols: 40, rows: 5 };
  const [line] = plain(pictureOf(pictured(size, { footer }), size)).slice(-1);
  expect(line).toBe(' prompt for x: aaaaaaaaaa the end 漢字');
});

test('[STATE-4] only the rows that have changed are sent, in one synchronized update; a new size paints all', () => {
  const screen = new ScreenLines();
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
    pictured({ cols: 80, rows: 24 }, {}, { sessions: ids.map((id, at) => sessionWith(id, { startedAt: at })) }).rows;
  const selection = new WatchSelection();
  const many = rowsOf(Array.from({ length: 500 }, (_, at) => `s${at}`));
  const fit = 10;
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
  // Several keys may come before the list is drawn again.
  selection.settle(many, fit);
  for (const by of [1, 1, 1, -1]) selection.move(many, by);
  expect(selection.id).toBe('s2');
  // A session that was just started is selected when it appears.
  selection.choose('s77');
  selection.settle(many.slice(0, 50), fit);
  expect(selection.id).toBe('s2');
  selection.settle(many, fit);
  expect(state()).toEqual(['s77', 68]);
});

test('[WATCH-40] rows that somebody else paints are painted completely when they have moved', () => {
  const screen = new ScreenLines();
  const size = { cols: 80, rows: 3 };
  const asked: boolean[] = [];
  const paint = (lines: (string | null)[]): string =>
    screen.paint(lines, size, (isFresh) => {
      asked.push(isFresh);
      return 'REST';
    });
  expect(paint(['a', null, 'c'])).toMatch(/^\x1b\[\?2026h\x1b\[m\x1b\[2J.*REST\x1b\[\?2026l$/);
  expect(paint(['a', null, 'c'])).toBe('\x1b[?2026hREST\x1b[?2026l');
  paint([null, null, 'c']);
  expect(paint(['a', null, 'c'])).toContain('\x1b[1;1H\x1b[ma');
  expect(asked).toEqual([true, false, true, true]);
});

test('[WATCH-40] a filter without a match says so, also while it is typed', () => {
  const size = { cols: 80, rows: 8 };
  const typing = {
    rows: [],
    filter: 'zz',
    isFiltering: true,
    footer: { type: 'input', label: 'filter:', input: new TextInput('zz') },
  } as const;
  const lines = plain(pictureOf(pictured(size, typing), size));
  expect(lines[0]).toBe(' spool  1 blocked · 1 working · 1 ended');
  expect(lines[2]).toBe('  No session contains "zz"; press escape to show all.');
});

test('[WATCH-3] a message that is too long for the last line is wrapped above it, to its end', () => {
  const size = { cols: 40, rows: 10 };
  const message = { text: 'tests has no terminal; follow its output with: spool logs -f tests', isTrouble: true };
  const lines = plain(pictureOf(pictured(size, { message }, { panel: 2 }), size));
  expect(lines.slice(-3)).toEqual([
    ' tests has no terminal; follow its',
    ' output with: spool logs -f tests',
    ' enter attach · ? help · q quit',
  ]);
});

test('[WATCH-40] what a session asks takes the room of its last line too, if that says the same or nothing', () => {
  const size = { cols: 68, rows: 8 };
  const text = 'Overwrite the file config.json?';
  const question = { text, options: [] };
  const asks = sessionWith('asks', {}, { state: 'blocked', kind: 'confirm', since: 10_000, question });
  const change = {
    lastLines: new Map([
      ['asks', text],
      ['build', 'compiling the parser now'],
    ]),
  };
  const picture = pictured(size, change, { sessions: [asks, SESSIONS[1]!] });
  expect(plain(pictureOf(picture, size))[2]).toContain(text);
});
