/** System tests run `./spool` and the daemons in `dist`: bring them up to date once, however vitest was started. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export default function setup() {
  execFileSync(process.execPath, [join(import.meta.dirname, 'setup.mjs'), '--dev'], { stdio: 'inherit' });
}
