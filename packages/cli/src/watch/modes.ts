/** The present meaning of a key: a command of the list, a letter of a line that is being typed, a yes, an answer. */
import type { Question } from '@spool/protocol';
import type { Footer } from './footer.ts';
import type { AgentRequest } from './agent-request.ts';
import type { Key } from '../tui/key-reader.ts';
import type { TextInput } from '../tui/text-input.ts';
import type { Row } from './list.ts';

export type Mode =
  | { readonly type: 'list' }
  | { readonly type: 'help' }
  | { readonly type: 'filter'; readonly input: TextInput }
  | LineMode
  | { readonly type: 'confirm'; readonly question: string; readonly yes: () => void }
  | { readonly type: 'answer'; readonly row: Row; readonly question: Question }
  /** An agent's request is being read; until it is shown, keys do nothing. */
  | { readonly type: 'reading'; readonly id: string }
  | { readonly type: 'request'; readonly shown: AgentRequest; readonly since: number };

/** A line that is being typed. */
export interface LineMode {
  readonly type: 'line';
  readonly label: string;
  readonly input: TextInput;
  /** Whether an empty line is a value too, instead of a cancellation. */
  readonly isOptional?: boolean;
  /** Takes the text, and returns the next mode if it is not the list. */
  readonly done: (text: string) => Mode | void;
}

/** Applies a key to a text. Returns how the key ends the text; null if it does not. The text of a cancelled line is empty. */
export function typeText(input: TextInput, key: Key): 'done' | 'given-up' | null {
  if (key.type === 'key' && key.name === 'enter') return 'done';
  if (isLeaving(key)) {
    input.set('');
    return 'given-up';
  }
  input.press(key);
  return null;
}

/** Returns the next mode of a line that is being typed; when it is complete, its text is handed over. */
export function typeInto(mode: LineMode, key: Key): Mode {
  const end = typeText(mode.input, key);
  if (end === null) return mode;
  const { text } = mode.input;
  const isDone = end === 'done' && (mode.isOptional === true || text.trim() !== '');
  return (isDone ? mode.done(text) : undefined) ?? { type: 'list' };
}

/** Returns whether a key leaves a mode. */
export function isLeaving(key: Key): boolean {
  return key.type === 'key' && (key.name === 'escape' || key.name === 'interrupt');
}

/** Returns the option that a key chooses: by its number, or by the first of the option's keys (`y` of `y Enter`). */
export function optionFor({ options }: Question, key: Key): Question['options'][number] | undefined {
  if (key.type !== 'text' || key.isPaste) return undefined;
  const numbered = /^[1-9]$/.test(key.text) ? options[Number(key.text) - 1] : undefined;
  const option =
    numbered ?? options.find((each) => each.key?.toLowerCase().split(' ', 1)[0] === key.text.toLowerCase());
  return option?.key === null ? undefined : option;
}

export function panelOf(mode: Mode): readonly string[] {
  if (mode.type !== 'answer') return [];
  const { text, subject, options } = mode.question;
  return [
    `${mode.row.name} asks: ${text}`,
    ...(subject === undefined || text.includes(subject) ? [] : [`   ${subject}`]),
    ...options.map(({ key, label }, at) => (key === null ? `     ${label}` : `  ${at + 1}  ${label}`)),
  ];
}

/** Returns the footer of a mode; null if the mode has none. */
export function footerOf(mode: Mode): Footer | null {
  switch (mode.type) {
    case 'filter':
      return { type: 'input', label: 'filter:', input: mode.input };
    case 'line':
      return { type: 'input', label: mode.label, input: mode.input };
    case 'confirm':
      return { type: 'question', text: `${mode.question} y: yes, any other key: no` };
    case 'answer':
      return { type: 'question', text: 'press a number, or escape' };
    case 'reading':
      return { type: 'question', text: 'reading the request …' };
    case 'request':
      return { type: 'question', text: 'press one of the keys, or escape' };
    default:
      return null;
  }
}
