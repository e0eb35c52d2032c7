/** Tests the identification of clients: programs by their tokens, browsers by the passes of this gateway and port. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { StoredToken } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { Authenticator, type AuthenticatorOptions, hasProgramToken } from './authenticator.ts';
import { Passes } from './passes.ts';
import { TokenCache } from './token-cache.ts';

const TEXT = `spool_0123456789_${'a'.repeat(43)}`;
const hash = createHash('sha256').update(TEXT).digest('hex');

function stage(...tokens: readonly Partial<StoredToken>[]) {
  const folder = mkdtempSync(`${tmpdir()}/spool-authenticator-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const whole = tokens.map((token) => ({ role: 'owner', scope: {}, createdAt: 0, expiresAt: null, hash, ...token }));
  const write = (list: readonly object[]): void =>
    writeFileSync(`${folder}/tokens.json`, JSON.stringify({ tokens: list, at: performance.now() }));
  write(whole);
  const passes = new Passes();
  const options = {
    tokenCache: new TokenCache(folder),
    passes,
    place: { port: 7733 },
    lastUsed: { note: () => {} },
    proxies: { addressOf: () => '127.0.0.1' },
    auditor: { recordOften: () => {} },
  };
  const authenticator = new Authenticator(options as unknown as AuthenticatorOptions);
  const codeFor = (headers: Record<string, string>): string => {
    try {
      return authenticator.identify({ headers } as unknown as Parameters<Authenticator['identify']>[0]).id;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  return {
    passes,
    codeFor,
    empty: () => write([]),
    admit: (device: string): string => {
      const signed = { device, origin: 'http://127.0.0.1:7733', challenge: passes.challenge(), signature: 'wrong' };
      try {
        return authenticator.admit({ headers: {} } as unknown as Parameters<Authenticator['admit']>[0], signed);
      } catch (error) {
        return (error as { code: string }).code;
      }
    },
    by: (text: string) => codeFor({ authorization: `Bearer ${text}` }),
  };
}

const DEVICE = { id: '0123456789', kind: 'device', publicKey: 'key', port: 7733 } as const;

test('[DOOR-27, DOOR-59] a pass opens for its device, on its port, until the device is revoked', () => {
  const { passes, by, codeFor, empty } = stage(DEVICE, { ...DEVICE, id: 'elsewhere', port: 7734 });
  const pass = passes.issue(DEVICE.id);
  expect(by(pass)).toBe(DEVICE.id);
  expect(codeFor({ 'sec-websocket-protocol': `spool.v1, spool.bearer.${pass}` })).toBe(DEVICE.id);
  expect(by(passes.issue('elsewhere'))).toBe('TOKEN_REFUSED');
  expect(by(new Passes().issue(DEVICE.id))).toBe('TOKEN_REFUSED');
  empty();
  expect(by(pass)).toBe('TOKEN_REFUSED');
});

test('[DOOR-55] no cookie counts, and what was a cookie before is no token', () => {
  const { codeFor, by } = stage(DEVICE);
  expect(codeFor({ cookie: `spool_7733=${TEXT}` })).toBe('TOKEN_MISSING');
  expect([by(TEXT), stage({ ...DEVICE, hash: '' }).by(TEXT)]).toEqual(['TOKEN_REFUSED', 'TOKEN_REFUSED']);
  expect(stage({ id: '0123456789', kind: 'token', port: null }).by(TEXT)).toBe('0123456789');
});

test('[DOOR-58] passes that have expired are not counted as wrong tokens: their pages ask again', () => {
  const { by } = stage(DEVICE);
  for (let time = 0; time < 30; time++) expect(by(new Passes().issue(DEVICE.id))).toBe('TOKEN_REFUSED');
  for (let time = 0; time < 10; time++) by(`spool_0123456789_${'b'.repeat(43)}`);
  expect(by(`spool_0123456789_${'b'.repeat(43)}`)).toBe('RATE_LIMITED');
});

test('[DOOR-3] a pass does not make up for a missing origin, as the token of a program does', () => {
  const pass = new Passes().issue('device');
  expect(hasProgramToken({ authorization: `Bearer ${TEXT}` })).toBe(true);
  expect(hasProgramToken({ authorization: `Bearer ${pass}` })).toBe(false);
  expect(hasProgramToken({ 'sec-websocket-protocol': `spool.bearer.${pass}` })).toBe(false);
});

test('[DOOR-5] wrong signatures, and devices that do not exist, are counted as wrong tokens are', () => {
  for (const device of [DEVICE.id, 'unknown']) {
    const { admit, by } = stage(DEVICE);
    expect(Array.from({ length: 10 }, () => admit(device))).toEqual(Array(10).fill('TOKEN_REFUSED'));
    expect(admit(device)).toBe('RATE_LIMITED');
    expect(by(`spool_0123456789_${'b'.repeat(43)}`)).toBe('RATE_LIMITED');
  }
});
