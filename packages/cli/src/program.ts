/** The context of a verb, and the connection to the daemon. Only verbs that need a daemon load this file. */
import type { Client } from '@spool/client';
import { type ConnectOptions, connectForRequests, type RequestClient } from '@spool/client/requests';
import { LOG_LEVELS, logLevelOf, VERSION } from '@spool/protocol';
import { daemonSocket } from './daemon/daemon-socket.ts';
import type { IsFresh } from './freshness.ts';
import { notice } from './output/stdio.ts';
import type { Host } from './remote/host.ts';
import type { ArgumentsOf, VerbName } from './command-line/verb-table.ts';

export interface ProgramLocation {
  readonly isBundled: boolean;
  /** The folder of the entry point. */
  readonly folder: string;
  /** The program that the client starts if no daemon is running. */
  readonly daemonEntry: string;
  readonly isFresh: IsFresh;
  /** Stores compiled code for the next command of this verb. `isWhole`: this command has succeeded. */
  readonly keepCode: (isWhole: boolean) => void;
  /**
   * Imports a module by its path. A chunk cannot do so itself: the chunks are loaded as scripts, whose imports make Node print a
   * warning.
   */
  readonly importModule: (path: string) => Promise<unknown>;
  /** The machine that this command is for; null means this one. */
  host(): Host | null;
}

/** Returns the exit code. The command line reports its exceptions. */
export type VerbAction<N extends VerbName> = (args: ArgumentsOf<N>, program: ProgramLocation) => Promise<number>;

interface OpenOptions {
  /** Whether to start a daemon if there is none; none is started on another machine anyway. */
  readonly start?: boolean;
}

/** Opens a client, which the caller disposes. */
export async function openClient(program: ProgramLocation, options: OpenOptions = {}): Promise<Client> {
  const { connect } = await import('@spool/client/node');
  return await mentioned(await connect(connectOptions(program, options)));
}

/** Opens a smaller client for a verb that only requests and prints: half of the code to load. */
export async function openForRequests(program: ProgramLocation, options: OpenOptions = {}): Promise<RequestClient> {
  if (program.host() !== null) return await openClient(program, options);
  return await mentioned(await connectForRequests(connectOptions(program, options)));
}

/** Mentions a daemon of an older version to a user; returns the client. */
async function mentioned<C extends RequestClient>(client: C): Promise<C> {
  if (client.daemonVersion !== VERSION && !client.isRemote)
    (await import('./daemon/pending-upgrade.ts')).mentionUpgrade(client.daemonVersion);
  return client;
}

function connectOptions(program: ProgramLocation, { start = true }: OpenOptions): ConnectOptions {
  // The daemon reports it in its log, where someone who sets this variable for the first time does not look yet.
  const level = process.env['SPOOL_LOG'];
  if (logLevelOf(level) === null)
    notice(`spool: SPOOL_LOG=${JSON.stringify(level)} is not a level; use ${LOG_LEVELS.join(', ')}`);
  const who = `cli ${process.pid}`;
  const host = program.host();
  if (host?.url !== undefined) return { url: host.url, token: host.token, who };
  if (host !== null) return { node: host.node, env: process.env, daemonEntry: program.daemonEntry, who };
  return { env: process.env, start, daemonEntry: program.daemonEntry, who, connectSocket: daemonSocket };
}
