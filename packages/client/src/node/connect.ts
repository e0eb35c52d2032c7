/** A client of the daemon on this machine, of either kind. */
import { homeFrom } from '@spool/protocol';
import type { Runtime } from '../link/runtime.ts';
import { type ClientOptions, openOrClose, type RequestClient } from '../request-client.ts';
import { readTrouble } from './daemon-trouble.ts';
import { type ConnectSocket, dial } from './dial.ts';
import { sleep } from './sleep.ts';

export interface ConnectOptions {
  /** A node of this machine, by its name in `spool node ls`. */
  readonly node?: string | undefined;
  /** A daemon on another machine: the address of its gateway, `https://host[:port][/base]`. */
  readonly url?: string | undefined;
  /** The token for `url`, from `spool token create`. */
  readonly token?: string | undefined;
  /** The environment that determines where the daemon is found and what its children may see (default: that of this process). */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether to start the daemon when there is none (default: true). */
  readonly start?: boolean | undefined;
  /** The daemon's program (default: the one beside this file). */
  readonly daemonEntry?: string | undefined;
  /** The time in which a broken link is restored; after it, requests fail with CONNECTION_LOST. */
  readonly reconnectMs?: number | undefined;
  /** The name of this client, shown as viewer and as the source of input (default: `node PID`). */
  readonly who?: string | undefined;
  /** Opens the daemon's socket (default: with `node:net`). For Spool's own programs. */
  readonly connectSocket?: ConnectSocket | undefined;
}

/** Opens a client whose daemon has answered. `more`: the members of the runtime besides connections and time. */
export async function openHere<C extends RequestClient>(
  Kind: new (runtime: Runtime, options: ClientOptions) => C,
  options: ConnectOptions,
  more: Partial<Runtime> = {},
): Promise<C> {
  const {
    env = process.env,
    start = true,
    daemonEntry,
    reconnectMs,
    who = `node ${process.pid}`,
    connectSocket,
  } = options;
  const uid = process.getuid?.() ?? 0;
  const home = homeFrom(env, uid);
  const runtime: Runtime = {
    dial: (signal) => dial({ env, home, uid, start, daemonEntry, connectSocket }, signal),
    sleep,
    troubleOfDaemon: () => readTrouble(home),
    // Monotonic, and 1 ms cheaper at its first use than `performance`.
    now: () => Number(process.hrtime.bigint() / 1_000_000n),
    randomId,
    ...more,
  };
  return await openOrClose(new Kind(runtime, { reconnectMs, who }));
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const CHARACTERS = `${LETTERS}0123456789`;

/**
 * 26 × 36⁹: collisions are negligible. A letter first, so that it never looks like a number or an option. It is a name,
 * not a secret, so `Math.random` is enough: loading node:crypto would cost each command 7 ms.
 */
function randomId(): string {
  const pick = (from: string): string => from[Math.floor(Math.random() * from.length)]!;
  return Array.from({ length: 10 }, (_, at) => pick(at === 0 ? LETTERS : CHARACTERS)).join('');
}
