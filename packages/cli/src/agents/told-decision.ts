/** Tells what became of an answer. */
import type { Decided } from '@spool/client/node';
import { EXIT } from '../command-line/exit-code.ts';
import { printable } from '../output/printable.ts';
import { notice, printJson } from '../output/stdio.ts';
import type { Found } from './pending-asks.ts';

export function tellDecision({ agent, ask }: Found, decided: Decided, asJson: boolean): number {
  const { isOurs, outcome, reason } = decided;
  const { id, info } = agent;
  if (asJson) printJson({ id, name: info.name, request: ask.request, isOurs, outcome, reason });
  else if (!isOurs) {
    const who = outcome?.who === undefined ? '' : ` by ${printable(outcome.who)}`;
    const how = outcome === null ? printable(reason ?? 'it is gone') : `it was decided${who}: ${outcome.decision}`;
    notice(`Not counted: ${how}.`);
  }
  return isOurs ? 0 : EXIT.notAllowed;
}
