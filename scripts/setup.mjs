/**
 * Makes a clone ready to run: `node scripts/setup.mjs [--dev] [--dependencies]`. `./spool` calls it if there is no bundle, the
 * bundle (`packages/cli/src/freshen.ts`) if a source looks newer than `dist/stamp`, and so do the npm scripts. It is plain
 * JavaScript without dependencies, for any Node from 18 on.
 *
 * `--dev` also installs the tools for development; `--dependencies` only installs, and builds nothing.
 *
 * Promises:
 * - Fifty first runs at once do the work once; the others wait, and fail with the same sentence if it failed.
 * - No result is ever incomplete: dependencies and `dist` are made in `.setup/` and renamed into place, the stamp last. If a step
 *   fails (no network, for example) the previous result is still there.
 * - A running daemon does not notice: files are replaced by rename, never rewritten, and chunks of earlier builds stay
 *   for a month, for programs that still run and have not imported them yet.
 * - stdout stays empty.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { argv, execPath, exit, pid, stderr, versions } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { acquire } from './setup-lock.mjs';
import { step } from './setup-progress.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, 'stamp');
const MODULES = join(ROOT, 'node_modules');
const NODE = join(MODULES, '.bin', 'node');
const WORK = join(ROOT, '.setup');
/** The failure of the last set-up, for the processes that waited for it. */
const FAILURE = join(WORK, 'failure.json');
const STAGING = {
  dist: join(WORK, `dist-${pid}`),
  modules: join(WORK, `modules-${pid}`),
  oldModules: join(WORK, `old-modules-${pid}`),
};

/** Without them nothing starts, whatever the stamp says. */
const NEEDED = ['spool.cjs', 'spool_native.node'];

const NODE_MAJOR_MIN = 18;
/** The age at which chunks of an earlier build are removed: older programs that still need one must be started again. */
const CHUNK_KEEP_MS = 30 * 24 * 3600 * 1000;
/**
 * The error of file times: files are stamped by a coarse clock that is up to a tick late, so a change "just before" may be one
 * just after.
 */
const CLOCK_MARGIN_MS = 20;

/** A failure with a sentence: its cause, and the remedy. */
class SetupFailure extends Error {}

try {
  await main(argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupFailure)) throw error;
  stderr.write(`spool: set-up failed: ${error.message}\n`);
  exit(125);
}

async function main(options) {
  if (Number.parseInt(versions.node, 10) < NODE_MAJOR_MIN) {
    throw new SetupFailure(
      `this Node is ${versions.node}, set-up needs ${NODE_MAJOR_MIN} or newer (spool itself then brings its own). Install a newer Node and run this again.`,
    );
  }
  const unknown = options.find((option) => option !== '--dev' && option !== '--dependencies');
  if (unknown) throw new SetupFailure(`there is no option ${unknown}, only --dev and --dependencies.`);
  const wantsDev = options.includes('--dev');
  const wantsDist = !options.includes('--dependencies');

  const begunAt = Date.now();
  const isDone = () => hasModules(wantsDev) && (!wantsDist || hasDist(begunAt));
  if (isDone()) return;

  const release = await lock();
  process.once('exit', () => {
    for (const folder of Object.values(STAGING)) fs.rmSync(folder, { recursive: true, force: true });
    release();
  });
  for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
    process.once(signal, () => exit(128 + number));
  }
  if (isDone()) return;
  const failure = readJson(FAILURE);
  if (failure?.at >= begunAt && failure.inputs === inputsHash()) throw new SetupFailure(failure.message);

  try {
    sweep();
    const isFirst = wantsDist && !fs.existsSync(STAMP);
    if (isFirst) say('the first start fetches packages and compiles, which takes 10 s to 2 min, once');
    if (!hasModules(wantsDev)) await setUpModules(wantsDev);
    if (wantsDist) await setUpDist();
    if (isFirst) say(`done. ${ownPath()} install makes it the command \`spool\` in every folder`);
  } catch (error) {
    fs.writeFileSync(FAILURE, JSON.stringify({ at: Date.now(), inputs: inputsHash(), message: error.message }));
    throw error;
  }
}

async function setUpModules(wantsDev) {
  // A tree with the tools for development keeps them, whichever program asks.
  await step('dependencies', (show) => installModules(wantsDev || hasDevModules(), show));
  if (!fs.existsSync(NODE)) {
    throw new SetupFailure(
      `npm brought no Node 24 for this machine (${process.platform} ${process.arch}); spool runs on Linux, x64 or arm64, with glibc.`,
    );
  }
}

async function setUpDist() {
  const startedAt = Date.now();
  const inputs = inputsHash();
  const native = nativeHash();
  fs.mkdirSync(STAGING.dist);
  if (readJson(STAMP)?.native !== native || !fs.existsSync(join(DIST, 'spool_native.node'))) {
    await step('native addon', (show) => buildAddon(STAGING.dist, show));
  }
  await step('bundle', () => buildBundle(STAGING.dist));

  fs.mkdirSync(join(DIST, 'chunks'), { recursive: true });
  moveInto(DIST);
  dropOld();
  const stamp = join(STAGING.dist, 'stamp');
  fs.writeFileSync(stamp, JSON.stringify({ inputs, native }));
  setTime(stamp, startedAt);
  fs.renameSync(stamp, STAMP);
}

/** Removes files that killed set-ups have left. */
function sweep() {
  for (const name of fs.readdirSync(WORK)) {
    if (['lock', 'breaker', 'zig'].includes(name)) continue;
    fs.rmSync(join(WORK, name), { recursive: true, force: true, maxRetries: 5 }); // their npm may still be writing
  }
}

// ---- is there any work? --------------------------------------------------------------------------------------------

function hasModules(wantsDev) {
  return fs.existsSync(NODE) && modulesMatch(wantsDev);
}

function hasDist(begunAt) {
  if (NEEDED.some((name) => !fs.existsSync(join(DIST, name)))) return false;
  if (readJson(STAMP)?.inputs !== inputsHash()) return false;
  try {
    // No input has changed (only a test, or a copy of the tree): the quick check passes next time.
    setTime(STAMP, begunAt);
  } catch (error) {
    // The installation of another user: each start then takes this check, and works.
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  }
  return true;
}

function setTime(file, atMs) {
  const seconds = (atMs - CLOCK_MARGIN_MS) / 1000;
  fs.utimesSync(file, seconds, seconds);
}

/** Returns a hash of all inputs of `dist`. */
function inputsHash() {
  const files = [join(ROOT, 'package-lock.json'), ...filesIn(join(ROOT, 'scripts'))];
  for (const name of fs.readdirSync(join(ROOT, 'packages'))) {
    if (name === 'testkit') continue;
    files.push(join(ROOT, 'packages', name, 'package.json'), ...filesIn(join(ROOT, 'packages', name, 'src')));
  }
  files.push(...filesIn(join(ROOT, 'packages', 'native'))); // its programs in C lie beside its `src`
  return hash([...new Set(files)].filter((file) => !file.endsWith('.test.ts')));
}

/** Returns a hash of the inputs of the addon: all of its package but TypeScript, and the headers of the pinned Node. */
function nativeHash() {
  const headers = readJson(join(ROOT, 'package-lock.json')).packages[`node_modules/node-linux-${process.arch}`]
    ?.version;
  return `${headers}-${hash(filesIn(join(ROOT, 'packages', 'native')).filter((file) => !file.endsWith('.ts')))}`;
}

function hash(files) {
  const all = createHash('sha256');
  for (const file of files.sort()) {
    let content;
    try {
      content = fs.readFileSync(file);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error; // not written yet, or just deleted: then the hash differs
      continue;
    }
    all.update(`${relative(ROOT, file)}\0${content.length}\0`).update(content);
  }
  return all.digest('hex');
}

function filesIn(folder) {
  const files = [];
  let entries = [];
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  for (const entry of entries) {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...filesIn(path));
    else if (entry.isFile()) files.push(path);
  }
  return files;
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

// ---- dependencies --------------------------------------------------------------------------------------------------

/** Returns whether the packages that npm reports as installed are those of the lockfile, for this machine. */
function modulesMatch(wantsDev, modules = MODULES) {
  const installed = readJson(join(modules, '.package-lock.json'))?.packages;
  if (!installed) return false;
  const wanted = Object.entries(readJson(join(ROOT, 'package-lock.json')).packages);
  return wanted.every(([path, entry]) => {
    if (!isWanted(path, entry, wantsDev)) return true;
    const { version, resolved, integrity } = installed[path] ?? {};
    return version === entry.version && resolved === entry.resolved && integrity === entry.integrity;
  });
}

function isWanted(path, entry, wantsDev) {
  return path !== '' && (wantsDev || !entry.dev) && suitsMachine(entry);
}

function suitsMachine({ os, cpu, libc, peer, optional, devOptional }) {
  if (peer && (optional || devOptional)) return false; // an optional peer: npm may leave it out
  const suits = (list, mine) => !list || list.includes(mine);
  return suits(os, process.platform) && suits(cpu, process.arch) && suits(libc, 'glibc');
}

function hasDevModules() {
  return Object.values(readJson(join(MODULES, '.package-lock.json'))?.packages ?? {}).some(({ dev }) => dev);
}

/** Installs into another folder and swaps: without a network, the old tree still works. */
async function installModules(withDev, show) {
  const manifests = ['package.json', 'package-lock.json', '.npmrc'];
  for (const name of fs.readdirSync(join(ROOT, 'packages'))) manifests.push(join('packages', name, 'package.json'));
  for (const file of manifests) {
    if (!fs.existsSync(join(ROOT, file))) continue;
    fs.mkdirSync(dirname(join(STAGING.modules, file)), { recursive: true });
    fs.copyFileSync(join(ROOT, file), join(STAGING.modules, file));
  }
  // `npm ci` is not used: it refuses a lockfile without the bindings for every foreign system, and registries that mirror npm may
  // not have those. This is as strict: the installed packages are compared with the lockfile below.
  // --prefer-offline: the lockfile names each package by its hash, so no request for the current version is needed.
  const options = [
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--include=optional',
  ];
  options.push(withDev ? '--include=dev' : '--omit=dev');
  show(packagesProgress(withDev));
  const { code, output } = await run('npm', ['install', ...options], {
    cwd: STAGING.modules,
    env: environmentForNpm(),
  }).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    throw new SetupFailure('there is no npm. Install it (Debian: apt install npm) and run this again.');
  });
  if (code !== 0) {
    throw new SetupFailure(
      `npm could not install the dependencies (exit ${code}). Check the network and the registry (npm ping), then run this again. npm said:\n${lastLines(output)}`,
    );
  }
  if (!modulesMatch(withDev, join(STAGING.modules, 'node_modules'))) {
    throw new SetupFailure('package.json and package-lock.json disagree. Run npm install, then this again.');
  }
  if (fs.existsSync(MODULES)) fs.renameSync(MODULES, STAGING.oldModules);
  fs.renameSync(join(STAGING.modules, 'node_modules'), MODULES);
}

/** Returns a function that says how many packages npm has unpacked, and names one that it has not. */
function packagesProgress(withDev) {
  const wanted = Object.entries(readJson(join(ROOT, 'package-lock.json')).packages)
    .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.link && isWanted(path, entry, withDev))
    .map(([path]) => path);
  let missing = wanted;
  return () => {
    missing = missing.filter((path) => !fs.existsSync(join(STAGING.modules, path, 'package.json')));
    const next = missing.length === 0 ? '' : `, next: ${missing[0].replace(/.*node_modules\//, '')}`;
    if (missing.length === wanted.length) return `npm looks up ${wanted.length} packages`;
    return `${wanted.length - missing.length} of ${wanted.length} packages${next}`;
  };
}

/**
 * Returns the environment for npm: inside `npm test` it names this folder as the working folder, which would lead npm out of the
 * staging folder.
 */
function environmentForNpm() {
  const isOfOuterNpm =
    /^(npm_(package|lifecycle)_.*|npm_command|npm_config_(local_prefix|workspaces?|omit|include)|NODE_ENV)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfOuterNpm.test(name)));
}

// ---- building ------------------------------------------------------------------------------------------------------

async function buildAddon(outDir, show) {
  const script = join(ROOT, 'packages', 'native', 'build.mjs');
  if (!fs.existsSync(script)) return 'not written yet, skipped';
  const { buildNative } = await import(pathToFileURL(script).href);
  const lines = [];
  try {
    const log = (line) => {
      lines.push(line);
      show(line.split('\n')[0]);
    };
    await buildNative({ root: ROOT, outDir, log });
  } catch (error) {
    throw new SetupFailure(
      `the native addon could not be built; mend that and run this again. ${[error.message, ...lines].join('\n')}`,
    );
  }
}

async function buildBundle(outDir) {
  const script = join(ROOT, 'scripts', 'bundle.mjs');
  // The bundler needs a newer Node than set-up does; in the pinned one it is called without a second process.
  if (fs.realpathSync(execPath) === fs.realpathSync(NODE)) {
    const { bundle } = await import(pathToFileURL(script).href);
    await bundle(outDir).catch((error) => failBundle(error.message));
  } else {
    const { code, output } = await run(NODE, [script, '--out', outDir], { cwd: ROOT });
    if (code !== 0) failBundle(lastLines(output));
  }
}

function failBundle(why) {
  throw new SetupFailure(
    `the sources could not be bundled. Correct them, or check out a version that builds. The bundler said:\n${why}`,
  );
}

/** Moves the files into `dist`, in such an order that the imports of a program exist before the program does. */
function moveInto(dist) {
  const files = filesIn(STAGING.dist).map((file) => relative(STAGING.dist, file));
  const isPart = (file) => file.startsWith('chunks') || file.startsWith(join('web', 'assets'));
  const rank = (file) => (isPart(file) ? 0 : /\.[cm]js$/.test(file) ? 2 : 1);
  for (const file of files.sort((a, b) => rank(a) - rank(b))) {
    fs.mkdirSync(dirname(join(dist, file)), { recursive: true });
    fs.renameSync(join(STAGING.dist, file), join(dist, file));
  }
}

/** Removes old chunks, which are dated by the last build that had them; and the code that commands have left. */
function dropOld() {
  const cutoff = Date.now() - CHUNK_KEEP_MS;
  const parts = ['chunks', 'code-cache', join('web', 'assets')];
  for (const file of parts.flatMap((folder) => filesIn(join(DIST, folder)))) {
    if (fs.statSync(file).mtimeMs < cutoff) fs.rmSync(file, { force: true });
  }
}

// ---- reporting -----------------------------------------------------------------------------------------------------

/** Says something to a user at a terminal; a script does not need it. */
function say(text) {
  if (stderr.isTTY) stderr.write(`spool: set-up: ${text}\n`);
}

/** Returns the path of `./spool` as one types it. */
function ownPath() {
  return process.cwd() === ROOT ? './spool' : join(ROOT, 'spool');
}

async function lock() {
  try {
    fs.mkdirSync(WORK, { recursive: true });
    return await acquire(WORK, (owner) =>
      stderr.write(`spool: another set-up is running (process ${owner}), waiting for it\n`),
    );
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    throw new SetupFailure(
      `this copy is out of date and you may not write to it. Have the owner of ${ROOT} run ./spool once.`,
    );
  }
}

function run(file, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = () => child.kill();
    process.once('exit', end);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.removeListener('exit', end);
      resolve({ code: code ?? signal, output });
    });
  });
}

function lastLines(output) {
  const lines = output.split('\n').filter((line) => line.trim() && !/^npm warn/i.test(line));
  return lines
    .slice(-20)
    .map((line) => `  ${line}`)
    .join('\n');
}
