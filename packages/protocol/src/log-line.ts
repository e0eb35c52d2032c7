/**
 * The lines of `daemon.log`: time, level, part of the daemon, sentence. `SPOOL_LOG` sets the level (default: info). Keeps
 * LIFE-13.
 */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Returns the level that a text names; `info` without a text, and null for an unknown one. */
export function logLevelOf(text: string | undefined): LogLevel | null {
  if (text === undefined || text === '') return 'info';
  const level = text.trim().toLowerCase() as LogLevel;
  return LOG_LEVELS.includes(level) ? level : null;
}

/** Returns whether lines of `level` are written if the level is set to `wanted`. */
export function isLogged(level: LogLevel, wanted: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(wanted);
}

/** Formats a line. A sentence may contain a stack: its lines are indented, so that each message starts a line. */
export function logLine(level: LogLevel, part: string, pid: number, sentence: string): string {
  const indented = sentence.trimEnd().replaceAll('\n', '\n  ');
  return `${new Date().toISOString()} ${level.padEnd(5)} ${part}[${pid}]: ${indented}\n`;
}
