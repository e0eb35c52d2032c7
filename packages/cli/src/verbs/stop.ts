/** `spool stop`: asks sessions to end, and makes them when they do not. */
import { forEachSession } from '../command-line/for-each-session.ts';
import { openClient, type VerbAction } from '../program.ts';
import { endWords } from '../output/session-words.ts';

const stop: VerbAction<'stop'> = async ({ flags, operands }, program) => {
  await using client = await openClient(program);
  return await forEachSession(
    operands,
    flags.json,
    (session) => client.stop(session, { graceMs: flags.grace }),
    (session) =>
      `${session.id}: ${session.state === 'stopped' ? `stopped, ${session.exitCode ?? session.signal}` : endWords(session)}`,
  );
};

export default stop;
