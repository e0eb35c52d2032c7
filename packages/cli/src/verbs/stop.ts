/** `spool stop`: stops sessions with SIGTERM, then SIGKILL. */
import type { RequestClient } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import type { SessionSelection } from '../command-line/chosen-sessions.ts';
import { forEachSession } from '../command-line/for-each-session.ts';
import type { VerbAction } from '../program.ts';
import { endSentence } from '../output/session-words.ts';

const stop: VerbAction<'stop'> = async ({ flags, operands }, program) => {
  const choice: SessionSelection = { verb: 'stop', kind: 'running', ...flags };
  const stopOne = (client: RequestClient, session: string): Promise<SessionInfo> =>
    client.stop(session, { graceMs: flags.grace, withServices: flags.withServices });
  return await forEachSession(program, operands, choice, stopOne, endSentence);
};

export default stop;
