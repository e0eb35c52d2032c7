/**
 * Makes untrusted text (names, commands, folders, messages) safe for one line of a terminal: characters that act on the terminal or
 * are invisible are spelled out. Keeps REQ-2 in the lists and messages of the command line.
 */
import { visible, type VisibleText } from '@spool/protocol/visible-text';
import { cellsOfText, cutToCells } from '@spool/vt/character-width';

/** Returns one line in which every character is visible. */
export function printable(text: string): VisibleText {
  return visible(text);
}

/** Guards everything that is printed, including the output of programs: keeps line breaks, tabs, colours and icons. */
export function shownText(text: string): string {
  return text.replace(LINE_CONTROLS, (control) => (COLOUR.test(control) ? control : visible(control)));
}

/** The control characters to escape. The first alternative matches a whole colour sequence, which is kept. */
const LINE_CONTROLS =
  /\u001b\[[\d;:]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const COLOUR = /^\u001b\[/;

/** Formats a command as a shell command line, quoted where necessary. */
export function printCommand(command: readonly string[]): VisibleText {
  return printable(
    command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' '),
  );
}

/** Returns the width of a text in terminal cells. */
export const displayWidth = (text: string): number => (isPlain(text) ? text.length : cellsOfText(text));

/** Truncates a text to `width` cells, with an ellipsis. */
export function cutToWidth(text: VisibleText, width: number): VisibleText;
export function cutToWidth(text: string, width: number): string;
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `${cutToCells(text, width - 1)}…`;
}

/** Truncates a text to `width` cells and keeps its end, after an ellipsis. */
export function cutStartToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `…${endOfWidth(text, width - 1)}`;
}

/** Returns the end of a text that fits into `width` cells. */
export function endOfWidth(text: VisibleText, width: number): VisibleText;
export function endOfWidth(text: string, width: number): string;
export function endOfWidth(text: string, width: number): string {
  let kept = '';
  let used = 0;
  for (const character of [...text].reverse()) {
    used += displayWidth(character);
    if (used > width) break;
    kept = character + kept;
  }
  return kept;
}

const isPlain = (text: string): boolean => /^[\u0020-\u007e]*$/.test(text);
