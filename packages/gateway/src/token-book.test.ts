import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { StoredToken } from '@spool/protocol';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { TokenBook } from './token-book.ts';

const TEXT = `spool_0123456789_${'a'.repeat(43)}`;

function stage(token: Partial<StoredToken> = {}): { book: TokenBook; write: (tokens: readonly unknown[]) => void } {
  const folder = mkdtempSync(`${tmpdir()}/spool-tokens-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (tokens: readonly unknown[]): void =>
    writeFileSync(`${folder}/tokens.json`, JSON.stringify({ tokens, at: performance.now() }));
  const made: StoredToken = {
    id: '0123456789',
    kind: 'token',
    role: 'viewer',
    name: 'test',
    scope: {},
    createdAt: Date.now(),
    expiresAt: null,
    usesLeft: null,
    port: null,
    hash: createHash('sha256').update(TEXT).digest('hex'),
    ...token,
  };
  write([made]);
  const book = new TokenBook(folder);
  book.watch();
  return { book, write };
}

afterEach(() => vi.useRealTimers());

test('[DOOR-12] a request that finds a revocation first also closes what is open', () => {
  const { book, write } = stage();
  let changes = 0;
  book.onChange = () => changes++;
  expect(book.find(TEXT)).toMatchObject({ id: '0123456789' });
  write([]);
  // In the same turn: the watcher of the folder has not reported yet, and will find nothing new.
  expect([book.find(TEXT), changes]).toEqual([null, 1]);
});

test('[DOOR-12] a file that cannot be read lets nobody in, and is read again once it can be', () => {
  const { book, write } = stage();
  write('{' as unknown as []); // not a list
  expect(() => book.find(TEXT)).toThrow('the tokens cannot be read');
  write([]);
  expect(book.find(TEXT)).toBe(null);
});

test('[DOOR-1] a code that has expired does not live again when the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const now = Date.now();
  const { book } = stage({ kind: 'code', usesLeft: 1, createdAt: now, expiresAt: now + 60_000 });
  expect(book.isCode(TEXT)).toBe(true);
  vi.setSystemTime(now + 61_000);
  expect(book.isCode(TEXT)).toBe(false);
  vi.setSystemTime(now - 3_600_000);
  expect(book.isCode(TEXT)).toBe(false);
});
