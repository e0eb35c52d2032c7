/** Tests that the internals of xterm are as expected. If an update moves a field, this test shows which. */
import { expect, onTestFinished, test, vi } from 'vitest';
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

test('[PAST-7] freeing memory after a change of width prints nothing, however slow the machine is; and it comes to its end', async () => {
  const printed = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  const engine = new Engine({ cols: 10, rows: 2 }, 5);
  write(engine, '\x1bc'); // a reset makes new queues
  const done: string[] = [];
  const queue = engine.core.buffers.normal._memoryCleanupQueue;
  const slow = (name: string): boolean => {
    const until = performance.now() + 60; // xterm allows 36 ms
    while (performance.now() < until); // a machine that does other things
    return done.push(name) < 3;
  };
  queue.enqueue(() => slow('again'));
  await new Promise<void>((resolve) => queue.enqueue(() => void resolve()));
  expect(done).toEqual(['again', 'again', 'again']);
  expect(printed).not.toHaveBeenCalled();
});
