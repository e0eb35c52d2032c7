/** `spool watch`: a live list of the sessions, for people; with --json, its rows as they change, for programs. */
import { openClient, type VerbAction } from '../program.ts';
import { isTerminal } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { tellRows } from '../watch/json.ts';
import { watchSessions } from '../watch/view.ts';

const watch: VerbAction<'watch'> = async ({ flags }, program) => {
  if (!flags.json && !(isTerminal(0) && isTerminal(1))) {
    const others = '`spool ls` prints the sessions once, `spool events -f` tells what happens to them';
    throw new UsageError(`\`watch\` needs a terminal to draw in; ${others}, and so does watch --json`, 'watch');
  }
  await using client = await openClient(program);
  if (flags.json) await tellRows(client);
  else await watchSessions(client, { showsEnded: flags.all });
  return 0;
};

export default watch;
