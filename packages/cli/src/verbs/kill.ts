/** `spool kill`: kills sessions immediately, or sends them a signal. Keeps RUN-44. */
import { constants } from 'node:os';
import { signalNameIn } from '@spool/protocol';
import type { SessionSelection } from '../command-line/chosen-sessions.ts';
import { signalNumber } from '../command-line/exit-code.ts';
import { forEachSession } from '../command-line/for-each-session.ts';
import type { VerbAction } from '../program.ts';
import { printable } from '../output/printable.ts';
import { endSentence } from '../output/session-words.ts';
import { UsageError } from '../command-line/usage-error.ts';

const kill: VerbAction<'kill'> = async ({ flags, operands }, program) => {
  const asked = flags.signal === undefined ? 'SIGKILL' : signalName(flags.signal);
  const signal = asked === 'SIGKILL' ? undefined : asked; // this verb does that anyway, and to all processes
  const choice: SessionSelection = { verb: 'kill', kind: 'running', ...flags };
  return await forEachSession(
    program,
    operands,
    choice,
    (client, session) => (signal === undefined ? client.kill(session) : client.signal(session, signal)),
    (session) => (signal === undefined ? endSentence(session) : `sent ${signal} to ${printable(session.name)}`),
  );
};

export default kill;

/** Accepts `INT`, `int`, `SIGINT` and `2`. */
export function signalName(text: string): string {
  const upper = text.toUpperCase();
  const name = /^\d{1,2}$/.test(text)
    ? signalNameIn(constants.signals, Number(text))
    : upper.startsWith('SIG')
      ? upper
      : `SIG${upper}`;
  if (signalNumber(name) === undefined)
    throw new UsageError(`unknown signal ${JSON.stringify(text)}; use INT, TERM, HUP, USR1, … or a number`, 'kill');
  return name;
}
