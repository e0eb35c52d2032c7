/**
 * The lines of `daemon.log`: time, level, part of the daemon, sentence. `SPOOL_LOG` says which levels are written
 * (default: info). Keeps LIFE-13.
 */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The level that the text asks for; `info` without a text, and null for one that is none. */
export function logLevelOf(text: string | undefined): LogLevel | null {
  if (text === undefined || text === '') return 'info';
  const level = text.trim().toLowerCase() as LogLevel;
  return LOG_LEVELS.includes(level) ? level : null;
}

/** Whether lines of `level` are written when `wanted` was asked for. */
export function isLogged(level: LogLevel, wanted: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(wanted);
}

/** A sentence may contain a stack: its lines are indented, so that each message starts a line. */
export function logLine(level: LogLevel, part: string, pid: number, sentence: string): string {
  const indented = sentence.trimEnd().replaceAll('\n', '\n  ');
  return `${new Date().toISOString()} ${level.padEnd(5)} ${part}[${pid}]: ${indented}\n`;
}
