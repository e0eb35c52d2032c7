/**
 * Checks that a prompt is text: no byte of it acts as a key, and no line of it is executed by itself. Keeps IN-22.
 *
 * For example, "Ctrl-C" is the byte 3 in a terminal. Clients that may press keys have `send`, `keys` and `paste` for that.
 */
import { findControlCharacter, SpoolError } from '@spool/protocol';

/** Returns the text to type: without the line ends of Windows, and without new lines at its end, because Enter follows. */
export function promptText(session: string, text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  const found = findControlCharacter(lines);
  if (found !== null)
    throw new SpoolError('PROMPT_NOT_TEXT', { session, byte: byteName(found.character), at: found.at });
  return lines.replace(/\n+$/, '');
}

/** Refuses a prompt of several lines if the program would take the end of each line for Enter. */
export function refuseLines(session: string, text: string, { bracketedPaste }: { bracketedPaste: boolean }): void {
  if (!bracketedPaste && text.includes('\n'))
    throw new SpoolError('PROMPT_HAS_LINES', { session, lines: text.split('\n').length });
}

function byteName(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
