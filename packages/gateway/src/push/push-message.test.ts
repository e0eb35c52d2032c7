import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { encryptPush, isPublicKey, makeVapidKey, PUSH_TEXT_BYTES_MAX, vapidHeader } from './push-message.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

/** The example of RFC 8291, appendix A. */
const EXAMPLE = {
  text: 'When I grow up, I want to be a watermelon',
  p256dh: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
  auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  sealed:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('[NOTE-2] the example of RFC 8291 comes out byte by byte', () => {
  const { text, p256dh, auth, privateKey, salt, sealed } = EXAMPLE;
  const made = encryptPush(Buffer.from(text), { p256dh, auth }, { salt, privateKey });
  expect(made.toString('base64url')).toBe(sealed);
});

test('[NOTE-2] a browser reads any text up to the limit, and no two messages are alike', () => {
  const browser = createECDH('prime256v1');
  const keys = { p256dh: browser.generateKeys(), auth: randomBytes(16) };
  for (const length of [0, 1, 100, PUSH_TEXT_BYTES_MAX]) {
    const text = randomBytes(length);
    const [one, two] = [encryptPush(text, keys), encryptPush(text, keys)];
    expect(one.equals(two)).toBe(false);
    expect(one.length).toBeLessThanOrEqual(4096);
    expect(opened(one, browser, keys).equals(text)).toBe(true);
  }
  expect(() => encryptPush(randomBytes(PUSH_TEXT_BYTES_MAX + 1), keys)).toThrow(RangeError);
});

/** Decrypts a message as a browser does, independently written. */
function opened(
  message: Buffer,
  browser: ReturnType<typeof createECDH>,
  { p256dh, auth }: typeof EXAMPLE | { p256dh: Buffer; auth: Buffer },
): Buffer {
  const hmac = (key: Buffer, ...data: (string | Buffer)[]): Buffer =>
    createHmac('sha256', key)
      .update(Buffer.concat(data.map((part) => Buffer.from(part as string))))
      .digest();
  const sender = message.subarray(21, 86);
  const ikm = hmac(hmac(auth, browser.computeSecret(sender)), 'WebPush: info\0', p256dh, sender, '\x01');
  const prk = hmac(message.subarray(0, 16), ikm);
  const key = hmac(prk, 'Content-Encoding: aes128gcm\0\x01').subarray(0, 16);
  const decipher = createDecipheriv('aes-128-gcm', key, hmac(prk, 'Content-Encoding: nonce\0\x01').subarray(0, 12));
  decipher.setAuthTag(message.subarray(-16));
  const text = Buffer.concat([decipher.update(message.subarray(86, -16)), decipher.final()]);
  expect(text.at(-1)).toBe(2);
  return text.subarray(0, -1);
}

test('[NOTE-2] the signature for a push service verifies, and names it', () => {
  const key = makeVapidKey();
  const header = vapidHeader(key, 'https://push.example.org', 'https://spool.example.org');
  const [, head, claims, signature, k] = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header)!;
  expect(k).toBe(key.publicKey);
  expect(JSON.parse(bytes(head!).toString())).toEqual({ typ: 'JWT', alg: 'ES256' });
  const { exp, ...rest } = JSON.parse(bytes(claims!).toString()) as { exp: number };
  expect(rest).toEqual({ aud: 'https://push.example.org', sub: 'https://spool.example.org' });
  expect(exp * 1000 - Date.now()).toBeLessThanOrEqual(24 * 3600_000);
  const point = bytes(k!);
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    bytes(signature!),
  );
  expect(isRight).toBe(true);
});

test('[NOTE-2] only points on the curve are keys', () => {
  expect(isPublicKey(EXAMPLE.p256dh)).toBe(true);
  expect(isPublicKey(Buffer.concat([Buffer.of(4), randomBytes(64)]))).toBe(false);
  expect(isPublicKey(EXAMPLE.p256dh.subarray(1))).toBe(false);
});
