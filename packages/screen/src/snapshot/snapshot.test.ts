import xterm from '@xterm/headless';
import { asRestored, EscapeScanner, ModeTracker } from '@spool/vt';
import { expect, test } from 'vitest';
import { ScreenModel } from '../engine/screen-model.ts';
import { snapshot } from './snapshot.ts';
import { difference } from '../testing/difference.ts';
import { madeUpProgram } from '../testing/made-up-program.ts';
import { TerminalPage } from '../testing/page.ts';
import { recordings } from '../testing/recordings.ts';

const SIZE = { cols: 20, rows: 6 };
/** State that `undo` needs; the snapshot takes it from the picture. */
const NOT_MODES = { hasMargins: false, charsets: '', colours: [], hasHyperlink: false, iconName: '' };

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

function modelOf(text: string, size = SIZE): ScreenModel {
  const model = new ScreenModel(size);
  model.write(bytes(text));
  return model;
}

function paintedWith(model: ScreenModel, page = new TerminalPage(model.size)): TerminalPage {
  page.write(snapshot(model));
  return page;
}

test('[ATT-4] modes are all set again, input last', () => {
  const model = modelOf(
    '\x1b[>5u\x1b[?1;1002;1004;1006;2004;2031;2048h\x1b=\x1b[?1049h\x1b[>1u\x1b[5 q\x1b[?25l\x1b[>4;2m\x1b]0;title\x07\x1b[20h\x1b[?6h\x1b[4hx',
  );
  const tracker = new ModeTracker();
  new EscapeScanner({ onSequence: (sequence) => tracker.apply(sequence) }).feed(snapshot(model));
  // An icon name that equals the title is not repeated.
  expect({ ...tracker.state, ...NOT_MODES }).toEqual({ ...asRestored(model.modes), ...NOT_MODES });
  const text = Buffer.from(snapshot(model)).toString();
  expect(text.indexOf('\x1b[?2004h')).toBeGreaterThan(text.indexOf('\x1b[2J'));
});

test('[ATT-4] modes: a terminal that may not send is not told to', () => {
  const model = modelOf('\x1b[?1;1002;1004;1006;2004h\x1b[>5u\x1b=text');
  const text = Buffer.from(snapshot(model, { input: false })).toString();
  expect(text).not.toMatch(/\x1b\[\?(1|1002|1004|1006|2004)h|\x1b\[>5u|\x1b=/);
  expect(text).toContain('text');
});

test('[ATT-1] snapshot: an open synchronized frame is seen, and the rest of it is drawn', () => {
  const page = paintedWith(modelOf('old\x1b[?2026h\x1b[2J\x1b[Hnew'));
  expect(page.core.buffers.active.lines.get(0)!.getString(0)).toBe('n');
  expect((page.core.coreService.decPrivateModes as unknown as { synchronizedOutput: boolean }).synchronizedOutput).toBe(
    false,
  );
});

test('[ATT-1] snapshot: the title is set', () => {
  const titles: string[] = [];
  new EscapeScanner({
    onSequence: (sequence) =>
      void (
        sequence.kind === 'osc' &&
        titles.push(Buffer.from(sequence.source.subarray(sequence.dataFrom, sequence.dataTo)).toString())
      ),
  }).feed(snapshot(modelOf('\x1b]0;the title\x07')));
  expect(titles).toContain('2;the title');
});

test('[ATT-1] snapshot: whatever the terminal was left in, it comes to the same', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const before = madeUpProgram({ seed, pieces: 120 });
    const after = madeUpProgram({ seed: 100 + seed, pieces: 120 });
    const dirty = new TerminalPage(before);
    // Cut at some byte, which may be in the middle of a sequence.
    dirty.write(before.bytes.subarray(0, before.bytes.length - (seed % 7)));
    const model = new ScreenModel(after);
    model.write(after.bytes);
    expect(difference(paintedWith(model).core, paintedWith(model, dirty).core), `seed ${seed}`).toBeUndefined();
  }
});

test('[ATT-1] snapshot: painted twice is painted once', () => {
  const { bytes: output, ...size } = recordings().find(({ name }) => name === 'local/vim')!;
  const model = new ScreenModel(size);
  model.write(output.subarray(0, 30_000));
  const page = paintedWith(model);
  expect(difference(model.engine.core, paintedWith(model, page).core)).toBeUndefined();
});

test.each([
  [80, 24],
  [200, 50],
])('[ATT-1] snapshot: an ordinary screen of %i columns and %i rows takes 16 KiB at most', (cols, rows) => {
  const line = (at: number): string =>
    `\x1b[32m${String(at).padStart(4)}\x1b[m \x1b[1mconst\x1b[m name = \x1b[33m'${'text '.repeat(cols / 10)}'\x1b[m; \x1b[2m// why\x1b[m\r\n`;
  const model = modelOf(Array.from({ length: 2 * rows }, (_, at) => line(at)).join(''), { cols, rows });
  expect(snapshot(model).length).toBeLessThan(16 * 1024);
});

test('[ATT-1] snapshot: history comes only when asked for, and as much as asked for', () => {
  const model = modelOf(Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\r\n'));
  const historyOf = (history: number): number => {
    const page = new TerminalPage(SIZE);
    page.write(snapshot(model, { history }));
    return page.core.buffers.normal.ybase;
  };
  expect([0, 3, 24, 1000].map(historyOf)).toEqual([0, 3, 24, 24]);
});

test('[ATT-1] snapshot: where terminals disagree on the width of an emoji, what follows it is still in its place', async () => {
  const model = modelOf('✅ done\r\n🤖 bot\x1b[41m  \x1b[m👨\u200d👩 x\r\n❤\ufe0f y\r\n\x1b[3Cz🇩🇪\x1b[4;18Hend');
  const other = new xterm.Terminal({ ...SIZE, allowProposedApi: true }); // the widths of Unicode 6
  await new Promise<void>((resolve) => other.write(snapshot(model), resolve));
  const columns = (text: string, row: number): (string | undefined)[] =>
    [...text].map((character) =>
      other.buffer.active
        .getLine(row)!
        .getCell(columnOf(model, row, character))
        ?.getChars(),
    );
  expect(columns('done', 0)).toEqual([...'done']);
  expect(columns('botx', 1)).toEqual([...'botx']);
  expect(columns('y', 2)).toEqual(['y']);
  expect(columns('zend', 3)).toEqual([...'zend']);
});

test('[ATT-1] snapshot: also where they disagree on trigrams, signs before numbers and the like', () => {
  for (const character of [
    '\u2630',
    '\u268a',
    '\u{1d300}',
    '\u{1d360}',
    '\u3248',
    '\u0600',
    '\u{110bd}',
    '\u302e',
    '\u{1171e}',
  ]) {
    const text = Buffer.from(snapshot(modelOf(`a${character} Menu\x1b[1;15HX`))).toString();
    expect(text, character).toMatch(new RegExp(`${character}\\x1b\\[1;\\dH Menu`, 'u'));
  }
});

test('a box around a trigram is a box, as its program has counted', () => {
  const row = '│☰ Menu            │';
  expect(modelOf(row.repeat(3)).text()).toEqual([row, row, row, '', '', '']);
});

function columnOf(model: ScreenModel, row: number, character: string): number {
  const line = paintedWith(model).core.buffers.active.lines.get(row)!;
  return Array.from({ length: SIZE.cols }, (_, col) => line.getString(col)).indexOf(character);
}
