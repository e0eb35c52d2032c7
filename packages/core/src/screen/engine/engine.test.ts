/** The internals of xterm are as we know them. If an update moves something, this test shows what. */
import { expect, test } from 'vitest';
import { Engine, charsetFinal } from './engine.ts';

const write = (engine: Engine, text: string): void => engine.parse(Uint8Array.from(Buffer.from(text)));

test('everything we read is there', () => {
  const engine = new Engine({ cols: 10, rows: 2 }, 5);
  write(engine, '\x1b[4:3;58:5:9mab\x1b7\x1b(0\x1b[?1049h');
  const { core } = engine;
  const { normal, alt, active } = core.buffers;
  expect(active).toBe(alt);
  const line = normal.lines.get(0)!;
  expect([line._data.length, line.getString(0), line.getWidth(0), line.isWrapped, line.length]).toEqual([
    30,
    'a',
    1,
    false,
    10,
  ]);
  expect(line._extendedAttrs[0]).toMatchObject({ _ext: expect.any(Number), _urlId: 0 });
  expect(normal).toMatchObject({
    ybase: 0,
    savedX: 2,
    savedY: 0,
    scrollTop: 0,
    scrollBottom: 1,
    tabs: { 0: true, 8: true },
  });
  expect(normal.lines.maxLength).toBe(7);
  expect(normal.savedCurAttrData).toMatchObject({ fg: expect.any(Number), bg: expect.any(Number) });
  expect(core._inputHandler._curAttrData.extended).toMatchObject({ _ext: expect.any(Number), _urlId: 0 });
  expect(core._inputHandler._parser.precedingJoinState).toBe(0);
  expect(core.coreService).toMatchObject({
    isCursorHidden: false,
    modes: { insertMode: false },
    decPrivateModes: { origin: false, wraparound: true, reverseWraparound: false },
  });
  expect(core.optionsService.rawOptions.convertEol).toBe(false);
  expect([...'漢✅🤖é'].map((character) => core.unicodeService.wcwidth(character.codePointAt(0)!))).toEqual([
    2, 2, 2, 1,
  ]);
  expect(core._oscLinkService._dataByLinkId).toBeInstanceOf(Map);
  expect(charsetFinal(core._charsetService._charsets[0])).toBe('0');
  engine.dispose();
});
