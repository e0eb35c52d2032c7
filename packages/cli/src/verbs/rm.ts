/** `spool rm`: deletes sessions and their output. */
import { checkChoice, type Choice, chosenSessions } from '../command-line/chosen-sessions.ts';
import { EXIT } from '../command-line/exit-code.ts';
import { forEachSession } from '../command-line/for-each-session.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { openClient, type VerbAction } from '../program.ts';
import { printable } from '../output/printable.ts';

const rm: VerbAction<'rm'> = async ({ flags, operands }, program) => {
  if (flags.ended && flags.all) throw new UsageError('use --ended or --all, not both', 'rm');
  // Age counts from the end, so that a session that runs for weeks is not an old one.
  const kind = flags.all ? (flags.force ? 'any' : 'ended') : 'ended';
  const choice: Choice = { ...flags, verb: 'rm', kind, all: flags.all || flags.ended };
  checkChoice(operands, choice);
  await using client = await openClient(program);
  const sessions = await chosenSessions(client, operands, choice);
  if (sessions === null) return EXIT.failed;
  return await forEachSession(
    sessions,
    flags.json,
    (session) => client.remove(session, { force: flags.force }),
    (session) => `removed ${printable(session.name)} (${session.id})`,
  );
};

export default rm;
