/**
 * Keys of NATS (nkeys): Ed25519 keys in base32, with a prefix for their kind and a checksum. A machine proves with its key to the server who
 * it is, and to the other machine too. The seed is in a separate file, so that it can be made with the tools of NATS.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SpoolError } from '@spool/protocol';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const RAW_BYTES = 32;

/** The kind `user`, and a seed. In base32 the letters `U` and `S`. */
const USER = 20 << 3;
const SEED = 18 << 3;

/** The bytes before a raw key in DER. */
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The permissions of a file that others may read. */
const FOR_OTHERS = 0o077;

export class NKey {
  readonly #private: KeyObject;
  readonly public: string;

  private constructor(key: KeyObject) {
    this.#private = key;
    const raw = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-RAW_BYTES);
    this.public = encoded(Buffer.concat([Buffer.from([USER]), raw]));
  }

  /** Reads the seed in a file, which only its user may read. Makes one if there is none and `isMade`. */
  static at(path: string, isMade = false): NKey {
    let text: string;
    try {
      if ((statSync(path).mode & FOR_OTHERS) !== 0)
        throw new SpoolError('NOT_ALLOWED', { reason: `others may read the key in ${path}; chmod 600 it` });
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !isMade) throw unreadable(path, error);
      const seed = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' });
      text = seedText(seed.subarray(-RAW_BYTES));
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.tmp`, `${text}\n`, { mode: 0o600, flush: true });
      renameSync(`${path}.tmp`, path);
    }
    return NKey.from(text);
  }

  static from(text: string): NKey {
    const line = text.split('\n').find((each) => each.startsWith('SU')) ?? '';
    const bytes = decoded(line.trim());
    if (bytes === null || bytes.length !== RAW_BYTES + 2)
      throw new SpoolError('REQUEST_INVALID', { reason: 'the file has no nkey seed of a user (SU…)' });
    const der = Buffer.concat([PRIVATE_DER, bytes.subarray(2)]);
    return new NKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#private).toString('base64url');
  }
}

/** Returns whether the holder of a public nkey has signed this text. */
export function isSignedByNKey(key: string, text: string, signature: string): boolean {
  const bytes = decoded(key);
  if (bytes === null || bytes.length !== RAW_BYTES + 1 || bytes[0] !== USER) return false;
  const publicKey = createPublicKey({
    key: Buffer.concat([PUBLIC_DER, bytes.subarray(1)]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
}

function unreadable(path: string, error: unknown): SpoolError {
  if (error instanceof SpoolError) return error;
  const reason = `the key in ${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`;
  return new SpoolError('NOT_ALLOWED', { reason }, { cause: error });
}

function seedText(raw: Buffer): string {
  // The kind is in the last three bits of the first byte and the first five of the second.
  return encoded(Buffer.concat([Buffer.from([SEED | (USER >> 5), (USER & 31) << 3]), raw]));
}

/** Encodes bytes with their checksum. */
function encoded(bytes: Buffer): string {
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(crc16(bytes));
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of [...bytes, ...sum]) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += LETTERS[(value >> (bits - 5)) & 31];
    value &= 31;
  }
  return bits > 0 ? text + LETTERS[(value << (5 - bits)) & 31] : text;
}

/** Returns the bytes without their checksum; null if it is wrong. */
function decoded(text: string): Buffer | null {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text) {
    const at = LETTERS.indexOf(letter);
    if (at === -1) return null;
    value = ((value << 5) | at) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  const all = Buffer.from(bytes);
  if (all.length < 3) return null;
  const body = all.subarray(0, -2);
  return all.readUInt16LE(body.length) === crc16(body) ? body : null;
}

/** CRC-16/XMODEM. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff) >>> 0;
  }
  return crc;
}
