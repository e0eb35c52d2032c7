/**
 * Shows a notice about another session to the user at this terminal: OSC 9, which a terminal shows as a desktop notification or
 * ignores. It never rings the bell, because the bell belongs to the session.
 */
import { cleanText } from '@spool/vt';

const CHARACTERS_MAX = 200;

export interface SessionNotice {
  readonly title: string;
  readonly body: string;
}

/** The text starts with a word, because some terminals execute one that starts with a number (`9;4`: progress). */
export function noticeSequence({ title, body }: SessionNotice): Uint8Array {
  const text = cleanText(`spool: ${title}${body === '' ? '' : `: ${body}`}`, CHARACTERS_MAX);
  return Buffer.from(`\x1b]9;${text}\x1b\\`);
}
