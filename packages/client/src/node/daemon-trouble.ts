/** Reads why the daemon's holder cannot start a keeper. Keeps LIFE-42: every command names that cause. */
import { readFileSync, statSync } from 'node:fs';
import { type Home, troubleFile } from '@spool/protocol';
import type { DaemonTrouble } from '../index.ts';

const TROUBLE_CHARACTERS_MAX = 1000;

export function readTrouble({ state }: Home): DaemonTrouble | undefined {
  const path = troubleFile(state);
  try {
    const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (at === undefined) return undefined;
    return { at, reason: readFileSync(path, 'utf8').trim().slice(0, TROUBLE_CHARACTERS_MAX) };
  } catch {
    return undefined; // it was removed meanwhile
  }
}
