import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { StoredToken } from '@spool/protocol';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { TokenCache } from './token-cache.ts';

const TEXT = `spool_0123456789_${'a'.repeat(43)}`;

function stage(token: Partial<StoredToken> = {}): {
  tokenCache: TokenCache;
  write: (tokens: readonly unknown[]) => void;
} {
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
  const tokenCache = new TokenCache(folder);
  tokenCache.watch();
  return { tokenCache, write };
}

afterEach(() => vi.useRealTimers());

test('[DOOR-12] a request that finds a revocation first also closes what is open', () => {
  const { tokenCache, write } = stage();
  let changes = 0;
  tokenCache.onChange = () => changes++;
  expect(tokenCache.find(TEXT)).toMatchObject({ id: '0123456789' });
  write([]);
  // This is the same turn: the watcher of the folder has not reported yet, and will find no change.
  expect([tokenCache.find(TEXT), changes]).toEqual([null, 1]);
});

test('[DOOR-12] a file that cannot be read lets nobody in, and is read again once it can be', () => {
  const { tokenCache, write } = stage();
  write('{' as unknown as []); // not a list
  expect(() => tokenCache.find(TEXT)).toThrow('the tokens cannot be read');
  write([]);
  expect(tokenCache.find(TEXT)).toBe(null);
});

test('[DOOR-1] a code that has expired does not live again when the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const now = Date.now();
  const { tokenCache } = stage({ kind: 'code', usesLeft: 1, createdAt: now, expiresAt: now + 60_000 });
  expect(tokenCache.isCode(TEXT)).toBe(true);
  vi.setSystemTime(now + 61_000);
  expect(tokenCache.isCode(TEXT)).toBe(false);
  vi.setSystemTime(now - 3_600_000);
  expect(tokenCache.isCode(TEXT)).toBe(false);
});

test('[DOOR-12] an expired token is unknown at once to whoever looks it up by its id', () => {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(now);
  const { tokenCache } = stage({ expiresAt: now + 1000 });
  expect([tokenCache.get('0123456789')?.name, tokenCache.isValid('0123456789')]).toEqual(['test', true]);
  vi.setSystemTime(now + 1001); // the file was not written, and no timer has fired
  expect([tokenCache.get('0123456789'), tokenCache.isValid('0123456789')]).toEqual([null, false]);
});
