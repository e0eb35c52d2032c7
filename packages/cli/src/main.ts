/**
 * The entry point. Begins to see whether the bundle is up to date, and enables the compile cache, before it loads anything else; so it
 * imports almost nothing itself.
 *
 * The cache is stored beside the bundle, because only users who can change the code can write there; /tmp would not be safe.
 */
import { enableCompileCache } from 'node:module';
import { beginFreshness } from './freshness.ts';

const folder = import.meta.dirname;
const isBundled = import.meta.filename.endsWith('.cjs');
const isFresh = isBundled ? beginFreshness(folder) : async (): Promise<void> => {};
if (isBundled) enableCompileCache(`${folder}/compile-cache`);

// No `await` at this level: CommonJS, which the bundle is, has none.
void start();

async function start(): Promise<never> {
  const { runCommandLine } = await import('./command-line/command-line.ts').catch(async (error: unknown) => {
    await isFresh(); // a bundle that cannot even be loaded: perhaps its sources have been mended since
    throw error;
  });
  const daemonEntry = isBundled ? `${folder}/holder.mjs` : `${folder}/../../holder/src/main.ts`;
  return await runCommandLine(process.argv.slice(2), { isBundled, folder, daemonEntry, isFresh });
}
