/**
 * By which names the gateway may be called, and from which pages: its own addresses, the names in its certificate, and the address at
 * which a proxy shows it. The lists are exact. Keeps DOOR-21.
 */
import type { IncomingMessage } from 'node:http';
import type { Names } from './front-door.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Where others reach it, when something stands before it. */
export interface PublicPlace {
  readonly origin: string;
  /** As in `Host`. */
  readonly host: string;
  /** Without a slash at its end. */
  readonly path: string;
}

export function publicPlace(url: string | undefined): PublicPlace | null {
  if (url === undefined) return null;
  const { origin, host, pathname } = new URL(url);
  return { origin, host, path: pathname.replace(/\/+$/, '') };
}

export class OwnNames implements Names {
  readonly hosts = new Set<string>();
  readonly origins = new Set<string>();
  readonly scheme: 'http' | 'https';
  readonly proxies: TrustedProxies;
  readonly page: string;
  readonly #outside: PublicPlace | null;

  constructor(
    scheme: 'http' | 'https',
    { proxies, outside, page }: { proxies: TrustedProxies; outside: PublicPlace | null; page: string },
  ) {
    this.scheme = scheme;
    this.proxies = proxies;
    this.page = page;
    this.#outside = outside;
  }

  /** Replaces the names, when a new certificate has others. */
  set(names: readonly string[], port: number): void {
    this.hosts.clear();
    this.origins.clear();
    for (const name of names) {
      const { host, origin } = new URL(`${this.scheme}://${name}:${port}`); // without the scheme's own port, as browsers do
      for (const one of [host, `${name}:${port}`]) this.hosts.add(one);
      this.origins.add(origin);
    }
    if (!this.#outside) return;
    this.hosts.add(this.#outside.host);
    this.origins.add(this.#outside.origin);
  }

  /** Whether the browser came over TLS: to us, or to what stands before us. */
  isSecure(request: IncomingMessage): boolean {
    if (this.scheme === 'https') return true;
    const called = this.proxies.hostOf(request) ?? request.headers.host;
    return this.#outside !== null && this.#outside.origin.startsWith('https:') && called === this.#outside.host;
  }
}
