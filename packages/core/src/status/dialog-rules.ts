/**
 * What a rule file says about the dialogs of a program: where a dialog is, which of its lines asks, and what it is about.
 *
 *     "dialogs": [{ "kinds": ["permission"], "top": "^─────", "question": ["^△ (.+)$"],
 *                   "subject": [{ "match": "^\\$ (\\S.*)$" }, { "in": "question", "match": "edit to (\\S.*)\\?$" }],
 *                   "buttons": "^(Allow once) +(Reject)" }]
 *
 * The dialog is what stands below `top`, or the lines around it that all show `frame`. Patterns see its lines without frames.
 */
import { list, only, record, Refusal, shown, word } from './rule-json.ts';
import { rulePattern } from './rule-pattern.ts';

export interface SubjectRule {
  /** Its first line; the first group is the text. Null: the second line of the dialog. */
  readonly pattern: RegExp | null;
  /** What the line above shows, and the first line that is no longer part of it; null: any, and a blank one. */
  readonly after: RegExp | null;
  readonly until: RegExp | null;
  readonly isInQuestion: boolean;
  /** Only for a dialog whose beginning is above the screen: the first line, below a blank one. */
  readonly isAtTop: boolean;
}

export interface DialogRule {
  /** Of the rules that found the dialog; empty: any. */
  readonly kinds: readonly string[];
  readonly top: RegExp | null;
  readonly frame: RegExp | null;
  /** Lines that ask; without a match, the lowest line with a question mark. */
  readonly question: readonly RegExp[];
  readonly subject: readonly SubjectRule[];
  /** A line with all answers side by side: one group each. */
  readonly buttons: RegExp | null;
}

export const DIALOGS_MAX = 20;
const PARTS_MAX = 12;

export function dialogRule(part: unknown): DialogRule {
  const json = record(part);
  only(json, ['kinds', 'top', 'frame', 'question', 'subject', 'buttons', 'comment']);
  return {
    kinds: list(json['kinds'], PARTS_MAX).map((kind) => word(kind, 'a kind')),
    top: patternIf(json['top']),
    frame: patternIf(json['frame']),
    question: list(json['question'], PARTS_MAX).map(pattern),
    subject: list(json['subject'], PARTS_MAX).map(subjectRule),
    buttons: patternIf(json['buttons']),
  };
}

function subjectRule(part: unknown): SubjectRule {
  const json = record(part);
  only(json, ['in', 'match', 'after', 'until', 'comment']);
  const where = json['in'];
  if (where !== undefined && where !== 'question' && where !== 'line 2' && where !== 'top')
    throw new Refusal(`"in" of a subject is "question", "line 2" or "top", not ${shown(where)}`);
  return {
    pattern: where === 'line 2' ? null : pattern(json['match']),
    after: patternIf(json['after']),
    until: patternIf(json['until']),
    isInQuestion: where === 'question',
    isAtTop: where === 'top',
  };
}

function pattern(source: unknown): RegExp {
  const found = rulePattern(source);
  if (typeof found === 'string') throw new Refusal(`${shown(source)}: ${found}`);
  return found;
}

const patternIf = (source: unknown): RegExp | null => (source === undefined ? null : pattern(source));
