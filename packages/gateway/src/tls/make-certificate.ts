/**
 * Creates X.509 certificates: one for our own CA, and those that it signs. They contain the fields that phones and browsers
 * require: P-256, names as subject alternative names, server authentication, 397 days at most. Keeps DOOR-53.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import { bits, der, integer, octets, oid, sequence, set, time, TRUE, utf8 } from './der.ts';

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

interface Issuer {
  readonly name: string;
  readonly key: KeyObject;
  /** The id of its public key. */
  readonly keyId: Buffer;
}

export interface Range {
  readonly address: string;
  readonly mask: string;
}

export interface CertificateRequest {
  readonly name: string;
  readonly days: number;
  /** The issuer; null if the certificate signs itself. */
  readonly issuer: Issuer | null;
  /** Names and addresses of a server; null for a CA. */
  readonly names: readonly string[] | null;
  /** The names for which a CA is valid, no matter who has its key. */
  readonly permitted?: { readonly domains: readonly string[]; readonly ranges: readonly Range[] };
  readonly now?: Date;
}

export interface IssuedCertificate {
  readonly cert: string;
  readonly key: KeyObject;
}

const DAY_MS = 24 * 3600 * 1000;

/** Validity starts this long in the past, because clocks of phones differ. */
const BACKDATED_MS = DAY_MS;

export function makeCertificate({
  name,
  days,
  issuer,
  names,
  permitted,
  now = new Date(),
}: CertificateRequest): IssuedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const info = publicKey.export({ type: 'spki', format: 'der' });
  const keyId = keyIdOf(publicKey);
  const signer = issuer ?? { name, key: privateKey, keyId };
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const from = new Date(now.getTime() - BACKDATED_MS);
  const until = new Date(from.getTime() + days * DAY_MS);
  const extensions = [
    names === null ? caExtensions(permitted) : serverExtensions(names),
    [extension(OID.subjectKey, false, octets(keyId))],
    [extension(OID.authorityKey, false, sequence(der(0x80, signer.keyId)))],
  ].flat();
  const body = sequence(
    der(0xa0, integer(Buffer.of(2))), // version 3
    integer(Buffer.concat([Buffer.of(0x01), randomBytes(15)])),
    algorithm,
    distinguished(signer.name),
    sequence(time(from), time(until)),
    distinguished(name),
    info,
    der(0xa3, sequence(...extensions)),
  );
  const whole = sequence(body, algorithm, bits(sign('sha256', body, signer.key)));
  const lines = whole.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return { cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, key: privateKey };
}

export function keyIdOf(publicKey: KeyObject): Buffer {
  // The bits of the key, without the identifier of its algorithm.
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }).subarray(-65))
    .digest();
}

function caExtensions(permitted: CertificateRequest['permitted']): Buffer[] {
  const trees = permitted && [
    ...permitted.domains.map((domain) => sequence(der(0x82, Buffer.from(domain)))),
    ...permitted.ranges.map(({ address, mask }) => sequence(der(0x87, addressBytes(address), addressBytes(mask)))),
  ];
  return [
    extension(OID.basicConstraints, true, sequence(TRUE, integer(Buffer.of(0)))), // no CA below it
    extension(OID.keyUsage, true, bits(Buffer.of(0b0000_0110), 1)), // certificates and revocations
    ...(trees ? [extension(OID.nameConstraints, true, sequence(der(0xa0, ...trees)))] : []),
  ];
}

function serverExtensions(names: readonly string[]): Buffer[] {
  const alternatives = names.map((name) => (isIP(name) ? der(0x87, addressBytes(name)) : der(0x82, Buffer.from(name))));
  return [
    extension(OID.basicConstraints, true, sequence()),
    extension(OID.keyUsage, true, bits(Buffer.of(0b1000_0000), 7)), // signatures
    extension(OID.extendedKeyUsage, false, sequence(oid(OID.serverAuth))),
    extension(OID.alternativeNames, false, sequence(...alternatives)),
  ];
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(isCritical ? [TRUE] : []), octets(value));
}

function distinguished(name: string): Buffer {
  const part = (id: string, text: string): Buffer => set(sequence(oid(id), utf8(text)));
  return sequence(part(OID.organization, 'Spool'), part(OID.commonName, name));
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [before = '', after = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): number[] =>
    text
      .split(':')
      .filter(Boolean)
      .map((group) => parseInt(group, 16));
  const [left, right] = [groups(before), groups(after)];
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
