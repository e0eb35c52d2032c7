/** On which port the gateway listens: the one that was asked for; else that of the last gateway, so that open pages find it again; else the next free one. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { GATEWAY_PORT } from '@spool/protocol';

/** Ports that are tried, from 7733 on. */
const PORTS_TRIED = 500;

/** How long the last port may still be in use by a gateway that is ending. */
const SAME_PORT_MS = 2000;
const PORT_AGAIN_MS = 50;

/** `folder` remembers the port. */
export async function listen(
  server: Server,
  { host, port, folder }: { readonly host: string; readonly port: number | undefined; readonly folder: string },
): Promise<number> {
  const found =
    port === undefined ? await anyPort(server, host, folder) : await listenOn(server, host, port, SAME_PORT_MS);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(`${folder}/last-port`, String(found), { mode: 0o600 });
  return found;
}

async function anyPort(server: Server, host: string, folder: string): Promise<number> {
  const last = lastPort(folder);
  if (last !== null) {
    try {
      return await listenOn(server, host, last, SAME_PORT_MS);
    } catch {
      // Somebody else has it by now
    }
  }
  return await listenFrom(server, host, GATEWAY_PORT);
}

/** On this port or the next free one. */
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
    return null; // the first gateway
  }
}

/** Tries for `withinMs`: the port of a gateway that has just ended may be in use for a moment. */
async function listenOn(server: Server, host: string, port: number, withinMs: number): Promise<number> {
  const until = performance.now() + withinMs;
  for (;;) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port }, () => {
          server.off('error', reject);
          resolve();
        });
      });
      return (server.address() as { port: number }).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || performance.now() >= until) throw error;
      await pause(PORT_AGAIN_MS);
    }
  }
}
