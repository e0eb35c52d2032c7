/** Errors as a sentence for an agent: what happened, to what, and which tool helps. */
import { ERROR_CODES, type ErrorCode, SpoolError } from '@spool/protocol';
import { CallError } from './tool.ts';

/** Where the sentence of the error names a command to type, the tool instead. */
const SENTENCES: Partial<Readonly<Record<ErrorCode, string>>> = {
  SESSION_UNKNOWN: 'there is no such session; spool_list shows those that there are',
  SESSION_EXITED: 'the session has ended; spool_read still gives what it wrote',
  SESSION_NONE: 'there is no session yet; spool_run starts one',
  SESSION_RUNNING: 'the session is still running; spool_stop ends it',
  NOT_A_TASK: 'this is a session but no task; spool_stop ends it',
  NAME_TAKEN: 'a running session already has this name; choose another, or use that one',
  TOO_MANY_FILES: 'the daemon has too few open files left for another session; end some with spool_stop',
  KEY_UNKNOWN: 'there is no key of this name; for text there is spool_send',
  INPUT_BLOCKED: 'a prompt would answer what the session asks; look with spool_screen first',
  INPUT_NOT_EMPTY:
    'a prompt would be glued to the text in the input line; submit that with spool_keys, or use clear: true',
  STATE_UNKNOWN:
    'a prompt might answer something that nobody has seen; look with spool_screen, try again, or use force: true',
  INPUT_IS_TERMINAL: 'the input of a session on a terminal cannot be closed; press C-d with spool_keys',
};

export function failureText(error: unknown): string {
  if (error instanceof CallError) return error.message;
  if (!SpoolError.is(error)) return error instanceof Error ? error.message : String(error);
  const sentence = SENTENCES[error.code] ?? ERROR_CODES[error.code] ?? error.code;
  const details = Object.entries(error.details).filter(([, value]) => value !== '');
  return `${error.code}: ${sentence}${details.length === 0 ? '' : ` (${details.map(([name, value]) => `${name}: ${value}`).join(', ')})`}`;
}
