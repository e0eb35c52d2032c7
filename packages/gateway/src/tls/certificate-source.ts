/**
 * The source of the certificate and of its renewals: files that the user renews, or our own CA, which renews automatically. A new
 * certificate is used for the next connection, without a restart. A broken certificate is not used: the old one remains, and the
 * log names the reason. Keeps DOOR-20.
 */
import { X509Certificate } from 'node:crypto';
import { watch } from 'node:fs';
import { dirname } from 'node:path';
import { type GatewayOptions, SpoolError } from '@spool/protocol';
import { type Certificate, certificateOf, readCertificate } from './certificate.ts';
import { makeCertificate } from './make-certificate.ts';
import { isLocalName, LEAF_DAYS, localNames, OwnCa } from './own-ca.ts';

/** The time to wait after a change: a pair is written file by file. */
const SETTLED_MS = 500;

/** The interval of checks: folders on some file systems do not report changes, and addresses change with the network. */
const LOOK_MS = 60 * 60 * 1000;

const RENEW_MS = (LEAF_DAYS / 3) * 24 * 3600 * 1000;

export interface CertificateSource {
  readonly current: Certificate;
  /** Our own CA; null with files. */
  readonly ca: OwnCa | null;
  /** Calls back with every new certificate. */
  follow(use: (certificate: Certificate) => void): void;
}

export function certificateSource(
  tls: NonNullable<GatewayOptions['tls']>,
  place: { readonly host: string; readonly isEverywhere: boolean; readonly folder: string },
): CertificateSource {
  if (tls === 'own') return ownSource(place);
  if (tls === 'self-signed') return selfSigned(place);
  const files = tls;
  let current = readCertificate(files);
  return {
    current,
    ca: null,
    follow(use) {
      let timer: NodeJS.Timeout | null = null;
      const look = (): void => {
        try {
          const next = readCertificate(files);
          if (next.cert.equals(current.cert) && next.key.equals(current.key)) return;
          use(next);
          current = next;
          log(`a new certificate is used, valid until ${new X509Certificate(next.cert).validTo}`);
        } catch (error) {
          log(`the new certificate cannot be used, the old one stays: ${(error as Error).message}`);
        }
      };
      const soon = (): void => {
        if (timer) clearTimeout(timer);
        timer = setTimeout(look, SETTLED_MS).unref();
      };
      for (const folder of new Set([dirname(files.cert), dirname(files.key)]))
        watch(folder, { persistent: false }, soon).on('error', () => {}); // the hourly check remains
      setInterval(look, LOOK_MS).unref();
    },
  };
}

function ownSource({ host, isEverywhere, folder }: Parameters<typeof certificateSource>[1]): CertificateSource {
  if (!isEverywhere && !isLocalName(host))
    throw new SpoolError('GATEWAY_START_FAILED', {
      reason: `Spool's CA is for private addresses and names ending in .local, .lan, .internal or .home.arpa; ${host} needs another certificate: give --tls-cert and --tls-key, or use --tailscale`,
    });
  const ca = OwnCa.open(folder);
  const issued = (): Certificate => certificateOf(ca.issue(localNames(host, isEverywhere)));
  let current = issued();
  return {
    current,
    ca,
    follow(use) {
      setInterval(() => {
        const next = issued();
        const leftMs = new Date(new X509Certificate(current.cert).validTo).getTime() - Date.now();
        if (leftMs > RENEW_MS && next.names.join() === current.names.join()) return;
        use((current = next));
        log(`a new certificate is used, for ${next.names.join(', ')}`);
      }, LOOK_MS).unref();
    },
  };
}

function selfSigned({ host, isEverywhere }: Parameters<typeof certificateSource>[1]): CertificateSource {
  const names = [...new Set([...(isEverywhere ? [] : [host]), ...localNames(host, isEverywhere)])];
  const { cert, key } = makeCertificate({ name: 'Spool', days: LEAF_DAYS, issuer: null, names });
  const pem = Buffer.from(key.export({ type: 'pkcs8', format: 'pem' }));
  return { current: certificateOf({ cert: Buffer.from(cert), key: pem }), ca: null, follow: () => {} };
}

function log(sentence: string): void {
  process.stderr.write(`gateway: ${sentence}\n`);
}
