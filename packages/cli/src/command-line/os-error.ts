/** Errors of the operating system, as Node throws them: recognized, and worded as a sentence [SAY-2]. */
import { getSystemErrorMap } from 'node:util';

/** `ENOENT`, if the operating system said so. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('errno' in error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}

/** `ENOENT: no such file or directory, open '/x'` reads `cannot open "/x": no such file or directory`. */
export function osErrorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const errno = errnoOf(error);
  if (errno === undefined) return message;
  const { syscall = 'use', path } = error as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') return 'the current folder was deleted; change to another one, or use --cwd';
  const what = path === undefined ? (syscall === 'write' ? 'the output' : 'it') : JSON.stringify(path);
  return `cannot ${syscall} ${what}: ${errnoWords(errno)}`;
}

/** `ENOENT` reads `no such file or directory`; other words stay as they are. */
export function errnoWords(errno: string): string {
  return [...getSystemErrorMap().values()].find(([name]) => name === errno)?.[1] ?? errno;
}
