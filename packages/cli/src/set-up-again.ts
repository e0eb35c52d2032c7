/** Runs set-up, and continues as the program that it has built, if it has built one. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The exit code of everything that fails before the command itself. */
const EXIT_NOT_STARTED = 125;

/** Returns when there was nothing to build. */
export function setUpAgain(dist: string): void {
  const stamp = `${dist}/stamp`;
  const before = readOrEmpty(stamp);
  const setUp = [`${dist}/../scripts/setup.mjs`];
  // Progress goes to stderr: stdout is for the command.
  if (spawnSync(process.execPath, setUp, { stdio: ['ignore', 2, 2] }).status !== 0) process.exit(EXIT_NOT_STARTED);
  // By content: in an installation that is not ours set-up may not even touch the stamp.
  if (readOrEmpty(stamp) === before) return;
  process.execve!(process.execPath, [process.argv0, ...process.execArgv, ...process.argv.slice(1)], process.env);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // not there: then something is to be done
  }
}
