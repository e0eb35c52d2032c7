/**
 * The names under which the gateway may be addressed, and the pages from which: its own addresses, the names in its certificate,
 * and its address at a proxy. The lists are exact. Keeps DOOR-21.
 */
import type { AcceptedNames } from '../auth/origin-check.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** The public address of the gateway behind a proxy. */
export interface PublicPlace {
  readonly origin: string;
  /** The host, as in the header `Host`. */
  readonly host: string;
  /** The path, without a slash at its end. */
  readonly path: string;
}

export function publicPlace(url: string | undefined): PublicPlace | null {
  if (url === undefined) return null;
  const { origin, host, pathname } = new URL(url);
  return { origin, host, path: pathname.replace(/\/+$/, '') };
}

export class OwnNames implements AcceptedNames {
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

  /** Replaces the names when a new certificate has others. */
  set(names: readonly string[], port: number): void {
    this.hosts.clear();
    this.origins.clear();
    for (const name of names) {
      const { host, origin } = new URL(`${this.scheme}://${name}:${port}`); // as browsers do: no default port
      for (const one of [host, `${name}:${port}`]) this.hosts.add(one);
      this.origins.add(origin);
    }
    if (!this.#outside) return;
    this.hosts.add(this.#outside.host);
    this.origins.add(this.#outside.origin);
  }
}
