/** Finds the launcher of this installation. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the path of the launcher: in the root of a clone, or in `bin` of a package. */
export function launcherPath(): string {
  const root = dirname(dirname(realpathSync(process.argv[1]!)));
  const packaged = join(root, 'bin', 'spool');
  return existsSync(packaged) ? packaged : join(root, 'spool');
}
