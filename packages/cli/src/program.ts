/** What a verb is given besides its arguments, and the way to the daemon. Loaded by the verbs that need a daemon, not by the rest. */
import { type Client, connect } from '@spool/client/node';
import type { ArgumentsOf, VerbName } from './command-line/verb-table.ts';

export interface Program {
  readonly isBundled: boolean;
  /** Where the entry lies. */
  readonly folder: string;
  /** What the client starts when no daemon runs. */
  readonly daemonEntry: string;
}

/** Returns the exit code. What it throws is told by the command line. */
export type VerbAction<N extends VerbName> = (args: ArgumentsOf<N>, program: Program) => Promise<number>;

/** A client, disposed by whoever opened it. `start: false` is for those who only look. */
export async function openClient(program: Program, { start = true } = {}): Promise<Client> {
  return await connect({ env: process.env, start, daemonEntry: program.daemonEntry, who: `cli ${process.pid}` });
}
