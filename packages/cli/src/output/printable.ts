/**
 * Text from elsewhere (names, commands, folders, messages) made safe and plain for one line of a terminal: control
 * characters are shown, not obeyed.
 */
import { cellsOfText, cutToCells } from '@spool/vt/character-width';

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

export function printable(text: string): string {
  return text.replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0);
    return NAMED[control] ?? (code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`);
  });
}

/** Lines for a terminal: as `printable`, but with line ends, tabs and colours. */
export function shownText(text: string): string {
  return text.replace(LINE_CONTROLS, (control) => (COLOUR.test(control) ? control : printable(control)));
}

/** Everything that is not obeyed in lines; an escape sequence for colour is found whole. */
const LINE_CONTROLS =
  /\u001b\[[\d;:]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const COLOUR = /^\u001b\[/;

/** A command as it could be typed: words in quotes where a shell would need them. */
export function commandLine(command: readonly string[]): string {
  return printable(
    command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' '),
  );
}

/** How many cells a text takes. */
export const displayWidth = (text: string): number => (isPlain(text) ? text.length : cellsOfText(text));

/** The beginning of a text that fits, with an ellipsis where something was left out. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `${cutToCells(text, width - 1)}…`;
}

const isPlain = (text: string): boolean => /^[\u0020-\u007e]*$/.test(text);
