/** `spool kill`: kills sessions immediately, or sends them a signal. */
import { signalNumber } from '../command-line/exit-code.ts';
import { forEachSession } from '../command-line/for-each-session.ts';
import { openClient, type VerbAction } from '../program.ts';
import { printable } from '../output/printable.ts';
import { endSentence } from '../output/session-words.ts';
import { UsageError } from '../command-line/usage-error.ts';

const kill: VerbAction<'kill'> = async ({ flags, operands }, program) => {
  const signal = flags.signal === undefined ? undefined : signalName(flags.signal);
  await using client = await openClient(program);
  return await forEachSession(
    operands,
    flags.json,
    (session) => (signal === undefined ? client.kill(session) : client.signal(session, signal)),
    (session) => (signal === undefined ? endSentence(session) : `sent ${signal} to ${printable(session.name)}`),
  );
};

export default kill;

/** Accepts `INT`, `int` and `SIGINT`. */
export function signalName(text: string): string {
  const upper = text.toUpperCase();
  const name = upper.startsWith('SIG') ? upper : `SIG${upper}`;
  if (signalNumber(name) === undefined)
    throw new UsageError(`unknown signal ${JSON.stringify(text)}; use INT, TERM, HUP, USR1, …`, 'kill');
  return name;
}
