import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PasteWatch } from './paste-watch.ts';

const PIECES = ['\x1b[200~', '\x1b[201~', 'text', '\x1b[A', '\x1b', '[200~', '\x1b[20', 'é'];

test('[QRY-1] a paste is open from its first mark to its last, however its bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES)), fc.array(fc.nat(40)), (pieces, cuts) => {
      const bytes = Buffer.from(pieces.join(''));
      const watch = new PasteWatch();
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        watch.note(bytes.subarray(at, at + cut), 0);
        at += cut;
      }
      const text = bytes.toString('latin1');
      expect(watch.openMs(0) > 0).toBe(text.lastIndexOf('\x1b[200~') > text.lastIndexOf('\x1b[201~'));
    }),
  );
});

test('one that never ends is not waited for', () => {
  const watch = new PasteWatch();
  watch.note(Buffer.from('\x1b[200~half'), 5000);
  expect(watch.openMs(5100)).toBe(900);
  expect(watch.openMs(6000)).toBe(0);
});
