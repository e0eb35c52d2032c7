/**
 * Checks whether a clone must be set up again because its sources have changed. Keeps SPEED-2.
 *
 * The addon checks on a thread while the rest of the program is read; a `find` in the launcher took 4 ms. If a file looks newer
 * than the last set-up, scripts/setup.mjs decides by content whether there is anything to do.
 *
 * Part of the entry point: imports nothing that is in another chunk.
 */
import { existsSync, readdirSync } from 'node:fs';
import type { Native } from '@spool/native';

/** The package that is not built. */
const NOT_BUILT = 'testkit';
const TESTS = '.test.ts';

/** Resolves when the bundle is up to date; otherwise the new bundle takes over. Called before a command acts or prints. */
export type IsFresh = () => Promise<void>;

/** Starts the check. `dist`: the folder of the bundle. */
export function beginFreshness(dist: string): IsFresh {
  // An installation without its sources is never set up again.
  if (!existsSync(`${dist}/../scripts/setup.mjs`)) return async () => {};
  const native = addonIn(dist);
  const search = native?.searchNewer(`${dist}/stamp`, sourcesIn(`${dist}/..`), TESTS);
  return async () => {
    if (search !== undefined && !native!.foundNewer(search)) return;
    (await import('./set-up-again.ts')).setUpAgain(dist);
  };
}

function addonIn(dist: string): Native | null {
  const addon = { exports: {} };
  try {
    process.dlopen(addon, `${dist}/spool_native.node`);
    return addon.exports as Native;
  } catch {
    return null; // missing or broken: set-up repairs it
  }
}

/** Returns every file that can change the result of set-up. */
function sourcesIn(root: string): string[] {
  const packages = readdirSync(`${root}/packages`).filter((name) => name !== NOT_BUILT);
  return [
    ...packages.map((name) => `${root}/packages/${name}/src`).filter((folder) => existsSync(folder)),
    `${root}/packages/native`,
    `${root}/package-lock.json`,
    `${root}/scripts`,
  ];
}
