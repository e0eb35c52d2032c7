/**
 * The sockets on which the daemon of a state folder may listen. A file in the folder, written by the daemon, lists them, so every
 * environment of a user finds the same daemon, whatever its XDG_RUNTIME_DIR.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Address, type Environment, type Home, parseAddress, socketIn } from '@spool/protocol';
import { hasPrivateFolder } from './private-folder.ts';

export interface KnownSockets {
  /** The sockets in the order in which to try them. */
  readonly sockets: readonly string[];
  readonly address: Address | null;
}

export function knownSockets(env: Environment, home: Home, uid: number): KnownSockets {
  // Inside a session, `spool` refers to the daemon of that session.
  const given = home.socket === env.SPOOL_SOCKET ? [home.socket] : [];
  const address = hasPrivateFolder(home.state, uid) ? addressIn(home) : null;
  // Without an address, the daemon may have a version that wrote none.
  const found = address?.sockets ?? home.runs.filter((run) => mayBeOurs(run, home, uid)).map(socketIn);
  const sockets = [...new Set([...given, ...found])].filter((socket) => hasPrivateFolder(dirname(socket), uid));
  return { sockets, address };
}

/** Returns the address. An address that was copied with its folder leads to the daemon of the original, so it is ignored. */
function addressIn({ state, address: path }: Home): Address | null {
  const address = parseAddress(readOrEmpty(path));
  if (address?.folder === undefined) return address; // an older version, without this field
  const found = lstatSync(state, { bigint: true, throwIfNoEntry: false });
  return found !== undefined && String(found.ino) === address.folder ? address : null;
}

/**
 * Returns whether a runtime folder may be ours: neither that of another user (as after `su`) nor that of the daemon of another
 * state folder.
 */
function mayBeOurs(run: string, home: Home, uid: number): boolean {
  const parent = lstatSync(dirname(run), { throwIfNoEntry: false });
  if (parent === undefined || (parent.uid !== uid && (parent.mode & 0o1000) === 0)) return false;
  const owner = readOrEmpty(`${run}/daemon.lock`).trim();
  return owner === '' || owner === home.state;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // missing or unreadable: it proves nothing
  }
}
