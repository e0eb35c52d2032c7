/**
 * The question of a blocked session, as its dialog shows it.
 *
 * `options` are the answers that the dialog offers, in its order. `key` names the keys that choose the answer, separated by
 * blanks, as `spool keys` takes them (`1`, `y`, `Esc`, `Down Enter`); null if the screen does not show them.
 */
export interface Question {
  /** The question in one line, in the dialog's own words: `Do you want to proceed?`. */
  readonly text: string;
  /** The subject: the command, file or address that the dialog shows. */
  readonly subject?: string | undefined;
  readonly options: readonly QuestionOption[];
}

export interface QuestionOption {
  readonly key: string | null;
  readonly label: string;
}

/** Returns one line for users: `Do you want to proceed? touch a.txt`. A subject that is part of the question is not repeated. */
export function questionLine({ text, subject }: Question): string {
  if (subject === undefined || text.includes(subject)) return text;
  return `${text}${/[?:]$/.test(text) ? '' : ':'} ${subject}`;
}

/** Returns the question in a sentence: `claude asks: Do you want to proceed? touch a.txt`; null if it is unknown. */
export function askingSentence(agent: string | null, question: Question | undefined): string | null {
  if (question === undefined) return null;
  return `${agent === null || agent === 'shell' ? 'it' : agent} asks: ${questionLine(question)}`;
}
