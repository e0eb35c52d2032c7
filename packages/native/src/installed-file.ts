/**
 * Finds the files of an installation that are built for one kind of machine: the addon and the programs in C. In a clone they are
 * beside the bundle; npm installs them in a separate package (decision 210). Keeps REL-2.
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** The loader of glibc; a machine without it has musl. */
const GLIBC_LOADERS = ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1'];

/**
 * Returns the path of a file of the installation whose bundle is in `folder`; the path beside the bundle if the file does not
 * exist.
 */
export function installedFile(folder: string, name: string): string {
  const beside = `${folder}/${name}`;
  if (existsSync(beside)) return beside;
  const packages = platformPackages();
  for (let at = folder; ; at = dirname(at)) {
    for (const each of packages) {
      const path = `${at}/node_modules/${each}/${name}`;
      if (existsSync(path)) return path;
    }
    if (at === dirname(at)) return beside;
  }
}

/** Returns the packages that may fit this machine, the likely one first. Npm installs only the one that fits. */
function platformPackages(): string[] {
  const libcs = GLIBC_LOADERS.some((path) => existsSync(path)) ? ['gnu', 'musl'] : ['musl', 'gnu'];
  return libcs.map((libc) => `@spool/${process.platform}-${process.arch}-${libc}`);
}
