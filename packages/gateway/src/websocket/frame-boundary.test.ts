import { encodeFrame, FrameType } from '@spool/protocol';
import { expect, test } from 'vitest';
import { FrameBoundary } from './frame-boundary.ts';

test('a boundary is found at every cut', () => {
  const frames = [
    encodeFrame(FrameType.output, 1, new Uint8Array(300), 7),
    encodeFrame(FrameType.credit, 2),
    encodeFrame(FrameType.event, 3, new Uint8Array(1)),
  ];
  const bytes = Buffer.concat(frames);
  const ends = new Set([0, 320, 340, 361]);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const boundary = new FrameBoundary();
    boundary.pass(bytes.subarray(0, cut));
    expect([cut, boundary.isReached]).toEqual([cut, ends.has(cut)]);
    boundary.pass(bytes.subarray(cut));
    expect(boundary.isReached).toBe(true);
  }
});
