/**
 * The placement of a gateway: its address, its certificate, and the proxy in front of it. Without TLS, it is not reachable from
 * other machines. Keeps DOOR-18 and DOOR-21.
 */
import { type GatewayOptions, SpoolError } from '@spool/protocol';
import { type PublicPlace, publicPlace } from './own-names.ts';
import { lastPort } from './ports.ts';
import { tailscaleName } from './tailscale.ts';
import { type CertificateSource, certificateSource } from '../tls/certificate-source.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/** The addresses without TLS. */
export const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost'];

/** The addresses that no client uses as a name: the names in the certificate count. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

export interface Placement {
  readonly host: string;
  readonly isEverywhere: boolean;
  /** The source of the certificate; null without TLS. */
  readonly source: CertificateSource | null;
  /** The name of this machine, if Tailscale serves it. */
  readonly machine: string | null;
  readonly outside: PublicPlace | null;
  /** The base path, without a slash at its end. */
  readonly basePath: string;
  readonly proxies: TrustedProxies;
}

/** Returns the placement. Throws GATEWAY_START_FAILED with an explanation. */
export async function placementOf(options: GatewayOptions, folder: string): Promise<Placement> {
  const { host = '127.0.0.1', tls, trustedProxies } = options;
  const isEverywhere = EVERYWHERE.includes(host);
  const source = tls ? certificateSource(tls, { host, isEverywhere, folder }) : null;
  if (!source && !LOOPBACK.includes(host))
    throw new SpoolError('GATEWAY_START_FAILED', {
      reason: `${host} is reachable from other machines, which needs TLS: give --tls-cert and --tls-key, or --tls own`,
    });
  const machine = options.tailscale ? await tailscaleName(lastPort(folder)) : null;
  const outside = publicPlace(machine === null ? options.publicUrl : `https://${machine}`);
  const basePath = options.basePath ?? outside?.path ?? '';
  return { host, isEverywhere, source, machine, outside, basePath, proxies: new TrustedProxies(trustedProxies) };
}
