/** Describes an error to an agent: the fact, its subject, and the tool that helps. */
import { ERROR_CODES, type ErrorCode, errorSentence, SpoolError } from '@spool/protocol';
import { CallError } from './tool.ts';

/** Replaces sentences that name a CLI command by sentences that name a tool. */
const SENTENCES: Partial<Readonly<Record<ErrorCode, string>>> = {
  SESSION_UNKNOWN: 'no such session; spool_list lists them',
  SESSION_EXITED: 'the session has ended; read its output with spool_read',
  SESSION_NONE: 'there are no sessions yet; start one with spool_run',
  LOG_UNREADABLE: 'the log of the session cannot be read; the user can find out why with `spool doctor`',
  ANSWER_UNKNOWN: 'the dialog has no such option; look with spool_screen and answer with spool_keys',
  TASK_NONE: 'there are no tasks yet; start one with spool_task_run',
  SESSION_RUNNING: 'the session is still running; stop it with spool_stop',
  NOT_A_TASK: 'this session is not a task; stop it with spool_stop',
  NAME_TAKEN: 'the name is used by a running session; choose another name, or use that session',
  NOT_AN_AGENT: 'this session is not an agent without a terminal; use spool_send or spool_keys',
  AGENT_ON_WIRE: 'this session is an agent without a terminal; give it prompts with spool_prompt',
  AGENT_ENDED: 'the agent has ended; read what it did with spool_read, or start another one with spool_agent',
  AGENT_NOT_RESUMABLE: 'the agent has not named a session that can be resumed; start a new one with spool_agent',
  AGENT_RUNS: 'another session has resumed this agent; use that one',
  AGENT_UNKNOWN: 'unknown agent; use claude, codex, gemini, grok, opencode or acp',
  TOO_MANY_FILES: 'the daemon is running out of file descriptors; stop some sessions with spool_stop',
  KEY_UNKNOWN: 'unknown key; type text with spool_send',
  SESSION_AMBIGUOUS: 'several sessions match; use more letters of the id, or the whole name (spool_list lists them)',
  INPUT_BLOCKED: 'the session is asking, and a prompt would answer it; look with spool_screen first',
  INPUT_BUSY:
    'the shell is running a command that would read the prompt later; wait for it with spool_wait, or use force: true',
  INPUT_UNCONFIRMED:
    'the connection to the daemon broke before the input was confirmed; check with spool_screen whether it arrived',
  INPUT_NOT_EMPTY: 'the session has text in its input line; submit it with spool_keys, or use clear: true',
  AGENT_NOT_READY: 'the agent does not show an empty input line yet; look with spool_screen, or try again later',
  PROMPT_NOT_TEXT: 'the prompt contains a control character, which would press a key; remove it, or use spool_keys',
  PROMPT_HAS_LINES:
    'the program would take the end of each line of the prompt for Enter; send one line, or use force: true',
  STATE_UNKNOWN:
    'cannot tell whether the session is asking something; look with spool_screen, try again, or use force: true',
};

export function failureText(error: unknown): string {
  if (error instanceof CallError) return error.message;
  if (!SpoolError.is(error)) return error instanceof Error ? error.message : String(error);
  const sentence = SENTENCES[error.code] ?? ERROR_CODES[error.code] ?? error.code;
  return `${error.code}: ${errorSentence(sentence, error.details)}`;
}
