/** A stand-in for `spool-tied`, which is in the bundle only: it runs the command, and is not tied. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';

export function tiedProgram(): { readonly folder: string; readonly tied: string } {
  const folder = mkdtempSync(`${tmpdir()}/spool-tied-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tied = `${folder}/tied`;
  writeFileSync(tied, '#!/bin/sh\nshift\nexec "$@"\n');
  chmodSync(tied, 0o755);
  return { folder, tied };
}
