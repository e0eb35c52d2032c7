/**
 * Passes, which a browser sends instead of a cookie. At its login a browser created a key pair and sent us the public key. It signs
 * a challenge of ours with the private key, which never leaves the browser, and gets a pass: a bearer token that is valid for some
 * minutes and is kept in the memory of its page. Browsers bind keys to the whole origin including its port, but send cookies to
 * every port of a host (decision 156). Keeps DOOR-27, DOOR-58 and DOOR-59.
 */
import { createHash, createHmac, createPublicKey, randomBytes, timingSafeEqual, verify } from 'node:crypto';

export const PASS_MS = 5 * 60_000;
/** The maximum time from the challenge to its signed answer: one round trip over a slow network. */
const CHALLENGE_MS = 60_000;
/** The maximum of passes for the pages of one browser; the oldest pass is dropped, and its page signs again. */
const PASSES_OF_DEVICE_MAX = 64;

const PASS = /^spoolpass_[\w-]{43}$/;

/** The text that a browser signs, with the origin of the page that requested it. */
export interface SignedChallenge {
  readonly device: string;
  readonly origin: string;
  readonly challenge: string;
  /** The values r and s, 64 bytes, base64url, as in Web Cryptography. */
  readonly signature: string;
}

interface PassRecord {
  readonly device: string;
  readonly expiresAt: number;
}

export class Passes {
  readonly #secret = randomBytes(32);
  readonly #now: () => number;
  /** The passes by their hash. */
  readonly #passes = new Map<string, PassRecord>();
  /** The challenges that were answered, until they expire. */
  readonly #used = new Map<string, number>();

  /** Times are monotonic, so that setting the clock does not prolong a pass. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns a challenge. The challenge needs no memory: it contains its time and our signature. */
  challenge(): string {
    const text = `${Math.round(this.#now())}.${randomBytes(16).toString('base64url')}`;
    return `${text}.${this.#sign(text)}`;
  }

  /** Returns a pass if this device has signed a fresh challenge of ours, for the first time; otherwise null. */
  exchange(signed: SignedChallenge, publicKey: string): string | null {
    if (!this.#isFresh(signed.challenge) || !isSignedBy(publicKey, signed)) return null;
    this.#used.set(signed.challenge, this.#now() + CHALLENGE_MS);
    return this.issue(signed.device);
  }

  issue(device: string): string {
    this.#forget();
    const own = [...this.#passes].filter(([, pass]) => pass.device === device);
    for (const [hash] of own.slice(0, Math.max(0, own.length - PASSES_OF_DEVICE_MAX + 1))) this.#passes.delete(hash);
    const text = `spoolpass_${randomBytes(32).toString('base64url')}`;
    this.#passes.set(hashOf(text), { device, expiresAt: this.#now() + PASS_MS });
    return text;
  }

  /** Returns the device of a pass; null if it has expired, or was issued by another gateway. */
  deviceOf(text: string): string | null {
    const found = this.#passes.get(hashOf(text));
    return found && found.expiresAt > this.#now() ? found.device : null;
  }

  #isFresh(challenge: string): boolean {
    const [at = '', random = '', signature = ''] = challenge.split('.');
    const expected = Buffer.from(this.#sign(`${at}.${random}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return this.#now() - Number(at) <= CHALLENGE_MS && !this.#used.has(challenge);
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url');
  }

  #forget(): void {
    const now = this.#now();
    for (const [hash, { expiresAt }] of this.#passes) if (expiresAt <= now) this.#passes.delete(hash);
    for (const [challenge, expiresAt] of this.#used) if (expiresAt <= now) this.#used.delete(challenge);
  }
}

export function isPass(text: string | undefined): boolean {
  return text !== undefined && PASS.test(text);
}

/** Returns the text that a browser signs; `link/pass.ts` and the worker of the page create the same. */
export function signedText({ origin, device, challenge }: Omit<SignedChallenge, 'signature'>): string {
  return ['spool pass', origin, device, challenge].join('\n');
}

/** Returns whether a text is a point of P-256, uncompressed, base64url. */
export function isDeviceKey(text: string): boolean {
  return keyOf(text) !== null;
}

function isSignedBy(publicKey: string, signed: SignedChallenge): boolean {
  const key = keyOf(publicKey);
  if (!key) return false;
  const signature = Buffer.from(signed.signature, 'base64url');
  return verify('sha256', Buffer.from(signedText(signed)), { key, dsaEncoding: 'ieee-p1363' }, signature);
}

function keyOf(text: string): ReturnType<typeof createPublicKey> | null {
  const point = Buffer.from(text, 'base64url');
  if (point.length !== 65 || point[0] !== 4) return null;
  const coordinate = (from: number): string => point.subarray(from, from + 32).toString('base64url');
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) }, format: 'jwk' });
  } catch {
    return null; // the point is not on the curve
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
