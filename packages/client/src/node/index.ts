/** The SDK for Node: `await using client = await connect()`. Keeps SDK-40. */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Client, type NodeRoads, type RunDefaults } from '../index.ts';
import { REMOTE } from '../remote/remote-runtime.ts';
import { callerLimits } from './caller-limits.ts';
import { inheritedEnvironment } from './child-environment.ts';
import { checkNode } from './check-node.ts';
import { type ConnectOptions, openHere } from './connect.ts';
import { processIdentity } from './process-identity.ts';
import { sleep } from './sleep.ts';
import { sessionEnvironment } from './user-config.ts';
import type { SummariesOptions, SummaryEvent } from './summary/summaries.ts';
import type { WaitEnd, WaitForOptions } from './waits/waiting.ts';
import type { Summary } from '../summary/summary.ts';

export * from '../index.ts';
export type { ConnectOptions } from './connect.ts';
export { type Environment, type Home, homeFrom } from '@spool/protocol';
export { callerLimits } from './caller-limits.ts';
export { findDaemonEntry } from './daemon-start.ts';
export { childEnvironment, inheritedEnvironment } from './child-environment.ts';
export { processIdentity } from './process-identity.ts';
export { configPath, sessionEnvironment, userConfig } from './user-config.ts';
export type { ChangedFile } from '../summary/changed-file.ts';
export { meaningfulLines } from '../summary/meaningful-lines.ts';
export type { SummariesOptions, SummaryEvent } from './summary/summaries.ts';
export type { StateSpan, Summary } from '../summary/summary.ts';
export type { WaitEnd, WaitForOptions } from './waits/waiting.ts';

/** Returns a client whose daemon has answered, so that errors are reported here instead of at the first request. */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  checkNode(process.versions.node);
  if (options.node !== undefined) return await (await import('./node-road.ts')).connectToNode(options.node, options);
  if (options.url !== undefined) return await connectFromAfar(options.url, options);
  const { env = process.env } = options;
  return await openHere(Client, options, {
    resolvePath: resolve,
    runDefaults: (defaults = {}): RunDefaults => ({
      /** The default is evaluated only if needed, because a current folder that was deleted has no name. */
      get cwd() {
        return process.cwd();
      },
      env: defaults.inheritEnv ? inheritedEnvironment(env) : sessionEnvironment(env, {}, defaults),
      ...callerLimits(),
    }),
    processIdentity,
    nodes: nodeRoads(options),
  });
}

/** Returns the ways to the nodes of this machine. Their code is loaded on demand: most machines have none. */
function nodeRoads({ env, daemonEntry, who, reconnectMs }: ConnectOptions): NodeRoads {
  const options = { env, daemonEntry, who, reconnectMs };
  return {
    at: (node) => ({
      ...REMOTE,
      silence: undefined, // the gateway watches the network
      sleep,
      dial: async (signal) => await (await import('./node-road.ts')).dialNode(node, options, signal),
    }),
    async *follow(signal) {
      yield* (await import('./node-road.ts')).followNodes(options, signal);
    },
  };
}

/** Connects to another machine. Loaded on demand: most programs run on the machine of the daemon. */
async function connectFromAfar(url: string, { token, reconnectMs, who }: ConnectOptions): Promise<Client> {
  const { connect: connectTo } = await import('../remote/index.ts');
  return await connectTo({ url, token, reconnectMs, who: who ?? `node ${process.pid}@${hostname()}` });
}

/**
 * Waits for the first of several conditions: `exit`, `idle`, `blocked`, `prompt`, `output`, and a pattern in its output,
 * `match:/listening on (\d+)/`. It is loaded on demand; `@spool/client/waits` has its parts.
 */
export async function waitForAny(
  client: Client,
  session: string,
  until: readonly string[],
  options: WaitForOptions = {},
): Promise<WaitEnd> {
  const { parseWanted, waitFor } = await import('./waits/waiting.ts');
  return await waitFor(client, session, parseWanted(until), options);
}

/** Returns a one-page summary of a session: see `Summary`. It is loaded on demand. */
export async function summarize(client: Client, session?: string): Promise<Summary> {
  return (await import('./summary/summarize.ts')).summarize(client, session);
}

/** Yields summaries of a session: now, at intervals if requested, and at its end. See `SummaryEvent`. It is loaded on demand. */
export async function* summaries(
  client: Client,
  session: string,
  options: SummariesOptions = {},
): AsyncGenerator<SummaryEvent, void> {
  yield* (await import('./summary/summaries.ts')).summaries(client, session, options);
}
