/** Prints the outcome of an answer: the tool and its input, not the agent's title for it. Keeps SHOW-9, REQ-8. */
import type { Decided } from '@spool/client/node';
import { requestSubject } from '@spool/protocol/agent';
import { EXIT } from '../command-line/exit-code.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import { askWords, type WaitingAsk } from './pending-asks.ts';

const SUBJECT_CHARACTERS_MAX = 1000;

export function printDecision({ agent, ask }: WaitingAsk, decided: Decided, asJson: boolean): number {
  const { isOurs, outcome, reason } = decided;
  const { id, info } = agent;
  if (asJson)
    printJson({ id, name: info.name, request: ask.request, ...describeRequest(ask), isOurs, outcome, reason });
  else if (!isOurs) {
    const who = outcome?.who === undefined ? '' : ` by ${printable(outcome.who)}`;
    const how =
      outcome === null ? printable(reason ?? 'the question is gone') : `it was decided${who}: ${outcome.decision}`;
    notice(`The answer did not count: ${how}.`);
  } else if (outcome !== null) {
    const isChanged = outcome.kind === 'permission.resolved' && outcome.isInputChanged === true;
    const changed = isChanged
      ? `, with another input: ${requestSubject({ input: outcome.input }, SUBJECT_CHARACTERS_MAX)}`
      : '';
    print(`${WORDS[outcome.decision]} in ${printable(info.name)}: ${askWords(ask, SUBJECT_CHARACTERS_MAX)}${changed}`);
  }
  return isOurs ? 0 : EXIT.notAllowed;
}

function describeRequest(ask: WaitingAsk['ask']): Readonly<Record<string, unknown>> {
  if (ask.kind === 'question.asked') return { questions: ask.questions, digest: ask.digest };
  return { tool: ask.name ?? null, input: ask.input ?? null, digest: ask.digest };
}

const WORDS = {
  allow: 'Allowed',
  deny: 'Denied',
  answered: 'Answered',
  declined: 'Declined',
  cancelled: 'Withdrawn',
  error: 'Failed',
} as const;
