/** `spool rm`: deletes sessions and their output. */
import { ENDED_STATES } from '@spool/protocol';
import { forEachSession } from '../command-line/for-each-session.ts';
import { openClient, type VerbAction } from '../program.ts';
import { printable } from '../output/printable.ts';
import { notice } from '../output/stdio.ts';
import { UsageError } from '../command-line/usage-error.ts';

const rm: VerbAction<'rm'> = async ({ flags, operands }, program) => {
  if (flags.ended && operands.length > 0) throw new UsageError('use IDs or --ended, not both', 'rm');
  await using client = await openClient(program);
  const references = flags.ended ? (await client.list({ states: ENDED_STATES })).map(({ id }) => id) : operands;
  if (flags.ended && references.length === 0) {
    if (!flags.json) notice('There are no ended sessions; nothing was removed.');
    return 0;
  }
  return await forEachSession(
    references,
    flags.json,
    (session) => client.remove(session, { force: flags.force }),
    (session) => `removed ${printable(session.name)} (${session.id})`,
  );
};

export default rm;
