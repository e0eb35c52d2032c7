/** The SDK for Node: `await using client = await connect()`. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { homeFrom } from '@spool/protocol';
import { Client, type RunDefaults } from '../index.ts';
import { callerLimits } from './caller-limits.ts';
import { inheritedEnvironment } from './child-environment.ts';
import { checkNode } from './check-node.ts';
import { dial } from './dial.ts';
import { processIdentity } from './process-identity.ts';
import { sleep } from './sleep.ts';
import { sessionEnvironment } from './user-config.ts';
import type { SummariesOptions, SummaryEvent } from './summary/summaries.ts';
import type { Summary } from '../summary/summary.ts';

export * from '../index.ts';
export { type Environment, type Home, homeFrom } from '@spool/protocol';
export { callerLimits } from './caller-limits.ts';
export { childEnvironment, inheritedEnvironment } from './child-environment.ts';
export { processIdentity } from './process-identity.ts';
export { configPath, sessionEnvironment, userConfig } from './user-config.ts';
export type { ChangedFile } from '../summary/changed-file.ts';
export { meaningfulLines } from '../summary/meaningful-lines.ts';
export type { SummariesOptions, SummaryEvent } from './summary/summaries.ts';
export type { StateSpan, Summary } from '../summary/summary.ts';

export interface ConnectOptions {
  /** A daemon on another machine: the address of its gateway, `https://host[:port][/base]`. */
  readonly url?: string | undefined;
  /** With `url`: from `spool token create`. */
  readonly token?: string | undefined;
  /** Determines where the daemon is found, and what its children may see (default: the environment of this process). */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether to start the daemon when there is none (default: true). */
  readonly start?: boolean | undefined;
  /** The daemon's program (default: the one beside this file). */
  readonly daemonEntry?: string | undefined;
  /** How long to try to restore a broken link before CONNECTION_LOST. */
  readonly reconnectMs?: number | undefined;
  /** The name of this client, shown as viewer and as the source of input (default: `node PID`). */
  readonly who?: string | undefined;
}

/** A client whose daemon has answered: errors show here, and not at the first request. */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  checkNode(process.versions.node);
  if (options.url !== undefined) return await connectFromAfar(options.url, options);
  const { env = process.env, start = true, daemonEntry, reconnectMs, who = `node ${process.pid}` } = options;
  const uid = process.getuid?.() ?? 0;
  const home = homeFrom(env, uid);
  const client = new Client(
    {
      dial: (signal) => dial({ env, home, uid, start, daemonEntry }, signal),
      sleep,
      // Monotonic, and 1 ms cheaper at its first use than `performance`.
      now: () => Number(process.hrtime.bigint() / 1_000_000n),
      randomId,
      resolvePath: resolve,
      runDefaults: (options = {}): RunDefaults => ({
        /** Only if nothing else was asked for: a current folder that was deleted has no name. */
        get cwd() {
          return process.cwd();
        },
        env: options.inheritEnv ? inheritedEnvironment(env) : sessionEnvironment(env, {}, options),
        ...callerLimits(),
      }),
      processIdentity,
    },
    { reconnectMs, who },
  );
  try {
    await client.open();
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Loaded on demand: most programs run on the machine of the daemon. */
async function connectFromAfar(url: string, { token, reconnectMs, who }: ConnectOptions): Promise<Client> {
  const { connect: connectTo } = await import('../remote/index.ts');
  return await connectTo({ url, token, reconnectMs, who: who ?? `node ${process.pid}@${hostname()}` });
}

/** A one-page summary of a session: see `Summary`. Loaded on demand. */
export async function summarize(client: Client, session?: string): Promise<Summary> {
  return (await import('./summary/summarize.ts')).summarize(client, session);
}

/** Summaries of a session: now, at intervals when asked for, and at its end. See `SummaryEvent`. Loaded on demand. */
export async function* summaries(
  client: Client,
  session: string,
  options: SummariesOptions = {},
): AsyncGenerator<SummaryEvent, void> {
  yield* (await import('./summary/summaries.ts')).summaries(client, session, options);
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
