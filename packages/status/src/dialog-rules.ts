/**
 * The part of a rule file about the dialogs of a program: the place of a dialog, the line that asks, and its subject.
 *
 *     "dialogs": [{ "kinds": ["permission"], "top": "^─────", "question": ["^△ (.+)$"],
 *                   "subject": [{ "match": "^\\$ (\\S.*)$" }, { "in": "question", "match": "edit to (\\S.*)\\?$" }],
 *                   "buttons": "^(Allow once) +(Reject)" }]
 *
 * The dialog consists of the lines below `top`, or of the lines around it that all show `frame`. Patterns see its lines without
 * frames.
 */
import { list, only, record, RuleRefusal, showValue, word } from './rule-json.ts';
import { readRulePattern } from './linear-pattern.ts';

export interface SubjectRule {
  /** The pattern of its first line; the first group is the text. Null means the second line of the dialog. */
  readonly pattern: RegExp | null;
  /** The pattern of the line above, and that of the first line after it; null means any line above, and a blank line after it. */
  readonly after: RegExp | null;
  readonly until: RegExp | null;
  readonly isInQuestion: boolean;
  /** Whether it applies only to a dialog whose beginning is above the screen: then it is the first line, below a blank one. */
  readonly isAtTop: boolean;
}

export interface DialogRule {
  /** The kinds of rules that found the dialog; an empty list means any. */
  readonly kinds: readonly string[];
  readonly top: RegExp | null;
  readonly frame: RegExp | null;
  /** The patterns of lines that ask; if none matches, the lowest line with a question mark. */
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
    throw new RuleRefusal(`"in" of a subject is "question", "line 2" or "top", not ${showValue(where)}`);
  return {
    pattern: where === 'line 2' ? null : pattern(json['match']),
    after: patternIf(json['after']),
    until: patternIf(json['until']),
    isInQuestion: where === 'question',
    isAtTop: where === 'top',
  };
}

function pattern(source: unknown): RegExp {
  const found = readRulePattern(source);
  if (typeof found === 'string') throw new RuleRefusal(`${showValue(source)}: ${found}`);
  return found;
}

const patternIf = (source: unknown): RegExp | null => (source === undefined ? null : pattern(source));
