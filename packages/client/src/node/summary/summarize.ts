/** The summary of a session with its changed files, if its folder is on this machine. */
import type { Client } from '../../index.ts';
import { summaryOf, type Summary } from '../../summary/summary.ts';
import { changedFiles } from './changed-files.ts';

/** Returns the summary; for a running session, it describes the present state. */
export async function summarize(client: Client, session = ''): Promise<Summary> {
  return await summaryOf(client, session, async ({ cwd, startedAt, endedAt }) =>
    client.isRemote ? null : await changedFiles(cwd, { since: startedAt, until: endedAt ?? Date.now() }),
  );
}
