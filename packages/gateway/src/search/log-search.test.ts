import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LogSearch, searchLog, WINDOW_BYTES } from './log-search.ts';

function search(text: string, sought: string, more: Partial<LogSearch> = {}): LogSearch {
  const log = Buffer.from(text);
  return {
    text: sought,
    before: log.length,
    firstOffset: 0,
    limit: 50,
    isLate: () => false,
    async *read(from, to) {
      for (let at = from; at < to; at += 1000) yield { offset: at, bytes: log.subarray(at, Math.min(to, at + 1000)) };
    },
    ...more,
  };
}

test('[PAGE-10] the latest match comes first, with the offset at which the screen shows it', async () => {
  const text = 'alpha needle\r\nbeta\r\n\x1b[31mgamma NEEdle\x1b[0m\r\nlast needle';
  expect(await searchLog(search(text, 'needle'))).toEqual({
    matches: [
      { offset: text.length, text: 'last needle', firstOffset: text.length },
      { offset: 42, text: 'gamma NEEdle', firstOffset: 42 },
      { offset: 13, text: 'alpha needle', firstOffset: 13 },
    ],
    next: null,
  });
  expect((await searchLog(search(text, 'NEEdle'))).matches.map(({ text: shown }) => shown)).toEqual(['gamma NEEdle']);
});

test('a line that is repainted is one match', async () => {
  const text = 'needle\n'.repeat(100);
  expect((await searchLog(search(text, 'needle'))).matches).toEqual([{ offset: 699, text: 'needle', firstOffset: 6 }]);
});

test('a search that is late, or has found enough, goes on where it was', async () => {
  const line = (n: number): string => `needle ${String(n).padStart(2000, '0')}`;
  const count = Math.ceil((2.5 * WINDOW_BYTES) / 2008);
  const text = Array.from({ length: count }, (_, n) => `${line(n)}\n`).join('');
  const found: string[] = [];
  let before = text.length;
  for (let round = 0; ; round++) {
    const { matches, next } = await searchLog(
      search(text, 'needle', { before, limit: 300, isLate: () => round % 2 === 0 }),
    );
    found.push(...matches.map(({ offset }) => text.slice(offset - 2007, offset)));
    if (next === null) break;
    before = next;
  }
  expect(found.length).toBe(count);
  expect(found).toEqual(Array.from({ length: count }, (_, n) => line(count - 1 - n)));
});

test.each(['plain line', '\x1b[32mcoloured\x1b[0m line'])(
  '[PAGE-10] one line among thousands of %j is found, with or without capitals',
  async (filler) => {
    const text = `${`${filler}\r\n`.repeat(3000)}Needle (1)\r\n${`${filler}\r\n`.repeat(3000)}`;
    const read: LogSearch['read'] = async function* (from, to) {
      yield { offset: from, bytes: Buffer.from(text).subarray(from, to) };
    };
    const found = async (sought: string): Promise<string[]> =>
      (await searchLog(search(text, sought, { read }))).matches.map((match) => match.text);
    expect(await found('needle (1)')).toEqual(['Needle (1)']);
    expect(await found('Needle')).toEqual(['Needle (1)']);
    expect(await found('NEEDLE')).toEqual([]);
  },
);

test('[PAGE-10] among many plain, coloured and other lines, each match is found, whatever is sought', async () => {
  const filler = fc.constantFrom(
    'plain line',
    '\x1b[32mgreen\x1b[0m line',
    'tab\there',
    'caf\u00e9',
    '10%\r50%',
    '\x1b[2Kerased',
    'a (b) [c] $d',
  );
  const needles = fc.constantFrom(
    'needle',
    'NEEDLE',
    'nee\x1b[31mdle',
    'n\beedle',
    'nxxxxx\rneedle',
    'a needle (1) [x] $y^',
  );
  const sought = fc.constantFrom('needle', 'Needle', 'NEEDLE', '(1) [x]', '$y^', 'e line', 'x\\y', 'caf\u00e9', '50%');
  const run = fc.tuple(fc.oneof({ weight: 5, arbitrary: filler }, needles), fc.integer({ min: 1, max: 90 }));
  await fc.assert(
    fc.asyncProperty(fc.array(run, { maxLength: 12 }), sought, async (runs, wanted) => {
      const text = runs.map(([line, count]) => `${line}\r\n`.repeat(count)).join('');
      const pieces = (bytes: number): LogSearch['read'] =>
        async function* (from, to) {
          const log = Buffer.from(text);
          for (let at = from; at < to; at += bytes)
            yield { offset: at, bytes: log.subarray(at, Math.min(to, at + bytes)) };
        };
      const before = Buffer.byteLength(text);
      const slowly = await searchLog(search(text, wanted, { before, read: pieces(500) }));
      expect(await searchLog(search(text, wanted, { before, read: pieces(20_000) }))).toEqual(slowly);
    }),
  );
});

test('every line is found, wherever the windows cut', async () => {
  const words = fc.array(
    fc.string({ unit: 'grapheme', maxLength: 12 }).map((word) => word.replaceAll(/[\p{C}\s]/gu, '')),
    {
      minLength: 1,
      maxLength: 60,
    },
  );
  await fc.assert(
    fc.asyncProperty(words, fc.nat(60), async (all, at) => {
      const sought = 'néedle';
      const lines = all.map((word, index) => (index === at % all.length ? `${word}${sought}${word}` : word));
      const { matches } = await searchLog(search(lines.join('\r\n'), sought));
      expect(matches.map(({ text }) => text)).toContain(lines[at % all.length]);
    }),
  );
});
