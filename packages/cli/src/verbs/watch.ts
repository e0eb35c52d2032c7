/** `spool watch`: a live list of the sessions of all machines; with --json, one line per change. Keeps NODE-47. */
import { openClient, type VerbAction } from '../program.ts';
import { isTerminal } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { hasNodes } from '../remote/has-nodes.ts';
import { tellRows } from '../watch/json.ts';
import { watchSessions } from '../watch/view.ts';

const watch: VerbAction<'watch'> = async ({ flags }, program) => {
  if (!flags.json && !(isTerminal(0) && isTerminal(1))) {
    const others = 'use `spool ls` for a single list, or `spool events -f`';
    throw new UsageError(`\`watch\` needs a terminal; ${others} or \`watch --json\` for changes`, 'watch');
  }
  await using own = await openClient(program);
  const client = hasNodes(program) ? (await import('@spool/client')).everywhere(own) : own;
  if (flags.json) await tellRows(client);
  else await watchSessions(client, { showsEnded: flags.all });
  return 0;
};

export default watch;
