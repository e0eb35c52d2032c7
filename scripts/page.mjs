/**
 * Bundles the page into `OUT/web`: `index.html`, and all other files under `assets/` with their content's hash in their name.
 *
 * It uses only Rolldown, which bundles the programs too: the page needs no second bundler, and set-up no second set of tools.
 * Style sheets are joined in the order of their paths; the style sheet of a part is beside it.
 *
 * `index.html` names its files relative to itself, so that the page works under any base path. The gateway replaces
 * `__CSP_NONCE__` by a fresh nonce in every answer.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = join(ROOT, 'packages', 'web', 'src');

/** @param {string} outDir */
export async function bundlePage(outDir) {
  if (!existsSync(join(PAGE, 'index.html'))) return;
  const web = join(outDir, 'web');
  mkdirSync(join(web, 'assets'), { recursive: true });
  const assets = join(web, 'assets');
  const highlighter = await bundleScript(assets, { highlight: join(PAGE, 'highlight', 'highlight-worker.ts') });
  const define = { HIGHLIGHT_WORKER: JSON.stringify(`./assets/${highlighter.fileName}`) };
  const [script, style] = [await bundleScript(assets, { page: join(PAGE, 'main.tsx') }, define), bundleStyles(assets)];
  const preloads = script.imports.map((name) => `<link rel="modulepreload" href="./assets/${name}" />`);
  const html = readFileSync(join(PAGE, 'index.html'), 'utf8')
    .replaceAll('__SCRIPT__', `./assets/${script.fileName}`)
    .replace('<!-- preloads -->', preloads.join('\n    '))
    .replaceAll('__STYLE__', `./assets/${style}`);
  writeFileSync(join(web, 'index.html'), html);
  for (const name of readdirSync(join(PAGE, 'static'))) {
    if (name.endsWith('.test.ts')) continue;
    writeFileSync(join(web, name), readFileSync(join(PAGE, 'static', name)));
  }
}

/**
 * Bundles one program of the page. Returns its first file.
 * @param {string} assets
 * @param {Record<string, string>} input
 * @param {Record<string, string>} [define]
 */
async function bundleScript(assets, input, define = {}) {
  const build = await rolldown({
    cwd: ROOT,
    input,
    platform: 'browser',
    transform: { target: 'es2024', define: { 'process.env.NODE_ENV': '"production"', ...define } },
    onLog(level, log, forward) {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') forward(level, log);
    },
  });
  try {
    const { output } = await build.write({
      dir: assets,
      format: 'esm',
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      minify: true,
      comments: { legal: true },
    });
    return output.find(({ isEntry }) => isEntry);
  } finally {
    await build.close();
  }
}

/** @param {string} assets */
function bundleStyles(assets) {
  const own = readdirSync(PAGE, { recursive: true })
    .filter((name) => name.endsWith('.css'))
    .sort()
    .map((name) => join(PAGE, name));
  const files = [join(ROOT, 'node_modules/@xterm/xterm/css/xterm.css'), ...own];
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const name = `page-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.css`;
  writeFileSync(join(assets, name), text);
  return name;
}
