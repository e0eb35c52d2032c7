/**
 * Writes the keeper's part of the daemon's log: to the standard error that it got from the holder. `SPOOL_LOG=debug` adds
 * clients, requests and sessions. Of a request, only its name and session are logged: its content is private to the user.
 */
import { writeSync } from 'node:fs';
import { isLogged, type LogLevel, logLevelOf, logLine } from '@spool/protocol';

export const LOG_FD = 2;

const wanted = logLevelOf(process.env['SPOOL_LOG']) ?? 'info';

/** Whether debug messages are logged, so that they are worth composing. */
export const isDebugged = isLogged('debug', wanted);

export function log(level: LogLevel, sentence: string, part = 'keeper'): void {
  if (!isLogged(level, wanted)) return;
  try {
    writeSync(LOG_FD, logLine(level, part, process.pid, sentence));
  } catch {
    // A full disk must not stop the keeper, and there is no other place to report it.
  }
}

export function debug(sentence: string): void {
  log('debug', sentence);
}

/** Logs how a request ended; does not change the request. */
export function debugRequest(who: string, op: string, session: unknown, handle: () => unknown): unknown {
  const startedAt = performance.now();
  const tell = (end: string): void =>
    debug(
      `${who}: ${op}${typeof session === 'string' ? ` ${session}` : ''}: ${end} after ${(performance.now() - startedAt).toFixed(1)} ms`,
    );
  const failed = (error: unknown): never => {
    tell(`failed with ${(error as { code?: string }).code ?? String(error)}`);
    throw error;
  };
  try {
    const answer = handle();
    if (answer instanceof Promise) return answer.then((value: unknown) => (tell('answered'), value), failed);
    tell(answer === undefined ? 'under way' : 'answered');
    return answer;
  } catch (error) {
    return failed(error);
  }
}
