import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Certificate } from './certificate.ts';
import { certificateSource } from './certificate-source.ts';

const DAY_MS = 24 * 3600 * 1000;
const HOUR_MS = 3600 * 1000;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const endOf = ({ cert }: Certificate): number => new Date(new X509Certificate(cert).validTo).getTime();

function stage(): { used: Certificate[]; first: Certificate; said: string[] } {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const folder = mkdtempSync(`${tmpdir()}/spool-ca-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const said: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const source = certificateSource('own', { host: '127.0.0.2', isEverywhere: false, folder });
  const used: Certificate[] = [];
  source.follow((next) => used.push(next));
  return { used, first: source.current, said };
}

test('[DOOR-53] a certificate of the own CA is renewed by itself, with a third of its time left, and not before', () => {
  const { used, first, said } = stage();
  const start = Date.now();
  vi.setSystemTime(start + 57 * DAY_MS);
  vi.advanceTimersByTime(HOUR_MS);
  expect(used.length).toBe(0);
  vi.setSystemTime(start + 61 * DAY_MS);
  vi.advanceTimersByTime(HOUR_MS);
  expect(used).toHaveLength(1);
  const [next] = used as [Certificate];
  expect([endOf(next) - endOf(first) > 60 * DAY_MS, next.names]).toEqual([true, first.names]);
  // The certificate of the same CA, with another key.
  const chainOf = ({ cert }: Certificate): string => cert.toString().split('-----BEGIN').at(-1)!;
  expect([chainOf(next) === chainOf(first), next.key.equals(first.key)]).toEqual([true, false]);
  expect(said.join('')).toContain('a new certificate is used, for 127.0.0.2');
  vi.advanceTimersByTime(10 * HOUR_MS);
  expect(used).toHaveLength(1);
});

test('[DOOR-53] after a sleep of months it is renewed at the next look, and again and again', () => {
  const { used } = stage();
  for (let round = 1; round <= 3; round++) {
    vi.setSystemTime(Date.now() + 200 * DAY_MS);
    vi.advanceTimersByTime(HOUR_MS);
    expect([used.length, endOf(used.at(-1)!) > Date.now() + 80 * DAY_MS]).toEqual([round, true]);
  }
});
