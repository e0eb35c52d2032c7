/**
 * Type-checks every `tsconfig*.json` of the root and of the packages, side by side: `node scripts/typecheck.mjs`.
 *
 * There are several, because the types that a file may use depend on its place: `protocol`, `vt` and `client` compile without the
 * types of Node and of the browser (`tsconfig.json`), their tests with them (`tsconfig.test.json`).
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { execPath, exit, stdout } from 'node:process';

const ROOT = resolve(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const FOLDERS = ['', ...readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name))];

const waiting = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => /^tsconfig(\.\w+)?\.json$/.test(name) && name !== 'tsconfig.base.json')
    .map((name) => join(folder, name)),
);
/** Errors that were printed: one in `protocol` is found again in all packages that import it. */
const told = new Set();
let failures = 0;
await Promise.all(Array.from({ length: availableParallelism() }, work));
exit(failures === 0 ? 0 : 1);

async function work() {
  for (let project = waiting.shift(); project; project = waiting.shift()) {
    const { code, output } = await check(project);
    if (code === 0 || output.includes('error TS18003')) continue; // 18003: a package without sources yet
    failures++;
    for (const line of output.split('\n')) {
      if (!line.trim() || told.has(line)) continue;
      told.add(line);
      stdout.write(`${line}\n`);
    }
  }
}

function check(project) {
  return new Promise((done, failed) => {
    // Unchanged files are not checked again: 4 instead of 19 s of CPU time.
    const known = join(ROOT, 'node_modules/.cache/typecheck', `${project.replaceAll('/', '-')}.tsbuildinfo`);
    const args = [TSC, '--pretty', 'false', '--incremental', '--tsBuildInfoFile', known, '-p', project];
    const child = spawn(execPath, args, { cwd: ROOT });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', failed);
    child.once('close', (code) => done({ code, output }));
  });
}
