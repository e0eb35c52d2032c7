/**
 * A web push message: encrypted for the browser that subscribed (RFC 8291, aes128gcm), signed for its push service (RFC 8292,
 * VAPID). The push service sees neither the text nor the session that asks. Keeps NOTE-2.
 */
import {
  createCipheriv,
  createECDH,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto';

export interface PushKeys {
  /** The browser's public key: a point on P-256, uncompressed. */
  readonly p256dh: Buffer;
  /** The secret that is shared only with the browser. */
  readonly auth: Buffer;
}

/** The size of a record; push services accept 4096 bytes in total. */
const RECORD_BYTES = 4096;
const PUBLIC_KEY_BYTES = 65;
const TAG_BYTES = 16;
const HEADER_BYTES = 16 + 4 + 1 + PUBLIC_KEY_BYTES;

/** The maximum of text in one message: the record has one byte of padding and a tag. */
export const PUSH_TEXT_BYTES_MAX = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1;

/** The validity of a signature for a push service; at most a day. */
const SIGNED_FOR_S = 12 * 3600;

/** Encrypts a message. `fixed` is for tests only; otherwise each message has its own key and salt. */
export function encryptPush(
  text: Buffer,
  { p256dh, auth }: PushKeys,
  fixed?: { readonly salt: Buffer; readonly privateKey: Buffer },
): Buffer {
  if (text.length > PUSH_TEXT_BYTES_MAX)
    throw new RangeError(`a push message has at most ${PUSH_TEXT_BYTES_MAX} bytes`);
  const own = createECDH('prime256v1');
  if (fixed) own.setPrivateKey(fixed.privateKey);
  else own.generateKeys();
  const salt = fixed?.salt ?? randomBytes(16);
  const publicKey = own.getPublicKey();
  const shared = hmac(auth, own.computeSecret(p256dh));
  const key = hmac(shared, Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, publicKey, Buffer.of(1)]));
  const secret = hmac(salt, key);
  const derived = (info: string, bytes: number): Buffer =>
    hmac(secret, Buffer.concat([Buffer.from(`Content-Encoding: ${info}\0`), Buffer.of(1)])).subarray(0, bytes);
  const cipher = createCipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
  const header = Buffer.alloc(5);
  header.writeUInt32BE(RECORD_BYTES);
  header[4] = PUBLIC_KEY_BYTES;
  // 2: the delimiter of the last record.
  const sealed = [cipher.update(text), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, header, publicKey, ...sealed]);
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

/** The key that identifies us to push services: a subscription is bound to the public key. */
export interface VapidKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

export function makeVapidKey(): VapidKey {
  const { x, y, d } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: d! };
}

/** Returns the header `Authorization` for a push service. `contact` is a URL for questions of its operator. */
export function vapidHeader({ publicKey, privateKey }: VapidKey, audience: string, contact: string): string {
  const jwk = { ...jwkOf(Buffer.from(publicKey, 'base64url')), d: privateKey };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const claims = { aud: audience, exp: Math.floor(Date.now() / 1000) + SIGNED_FOR_S, sub: contact };
  const text = [{ typ: 'JWT', alg: 'ES256' }, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${publicKey}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Returns whether these bytes are a point on the curve: the key of a client is used in a key exchange. */
export function isPublicKey(point: Buffer): boolean {
  if (point.length !== PUBLIC_KEY_BYTES || point[0] !== 4) return false;
  try {
    createPublicKey({ key: jwkOf(point), format: 'jwk' });
    return true;
  } catch {
    return false; // not on the curve
  }
}

function jwkOf(point: Buffer): { kty: string; crv: string; x: string; y: string } {
  const [x, y] = [point.subarray(1, 33), point.subarray(33)];
  return { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') };
}
