/**
 * The hints that the user has seen, or no longer needs, so that each is shown once. They are in a small file in the state folder.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homeFrom } from '@spool/protocol';
import { makeOwnFolders } from '../own-folders.ts';

export function wasHintShown(hint: string): boolean {
  return readHints().includes(hint);
}

export function rememberHint(hint: string): void {
  const told = readHints();
  if (told.includes(hint)) return;
  const path = file();
  if (path === null) return;
  try {
    makeOwnFolders(path.slice(0, path.lastIndexOf('/')));
    writeFileSync(`${path}.tmp`, JSON.stringify([...told, hint]), { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
  } catch {
    // The disk is full or read-only: the hint is shown again.
  }
}

function readHints(): readonly string[] {
  const path = file();
  if (path === null) return [];
  try {
    const told: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(told) ? told.filter((hint) => typeof hint === 'string') : [];
  } catch {
    return []; // none yet
  }
}

function file(): string | null {
  try {
    return `${homeFrom(process.env, process.getuid?.() ?? 0).state}/told.json`;
  } catch {
    return null; // no home
  }
}
