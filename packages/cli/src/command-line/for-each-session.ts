/** Does one thing to several sessions: tries all, reports every failure, and exits with the code of the first one. */
import type { SessionInfo } from '@spool/protocol';
import { reportFailure } from './failure.ts';
import { print, printJson } from '../output/stdio.ts';

export async function forEachSession(
  references: readonly string[],
  asJson: boolean,
  act: (reference: string) => Promise<SessionInfo>,
  say: (session: SessionInfo) => string,
): Promise<number> {
  const outcomes = await Promise.allSettled((references.length === 0 ? [''] : references).map(act));
  const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (asJson && (done.length > 0 || references.length > 1)) printJson(references.length > 1 ? done : done[0]);
  if (!asJson) for (const session of done) print(say(session));
  let exitCode = 0;
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    const code = reportFailure(outcome.reason, asJson);
    exitCode ||= code;
  }
  return exitCode;
}
