/**
 * Sees whether a clone must be set up again because its sources have changed. Keeps SPEED-2.
 *
 * The addon looks, on a thread, while the rest of the program is read; as a `find` in the launcher it took 4 ms. When something looks
 * newer than the last set-up, scripts/setup.mjs decides by content whether there is anything to do.
 *
 * Part of the entry point: imports nothing that is in another chunk.
 */
import { existsSync, readdirSync } from 'node:fs';
import type { Native } from '@spool/native';

/** The package that is not built. */
const NOT_BUILT = 'testkit';
const TESTS = '.test.ts';

/** Resolves when the bundle is up to date; otherwise the new one takes over. Called before a command does or says anything. */
export type IsFresh = () => Promise<void>;

/** Begins to look. `dist`: the folder of the bundle. */
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
    return null; // missing or broken: set-up mends it
  }
}

/** Returns every file that may change the result of set-up. */
function sourcesIn(root: string): string[] {
  const packages = readdirSync(`${root}/packages`).filter((name) => name !== NOT_BUILT);
  return [
    ...packages.map((name) => `${root}/packages/${name}/src`).filter((folder) => existsSync(folder)),
    `${root}/packages/native`,
    `${root}/package-lock.json`,
    `${root}/scripts`,
  ];
}
