/**
 * Applies one action to the chosen sessions: tries all, reports every failure, and returns the exit code of the first one. With
 * --json, each session is one line, however many there are [SAY-3].
 */
import type { RequestClient } from '@spool/client';
import { leftSentences, type SessionInfo } from '@spool/protocol';
import { openForRequests, type ProgramLocation } from '../program.ts';
import { print, printJson } from '../output/stdio.ts';
import { checkChoice, type SessionSelection, chosenSessions } from './chosen-sessions.ts';
import { EXIT } from './exit-code.ts';
import { reportFailure } from './failure.ts';

export async function forEachSession(
  program: ProgramLocation,
  operands: readonly string[],
  choice: SessionSelection,
  act: (client: RequestClient, reference: string) => Promise<SessionInfo>,
  say: (session: SessionInfo) => string,
): Promise<number> {
  checkChoice(operands, choice);
  await using client = await openForRequests(program);
  const references = await chosenSessions(client, operands, choice);
  if (references === null) return EXIT.failed;
  const asJson = choice.json;
  const outcomes = await Promise.allSettled(references.map((reference) => act(client, reference)));
  const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  for (const session of done) {
    if (asJson) printJson(session);
    else {
      print(say(session));
      for (const left of leftSentences(session.leftRunning)) print(`${left}; \`stop --with-services\` ends it`);
    }
  }
  let exitCode = 0;
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    const code = reportFailure(outcome.reason, asJson);
    exitCode ||= code;
  }
  return exitCode;
}
