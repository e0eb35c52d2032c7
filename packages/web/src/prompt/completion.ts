/** The completions of a prompt: `/` offers the agent's commands, `@` the files of its folder. */

export interface CompletionPlace {
  readonly type: 'command' | 'file';
  /** The text after the sign. */
  readonly word: string;
  /** The position of the sign in the text. */
  readonly from: number;
}

const FILE = /(?:^|\s)@([^\s@]*)$/;

/** Returns the word that is being typed before the caret, if it can be completed. */
export function completionPlace(text: string, caret: number): CompletionPlace | null {
  const before = text.slice(0, caret);
  if (/^\/[\w:.-]*$/.test(before)) return { type: 'command', word: before.slice(1), from: 0 };
  const file = FILE.exec(before);
  return file === null ? null : { type: 'file', word: file[1]!, from: before.length - file[1]!.length - 1 };
}

/** Returns the candidates that start with the word, then those that contain it. */
export function matching(candidates: readonly string[], word: string, most: number): readonly string[] {
  const sought = word.toLowerCase();
  const found = candidates.filter((each) => each.toLowerCase().includes(sought));
  const isFirst = (each: string): boolean => each.toLowerCase().startsWith(sought);
  return [...found.filter(isFirst), ...found.filter((each) => !isFirst(each))].slice(0, most);
}

/** Returns the text with the word replaced, and the position of the caret after it. A folder is not followed by a space. */
export function completed(
  text: string,
  caret: number,
  { type, from }: CompletionPlace,
  chosen: string,
): { readonly text: string; readonly caret: number } {
  const word = `${type === 'command' ? '/' : '@'}${chosen}${chosen.endsWith('/') ? '' : ' '}`;
  return { text: text.slice(0, from) + word + text.slice(caret), caret: from + word.length };
}
