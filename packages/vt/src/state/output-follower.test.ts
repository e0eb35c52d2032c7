import { describe, expect, test } from 'vitest';
import { answerQuery, type Query } from './queries.ts';
import { OutputFollower } from './output-follower.ts';
import { bytes, cutInto, text } from '../testing/cuts.ts';
import { recordings } from '../testing/recordings.ts';

describe('OutputFollower', () => {
  test('[QRY-1] answers come in stream order, each from the state at its own byte', () => {
    const replies: string[] = [];
    const follower: OutputFollower = new OutputFollower({
      onQuery: (query: Query) =>
        replies.push(
          text(
            answerQuery(query, {
              cursor: { row: 1, column: 1 + query.start },
              modes: follower.modes.state,
              size: { rows: 24, columns: 80 },
              colours: follower.colours,
              version: '0.1.0',
            })!,
          ),
        ),
    });
    const input = bytes(
      '\x1b]11;#102030\x07\x1b]11;?\x07\x1b[?2004$p\x1b[?2004h\x1b[?2004$p\x1b[6n\x1b]111\x07\x1b]11;?\x07',
    );
    for (const chunk of cutInto(input, [5])) follower.feed(chunk);
    expect(replies).toEqual([
      '\x1b]11;rgb:1010/2020/3030\x07',
      '\x1b[?2004;2$y',
      '\x1b[?2004;1$y',
      '\x1b[1;47R',
      '\x1b]11;rgb:0000/0000/0000\x07',
    ]);
  });

  test('[ATT-5] one that begins at any byte, with what was pending there, goes on as the first', () => {
    for (const { bytes: whole } of recordings().filter((_, at) => at % 9 === 0)) {
      const told = (follower: OutputFollower, events: unknown[]): unknown[] => [
        events,
        follower.modes.state,
        follower.offset,
      ];
      for (let cut = 0; cut < whole.length; cut += 3989) {
        const one: unknown[] = [];
        const first = new OutputFollower({ onQuery: (query) => one.push(query), onOscEvent: (fact) => one.push(fact) });
        first.feed(whole.subarray(0, cut));
        one.length = 0;
        const other: unknown[] = [];
        const second = new OutputFollower(
          { onQuery: (query) => other.push(query), onOscEvent: (fact) => other.push(fact) },
          { offset: cut, modes: first.modes.state, pending: first.pending },
        );
        first.feed(whole.subarray(cut));
        second.feed(whole.subarray(cut));
        expect(told(second, other)).toEqual(told(first, one));
      }
    }
  });
});
