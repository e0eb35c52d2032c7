/** The context of a verb, and the connection to the daemon. Only verbs that need a daemon load this file. */
import { type Client, connect } from '@spool/client/node';
import { LOG_LEVELS, logLevelOf } from '@spool/protocol';
import { notice } from './output/stdio.ts';
import type { Host } from './remote/host.ts';
import type { ArgumentsOf, VerbName } from './command-line/verb-table.ts';

export interface Program {
  readonly isBundled: boolean;
  /** The folder of the entry point. */
  readonly folder: string;
  /** The program that the client starts if no daemon is running. */
  readonly daemonEntry: string;
  /** The machine that this command is for; null: this one. */
  host(): Host | null;
}

/** Returns the exit code. The command line reports what it throws. */
export type VerbAction<N extends VerbName> = (args: ArgumentsOf<N>, program: Program) => Promise<number>;

/** Opens a client, which the caller disposes. `start: false` does not start a daemon; from afar none is started anyway. */
export async function openClient(program: Program, { start = true } = {}): Promise<Client> {
  // The daemon says so in its log, where someone who sets this variable for the first time does not look yet.
  const level = process.env['SPOOL_LOG'];
  if (logLevelOf(level) === null)
    notice(`spool: SPOOL_LOG=${JSON.stringify(level)} is not a level; use ${LOG_LEVELS.join(', ')}`);
  const host = program.host();
  if (host !== null) return await connect({ url: host.url, token: host.token, who: `cli ${process.pid}` });
  return await connect({ env: process.env, start, daemonEntry: program.daemonEntry, who: `cli ${process.pid}` });
}
