import { expect, test } from 'vitest';
import { encodeKeyframe, restoreModel } from './keyframe.ts';
import { ScreenModel } from '../engine/screen-model.ts';
import { difference } from '../testing/difference.ts';

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

function modelOf(text: string): ScreenModel {
  const model = new ScreenModel({ cols: 20, rows: 6 }, { scrollback: 50 });
  model.write(bytes(text));
  return model;
}

const BUSY = `${'a long line of text '.repeat(12)}\x1b[1;31m\x1b7\x1b[3g\x1b[9G\x1bH\x1b]0;one\x07\x1b[22;0t\x1b]0;two\x07\x1b[>5u\x1b[?2026;2004h\x1b[?1049h\x1b[2;3Halt\x1b[4:3`;

test('a model restored from a keyframe goes on like the one that was kept', () => {
  const kept = modelOf(BUSY);
  const restored = restoreModel(encodeKeyframe(kept))!;
  expect(difference(kept.engine.core, restored.engine.core, { withHistory: true })).toBeUndefined();
  expect(restored.modes).toEqual(kept.modes);
  expect(restored.pending()).toEqual(kept.pending());
  for (const model of [kept, restored]) {
    model.write(bytes('mcurly\x1b[?1049l\tx\x1b8y\x1b[23;0t\x1b[<u'));
    model.resize(33, 9);
    model.write(bytes('after'));
  }
  expect(difference(kept.engine.core, restored.engine.core, { withHistory: true })).toBeUndefined();
  expect(restored.modes).toEqual(kept.modes);
  expect(restored.modes.title).toBe('one');
});

test('tab stops and a saved cursor beyond the margin survive', () => {
  const kept = modelOf('\x1b[20G\x1bH\x1b7');
  kept.resize(10, 6);
  const restored = restoreModel(encodeKeyframe(kept))!;
  for (const model of [kept, restored]) model.resize(20, 6);
  expect(restored.engine.core.buffers.normal.tabs).toEqual(kept.engine.core.buffers.normal.tabs);
});

test('a keyframe that is damaged or cut anywhere is none', () => {
  const frame = encodeKeyframe(modelOf('text\x1b[31m'));
  for (let at = 0; at < frame.length; at++) {
    const damaged = frame.slice();
    damaged[at]! ^= 0x20;
    expect(restoreModel(damaged), `damaged at ${at}`).toBeUndefined();
    expect(restoreModel(frame.subarray(0, at)), `cut at ${at}`).toBeUndefined();
  }
});

test('a keyframe of another version is none', () => {
  const frame = encodeKeyframe(modelOf('text'));
  frame[0] = 99;
  expect(restoreModel(frame)).toBeUndefined();
});

test('history can be left out', () => {
  const kept = modelOf('line\r\n'.repeat(40));
  expect(restoreModel(encodeKeyframe(kept))!.historyLength).toBe(kept.historyLength);
  expect(restoreModel(encodeKeyframe(kept, { history: 0 }))!.historyLength).toBe(0);
});
