/**
 * Builds `./spool` and the daemons in `dist` once, for system tests, which run them, however vitest was started. With
 * `SPOOL_UNDER_TEST=tarball` it also builds the packages of a release for this machine and installs them, and the tests run those.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

export default function setup() {
  execFileSync(process.execPath, [join(ROOT, 'scripts/setup.mjs'), '--dev'], { stdio: 'inherit' });
  if (process.env.SPOOL_UNDER_TEST === 'tarball') installRelease(join(ROOT, '.setup', 'under-test'));
}

/** @param {string} prefix */
function installRelease(prefix) {
  rmSync(prefix, { recursive: true, force: true });
  const packages = join(prefix, 'packages');
  const release = [join(ROOT, 'scripts/release/main.mjs'), '--here', '--out', packages];
  execFileSync(process.execPath, release, { stdio: ['ignore', 'ignore', 'inherit'] });
  const tarballs = readdirSync(packages).filter((name) => name.endsWith('.tgz') && !name.startsWith('spool-client'));
  const options = ['install', '-g', '--offline', '--ignore-scripts', '--silent', '--prefix', prefix];
  execFileSync('npm', [...options, ...tarballs.map((name) => join(packages, name))], { stdio: 'inherit' });
}
