/**
 * The proxies that may name the clients for which they act. `X-Forwarded-For` and `X-Forwarded-Host` are used only in requests from
 * their addresses. Keeps DOOR-21.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { SpoolError } from '@spool/protocol';

type ProxiedRequest = Pick<IncomingMessage, 'headers' | 'socket'>;

export class TrustedProxies {
  readonly #list = new BlockList();

  /** Takes addresses, or ranges such as 10.0.0.0/8. */
  constructor(entries: readonly string[] = []) {
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/');
      const family = isIP(address);
      const most = family === 6 ? 128 : 32;
      if (family === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
        throw new SpoolError('GATEWAY_START_FAILED', { reason: `"${entry}" is not the address of a proxy` });
      this.#list.addSubnet(address, bits === undefined ? most : Number(bits), family === 6 ? 'ipv6' : 'ipv4');
    }
  }

  /** Returns the origin of a request: the last address that does not belong to a trusted proxy. */
  addressOf({ headers, socket }: ProxiedRequest): string {
    const peer = plain(socket.remoteAddress ?? '');
    if (!this.#has(peer)) return peer;
    const told = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((part) => plain(part.trim()));
    for (const address of told.toReversed()) {
      if (isIP(address) === 0) break; // all addresses before it could be forged
      if (!this.#has(address)) return address;
    }
    return peer;
  }

  /** Returns the name that the client used for the proxy; undefined if no trusted proxy sent one. */
  hostOf({ headers, socket }: ProxiedRequest): string | undefined {
    const told = headers['x-forwarded-host'];
    return told !== undefined && this.#has(plain(socket.remoteAddress ?? '')) ? String(told) : undefined;
  }

  #has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

/** Removes the prefix that Node adds to an IPv4 address on a socket for both families. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
