/**
 * Lays out the packages of a release in folders, ready for `npm pack`: the main package, and one for each platform.
 *
 * The main package has JavaScript and the page only. Npm chooses the platform by `os`, `cpu` and `libc` of the optional
 * dependencies, so nothing is compiled, downloaded or run at installation (decision 210). Keeps REL-3.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { buildNative, OUTPUT, PROGRAMS } from '../../packages/native/build.mjs';
import { crossBuild, PLATFORMS } from '../../packages/native/cross-build.mjs';
import { bundle } from '../bundle.mjs';

/** The oldest Node that runs it: zstd, `process.execve` and the compile cache. Also in `spool doctor`. */
const NODE_MIN = '22.15';

/** Precedes the command line: an older Node would fail with a stack trace of a missing function. */
const PROLOGUE = `'use strict';
{
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 15)) {
    process.stderr.write(
      'spool: this is Node ' + process.versions.node + ' (' + process.execPath + '); Spool needs Node ${NODE_MIN} or later.\\n' +
      'Put a newer Node first in PATH, or install spool again with the registry in reach: it then brings its own Node.\\n',
    );
    process.exit(125);
  }
}
`;

/** Writes the main package to `folder`. `platforms` are the packages that it names. */
export async function layOutMain({ root, folder, version, platforms }) {
  const { description, license, optionalDependencies: nodes } = readManifest(root);
  await bundle(join(folder, 'dist'), { sourcemap: false });
  const entry = join(folder, 'dist', 'spool.cjs');
  fs.writeFileSync(entry, PROLOGUE + fs.readFileSync(entry, 'utf8'));
  fs.mkdirSync(join(folder, 'bin'));
  fs.copyFileSync(join(import.meta.dirname, 'launcher.sh'), join(folder, 'bin', 'spool'));
  fs.chmodSync(join(folder, 'bin', 'spool'), 0o755);
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'])
    fs.copyFileSync(join(root, name), join(folder, name));
  writeManifest(folder, {
    name: 'spool',
    version,
    description,
    license,
    bin: { spool: 'bin/spool' },
    os: ['linux'],
    optionalDependencies: {
      ...Object.fromEntries(platforms.map(({ name }) => [packageName(name), version])),
      ...nodes,
    },
  });
}

/** Writes the package of a platform to `folder`. `isHere`: built by the compiler of this machine, for a quick test. */
export function layOutPlatform({ root, folder, version, platform, isHere, log }) {
  if (isHere) buildNative({ root, outDir: folder, log });
  else crossBuild({ root, outDir: folder, platform, log });
  fs.rmSync(join(folder, `${OUTPUT}.stamp`), { force: true });
  for (const name of [OUTPUT, ...PROGRAMS.map((program) => program.name)]) fs.chmodSync(join(folder, name), 0o755);
  fs.copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeManifest(folder, {
    name: packageName(platform.name),
    version,
    description: `The native parts of Spool for ${platform.name}.`,
    license: readManifest(root).license,
    os: [platform.os],
    cpu: [platform.cpu],
    libc: [platform.libc],
  });
}

/** Returns the platform of this machine; of two C libraries, glibc. */
export function platformHere() {
  return PLATFORMS.find(({ cpu, libc }) => cpu === process.arch && libc === 'glibc');
}

const packageName = (platform) => `@spool/${platform}`;

function readManifest(root) {
  return JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
}

function writeManifest(folder, manifest) {
  fs.writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
