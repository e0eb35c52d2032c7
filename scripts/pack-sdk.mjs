/**
 * Packs the SDK as a package that any project can install: `npm run pack-sdk [-- FOLDER]` writes `spool-client-VERSION.tgz`.
 *
 * The package has plain JavaScript and declarations, no dependencies and no install scripts. The JavaScript is bundled, so that
 * the workspace packages behind the client are inside; the declarations are those of the sources, with relative paths. The types of
 * messages are inferred from schemas, so zod's declarations are inside too, without its code.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..');
/** The Node version for which the code is compiled, also in `engines`. */
const NODE_MIN = '22.12';

const ENTRIES = {
  index: 'packages/client/src/index.ts',
  node: 'packages/client/src/node/index.ts',
  terminal: 'packages/client/src/terminal.ts',
  remote: 'packages/client/src/remote/index.ts',
  waits: 'packages/client/src/node/waits/waiting.ts',
};

/** The packages that the client's types name. */
const BEHIND = ['packages/client/src', 'packages/protocol/src', 'packages/vt/src'];

const ZOD = join(ROOT, 'node_modules/zod');
/** The declarations of zod that its main entry reaches, and its licence. */
const ZOD_FILES = /^(index\.d\.ts|LICENSE|v4\/(core|classic|locales)\/[\w-]+\.d\.ts)$/;

const folder = resolve(process.argv[2] ?? ROOT);
const work = fs.mkdtempSync(join(tmpdir(), 'spool-sdk-'));
try {
  const { version, license } = JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8'));
  await bundle(join(work, 'js'));
  declare(join(work, 'types'));
  fs.copyFileSync(join(ROOT, 'LICENSE'), join(work, 'LICENSE'));
  fs.copyFileSync(join(ROOT, 'packages/client/README.md'), join(work, 'README.md'));
  fs.writeFileSync(join(work, 'package.json'), `${JSON.stringify(manifest(version, license), null, 2)}\n`);
  fs.mkdirSync(folder, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: work,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  process.stdout.write(`${join(folder, JSON.parse(packed)[0].filename)}\n`);
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}

function manifest(version, license) {
  const entry = (name) => ({
    types: `./types/${ENTRIES[name].replace(/^packages\//, '').replace(/\.ts$/, '.d.ts')}`,
    default: `./js/${name}.js`,
  });
  return {
    name: '@spool/client',
    version,
    description: 'The SDK of Spool: run, watch and answer terminal sessions from a program.',
    license,
    type: 'module',
    engines: { node: `>=${NODE_MIN}` },
    exports: {
      '.': entry('index'),
      './node': entry('node'),
      './remote': entry('remote'),
      './terminal': entry('terminal'),
      './waits': entry('waits'),
    },
  };
}

async function bundle(into) {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(ROOT, path)])),
    platform: 'node',
    transform: { target: `node${NODE_MIN}` },
    logLevel: 'warn',
  });
  await build.write({ dir: into, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunk-[hash].js' });
  await build.close();
}

/** Writes the declarations of the entries and of all that they name, in the layout of the sources. */
function declare(into) {
  const config = join(work, 'tsconfig.json');
  fs.writeFileSync(
    config,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.base.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        allowImportingTsExtensions: true,
        stripInternal: true,
        rootDir: join(ROOT, 'packages'),
        outDir: into,
        lib: ['ES2024', 'ESNext.Disposable'],
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
      // Each file is named: one that is reached only through `node_modules` may count as a library, and gets no declarations.
      files: BEHIND.flatMap((path) => sourcesIn(join(ROOT, path))),
    }),
  );
  execFileSync(process.execPath, [join(ROOT, 'node_modules/.bin/tsc'), '-p', config], { stdio: ['ignore', 2, 2] });
  fs.rmSync(config);
  fs.cpSync(ZOD, join(into, 'zod'), {
    recursive: true,
    filter: (path) => fs.statSync(path).isDirectory() || ZOD_FILES.test(relative(ZOD, path)),
  });
  for (const name of fs.readdirSync(into, { recursive: true })) {
    const path = join(into, String(name));
    if (path.endsWith('.d.ts')) fs.writeFileSync(path, withPaths(path, into, fs.readFileSync(path, 'utf8')));
  }
}

function sourcesIn(path) {
  return fs
    .readdirSync(path, { recursive: true })
    .map((name) => join(path, String(name)))
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|\/testing\//.test(file));
}

/** Replaces `@spool/protocol` and `zod` by a relative path, and `.ts` by `.js`, as `tsc` expects in a package. */
function withPaths(path, types, text) {
  const to = (target) => {
    const found = relative(dirname(path), join(types, target));
    return found.startsWith('.') ? found : `./${found}`;
  };
  return text
    .replaceAll(/(['"])zod\1/g, (_, quote) => `${quote}${to('zod/index.js')}${quote}`)
    .replaceAll(/(['"])@spool\/(\w+)(\/\w+)?\1/g, (_, quote, name, part = '') => {
      return `${quote}${to(`${name}/src${part}/index.js`)}${quote}`;
    })
    .replaceAll(/(['"])(\.{1,2}\/[^'"]*)\.ts\1/g, (_, quote, file) => `${quote}${file}.js${quote}`);
}
