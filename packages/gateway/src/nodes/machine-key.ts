/**
 * The key pair of this machine, by which other machines recognise it. It is created when it is first needed, and the private key
 * never leaves the folder of the gateway.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The length of a public key: an Ed25519 key in DER has 44 bytes, which are 59 characters. */
export const PUBLIC_KEY_CHARS = 59;

export class MachineKey {
  readonly #private: KeyObject;
  /** The public key in DER (SPKI), base64url. */
  readonly publicKey: string;

  private constructor(key: KeyObject) {
    this.#private = key;
    this.publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64url');
  }

  static in(folder: string): MachineKey {
    const path = `${folder}/machine-key.pem`;
    try {
      return new MachineKey(createPrivateKey(readFileSync(path)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const { privateKey } = generateKeyPairSync('ed25519');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.tmp`, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
    return new MachineKey(privateKey);
  }

  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#private).toString('base64url');
  }
}

export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64url'), type: 'spki', format: 'der' });
    return (
      key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
    );
  } catch {
    return false; // not a key
  }
}

/** Returns the fingerprint of a key, short enough to be compared by eye: 64 bits, such as `5f3a 90c1 77de 02b4`. */
export function fingerprintOf(publicKey: string): string {
  const digest = createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex');
  return digest.slice(0, 16).replaceAll(/(.{4})(?=.)/g, '$1 ');
}
