/** Opens the doors: the parts are wired, the server listens, and the names by which it may be called follow its certificate. */
import type { Server as TlsServer } from 'node:tls';
import type { Client } from '@spool/client';
import { doorsFolder, type GatewayInfo, type GatewayOptions, type GatewayStart } from '@spool/protocol';
import { OwnNames } from './own-names.ts';
import { LOOPBACK, placementOf } from './placement.ts';
import { type DoorKeeping, listen } from './ports.ts';
import { serveByTailscale } from './tailscale.ts';
import { type Certificate, inUrl } from './tls/certificate.ts';
import { explainTrust } from './tls/trust-page.ts';
import { wire } from './wiring.ts';

export interface OpenDoors {
  readonly info: GatewayInfo;
  /** Gives back what was taken outside of this process. */
  close(): Promise<void>;
}

export async function openDoors(
  start: GatewayStart,
  options: GatewayOptions,
  keeper: Client,
  keeping: DoorKeeping,
): Promise<OpenDoors> {
  const folder = doorsFolder(start.home);
  const placement = await placementOf(options, folder);
  const { host, isEverywhere, source, machine, outside, basePath, proxies } = placement;
  const names = new OwnNames(source ? 'https' : 'http', { proxies, outside, page: basePath });
  const { server, desk, place } = await wire(start, placement, names, keeper);
  const port = await listen(server, { host, port: options.port, folder, keeping });
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
      })
    : null;
  const served = machine === null ? null : await serveByTailscale(machine, port);
  place.url = outside ? `${outside.origin}${basePath}/` : new URL(`${names.scheme}://${name}:${port}${basePath}/`).href;
  void desk.run();
  const info = {
    pid: process.pid,
    host,
    port,
    url: place.url,
    startedAt: Date.now(),
    options,
    ...(trust && { trust }),
  };
  return { info, close: async () => await served?.stop() };
}
