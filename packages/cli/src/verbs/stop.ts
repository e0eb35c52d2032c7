/** `spool stop`: stops sessions with SIGTERM, then SIGKILL. */
import { forEachSession } from '../command-line/for-each-session.ts';
import { openClient, type VerbAction } from '../program.ts';
import { endSentence } from '../output/session-words.ts';

const stop: VerbAction<'stop'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  return await forEachSession(
    operands,
    flags.json,
    (session) => client.stop(session, { graceMs: flags.grace }),
    endSentence,
  );
};

export default stop;
