/**
 * Makes untrusted text (names, commands, folders, messages) safe for one line of a terminal: control characters are
 * escaped, so that the terminal does not execute them.
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

/** Like `printable`, for several lines: keeps line breaks, tabs and colours. */
export function shownText(text: string): string {
  return text.replace(LINE_CONTROLS, (control) => (COLOUR.test(control) ? control : printable(control)));
}

/** Control characters to escape. The first alternative matches a whole colour sequence, which is kept. */
const LINE_CONTROLS =
  /\u001b\[[\d;:]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const COLOUR = /^\u001b\[/;

/** A command as a shell command line, quoted where necessary. */
export function commandLine(command: readonly string[]): string {
  return printable(
    command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' '),
  );
}

/** The width of a text in terminal cells. */
export const displayWidth = (text: string): number => (isPlain(text) ? text.length : cellsOfText(text));

/** Truncates a text to `width` cells, with an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `${cutToCells(text, width - 1)}…`;
}

const isPlain = (text: string): boolean => /^[\u0020-\u007e]*$/.test(text);
