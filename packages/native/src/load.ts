/** Loads the addon. It is separate from `index.ts`, for programs that can run without the addon. */
import { existsSync } from 'node:fs';
import type { Native } from './index.ts';
import { installedFile } from './installed-file.ts';

/**
 * The addon is beside the bundle (`dist/`), or above its chunks; when the sources are tested, it is in the repository's `dist/`. In
 * an installation by npm it is in a separate package.
 */
const PLACES = ['', '../', '../../../dist/'];

/**
 * Loads it without `require`, which takes longer to find the file than the kernel takes to load it. Throws if it is missing or
 * broken.
 */
export function loadNative(): Native {
  const paths = PLACES.map((place) => `${import.meta.dirname}/${place}spool_native.node`);
  const module = { exports: {} };
  process.dlopen(
    module,
    paths.find((path) => existsSync(path)) ?? installedFile(import.meta.dirname, 'spool_native.node'),
  );
  return module.exports as Native;
}
