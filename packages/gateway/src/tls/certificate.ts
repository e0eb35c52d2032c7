/**
 * The certificate of a gateway that serves TLS, and the names in it: clients may use these names, and the address that was
 * requested. Keeps DOOR-18.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The names, as in a URL. Names with an asterisk are left out: the list of names is exact. */
  readonly names: readonly string[];
}

/** Reads certificate and key. Throws if they do not belong together. */
export function readCertificate(files: { readonly cert: string; readonly key: string }): Certificate {
  const [cert, key] = [readFileSync(files.cert), readFileSync(files.key)];
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`the key in ${files.key} is not that of the certificate in ${files.cert}`);
  return certificateOf({ cert, key });
}

export function certificateOf({ cert, key }: { readonly cert: Buffer; readonly key: Buffer }): Certificate {
  const names = (new X509Certificate(cert).subjectAltName ?? '')
    .split(', ')
    .map((entry) => /^(?:DNS|IP Address):([\w.:-]+)$/.exec(entry)?.[1])
    .filter((name) => name !== undefined);
  return { cert, key, names: names.map((name) => inUrl(name)) };
}

/** Returns a name as a browser writes it in a URL and in `Host`. */
export function inUrl(name: string): string {
  return new URL(`https://${isIPv6(name) ? `[${name}]` : name}`).hostname;
}
