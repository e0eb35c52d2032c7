/** `spool stop`: stops sessions with SIGTERM, then SIGKILL. */
import type { Client } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import type { Choice } from '../command-line/chosen-sessions.ts';
import { forEachSession } from '../command-line/for-each-session.ts';
import type { VerbAction } from '../program.ts';
import { endSentence } from '../output/session-words.ts';

const stop: VerbAction<'stop'> = async ({ flags, operands }, program) => {
  const choice: Choice = { verb: 'stop', kind: 'running', ...flags };
  const stopOne = (client: Client, session: string): Promise<SessionInfo> =>
    client.stop(session, { graceMs: flags.grace });
  return await forEachSession(program, operands, choice, stopOne, endSentence);
};

export default stop;
