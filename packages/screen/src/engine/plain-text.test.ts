import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ScreenModel } from './screen-model.ts';

const PIECES = [
  'a',
  ' ',
  'é',
  '─',
  '漢',
  '👩\u200d💻',
  'e\u0301',
  '\r\n',
  '\x1b[5C',
  '\x1b[K',
  '\x1b[44m\x1b[K\x1b[m',
  '\x1b[2G',
  '\t',
];

test('plain lines are what the engine itself makes of its lines', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }), (pieces) => {
      using model = new ScreenModel({ cols: 9, rows: 4 });
      model.write(Uint8Array.from(Buffer.from(pieces.join(''))));
      const { lines, ybase } = model.engine.core.buffers.active;
      const expected = [0, 1, 2, 3].map((row) => lines.get(ybase + row)!.translateToString(true, 0, 9));
      expect(model.plainLines()).toEqual(expected);
    }),
  );
});
