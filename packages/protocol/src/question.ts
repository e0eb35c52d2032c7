/**
 * The question that a blocked session asks, as its dialog shows it.
 *
 * `options` are the answers that the dialog offers, in its order. `key` names the keys that choose the answer, separated by
 * blanks, as `spool keys` takes them (`1`, `y`, `Esc`, `Down Enter`); null where the screen does not tell.
 */
export interface Question {
  /** One line, in the dialog's own words: `Do you want to proceed?`. */
  readonly text: string;
  /** What it is about: the command, file or address that the dialog shows. */
  readonly subject?: string | undefined;
  readonly options: readonly QuestionOption[];
}

export interface QuestionOption {
  readonly key: string | null;
  readonly label: string;
}

/** One line for users: `Do you want to proceed? touch a.txt`. A subject that the question names is not repeated. */
export function questionLine({ text, subject }: Question): string {
  if (subject === undefined || text.includes(subject)) return text;
  return `${text}${/[?:]$/.test(text) ? '' : ':'} ${subject}`;
}

/**
 * What a blocked session asks, in a sentence: `claude asks: Do you want to proceed? touch a.txt`; null where that is not
 * known.
 */
export function askingSentence(agent: string | null, question: Question | undefined): string | null {
  if (question === undefined) return null;
  return `${agent === null || agent === 'shell' ? 'it' : agent} asks: ${questionLine(question)}`;
}
