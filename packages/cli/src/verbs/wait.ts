/** `spool wait`: until sessions end, come to rest, ask something or print something; and it says which of these it was. */
import { SpoolError } from '@spool/protocol';
import { EXIT, exitCodeOfSession } from '../exit-code.ts';
import { failureOf } from '../failure.ts';
import { printable } from '../printable.ts';
import { openClient, type VerbAction } from '../program.ts';
import { endWords } from '../session-words.ts';
import { print, printJson } from '../stdio.ts';
import { UsageError } from '../usage-error.ts';
import { parseWanted, waitFor, type WaitEnd, waitForFirst, type WaitWanted } from '@spool/client/waits';

/** For something that did not come before the session ended: neither the session's code nor a failure of ours. */
const EXIT_IN_VAIN = 1;

const wait: VerbAction<'wait'> = async ({ flags, operands }, program) => {
  const words = flags.until.flatMap((text) => (text.startsWith('match:') ? [text] : text.split(',')));
  const wanted = wantedOf(words.length === 0 ? ['exit'] : words);
  if (flags.fromNow && flags.after !== undefined) throw new UsageError('give --from-now or --after, not both', 'wait');
  await using client = await openClient(program);
  const startedAt = performance.now();
  const sessions = await Promise.all((operands.length === 0 ? [''] : operands).map((operand) => client.get(operand)));
  const timeoutMs =
    flags.timeout === undefined ? undefined : Math.max(1, flags.timeout - (performance.now() - startedAt));
  const wait = (id: string, offset: number): Promise<WaitEnd> =>
    waitFor(client, id, wanted, { timeoutMs, after: flags.fromNow ? offset : flags.after });
  // A match is mostly wanted of the one that has it.
  const isAny = flags.any || (wanted.pattern !== null && wanted.until.length === 0);
  const ends =
    isAny && sessions.length > 1
      ? [
          await waitForFirst(
            client,
            sessions.map(({ id }) => id),
            wanted,
            { timeoutMs, after: flags.after },
          ),
        ]
      : await Promise.all(sessions.map(({ id, offset }) => wait(id, offset)));
  const results = ends.map(resultOf);
  if (flags.json) printJson(results.length === 1 ? results[0] : results);
  else for (const end of ends) print(line(end));
  return ends.map((end) => codeOf(end, wanted)).find((code) => code !== 0) ?? 0;
};

export default wait;

function wantedOf(words: readonly string[]): WaitWanted {
  try {
    return parseWanted(words);
  } catch (error) {
    throw SpoolError.is(error) ? new UsageError(failureOf(error).message, 'wait') : error;
  }
}

function resultOf({ reason, offset, session, match }: WaitEnd): object {
  const { id, name, state, exitCode, signal, status } = session;
  return { id, name, reason, state, exitCode, signal, offset, status, ...(match && { match }) };
}

function line({ reason, session, match }: WaitEnd): string {
  const { id, status } = session;
  switch (reason) {
    case 'match':
      return `${id}: match: ${printable(match?.[0] ?? '')}`;
    case 'exit':
      return `${id}: exit: ${endWords(session)}`;
    case 'timeout':
      return `${id}: timeout: still ${status.state}`;
    case 'output':
      return `${id}: output`;
    default:
      return `${id}: ${reason}: ${printable(status.why)}`;
  }
}

function codeOf({ reason, session }: WaitEnd, { until, pattern }: WaitWanted): number {
  if (reason === 'timeout') return EXIT.timedOut;
  if (reason !== 'exit') return 0;
  const isWanted = until.includes('exit') || (until.length === 0 && pattern === null);
  return isWanted ? exitCodeOfSession(session) : EXIT_IN_VAIN;
}
