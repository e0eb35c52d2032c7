/**
 * Texts of models, tools and files, as something that may be shown: control characters, marks that change the direction of
 * text and halves of characters are spelled out, never obeyed. Keeps SHOW-1.
 */
const TAB_CELLS = 4;

const UNFIT =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** One line: line breaks are spelled out too. */
export function visible(text: string): string {
  return text.replace(UNFIT, spelled);
}

/** A title or a subject: white space is one space each, at most `charactersMax`. */
export function visibleTitle(text: string, charactersMax: number): string {
  const line = visible(
    text
      .slice(0, 4 * charactersMax)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return line.length > charactersMax ? `${line.slice(0, charactersMax)}…` : line;
}

/** The lines of a text, without the empty ones at its ends. */
export function visibleLines(text: string): string[] {
  const lines = text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => visible(line.replaceAll('\t', ' '.repeat(TAB_CELLS))));
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  while (lines.length > 0 && lines[0]!.trim() === '') lines.shift();
  return lines;
}

function spelled(character: string): string {
  const code = character.charCodeAt(0);
  return NAMED[character] ?? (code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`);
}
