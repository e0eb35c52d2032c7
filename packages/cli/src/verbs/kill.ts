/** `spool kill`: ends sessions at once, or sends them one signal. */
import { signalNumber } from '../command-line/exit-code.ts';
import { forEachSession } from '../command-line/for-each-session.ts';
import { openClient, type VerbAction } from '../program.ts';
import { endWords } from '../output/session-words.ts';
import { UsageError } from '../command-line/usage-error.ts';

const kill: VerbAction<'kill'> = async ({ flags, operands }, program) => {
  const signal = flags.signal === undefined ? undefined : signalName(flags.signal);
  await using client = await openClient(program);
  return await forEachSession(
    operands,
    flags.json,
    (session) => (signal === undefined ? client.kill(session) : client.signal(session, signal)),
    (session) => `${session.id}: ${signal === undefined ? endWords(session) : `${signal} sent`}`,
  );
};

export default kill;

/** `INT`, `int`, `SIGINT`: all mean the same. */
export function signalName(text: string): string {
  const upper = text.toUpperCase();
  const name = upper.startsWith('SIG') ? upper : `SIG${upper}`;
  if (signalNumber(name) === undefined)
    throw new UsageError(`there is no signal ${JSON.stringify(text)}; INT, TERM, HUP and USR1 are some`, 'kill');
  return name;
}
