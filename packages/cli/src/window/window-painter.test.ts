import { ScreenModel, useWidths } from '@spool/screen';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOSTILE, inEightBits } from '@spool/vt/testing/hostile';
import { shownCells } from '../testing/shown-cells.ts';
import { WindowPainter } from './window-painter.ts';

const SESSION = { cols: 24, rows: 9 };

const TEXTS = [
  'a',
  'word ',
  'xxxxxxxxxxx',
  '   ',
  '漢字',
  '한',
  'e\u0301',
  '\u0301',
  '👩\u200d💻',
  '⚠\ufe0f',
  '🇩🇪',
  '─│┌',
  '\u3000',
  '\r\n',
];
/**
 * The sequences under test, without 1049: xterm's public interface calls text underlined that is not, after a saved cursor was
 * restored.
 */
const SEQUENCES = [
  '\x1b[K',
  '\x1b[2J',
  '\x1b[L',
  '\x1b[M',
  '\x1b[2P',
  '\x1b[3@',
  '\x1b[4X',
  '\x1b[2S',
  '\x1b[T',
  '\x1bM',
  '\x1b[3;6r',
  '\x1b[r',
  '\x1b[?47h',
  '\x1b[?47l',
  '\x1b[4h',
  '\x1b[4l',
];
const LINKS = ['\x1b]8;;http://a/\x1b\\', '\x1b]8;id=7;https://b/?x=1;2\x07', '\x1b]8;;\x07'];
const SGR = [
  '',
  '1',
  '2',
  '3',
  '4',
  '4:3',
  '5',
  '7',
  '8',
  '9',
  '22',
  '27',
  '53',
  '31',
  '42',
  '97',
  '38;5;200',
  '48;2;1;2;3',
  '58:5:9',
  '39',
  '49',
];

const piece = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
    { weight: 3, arbitrary: fc.constantFrom(...SGR).map((code) => `\x1b[${code}m`) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.integer({ min: 1, max: SESSION.rows }), fc.integer({ min: 1, max: SESSION.cols }))
        .map(([row, col]) => `\x1b[${row};${col}H`),
    },
    { weight: 2, arbitrary: fc.constantFrom(...SEQUENCES) },
    { weight: 1, arbitrary: fc.constantFrom(...LINKS) },
  );
const program = (): fc.Arbitrary<string> => fc.array(piece(), { maxLength: 40 }).map((pieces) => pieces.join(''));

interface Step {
  readonly printed: string;
  readonly top: number;
  readonly left: number;
}
const step = (): fc.Arbitrary<Step> =>
  fc.record({
    printed: program(),
    top: fc.integer({ min: 0, max: SESSION.rows - 1 }),
    left: fc.integer({ min: 0, max: SESSION.cols - 1 }),
  });
const target = (): fc.Arbitrary<{ top: number; left: number; rows: number; cols: number }> =>
  fc.record({
    top: fc.integer({ min: 0, max: 3 }),
    left: fc.integer({ min: 0, max: 5 }),
    rows: fc.integer({ min: 1, max: 12 }),
    cols: fc.integer({ min: 1, max: 30 }),
  });

test('[SIZE-6] any window of any screen, painted from scratch or by what has changed, has the cells of the screen', () => {
  fc.assert(
    fc.property(target(), fc.array(step(), { minLength: 1, maxLength: 4 }), (rectangle, steps) => {
      const { model, session } = both();
      const painter = new WindowPainter(rectangle);
      const viewer = terminal({ cols: rectangle.left + rectangle.cols, rows: rectangle.top + rectangle.rows });
      write(viewer, `${'#'.repeat(viewer.cols * viewer.rows)}\x1b[?7l`);
      for (const { printed, top, left } of steps) {
        model.write(Buffer.from(printed));
        write(session, printed);
        write(viewer, painter.paint(model, { top, left }));
        const rows = Math.min(rectangle.rows, SESSION.rows - top);
        const cols = Math.min(rectangle.cols, SESSION.cols - left);
        const part = { top: rectangle.top, left: rectangle.left, rows, cols };
        expect(shownCells(viewer, part)).toEqual(shownCells(session, { top, left, rows, cols }));
        expect(outside(viewer, rectangle)).toMatch(/^#*$/);
        expect(painter.paint(model, { top, left })).toBe('');
      }
      model.dispose();
      session.dispose();
      viewer.dispose();
    }),
    { numRuns: 200 },
  );
});

test('[SIZE-6] only what has changed is written', () => {
  const { model } = both();
  const painter = new WindowPainter({ top: 0, left: 0, rows: 9, cols: 24 });
  model.write(Buffer.from('one two three\r\nfour'));
  painter.paint(model, { top: 0, left: 0 });
  model.write(Buffer.from('\x1b[1;5HTWO'));
  expect(painter.paint(model, { top: 0, left: 0 })).toBe('\x1b[1;5HTWO');
});

test('[SIZE-6] a wide character that the edge cuts is a blank, and nothing is moved by it', () => {
  const { model } = both();
  model.write(Buffer.from('漢字漢字|'));
  const viewer = terminal({ cols: 5, rows: 1 });
  const painter = new WindowPainter({ top: 0, left: 0, rows: 1, cols: 5 });
  const lines: string[] = [];
  for (const left of [0, 1, 2, 3, 4]) {
    write(viewer, painter.paint(model, { top: 0, left }));
    lines.push(viewer.buffer.active.getLine(0)!.translateToString());
  }
  expect(lines).toEqual(['漢字 ', ' 字漢', '字漢 ', ' 漢字', '漢字|']);
});

test('[SIZE-6] a session smaller than the rectangle ends at a dim line, and what is beyond is blank', () => {
  const { model } = both();
  model.write(Buffer.from('\x1b[9;24Hx'));
  const viewer = terminal({ cols: 28, rows: 12 });
  write(viewer, `${'#'.repeat(28 * 12)}\x1b[?7l`);
  write(viewer, new WindowPainter({ top: 0, left: 0, rows: 12, cols: 28 }).paint(model, { top: 0, left: 0 }));
  const lines = Array.from({ length: 12 }, (_, row) =>
    viewer.buffer.active.getLine(row)!.translateToString().trimEnd(),
  );
  expect(lines.slice(7)).toEqual([`${' '.repeat(24)}│`, `${' '.repeat(23)}x│`, `${'─'.repeat(24)}┘`, '', '']);
});

test('[ATT-8, SIZE-6] whatever hostile programs print, only texts, colours, places and links to the web are written', () => {
  const allowed =
    /^(?:[^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\x1b\[[\d;:]*m|\x1b\[\d+(?:;\d+)?H|\x1b\[\d*[CX]|\x1b\]8;;(?:https?:\/\/[\x21-\x7e]+)?\x1b\\)*$/;
  const { model } = both();
  for (const sequence of HOSTILE) {
    const forms = [
      Buffer.from(sequence, 'latin1'),
      inEightBits(sequence, 'bytes'),
      inEightBits(sequence, 'characters'),
    ];
    for (const form of forms) {
      model.write(Buffer.from('\x18\x1bc'));
      model.write(Buffer.concat([Buffer.from('before '), form, Buffer.from(' \u202eafter\u200e a\u0301\u202e')]));
      expect(new WindowPainter({ top: 0, left: 0, rows: 9, cols: 24 }).paint(model, { top: 0, left: 0 })).toMatch(
        allowed,
      );
    }
  }
});

function both(): { model: ScreenModel; session: xterm.Terminal } {
  return { model: new ScreenModel(SESSION, { scrollback: 0 }), session: terminal(SESSION) };
}

function terminal(size: { cols: number; rows: number }): xterm.Terminal {
  const made = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 0, logLevel: 'off' });
  useWidths(made);
  return made;
}

/** Writes at once: xterm's public `write` waits for a timer, which a thousand cases have no time for. */
function write(to: xterm.Terminal, text: string): void {
  (to as unknown as { _core: { writeSync(bytes: Uint8Array): void } })._core.writeSync(Buffer.from(text));
}

/** Returns the cells left of and above the rectangle. */
function outside(viewer: xterm.Terminal, { top, left }: { top: number; left: number }): string {
  return Array.from({ length: viewer.rows }, (_, row) =>
    viewer.buffer.active.getLine(row)!.translateToString(false, 0, row < top ? viewer.cols : left),
  ).join('');
}
