/**
 * Proxies that may say whom they speak for. Only from their addresses are `X-Forwarded-For` and `X-Forwarded-Host` believed; from
 * everybody else they count for nothing. Keeps DOOR-21.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { SpoolError } from '@spool/protocol';

type Asked = Pick<IncomingMessage, 'headers' | 'socket'>;

export class TrustedProxies {
  readonly #list = new BlockList();

  /** Addresses, or ranges such as 10.0.0.0/8. */
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

  /** Where a request comes from: the last address that no trusted proxy has. */
  addressOf({ headers, socket }: Asked): string {
    const peer = plain(socket.remoteAddress ?? '');
    if (!this.#has(peer)) return peer;
    const told = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((part) => plain(part.trim()));
    for (const address of told.toReversed()) {
      if (isIP(address) === 0) break; // whatever comes before it could be made up
      if (!this.#has(address)) return address;
    }
    return peer;
  }

  /** By which name the client called the proxy; undefined if no trusted proxy says so. */
  hostOf({ headers, socket }: Asked): string | undefined {
    const told = headers['x-forwarded-host'];
    return told !== undefined && this.#has(plain(socket.remoteAddress ?? '')) ? String(told) : undefined;
  }

  #has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}

/** Without what Node puts before an IPv4 address on a socket for both families. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}
