/** The saved contexts: names for other machines, with their tokens. The file is private, as those of keys are. Keeps REM-4. */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homeFrom, SpoolError } from '@spool/protocol';
import { makeOwnFolders } from '../own-folders.ts';
import { checkPrivate } from './token-file.ts';

interface SavedContext {
  readonly url: string;
  readonly token: string;
}

export interface Contexts {
  /** The context that is used without `--context`; null means this machine. */
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, SavedContext>>;
}

type Variables = Readonly<Record<string, string | undefined>>;

const NONE: Contexts = { current: null, contexts: {} };

export function contextsPath(env: Variables): string {
  return `${homeFrom(env, process.getuid?.() ?? 0).config}/contexts.json`;
}

export function readContexts(env: Variables): Contexts {
  let path: string;
  try {
    path = contextsPath(env);
  } catch (error) {
    // No HOME: nothing is saved there. A verb that needs a folder reports this itself.
    if (SpoolError.is(error, 'FOLDER_REFUSED')) return NONE;
    throw error;
  }
  let text: string;
  try {
    // Checked first without an exception, because every verb comes here and most machines have no contexts.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return NONE;
    // A pipe would make every verb wait.
    if (!found.isFile()) throw new SpoolError('NOT_ALLOWED', { reason: `${path} is not a file; remove it` });
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NONE;
    throw error;
  }
  checkPrivate(path);
  const found = parse(text);
  if (found === null)
    throw new SpoolError('NOT_ALLOWED', { reason: `${path} cannot be read as contexts; repair it or delete it` });
  return found;
}

/** Replaces the file at once, so that a reader never sees half of it. */
export function writeContexts(env: Variables, contexts: Contexts): void {
  const path = contextsPath(env);
  makeOwnFolders(path.slice(0, path.lastIndexOf('/')));
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, path);
}

function parse(text: string): Contexts | null {
  try {
    const { current = null, contexts = {} } = JSON.parse(text) as Partial<Contexts>;
    const isFine = Object.values(contexts).every(
      (each) => typeof each?.url === 'string' && typeof each?.token === 'string',
    );
    return isFine && (current === null || typeof current === 'string') ? { current, contexts } : null;
  } catch {
    return null; // not JSON: the caller reports it
  }
}
