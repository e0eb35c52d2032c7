/**
 * Does one thing to several sessions: tries all, reports every failure, and exits with the code of the first one. With --json,
 * each session is one line, however many there are [SAY-3].
 */
import type { SessionInfo } from '@spool/protocol';
import { reportFailure } from './failure.ts';
import { print, printJson } from '../output/stdio.ts';

export async function forEachSession(
  references: readonly string[],
  asJson: boolean,
  act: (reference: string) => Promise<SessionInfo>,
  say: (session: SessionInfo) => string,
): Promise<number> {
  const outcomes = await Promise.allSettled(references.map(act));
  const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  for (const session of done) {
    if (asJson) printJson(session);
    else print(say(session));
  }
  let exitCode = 0;
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    const code = reportFailure(outcome.reason, asJson);
    exitCode ||= code;
  }
  return exitCode;
}
