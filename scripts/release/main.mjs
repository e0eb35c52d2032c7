/**
 * Builds everything that a user installs: `npm run release -- --out FOLDER` (default: `release`).
 *
 * - `spool-VERSION.tgz`, the command line, the daemon and the page; `spool-linux-CPU-LIBC-VERSION.tgz`, its native parts for one
 *   platform; `spool-client-VERSION.tgz`, the SDK;
 * - `NOTES.md`, `sbom.cdx.json`, `SHA256SUMS`.
 *
 * Two builds of one commit are the same, byte for byte: npm packs with a fixed time, and nothing else depends on time or place.
 * It needs no network once `.setup/zig` has the compiler. `--here` builds the package of this machine's platform only, with this
 * machine's compiler: for tests. Keeps REL-1.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stderr, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { PLATFORMS } from '../../packages/native/cross-build.mjs';
import { layOutMain, layOutPlatform, platformHere } from './packages.mjs';
import { checksums, componentList, notesOf } from './papers.mjs';

const ROOT = resolve(import.meta.dirname, '..', '..');

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'release' }, here: { type: 'boolean', default: false } },
});
const out = resolve(values.out);
const work = fs.mkdtempSync(join(tmpdir(), 'spool-release-'));
try {
  await release();
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}

async function release() {
  const { version } = JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const notes = notesOf(fs.readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  fs.mkdirSync(out, { recursive: true });
  const names = [];
  const platforms = values.here ? [platformHere()] : PLATFORMS;
  for (const platform of platforms) {
    const folder = join(work, platform.name);
    fs.mkdirSync(folder);
    await step(platform.name, () =>
      layOutPlatform({ root: ROOT, folder, version, platform, isHere: values.here, log: (line) => say(`${line}\n`) }),
    );
    names.push(pack(folder));
  }
  const folder = join(work, 'spool');
  fs.mkdirSync(folder);
  await step('spool', () => layOutMain({ root: ROOT, folder, version, platforms: PLATFORMS }));
  names.push(pack(folder));
  await step('spool-client', () => names.push(packClient()));
  fs.writeFileSync(join(out, 'NOTES.md'), notes);
  fs.writeFileSync(join(out, 'sbom.cdx.json'), componentList(ROOT, version));
  fs.writeFileSync(join(out, 'SHA256SUMS'), checksums(out, [...names, 'NOTES.md', 'sbom.cdx.json']));
  for (const name of names) stdout.write(`${join(out, name)}\n`);
}

/** Packs a folder and returns the name of the tarball. */
function pack(folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', out];
  const printed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return JSON.parse(printed)[0].filename;
}

function packClient() {
  const script = join(ROOT, 'scripts', 'pack-sdk.mjs');
  const printed = execFileSync(process.execPath, [script, out], { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
  return printed.trim().slice(out.length + 1);
}

async function step(name, work) {
  const startedAt = Date.now();
  await work();
  say(`release: ${name}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

function say(text) {
  stderr.write(text);
}
