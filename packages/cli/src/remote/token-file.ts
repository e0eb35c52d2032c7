/** Reads a token from a file, or from stdin. Keeps the part of REM-4 about files: one that others can read is refused. */
import { readFileSync, statSync } from 'node:fs';
import { SpoolError } from '@spool/protocol';
import { UsageError } from '../command-line/usage-error.ts';

/** The limit of a token file. A token has less than 100 characters; a larger file is another file. */
const TOKEN_FILE_BYTES_MAX = 4096;

const OTHERS = 0o077;

/** `-` is stdin. */
export function readToken(path: string): string {
  if (path !== '-') checkPrivate(path);
  const token = readFileSync(path === '-' ? 0 : path, 'utf8').trim();
  if (token === '' || token.length > TOKEN_FILE_BYTES_MAX || /\s/.test(token))
    throw new UsageError(`${path === '-' ? 'stdin' : JSON.stringify(path)} must contain a token and nothing else`);
  return token;
}

/** Files of other users, such as secrets that are mounted, are as their owners want them. */
export function checkPrivate(path: string): void {
  const { mode, uid } = statSync(path);
  if (uid === process.getuid?.() && (mode & OTHERS) !== 0 && (mode & 0o170_000) === 0o100_000)
    throw new SpoolError('NOT_ALLOWED', { reason: `other users can read ${path}; run: chmod 600 ${path}` });
}
