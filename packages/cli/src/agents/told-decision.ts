/** Tells what became of an answer. Keeps SHOW-9. */
import type { Decided } from '@spool/client/node';
import { EXIT } from '../command-line/exit-code.ts';
import { printable } from '../output/printable.ts';
import { notice, print, printJson } from '../output/stdio.ts';
import type { Found } from './pending-asks.ts';

export function tellDecision({ agent, ask }: Found, decided: Decided, asJson: boolean): number {
  const { isOurs, outcome, reason } = decided;
  const { id, info } = agent;
  if (asJson) printJson({ id, name: info.name, request: ask.request, isOurs, outcome, reason });
  else if (!isOurs) {
    const who = outcome?.who === undefined ? '' : ` by ${printable(outcome.who)}`;
    const how =
      outcome === null ? printable(reason ?? 'the question is gone') : `it was decided${who}: ${outcome.decision}`;
    notice(`The answer did not count: ${how}.`);
  } else if (outcome !== null)
    print(`${WORDS[outcome.decision]} in ${printable(info.name)}: ${printable(subjectOf(ask))}`);
  return isOurs ? 0 : EXIT.notAllowed;
}

const WORDS = {
  allow: 'Allowed',
  deny: 'Denied',
  answered: 'Answered',
  declined: 'Declined',
  cancelled: 'Withdrawn',
  error: 'Failed',
} as const;

function subjectOf(ask: Found['ask']): string {
  if (ask.kind === 'question.asked') return ask.questions.map(({ text }) => text).join(' ');
  return ask.title ?? ask.name ?? ask.request;
}
