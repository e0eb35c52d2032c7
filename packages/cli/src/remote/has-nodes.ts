/** The check whether a command may be about nodes. Every verb makes this check, so it only looks for a file of the gateway. */
import { existsSync } from 'node:fs';
import { homeFrom, nodesFile } from '@spool/protocol';
import type { ProgramLocation } from '../program.ts';

/** Returns whether the command is for this machine, and this machine has nodes. */
export function hasNodes(program: Pick<ProgramLocation, 'host'>): boolean {
  try {
    return program.host() === null && existsSync(nodesFile(homeFrom(process.env, process.getuid?.() ?? 0)));
  } catch {
    return false; // there is no HOME, or no such context: the verb itself reports it
  }
}
