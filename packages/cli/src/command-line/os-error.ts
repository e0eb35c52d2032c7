/** Recognises the errors of the operating system that Node throws, and words them as a sentence [SAY-2]. */
import { getSystemErrorMap } from 'node:util';

/** Returns `ENOENT` and the like if the error comes from the operating system. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('errno' in error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}

/** Rewords an error: `ENOENT: no such file or directory, open '/x'` becomes `cannot open "/x": no such file or directory`. */
export function osErrorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const errno = errnoOf(error);
  if (errno === undefined) return message;
  const { syscall = 'use', path } = error as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') return 'the current folder was deleted; change to another one, or use --cwd';
  const what = path === undefined ? (syscall === 'write' ? 'the output' : 'it') : JSON.stringify(path);
  return `cannot ${syscall} ${what}: ${errnoWords(errno)}`;
}

/** Returns the words of a code: `no such file or directory` for `ENOENT`; other words do not change. */
export function errnoWords(errno: string): string {
  return [...getSystemErrorMap().values()].find(([name]) => name === errno)?.[1] ?? errno;
}
