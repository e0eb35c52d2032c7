/**
 * Our own certificate authority, created once. Its key stays in the state folder, readable by its owner alone. It can certify
 * only private addresses and local names, so that a phone that trusts it is not at risk elsewhere, even if the key is stolen.
 * Keeps DOOR-19.
 */
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { SpoolError } from '@spool/protocol';
import { keyIdOf, makeCertificate, type Range } from './make-certificate.ts';

/** The validity of the root: users do not replace a trusted root often. */
const CA_DAYS = 3650;

/**
 * The validity of a certificate, far below the limits of Apple (825, 398) and browsers (398); it is renewed with a third of it
 * left.
 */
export const LEAF_DAYS = 90;

/** The addresses that are reachable only from this machine's own networks. */
const RANGES: readonly (Range & { readonly bits: number })[] = [
  { address: '10.0.0.0', mask: '255.0.0.0', bits: 8 },
  { address: '172.16.0.0', mask: '255.240.0.0', bits: 12 },
  { address: '192.168.0.0', mask: '255.255.0.0', bits: 16 },
  { address: '127.0.0.0', mask: '255.0.0.0', bits: 8 },
  { address: '169.254.0.0', mask: '255.255.0.0', bits: 16 },
  { address: '100.64.0.0', mask: '255.192.0.0', bits: 10 }, // Tailscale, carriers
  { address: 'fc00::', mask: 'fe00::', bits: 7 },
  { address: 'fe80::', mask: 'ffc0::', bits: 10 },
  { address: '::1', mask: 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', bits: 128 },
];

const DOMAINS: readonly string[] = ['localhost', 'local', 'lan', 'home.arpa', 'internal'];

const PRIVATE = new BlockList();
for (const { address, bits } of RANGES) PRIVATE.addSubnet(address, bits, isIPv6(address) ? 'ipv6' : 'ipv4');

export class OwnCa {
  /** The certificate as PEM. */
  readonly cert: string;
  readonly #key: KeyObject;

  private constructor(cert: string, key: KeyObject) {
    this.cert = cert;
    this.#key = key;
  }

  /** Reads the CA, or creates it. */
  static open(folder: string): OwnCa {
    const [certPath, keyPath] = [`${folder}/ca-cert.pem`, `${folder}/ca-key.pem`];
    try {
      const key = createPrivateKey(readFileSync(keyPath));
      const cert = readFileSync(certPath, 'utf8');
      if (new X509Certificate(cert).checkPrivateKey(key)) return new OwnCa(cert, key);
      throw new SpoolError('GATEWAY_START_FAILED', { reason: `${certPath} and ${keyPath} do not belong together` });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const name = `Spool CA of ${hostname()}`.slice(0, 64);
    const permitted = { domains: DOMAINS, ranges: RANGES };
    const { cert, key } = makeCertificate({ name, days: CA_DAYS, issuer: null, names: null, permitted });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The key is written first: a certificate without its key would be useless.
    write(keyPath, key.export({ type: 'pkcs8', format: 'pem' }) as string);
    write(certPath, cert);
    return new OwnCa(cert, key);
  }

  /** SHA-256 of the certificate, as phones show it. */
  get fingerprint(): string {
    return new X509Certificate(this.cert).fingerprint256;
  }

  get der(): Buffer {
    return new X509Certificate(this.cert).raw;
  }

  /** Returns a certificate for these names, with its chain. Its key is in memory only. */
  issue(names: readonly string[], now?: Date): { readonly cert: Buffer; readonly key: Buffer } {
    const ca = new X509Certificate(this.cert);
    const name = /^CN=(.*)$/m.exec(ca.subject)![1]!;
    const issuer = { name, key: this.#key, keyId: keyIdOf(createPublicKey(this.#key)) };
    const { cert, key } = makeCertificate({ name: 'Spool', days: LEAF_DAYS, issuer, names, ...(now && { now }) });
    return { cert: Buffer.from(cert + this.cert), key: Buffer.from(key.export({ type: 'pkcs8', format: 'pem' })) };
  }
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text, { mode: 0o600 });
  renameSync(`${path}.tmp`, path);
}

/** Returns whether our own CA may certify a name. */
export function isLocalName(name: string): boolean {
  const family = isIP(name);
  if (family !== 0) return PRIVATE.check(name, family === 6 ? 'ipv6' : 'ipv4');
  return DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`));
}

/** Returns the names of this machine on its own networks, if it listens on `host`. */
export function localNames(host: string, isEverywhere: boolean): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  const found = isEverywhere ? addresses : [host];
  const own = hostname().toLowerCase().split('.')[0]!;
  const called = /^[a-z0-9-]{1,63}$/.test(own) ? [`${own}.local`] : [];
  const all = [
    ...found.filter((name) => isLocalName(name) && !name.startsWith('fe80')),
    ...called,
    'localhost',
    '127.0.0.1',
  ];
  return [...new Set(all)];
}
