/** Shows a permission or a question in a transcript: the whole request while it waits, then its outcome. Keeps SHOW-9, REQ-1. */
import { say, visibleTitle, type VisibleText } from '@spool/protocol/visible-text';
import { type Line, type SpanStyle, span } from '../lines.ts';
import { fitLines, requestLines } from '../request/request-lines.ts';
import type { AskEntry, AskOutcome } from '../transcript/entries.ts';
import { wrap } from '../wrap.ts';

/**
 * The limit of a request in a transcript; a longer one ends with the number of lines that are left out, and where they can be
 * read.
 */
export const REQUEST_LINES_MAX = 60;
const WHO_CHARACTERS_MAX = 60;
const RULE_CHARACTERS_MAX = 200;
const MESSAGE_CHARACTERS_MAX = 300;
const FAINT: SpanStyle = { dim: true };

export interface AskViewOptions {
  readonly width: number;
  readonly isFull: boolean;
  /** The way to see the rest of a request, as the end of a sentence: `spool inspect NAME shows them`. */
  readonly restHint?: VisibleText | undefined;
}

export function askEntryLines({ ask, outcome }: AskEntry, options: AskViewOptions): Line[] {
  if (outcome !== null) return outcomeLines(outcome, options.width);
  const lines = requestLines(ask, options.width);
  return options.isFull ? lines : cutRequest(lines, REQUEST_LINES_MAX, options.restHint);
}

/** Returns the lines that fit, and a note with the number of those that do not. */
export function cutRequest(lines: readonly Line[], rows: number, hint?: VisibleText): Line[] {
  const fitted = fitLines(lines, rows);
  if (fitted.hidden === 0) return [...lines];
  const count = say`  … ${fitted.hidden} more ${fitted.hidden === 1 ? say`line` : say`lines`}`;
  return [...fitted.lines, [span(hint === undefined ? count : say`${count}; ${hint}`, { tone: 'warning' })]];
}

export function byWords({ who, isPolicy }: AskOutcome): VisibleText {
  if (who === undefined) return say``;
  return say` by ${visibleTitle(who, isPolicy ? RULE_CHARACTERS_MAX : WHO_CHARACTERS_MAX)}`;
}

/** Returns the outcome, `✓ allowed by kim · Bash npm test`: the tool and its input as they were when the decision was made. */
function outcomeLines(outcome: AskOutcome, width: number): Line[] {
  const { decision, message, about, changedTo } = outcome;
  const isGood = decision === 'allow' || decision === 'answered';
  const look: SpanStyle = { tone: isGood ? 'ok' : 'error' };
  const said = message === undefined || message === '' ? [] : [visibleTitle(message, MESSAGE_CHARACTERS_MAX)];
  return wrap(
    [
      span(say`${WORDS[decision]}${byWords(outcome)}`, look),
      span(say` · ${about}`, FAINT),
      ...(changedTo === undefined ? [] : [span(say` · with another input: ${changedTo}`)]),
      ...said.map((words) => span(say` “${words}”`)),
    ],
    width,
    { first: [isGood ? span('✓ ', look) : span('✗ ', look)], rest: [span('  ')] },
  );
}

const WORDS: Readonly<Record<AskOutcome['decision'], VisibleText>> = {
  allow: say`allowed`,
  deny: say`denied`,
  cancelled: say`withdrawn`,
  error: say`failed`,
  answered: say`answered`,
  declined: say`declined`,
};

/** Removes the name of the tool: `npm test` for `Bash: npm test`. */
export function withoutName(title: string, name: string): string {
  const prefix = [`${name}: `, `${name} `].find((each) => name !== '' && title.startsWith(each));
  return prefix === undefined ? title : title.slice(prefix.length);
}
