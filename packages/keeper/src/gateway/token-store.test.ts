import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { StoredToken } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { TokenStore } from './token-store.ts';

function stage(): { store: TokenStore; fill: (count: number, token: Partial<StoredToken>) => void } {
  const folder = mkdtempSync(`${tmpdir()}/spool-tokens-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = `${folder}/tokens.json`;
  const store = new TokenStore(folder);
  store.create({ kind: 'token', role: 'viewer', name: 'first' });
  return {
    store,
    /** Stores this many tokens, as if they had been created before. */
    fill(count, token) {
      const { tokens } = JSON.parse(readFileSync(path, 'utf8')) as { tokens: StoredToken[] };
      const more = Array.from({ length: count }, (_, at) => ({ ...tokens[0]!, id: `more${at}`, ...token }));
      writeFileSync(path, JSON.stringify({ tokens: [...tokens, ...more] }));
    },
  };
}

test('[DOOR-48] one share link has so many browsers, and takes no place of others', () => {
  const { store, fill } = stage();
  const { token, info } = store.create({ kind: 'share', role: 'viewer', uses: 1_000_000 });
  fill(499, { kind: 'device', publicKey: 'key', parent: info.id });
  const login = { token, name: 'a browser', port: 1, publicKey: 'key' };
  expect(store.redeem(login).info.kind).toBe('device');
  expect(() => store.redeem(login)).toThrow('browsers=500');
  expect(store.create({ kind: 'code', role: 'owner' }).info.kind).toBe('code');
});

test('[DOOR-1] with a thousand tokens the browser that logged in first gives way, and the user can log in', () => {
  const { store, fill } = stage();
  fill(1, { kind: 'device', publicKey: 'key', id: 'oldest', name: 'oldest' });
  fill(998, { kind: 'device', publicKey: 'key' });
  const { token } = store.create({ kind: 'code', role: 'owner' });
  expect(store.redeem({ token, name: 'new', port: 1, publicKey: 'key' }).info.name).toBe('new');
  const names = store.list().map(({ name }) => name);
  expect([names.length, names.includes('oldest'), names.includes('first')]).toEqual([1000, false, true]);
});

test('[NAME-2] a short name whose token is gone revokes no other token', () => {
  const { store, fill } = stage();
  fill(1, { id: 'ci4af00001', name: 'production' });
  for (const gone of ['', 'c', 'ci4']) expect(() => store.revoke(gone)).toThrow('no such token');
  expect(store.revoke('ci4a').name).toBe('production');
});
