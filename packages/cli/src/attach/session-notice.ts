/**
 * A word from another session for the person at this terminal: OSC 9, which terminals show as a message of the desktop, or
 * leave alone. No bell: that is the session's own.
 */
import { cleanText } from '@spool/vt';

const CHARACTERS_MAX = 200;

export interface SessionNotice {
  readonly title: string;
  readonly body: string;
}

/** Begins with a word of ours: a text that began with a number would be a command to some terminals (`9;4`: progress). */
export function noticeSequence({ title, body }: SessionNotice): Uint8Array {
  const text = cleanText(`spool: ${title}${body === '' ? '' : `: ${body}`}`, CHARACTERS_MAX);
  return Buffer.from(`\x1b]9;${text}\x1b\\`);
}
