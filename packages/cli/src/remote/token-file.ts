/**
 * Reads a token from a file, or from stdin. Keeps a part of REM-4, the rule about files: a file that others can read is refused.
 */
import { readFileSync, statSync } from 'node:fs';
import { SpoolError } from '@spool/protocol';
import { UsageError } from '../command-line/usage-error.ts';

/** The limit of a token file. A token has fewer than 100 characters, so a larger file cannot be one. */
const TOKEN_FILE_BYTES_MAX = 4096;

const OTHERS = 0o077;

/** Reads stdin for `-`. */
export function readToken(path: string): string {
  if (path !== '-') checkPrivate(path);
  const token = readFileSync(path === '-' ? 0 : path, 'utf8').trim();
  if (token === '' || token.length > TOKEN_FILE_BYTES_MAX || /\s/.test(token))
    throw new UsageError(
      `${path === '-' ? 'stdin' : JSON.stringify(path)} must contain a token and nothing else; \`spool token create\` on that machine prints one`,
    );
  return token;
}

/** The mode of another user's file, such as a mounted secret, is not checked. */
export function checkPrivate(path: string): void {
  const { mode, uid } = statSync(path);
  if (uid === process.getuid?.() && (mode & OTHERS) !== 0 && (mode & 0o170_000) === 0o100_000)
    throw new SpoolError('NOT_ALLOWED', { reason: `other users can read ${path}; run: chmod 600 ${path}` });
}
