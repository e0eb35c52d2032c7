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
