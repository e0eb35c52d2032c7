import { expect, test } from 'vitest';
import { TextStreams } from './text-streams.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const ARRIVAL = { ts: 1, at: 1 };

test('[OUT-8] text: lines in their last state, each when it has ended, the last at the end, with true offsets', () => {
  const input = '10%\r50%\r100%\r\n\x1b[31mred\x1b[m and\x1b[1Cmore\n\x1b[2K\n  \nprompt> ';
  for (let cut = 0; cut <= input.length; cut++) {
    const streams = new TextStreams({ ansi: 'text', offset: 100 });
    const parts = [input.slice(0, cut), input.slice(cut)];
    let at = 100;
    const chunks = parts.flatMap((part) => {
      const told = streams.feed('stdout', bytes(part), at, ARRIVAL);
      at += part.length;
      return [...told, ...streams.flush()];
    });
    expect(chunks.map(({ data }) => data)).toEqual(['100%\n', 'red and more\n']);
    expect(chunks.map(({ offset, end }) => [offset, end])).toEqual([
      [100, 114],
      [114, 138],
    ]);
    expect(streams.end().map(({ data, offset }) => [data, offset])).toEqual([['prompt> \n', 146]]);
  }
});

test('[OUT-8] two streams: each has its own lines, at the offsets of the log', () => {
  const streams = new TextStreams({ ansi: 'text' });
  const told = [
    ...streams.feed('stdout', bytes('one'), 0, ARRIVAL),
    ...streams.feed('stderr', bytes('oops\n'), 3, ARRIVAL),
    ...streams.feed('stdout', bytes(' two\n'), 8, ARRIVAL),
  ];
  expect(told.map(({ stream, data, offset, end }) => [stream, data, offset, end])).toEqual([
    ['stderr', 'oops\n', 3, 8],
    ['stdout', 'one two\n', 0, 13],
  ]);
});
