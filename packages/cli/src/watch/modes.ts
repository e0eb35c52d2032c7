/** The present meaning of a key: a command of the list, a letter of a line that is being typed, a yes, an answer. */
import type { Question } from '@spool/protocol';
import type { Footer } from './footer.ts';
import { edited, type Key } from './keys.ts';
import type { Row } from './list.ts';

export type Mode =
  | { readonly type: 'list' }
  | { readonly type: 'help' }
  | { readonly type: 'filter' }
  | { readonly type: 'line'; readonly label: string; readonly text: string; readonly done: (text: string) => void }
  | { readonly type: 'confirm'; readonly question: string; readonly yes: () => void }
  | { readonly type: 'answer'; readonly row: Row; readonly question: Question };

/** The next mode of a line that is being typed; its text is handed over when it is done. */
export function typeInto(mode: Extract<Mode, { type: 'line' }>, key: Key): Mode {
  const { text, end } = edited(mode.text, key);
  if (end === null) return { ...mode, text };
  if (end === 'done' && text.trim() !== '') mode.done(text);
  return { type: 'list' };
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
export function footerOf(mode: Mode, filter: string): Footer | null {
  switch (mode.type) {
    case 'filter':
      return { type: 'input', label: 'filter:', text: filter };
    case 'line':
      return { type: 'input', label: mode.label, text: mode.text };
    case 'confirm':
      return { type: 'question', text: `${mode.question} y: yes, any other key: no` };
    case 'answer':
      return { type: 'question', text: 'press a number, or escape' };
    default:
      return null;
  }
}
