/** `spool stop`: stops sessions with SIGTERM, then SIGKILL. */
import { checkChoice, type Choice, chosenSessions } from '../command-line/chosen-sessions.ts';
import { EXIT } from '../command-line/exit-code.ts';
import { forEachSession } from '../command-line/for-each-session.ts';
import { openClient, type VerbAction } from '../program.ts';
import { endSentence } from '../output/session-words.ts';

const stop: VerbAction<'stop'> = async ({ flags, operands }, program) => {
  const choice: Choice = { verb: 'stop', kind: 'running', ...flags };
  checkChoice(operands, choice);
  await using client = await openClient(program);
  const sessions = await chosenSessions(client, operands, choice);
  if (sessions === null) return EXIT.failed;
  return await forEachSession(
    sessions,
    flags.json,
    (session) => client.stop(session, { graceMs: flags.grace }),
    endSentence,
  );
};

export default stop;
