/** `spool rm`: deletes sessions and their output. */
import type { SessionSelection } from '../command-line/chosen-sessions.ts';
import { forEachSession } from '../command-line/for-each-session.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { VerbAction } from '../program.ts';
import { printable } from '../output/printable.ts';

const rm: VerbAction<'rm'> = async ({ flags, operands }, program) => {
  if (flags.ended && flags.all) throw new UsageError('use --ended or --all, not both', 'rm');
  // The age is counted from the end, so that a session that ran for weeks is not old at its end.
  const kind = flags.all ? (flags.force ? 'any' : 'ended') : 'ended';
  const choice: SessionSelection = { ...flags, verb: 'rm', kind, all: flags.all || flags.ended };
  return await forEachSession(
    program,
    operands,
    choice,
    (client, session) => client.remove(session, { force: flags.force }),
    (session) => `removed ${printable(session.name)} (${session.id})`,
  );
};

export default rm;
