/**
 * Chooses the port of the gateway, in this order: the socket of the last gateway, which the holder has kept, if it fits the
 * request; the requested port; the port of the last gateway, so that open pages find it again; the next free one. Keeps DOOR-23.
 */
import { closeSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type ListenAddress, GATEWAY_PORT } from '@spool/protocol';

/** Hands a listening socket from one gateway to the next, through the holder. */
export interface SocketHandover {
  /** The socket of the last gateway. */
  readonly held: (ListenAddress & { readonly fd: number }) | null;
  /** Must be called with the socket of this gateway. */
  keep(door: ListenAddress, fd: number): void;
}

/** The number of ports that are tried, from 7733 on. */
const PORTS_TRIED = 500;

/** The time for which the last port may still be in use by a gateway that is ending. */
const SAME_PORT_MS = 2000;
const PORT_AGAIN_MS = 50;

export interface ListenOptions {
  readonly host: string;
  readonly port: number | undefined;
  /** The folder that stores the port. */
  readonly folder: string;
  readonly keeping: SocketHandover;
}

export async function listenOnPort(server: Server, { host, port, folder, keeping }: ListenOptions): Promise<number> {
  const { held, keep } = keeping;
  if (held && held.host === host && (port === undefined || port === held.port)) {
    await listenAt(server, { fd: held.fd });
    return held.port;
  }
  if (held) closeSync(held.fd);
  const found =
    port === undefined ? await anyPort(server, host, folder) : await listenOn(server, host, port, SAME_PORT_MS);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(`${folder}/last-port`, String(found), { mode: 0o600 });
  keep({ host, port: found }, fdOf(server));
  return found;
}

/** Returns the fd of a server, for which Node has no public name. */
function fdOf(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd;
}

async function anyPort(server: Server, host: string, folder: string): Promise<number> {
  const last = lastPort(folder);
  if (last !== null) {
    try {
      return await listenOn(server, host, last, SAME_PORT_MS);
    } catch {
      // Another program uses the port by now.
    }
  }
  return await listenFrom(server, host, GATEWAY_PORT);
}

/** Listens on this port or the next free one. */
export async function listenFrom(server: Server, host: string, first: number): Promise<number> {
  for (let next = first; ; next++) {
    try {
      return await listenOn(server, host, next, 0);
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || next >= first + PORTS_TRIED) throw error;
    }
  }
}

export function lastPort(folder: string): number | null {
  try {
    return Number(readFileSync(`${folder}/last-port`, 'utf8')) || null;
  } catch {
    return null; // this is the first gateway
  }
}

/** Listens, with retries for `withinMs`: the port of a gateway that has just ended may be in use for a moment. */
async function listenOn(server: Server, host: string, port: number, withinMs: number): Promise<number> {
  const until = performance.now() + withinMs;
  for (;;) {
    try {
      await listenAt(server, { host, port });
      return (server.address() as { port: number }).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || performance.now() >= until) throw error;
      await pause(PORT_AGAIN_MS);
    }
  }
}

async function listenAt(server: Server, where: { host: string; port: number } | { fd: number }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
