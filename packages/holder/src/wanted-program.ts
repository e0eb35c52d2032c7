/**
 * The installation that `daemon restart` has named in a file, because no keeper runs that could be asked. The holder checks for it
 * before it starts a keeper again. Helps to keep LIFE-15.
 */
import { readFileSync, rmSync } from 'node:fs';
import { type ProgramSource, wantedProgramFile } from '@spool/protocol';

/** Returns the installation and removes the file; null if there is none, or it is incomplete. */
export function takeWantedProgram(state: string): ProgramSource | null {
  try {
    const path = wantedProgramFile(state);
    const { folder, node } = JSON.parse(readFileSync(path, 'utf8')) as Partial<ProgramSource>;
    rmSync(path);
    return typeof folder === 'string' && typeof node === 'string' ? { folder, node } : null;
  } catch {
    return null; // it does not exist, or is being written
  }
}
