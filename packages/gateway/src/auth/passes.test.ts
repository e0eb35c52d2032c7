import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { isDeviceKey, isPass, PASS_MS, Passes, signedText } from './passes.ts';

const ORIGIN = 'http://127.0.0.1:7733';

function device(id = 'device') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return {
    publicKey: point.toString('base64url'),
    answer(challenge: string, { origin = ORIGIN, as = id } = {}) {
      const text = signedText({ origin, device: as, challenge });
      const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return { device: id, origin: ORIGIN, challenge, signature: signature.toString('base64url') };
    },
  };
}

function stage(): { passes: Passes; own: ReturnType<typeof device>; to(ms: number): void } {
  let now = 1_000_000;
  const passes = new Passes(() => now);
  return { passes, own: device(), to: (ms) => void (now = 1_000_000 + ms) };
}

test('[DOOR-58] a signed challenge becomes a pass, once, and the pass opens for some minutes', () => {
  const { passes, own, to } = stage();
  const answer = own.answer(passes.challenge());
  const pass = passes.exchange(answer, own.publicKey)!;
  expect([isPass(pass), passes.deviceOf(pass)]).toEqual([true, 'device']);
  expect(passes.exchange(answer, own.publicKey)).toBe(null);
  to(PASS_MS - 1);
  expect(passes.deviceOf(pass)).toBe('device');
  to(PASS_MS);
  expect(passes.deviceOf(pass)).toBe(null);
});

test('[DOOR-58] a challenge is answered in time, by this key, for this origin and this device', () => {
  const { passes, own, to } = stage();
  const refused = {
    'another key': passes.exchange(device().answer(passes.challenge()), own.publicKey),
    'another origin': passes.exchange(
      own.answer(passes.challenge(), { origin: 'http://127.0.0.1:5173' }),
      own.publicKey,
    ),
    'another device': passes.exchange(own.answer(passes.challenge(), { as: 'other' }), own.publicKey),
    'a challenge of another gateway': passes.exchange(own.answer(new Passes().challenge()), own.publicKey),
    'a challenge with another time': passes.exchange(
      own.answer(passes.challenge().replace(/^\d+/, '2000000')),
      own.publicKey,
    ),
    'no challenge': passes.exchange(own.answer(''), own.publicKey),
    'no signature': passes.exchange({ ...own.answer(passes.challenge()), signature: '' }, own.publicKey),
    'no key': passes.exchange(own.answer(passes.challenge()), ''),
  };
  expect(Object.entries(refused).filter(([, pass]) => pass !== null)).toEqual([]);
  const challenge = passes.challenge();
  to(60_001);
  expect(passes.exchange(own.answer(challenge), own.publicKey)).toBe(null);
});

test('[DOOR-58] one browser has so many passes; another has its own', () => {
  const { passes } = stage();
  const other = passes.issue('other');
  const own = Array.from({ length: 100 }, () => passes.issue('device'));
  expect(own.filter((pass) => passes.deviceOf(pass) !== null)).toEqual(own.slice(-64));
  expect(passes.deviceOf(other)).toBe('other');
});

test('[DOOR-58] a key is a point of P-256', () => {
  const { publicKey } = device();
  const bytes = Buffer.from(publicKey, 'base64url');
  const moved = Buffer.from(bytes.with(64, bytes[64]! ^ 1)).toString('base64url');
  const wrong = ['', 'x', publicKey.slice(2), moved, `B${'A'.repeat(86)}`];
  expect([isDeviceKey(publicKey), ...wrong.map(isDeviceKey)]).toEqual([true, ...wrong.map(() => false)]);
});
