/**
 * The keys of one link over NATS. Both machines sign a fresh key with their nkeys; all later messages are encrypted with the secret that the fresh keys
 * share. So the server, and anyone who controls it, can neither read a link nor speak on it.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** A key pair for one link. */
export class LinkSecret {
  readonly #private: KeyObject;
  readonly public: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('x25519');
    this.#private = privateKey;
    this.public = publicKey.export({ type: 'spki', format: 'der' }).toString('base64url');
  }

  /** Returns the seals of both directions. `said` is everything that was said about the link, which both have signed. */
  seals(theirs: string, said: string): { readonly up: Seal; readonly down: Seal } {
    const publicKey = createPublicKey({ key: Buffer.from(theirs, 'base64url'), type: 'spki', format: 'der' });
    const secret = diffieHellman({ privateKey: this.#private, publicKey });
    const salt = createHash('sha256').update(said).digest();
    const key = (way: string): Buffer => Buffer.from(hkdfSync('sha256', secret, salt, `spool nats ${way}`, KEY_BYTES));
    return { up: new Seal(key('up')), down: new Seal(key('down')) };
  }
}

/** Encrypts, or decrypts, the messages of one direction, each with its number. */
export class Seal {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  close(head: Uint8Array, number: number, parts: readonly Uint8Array[]): Buffer {
    const cipher = createCipheriv(CIPHER, this.#key, nonce(number)).setAAD(head);
    return Buffer.concat([head, ...parts.map((part) => cipher.update(part)), cipher.final(), cipher.getAuthTag()]);
  }

  /** Returns the content of a message; null if it was not sealed by the other side. */
  open(head: Uint8Array, number: number, sealed: Uint8Array): Buffer | null {
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, nonce(number)).setAAD(head);
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch {
      return null;
    }
  }
}

function nonce(number: number): Buffer {
  const bytes = Buffer.alloc(NONCE_BYTES);
  bytes.writeUIntBE(number, NONCE_BYTES - 6, 6);
  return bytes;
}
