/**
 * The address of the running daemon: a small file in the state folder, written by the daemon that holds the lock there.
 * A client that knows the state folder finds the daemon by it, whatever else its environment contains.
 */
export interface Address {
  /** The sockets that the daemon listens on, best first. */
  readonly sockets: readonly string[];
  /** The host of the daemon, because a state folder may be shared over the network, but sockets are not. */
  readonly host: string;
  /** The inode of the state folder, in decimal: in a copy of the folder, the address belongs to another daemon. */
  readonly folder?: string | undefined;
}

export function formatAddress(address: Address): string {
  return `${JSON.stringify(address)}\n`;
}

/** Returns null for a file that no daemon has written, or not completely. */
export function parseAddress(text: string): Address | null {
  try {
    const { sockets, host, folder } = JSON.parse(text) as Partial<Address>;
    if (!Array.isArray(sockets) || !sockets.every((path) => String(path).startsWith('/')) || typeof host !== 'string')
      return null;
    return typeof folder === 'string' ? { sockets, host, folder } : { sockets, host };
  } catch {
    return null;
  }
}
