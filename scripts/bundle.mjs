/**
 * Bundles the programs into a folder: `node scripts/bundle.mjs [--out dist]`.
 *
 * - `spool.mjs`, the command line: split, so that the code of a verb is read only for that verb. Chunks have their content's hash
 *   in their name and set-up keeps old ones, so a `spool attach` that runs across a rebuild still finds its chunks.
 * - `holder.mjs` and `keeper.mjs`: one file each, without later imports, so a rebuild cannot affect a running daemon.
 * - `gateway.mjs`: also one file, with all code that faces a network. No other program reads it.
 * - `nats.mjs`, the client of NATS, which a gateway loads when it is in a fleet.
 * - `web/`, the page (`page.mjs`).
 * - `check-config.mjs`, which reads the user's rules and milestones for `spool doctor`.
 *
 * All programs are in one folder, beside `spool_native.node`: `native` searches for the addon next to `import.meta.url`.
 *
 * Whitespace is kept: without it a toy of 66 KB started no faster (2 x 120 runs), one of 225 KB by 2 ms of CPU in 48 (one series
 * of 60, loaded machine), and stack traces would be one line long. `keepNames` costs 0.5 to 1.4 ms of CPU.
 *
 * It runs on the pinned Node (rolldown needs 20.19 at least); `setup.mjs` ensures that.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { bundlePage } from './page.mjs';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * Programs: the name, the entry (`keeper-here` is the keeper for a holder that must be both: no escrow), and whether it may be
 * split into chunks.
 */
const PROGRAMS = [
  { name: 'spool', entry: 'packages/cli/src/main.ts', isSplit: true },
  { name: 'holder', entry: 'packages/holder/src/main.ts', isSplit: false },
  { name: 'keeper', entry: 'packages/keeper/src/main.ts', isSplit: false },
  { name: 'driver', entry: 'packages/driver-process/src/main.ts', isSplit: false },
  { name: 'bridge', entry: 'packages/driver-process/src/bridge/main.ts', isSplit: false },
  { name: 'pipe', entry: 'packages/driver-process/src/pipe/pipe.ts', isSplit: false },
  { name: 'gateway', entry: 'packages/gateway/src/main.ts', isSplit: false },
  // The client of NATS: the gateway loads it for the first fleet.
  { name: 'nats', entry: 'packages/gateway/src/nats/library-main.ts', isSplit: false },
  { name: 'screens', entry: 'packages/keeper/src/screens/worker/main.ts', isSplit: false },
  { name: 'check-config', entry: 'packages/keeper/src/check-config.ts', isSplit: false },
  { name: 'keeper-here', entry: 'packages/keeper/src/index.ts', isSplit: false },
];

/**
 * The chunks of the command line. `core` is read by every verb, so it must stay small, and it comes first: a chunk takes along
 * whatever its files import. The rest is for some verbs only. tests/loaded.test.ts has the table of what each verb reads.
 */
const CHUNKS = [
  {
    name: 'core',
    test: new RegExp(
      [
        'packages/protocol/(?!src/(schemas/|fleets\\.|agent/(command|event)-schema\\.|config/))',
        'packages/vt/src/scan/character-width\\.',
        'node_modules/get-east-asian-width/',
        'packages/client/src/(request-client|check|doors|input|list|wait|options|link/|node/(requests|connect|dial|known-sockets|daemon-|private-folder|sleep)|streams/typing)',
        'packages/native/src/(load|installed-file)\\.',
        'packages/cli/src/(program\\.|native\\.|own-folders\\.|command-line/(?!help|verb-table|user-settings|config-change|config-faults|wrapped-text|dropped-keys|size-policy|user-shell|labels)|output/(?!qr-code|shown-hints|launch-file|own-session)|remote/(host|contexts|token-file|local-verbs)\\.|daemon/daemon-socket\\.|attach/session-input\\.)',
      ].join('|'),
    ),
    priority: 3,
  },
  {
    name: 'client',
    test: /packages\/client\/src\/(?!remote\/|node\/(waits|summary|repository|socket-transport|node-road))/,
    priority: 2,
  },
  { name: 'ls', test: /packages\/cli\/src\/(listing\/(?!template)|verbs\/ls\.)/, priority: 2 },
  // Keys and modes, for verbs that type into terminals.
  {
    name: 'typing',
    test: /packages\/vt\/src\/(viewer\/(keys|clean-text)|state\/(modes|terminal-modes|working-directory)|scan\/(sequence|utf8))\./,
    priority: 3,
  },
  // What knows terminals: for those who show one, type into one or read one.
  { name: 'vt', test: /packages\/vt\//, priority: 2 },
  // The terminal model, for those who see a session of another size or read its lines.
  { name: 'model', test: /packages\/screen\/|node_modules\/@xterm\//, priority: 2 },
  { name: 'window', test: /packages\/cli\/src\/window\//, priority: 1 },
  {
    name: 'terminals',
    test: /packages\/cli\/src\/(attach\/(?!session-input|attach-history)|tui\/(keyboard|terminal)\.|session-output\/(json-output-flags|session-output)\.)/,
    priority: 2,
  },
  // Styled lines and when to draw them: for all views, also those that take a few rows only.
  { name: 'lines', test: /packages\/(render\/src\/(lines|ansi)|cli\/src\/tui\/frame-loop)\./, priority: 2 },
  { name: 'render', test: /packages\/render\//, priority: 1 },
  { name: 'tui', test: /packages\/cli\/src\/tui\//, priority: 1 },
  // Lines as they were seen, by the model.
  { name: 'seen', test: /packages\/cli\/src\/(attach\/attach-history|session-output\/)/, priority: 1 },
  { name: 'waits', test: /packages\/client\/src\/node\/waits\/(?!match-wait|line-cutter)/, priority: 1 },
  { name: 'tasks', test: /packages\/cli\/src\/tasks\//, priority: 1 },
];

/**
 * Loads a builtin when it is first used, not when the chunk is read: `core` names fifteen of them, and `spool ls` needs three. The
 * others would take twice as long to load as it runs.
 */
const builtinsOnUse = {
  name: 'builtins-on-use',
  /** @param {string} code */
  renderChunk(code) {
    let changed = code;
    for (const [line, name, id] of code.matchAll(/^(?:let|const) (node_\w+) = require\("(node:[\w/]+)"\);$/gm)) {
      if (code.includes(`__toESM(${name}`)) continue; // imported as a whole
      const [before, after] = changed.split(line);
      const onUse = (/** @type {string} */ part) =>
        part.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `(use_${name}())`);
      changed = `${onUse(before)}let ${name}; const use_${name} = () => ${name} ??= require("${id}");${onUse(after)}`;
    }
    changed = changed.replaceAll(/\bimport\(("node:[\w/]+")\)/g, 'Promise.resolve(require($1))');
    return { code: changed, map: null };
  },
};

/** The source that is run by the bundler, which bundles its result: the syntax of the verbs, without their help. */
const VERB_SYNTAX = join(ROOT, 'packages/cli/src/command-line/verb-syntax.ts');

const syntaxMade = {
  name: 'syntax-made',
  /** @param {string} id */
  async load(id) {
    if (id !== VERB_SYNTAX) return null;
    const { SYNTAX, ALIASES } = await import(pathToFileURL(id).href);
    const verbs = Object.entries(SYNTAX).map(
      ([name, syntax]) => `${JSON.stringify(name)}: () => (${JSON.stringify(syntax())})`,
    );
    return `export const SYNTAX = {\n${verbs.join(',\n')}\n};\nexport const ALIASES = ${JSON.stringify(ALIASES)};\n`;
  },
};

/**
 * Bundles the existing entries and returns the names of the programs. A release has no source maps: its sources are elsewhere.
 *
 * @param {string} outDir
 * @returns {Promise<string[]>}
 */
export async function bundle(outDir, { sourcemap = true } = {}) {
  const programs = PROGRAMS.filter(({ entry }) => existsSync(join(ROOT, entry)));
  await Promise.all([...programs.map((program) => bundleProgram(program, outDir, sourcemap)), bundlePage(outDir)]);
  return programs.map(({ name }) => name);
}

/**
 * @param {(typeof PROGRAMS)[number]} program
 * @param {string} outDir
 * @param {boolean} sourcemap
 */
async function bundleProgram({ name, entry, isSplit }, outDir, sourcemap) {
  const build = await rolldown({
    cwd: ROOT,
    input: { [name]: join(ROOT, entry) },
    platform: 'node',
    plugins: isSplit ? [syntaxMade, builtinsOnUse] : [],
    // The last two are optional parts of `ws` in C, which it does not need.
    external: [/^node:/, /\.node$/, 'bufferutil', 'utf-8-validate'],
    transform: { target: 'node22.15' },
    // A package that is not found would otherwise become an external import, and fail on the user's machine.
    onLog(level, log, forward) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      // Both kinds of import of one module are intended: verbs that load it lazily start faster. A new contributor would
      // otherwise read this warning.
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') forward(level, log);
    },
  });
  try {
    await build.write({
      dir: outDir,
      // The loader of ES modules takes 5 ms longer for one file, and more for each further one (decision 180).
      format: isSplit ? 'cjs' : 'esm',
      entryFileNames: isSplit ? '[name].cjs' : '[name].mjs',
      chunkFileNames: 'chunks/[name]-[hash].cjs',
      codeSplitting: isSplit && { groups: CHUNKS },
      keepNames: !isSplit,
      sourcemap,
      // Built in a staging folder, used in `dist`.
      sourcemapPathTransform: (source, map) =>
        relative(join(ROOT, 'dist', isChunk(map) ? 'chunks' : ''), resolve(dirname(map), source)),
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    if (isSplit) lighten(outDir);
    else rewrite(join(outDir, `${name}.mjs`), spellOut);
  } finally {
    await build.close();
  }
}

/**
 * Makes chunks cheaper to load. Each line stays in its place, for source maps, except the exports at the end.
 *
 * @param {string} outDir
 */
function lighten(outDir) {
  for (const name of readdirSync(join(outDir, 'chunks')).filter((each) => each.endsWith('.cjs'))) {
    rewrite(join(outDir, 'chunks', name), (code) => spellOut(plainExports(code)));
  }
}

/**
 * @param {string} path
 * @param {(code: string) => string} change
 */
function rewrite(path, change) {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/**
 * Escapes the characters that are not ASCII: one such character doubles the memory of a source, and took 0.6 ms of each start for `core`.
 *
 * @param {string} code
 */
function spellOut(code) {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Exports values instead of getters: a getter is a function to make and to call, and `core` has 150. A variable keeps its getter.
 *
 * @param {string} code
 */
function plainExports(code) {
  const constants = new Set(
    [...code.matchAll(/^(?:const|function\*?|async function\*?|class) ([\w$]+)/gm)].map(([, name]) => name),
  );
  for (const [, name] of code.matchAll(/^var ([\w$]+) = class\b/gm)) constants.add(name);
  return code.replaceAll(
    /^Object\.defineProperty\(exports, ["']([\w$]+)["'], \{\s*enumerable: true,\s*get: function ?\(\) \{\s*return ([\w$]+);\s*\}\s*\}\);$/gm,
    (getter, name, local) => (constants.has(local) ? `exports.${name} = ${local};` : getter),
  );
}

/** @param {string} file */
const isChunk = (file) => basename(dirname(file)) === 'chunks';

if (argv[1] && realpathSync(argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: join(ROOT, 'dist') } } });
  await bundle(resolve(values.out));
}
