/**
 * Bundles the programs into a folder: `node scripts/bundle.mjs [--out dist]`.
 *
 * - `spool.mjs`, the command line: split, so that a verb is read only when it is typed. Chunks have their content's hash
 *   in their name and set-up keeps old ones, so a `spool attach` that runs across a rebuild still finds its chunks.
 * - `holder.mjs` and `keeper.mjs`: one file each, nothing imported later, so a rebuild cannot touch a running daemon.
 * - `gateway.mjs`, the doors: one file too, with all that faces a network. No other program reads it.
 * - `web/`, the page (`page.mjs`).
 * - `check-config.mjs`, which reads the user's rules and milestones for `spool doctor`.
 *
 * Everything lies in one folder, beside `spool_native.node`: `native` looks for the addon next to `import.meta.url`.
 *
 * Whitespace stays: without it a toy of 66 KB started no faster (2 x 120 runs), one of 225 KB by 2 ms of CPU in 48 (one
 * series of 60, loaded machine), and stack traces would be one line long. `keepNames` costs 0.5 to 1.4 ms of CPU.
 *
 * Run on the pinned Node (rolldown wants 20.19 at least); `setup.mjs` sees to that.
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { bundlePage } from './page.mjs';

const ROOT = resolve(import.meta.dirname, '..');

/** Program, its entry (`keeper-here` is the keeper for a holder that must be both: no escrow), and whether it may be split into chunks. */
const PROGRAMS = [
  { name: 'spool', entry: 'packages/cli/src/main.ts', isSplit: true },
  { name: 'holder', entry: 'packages/holder/src/main.ts', isSplit: false },
  { name: 'keeper', entry: 'packages/keeper/src/main.ts', isSplit: false },
  { name: 'driver', entry: 'packages/driver-process/src/main.ts', isSplit: false },
  { name: 'bridge', entry: 'packages/driver-process/src/bridge/main.ts', isSplit: false },
  { name: 'pipe', entry: 'packages/driver-process/src/pipe/pipe.ts', isSplit: false },
  { name: 'gateway', entry: 'packages/gateway/src/main.ts', isSplit: false },
  { name: 'screens', entry: 'packages/keeper/src/screens/worker/screen-worker.ts', isSplit: false },
  { name: 'check-config', entry: 'packages/keeper/src/check-config.ts', isSplit: false },
  { name: 'keeper-here', entry: 'packages/keeper/src/index.ts', isSplit: false },
];

/**
 * What several verbs share is one chunk that all of them read, so it must stay small: what knows terminals (four times as
 * much) is a chunk of its own, for those who show or read one; so is what waits for patterns, and what shows tasks.
 */
const CHUNKS = [
  {
    // First: a chunk takes along whatever its files import, so what nearly all verbs use must be taken before.
    name: 'common',
    test: new RegExp(
      [
        'packages/protocol/',
        'packages/vt/src/scan/character-width\\.',
        'node_modules/get-east-asian-width/',
        'packages/client/src/(?!base64|tail|remote/|streams/typing|node/(waits|summary)/)',
        'packages/cli/src/(program\\.|command-line/|output/)',
      ].join('|'),
    ),
    priority: 2,
  },
  { name: 'terminals', test: /packages\/(vt|cli\/src\/(attach|session-output))\//, priority: 1 },
  // The terminal model, for those who see a session of another size: nobody else reads it.
  { name: 'window', test: /packages\/(core\/|cli\/src\/window\/)|node_modules\/@xterm\//, priority: 1 },
  { name: 'waits', test: /packages\/client\/src\/node\/waits\//, priority: 1 },
  { name: 'tasks', test: /packages\/cli\/src\/tasks\//, priority: 1 },
  { name: 'shared', minShareCount: 2 },
];

/**
 * Importing a builtin as ESM makes Node build a namespace of all its exports; taken from the process, it does not. With
 * this and shared chunks, `spool ls` starts in 1.56 instead of 1.83 times the time of a bare Node.
 */
const builtinsDirectly = {
  name: 'builtins-directly',
  /** @param {string} code */
  renderChunk: (code) => ({
    map: null,
    code: code.replace(
      /^import \{([^}]*)\} from "(node:[\w/]+)";$/gm,
      (_, names, id) => `const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule("${id}");`,
    ),
  }),
};

/**
 * Bundles what exists (an entry that is not written yet is left out) and returns the names of the programs.
 *
 * @param {string} outDir
 * @returns {Promise<string[]>}
 */
export async function bundle(outDir) {
  const programs = PROGRAMS.filter(({ entry }) => existsSync(join(ROOT, entry)));
  await Promise.all([...programs.map((program) => bundleProgram(program, outDir)), bundlePage(outDir)]);
  return programs.map(({ name }) => name);
}

/**
 * @param {(typeof PROGRAMS)[number]} program
 * @param {string} outDir
 */
async function bundleProgram({ name, entry, isSplit }, outDir) {
  const build = await rolldown({
    cwd: ROOT,
    input: { [name]: join(ROOT, entry) },
    platform: 'node',
    plugins: isSplit ? [builtinsDirectly] : [],
    // The last two are optional parts of `ws` in C, which it does without.
    external: [/^node:/, /\.node$/, 'bufferutil', 'utf-8-validate'],
    transform: { target: 'node24' },
    // A package that is not found would otherwise become an external import, and fail at the user's.
    onLog(level, log, forward) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      // Both kinds of import of one module are fine: verbs that load it lazily start faster. A newcomer would read this.
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') forward(level, log);
    },
  });
  try {
    await build.write({
      dir: outDir,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunks/[name]-[hash].mjs',
      codeSplitting: isSplit && { groups: CHUNKS },
      keepNames: true,
      sourcemap: true,
      // Built in a staging folder, used in `dist`.
      sourcemapPathTransform: (source, map) =>
        relative(join(ROOT, 'dist', isChunk(map) ? 'chunks' : ''), resolve(dirname(map), source)),
      comments: { legal: true, annotation: false, jsdoc: false },
    });
  } finally {
    await build.close();
  }
}

/** @param {string} file */
const isChunk = (file) => basename(dirname(file)) === 'chunks';

if (argv[1] && realpathSync(argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: join(ROOT, 'dist') } } });
  await bundle(resolve(values.out));
}
