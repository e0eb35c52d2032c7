/**
 * The permission or question that waits, with the keys that answer it. A key answers only what was on the screen for a moment
 * before, so that a letter of a prompt that is being typed decides nothing. Keeps SHOW-5.
 */
import { askLines, type Asked, type Line, span } from '@spool/render';

/** An ask that has just come takes no key: the hand that types does not mean it. */
export const ASK_GUARD_MS = 600;

export type Answer =
  | { readonly type: 'option'; readonly option: string; readonly behavior: 'allow' | 'deny' }
  | { readonly type: 'allow' }
  | { readonly type: 'deny' }
  | { readonly type: 'choice'; readonly label: string }
  /** What is typed next is the message, the new input or the answer. */
  | { readonly type: 'write'; readonly what: 'message' | 'input' | 'answer' };

interface Choice {
  readonly key: string;
  readonly label: string;
  readonly answer: Answer;
}

export function choicesOf(ask: Asked): readonly Choice[] {
  if (ask.kind === 'question.asked') {
    const [question] = ask.questions;
    const options = (question?.options ?? []).slice(0, 9).map(({ label }, at): Choice => ({
      key: String(at + 1),
      label,
      answer: { type: 'choice', label },
    }));
    return [...options, { key: 'w', label: 'write an answer', answer: { type: 'write', what: 'answer' } }];
  }
  const choices: Choice[] = [];
  const first = ask.options.find(({ kind }) => kind === 'allow_once');
  choices.push({ key: 'y', label: 'allow once', answer: first ? option(first.id, 'allow') : { type: 'allow' } });
  for (const [at, each] of ask.options
    .filter(({ kind }) => kind === 'allow_always')
    .slice(0, 8)
    .entries())
    choices.push({ key: at === 0 ? 'a' : String(at + 1), label: each.label, answer: option(each.id, 'allow') });
  const no = ask.options.find(({ kind }) => kind === 'reject_once');
  choices.push({ key: 'n', label: 'deny', answer: no ? option(no.id, 'deny') : { type: 'deny' } });
  choices.push({ key: 'm', label: 'deny with a message', answer: { type: 'write', what: 'message' } });
  if (isEditable(ask)) choices.push({ key: 'e', label: 'edit, then allow', answer: { type: 'write', what: 'input' } });
  return choices;
}

/** The one text of its input that can be edited: a command. */
export function editableOf(ask: Asked): { readonly key: string; readonly text: string } | null {
  if (ask.kind !== 'permission.requested' || typeof ask.input !== 'object' || ask.input === null) return null;
  const { command } = ask.input as Record<string, unknown>;
  return typeof command === 'string' ? { key: 'command', text: command } : null;
}

const isEditable = (ask: Asked): boolean => ask.kind === 'permission.requested' && editableOf(ask) !== null;

const option = (id: string, behavior: 'allow' | 'deny'): Answer => ({ type: 'option', option: id, behavior });

export function answerFor(ask: Asked, text: string): Answer | undefined {
  return choicesOf(ask).find(({ key }) => key === text.toLowerCase())?.answer;
}

export interface PanelOptions {
  readonly width: number;
  readonly rows: number;
  /** How many others wait. */
  readonly others: number;
  /** Whether keys answer it now. */
  readonly isFocused: boolean;
  /** What is being written belongs to it. */
  readonly isWriting: boolean;
  readonly mayAnswer: boolean;
}

/** At most `rows` lines, the keys always among them. */
export function panelLines(ask: Asked, { width, rows, others, isFocused, isWriting, mayAnswer }: PanelOptions): Line[] {
  const more = others > 0 ? ` (${others} more ${others === 1 ? 'waits' : 'wait'})` : '';
  const keys: Line[] = !mayAnswer
    ? [[span('  waits for an answer', { dim: true })]]
    : isFocused
      ? keyLines(ask, width)
      : [[span(isWriting ? '  Enter sends it, Esc goes back' : '  Tab: answer it', { dim: true })]];
  const text = askLines(ask, width, false).slice(0, Math.max(1, rows - keys.length));
  const [first = [], ...rest] = text;
  return [[...first, span(more, { dim: true })], ...rest, ...keys].slice(0, Math.max(1, rows));
}

function keyLines(ask: Asked, width: number): Line[] {
  const lines: Line[] = [];
  let current: { key: string; text: string }[] = [];
  let cells = 0;
  const isQuestion = ask.kind === 'question.asked';
  for (const { key, label } of choicesOf(ask)) {
    // The options of a question are listed above.
    const text = isQuestion && /^\d$/.test(key) ? '' : ` ${label.slice(0, 60)}`;
    const wide = key.length + text.length + 2;
    if (cells + wide > width && current.length > 0) {
      lines.push(lineOf(current));
      current = [];
      cells = 0;
    }
    current.push({ key, text });
    cells += wide;
  }
  lines.push(lineOf(current));
  return lines;
}

function lineOf(parts: readonly { readonly key: string; readonly text: string }[]): Line {
  return parts.flatMap(({ key, text }) => [span('  '), span(key, { tone: 'ask', bold: true }), span(text)]);
}
