/** Builds `./spool` and the daemons in `dist` once, for system tests, which run them, however vitest was started. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export default function setup() {
  execFileSync(process.execPath, [join(import.meta.dirname, 'setup.mjs'), '--dev'], { stdio: 'inherit' });
}
