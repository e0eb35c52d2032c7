/** Opens the gateway: connects its parts, listens, and accepts the names in its certificate. Keeps DOOR-57. */
import type { Server as TlsServer } from 'node:tls';
import type { Client } from '@spool/client';
import { doorsFolder, type GatewayInfo, type GatewayOptions, type GatewayStart } from '@spool/protocol';
import type { ConnectionFaults } from './http/connection-faults.ts';
import { OwnNames } from './http/own-names.ts';
import { LOOPBACK, placementOf } from './http/placement.ts';
import { type SocketHandover, listenOnPort } from './http/ports.ts';
import { serveByTailscale } from './http/tailscale.ts';
import { type Certificate, inUrl } from './tls/certificate.ts';
import { explainTrust } from './tls/trust-page.ts';
import { wire } from './wiring.ts';

export interface OpenGateway {
  readonly info: GatewayInfo;
  /** Says farewell to other machines, and releases the resources outside of this process. */
  close(): Promise<void>;
}

export async function openDoors(
  start: GatewayStart,
  options: GatewayOptions,
  keeper: Client,
  keeping: SocketHandover,
  faults: ConnectionFaults,
): Promise<OpenGateway> {
  const folder = doorsFolder(start.home);
  const placement = await placementOf(options, folder);
  const { host, isEverywhere, source, machine, outside, basePath, proxies } = placement;
  const names = new OwnNames(source ? 'https' : 'http', { proxies, outside, page: basePath });
  const { server, noticeSender, place, leave } = await wire(start, placement, names, keeper, faults);
  const port = await listenOnPort(server, { host, port: options.port, folder, keeping });
  place.port = port;
  const call = (certificate: Certificate | undefined): readonly string[] => {
    const own = [...(isEverywhere ? [] : [inUrl(host)]), ...(certificate?.names ?? [])];
    names.set([...LOOPBACK, ...own], port);
    return own;
  };
  const own = call(source?.current);
  source?.follow((next) => {
    (server as unknown as TlsServer).setSecureContext({ cert: next.cert, key: next.key });
    call(next);
  });
  const name = (source && own[0]) ?? LOOPBACK[0]!;
  const trust = source?.ca
    ? await explainTrust(source.ca, {
        host,
        isEverywhere,
        names: [name, ...LOOPBACK],
        port,
        gatewayUrl: () => place.url,
        faults,
      })
    : null;
  const served = machine === null ? null : await serveByTailscale(machine, port);
  place.url = outside ? `${outside.origin}${basePath}/` : new URL(`${names.scheme}://${name}:${port}${basePath}/`).href;
  void noticeSender.run();
  const info = {
    pid: process.pid,
    host,
    port,
    url: place.url,
    startedAt: Date.now(),
    options,
    ...(trust && { trust }),
  };
  return { info, close: async () => void (await Promise.all([leave(), served?.stop()])) };
}
