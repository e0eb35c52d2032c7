/** The result of a wait: as a sentence, as JSON and as an exit code. */
import { parseWanted, type WaitEnd, type WaitWanted } from '@spool/client/waits';
import { askingSentence, SpoolError } from '@spool/protocol';
import { EXIT, exitCodeOfSession } from '../command-line/exit-code.ts';
import { failureOf } from '../command-line/failure.ts';
import { printable } from '../output/printable.ts';
import { sessionJson } from '../output/session-json.ts';
import { endSentence } from '../output/session-words.ts';
import { UsageError } from '../command-line/usage-error.ts';

export function wantedOf(texts: readonly string[], verb: 'wait' | 'prompt'): WaitWanted {
  try {
    return parseWanted(texts);
  } catch (error) {
    throw SpoolError.is(error) ? new UsageError(failureOf(error).message, verb) : error;
  }
}

export function endJson({ reason, offset, session, match }: WaitEnd): object {
  return { ...sessionJson(session), reason, offset, ...(match && { match }) };
}

export function endLine({ reason, session, match }: WaitEnd): string {
  const { status } = session;
  const name = printable(session.name);
  switch (reason) {
    case 'match':
      return `${name} matched: ${printable(match?.[0] ?? '')}`;
    case 'exit':
      return endSentence(session);
    case 'timeout':
      return `timed out: ${name} is still ${status.state}`;
    case 'output':
      return `${name} printed output`;
    default:
      return `${name} is ${reason === 'prompt' ? 'at its prompt' : reason}: ${printable(askingSentence(status.agent, status.question) ?? status.why)}`;
  }
}

export function endCode({ reason, session }: WaitEnd, { until, pattern }: WaitWanted): number {
  if (reason === 'timeout') return EXIT.timedOut;
  if (reason !== 'exit') return 0;
  const isWanted = until.includes('exit') || (until.length === 0 && pattern === null);
  return isWanted ? exitCodeOfSession(session) : EXIT.failed;
}
