/** The lines about cases that `spool doctor rules` and `explain --save` print. */
import { basename } from 'node:path';
import type { DoctorFinding } from '../verbs/doctor.ts';
import { printable } from '../output/printable.ts';
import type { CheckedCase } from '@spool/protocol';

const TODO = 'add or correct a rule of your own (see docs/state.md), or delete the case';

/** Returns one finding per case; `fail` where the rules are wrong, or the file is not a case. */
export function caseFindings(cases: readonly CheckedCase[]): DoctorFinding[] {
  return cases.map((each) => {
    const check = printable(basename(each.file, '.json'));
    if (each.isRight === null)
      return { check, level: 'fail', says: printable(each.why), todo: 'correct or delete the file' };
    const note = each.note === '' ? '' : ` (${printable(each.note)})`;
    if (each.isRight) return { check, level: 'ok', says: `${reading(each)}${note}` };
    return { check, level: 'fail', says: `reads ${reading(each)}, but is ${each.should}${note}`, todo: TODO };
  });
}

/** `idle by claude/prompt: the screen shows "❯"`. */
export function reading({ reads, rule, source, why }: CheckedCase): string {
  const by = rule === null ? `by no rule (${source})` : `by ${rule}`;
  return `${reads} ${by}: ${printable(why)}`;
}

/** Returns one line about all cases for `spool doctor`; none if there are no cases. */
export function casesInShort(cases: readonly CheckedCase[]): DoctorFinding[] {
  if (cases.length === 0) return [];
  const check = 'rule cases';
  const right = cases.filter(({ isRight }) => isRight === true).length;
  const says = `${right} of ${cases.length} are read correctly`;
  return right === cases.length
    ? [{ check, level: 'ok', says }]
    : [{ check, level: 'warn', says, todo: 'run spool doctor rules' }];
}
