import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { STRING_BYTES_MAX } from '@spool/vt';
import { expect, test } from 'vitest';
import { encodeKeyframe, restoreModel } from '../snapshot/keyframe.ts';
import { ScreenModel } from './screen-model.ts';

const MIB = 1024 * 1024;
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test.for([
  ['OSC', '\x1b]2;'],
  ['DCS', '\x1bP$q'],
  ['APC', '\x1b_G'],
])('[SCR-4] 10 MB of %s without an end are not kept', ([, opener]) => {
  const model = new ScreenModel({ cols: 80, rows: 24 });
  const piece = bytes('abcdefgh'.repeat(8192));
  model.write(bytes('before '));
  const before = heldBytes();
  model.write(bytes(opener!));
  for (let written = 0; written < 10 * MIB; written += piece.length) model.write(piece);
  expect(heldBytes() - before).toBeLessThan(2 * MIB);
  model.write(bytes('\x1b\\after'));
  expect(model.text()[0]).toBe('before after');
  expect(model.modes.title).toBe('');
});

test('an overlong string leaves the picture as it was, wherever it is cut, and however it ends', () => {
  for (const end of ['\x07', '\x1b\\', '\x18', '\x1b[1m'])
    for (const pieceBytes of [7, 4096, STRING_BYTES_MAX, 10 * STRING_BYTES_MAX]) {
      const model = new ScreenModel({ cols: 20, rows: 2 });
      const whole = bytes(`one \x1b]0;${'é…'.repeat(STRING_BYTES_MAX / 4)}${end}two`);
      for (let at = 0; at < whole.length; at += pieceBytes) model.write(whole.subarray(at, at + pieceBytes));
      expect([end, pieceBytes, model.text()[0]]).toEqual([end, pieceBytes, 'one two']);
    }
});

test('a keyframe in the middle of an overlong string goes on with it', () => {
  const model = new ScreenModel({ cols: 20, rows: 2 });
  model.write(bytes(`one \x1b]0;${'x'.repeat(2 * STRING_BYTES_MAX)}`));
  const restored = restoreModel(encodeKeyframe(model))!;
  restored.write(bytes('more of it\x07two'));
  expect(restored.text()[0]).toBe('one two');
});
