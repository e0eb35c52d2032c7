/** Runs set-up, and if it has built a new program, continues as that. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The exit code of everything that fails before the command itself. */
const EXIT_NOT_STARTED = 125;

/** Returns if there was nothing to build. */
export function setUpAgain(dist: string): void {
  const stamp = `${dist}/stamp`;
  const before = readOrEmpty(stamp);
  const setUp = [`${dist}/../scripts/setup.mjs`];
  // Progress goes to stderr: stdout is for the command.
  if (spawnSync(process.execPath, setUp, { stdio: ['ignore', 2, 2] }).status !== 0) process.exit(EXIT_NOT_STARTED);
  // Compared by content: in an installation that belongs to another user, set-up may not even touch the stamp.
  if (readOrEmpty(stamp) === before) return;
  process.execve!(process.execPath, [process.argv0, ...process.execArgv, ...process.argv.slice(1)], process.env);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // missing: something has to be done
  }
}
