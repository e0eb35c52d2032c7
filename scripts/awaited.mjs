/**
 * Waits, before a file of system tests is loaded, for what `.ci/run` still fetches or builds while the unit tests run: the file that
 * it names in `SPOOL_TESTS_DOWNLOADS`, and for the tests of a release also the one in `SPOOL_TESTS_RELEASE`. They are written when that work is
 * over, also when it has failed. Without these variables nothing is awaited.
 */
import { existsSync } from 'node:fs';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** The longest wait. After it, tests of a missing download are skipped with the reason. */
const WAIT_MS_MAX = 15 * 60_000;
const PAUSE_MS = 100;
const OF_RELEASE = /\/(release|platforms)\.test\.ts$/;

/** @param {string} testFile */
export async function awaited(testFile) {
  const needed = [env.SPOOL_TESTS_DOWNLOADS, ...(OF_RELEASE.test(testFile) ? [env.SPOOL_TESTS_RELEASE] : [])];
  const startedAt = performance.now();
  for (const file of needed) {
    if (file === undefined) continue;
    while (!existsSync(file) && performance.now() - startedAt < WAIT_MS_MAX) await sleep(PAUSE_MS);
  }
}
