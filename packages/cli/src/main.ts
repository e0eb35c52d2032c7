/**
 * The entry point. Starts the check whether the bundle is up to date, and takes over `require`, before it loads anything else; so
 * it imports almost nothing itself.
 */
import { CodeCache } from './code-cache.ts';
import { beginFreshness } from './freshness.ts';
import { holdChunksSoon } from './held-chunks.ts';

/** The function by which the bundle, which is CommonJS, loads all its chunks. */
declare let require: NodeJS.Require;

const KEEP_AFTER_MS = 2000;

const folder = import.meta.dirname;
const isBundled = import.meta.filename.endsWith('.cjs');
const isFresh = isBundled ? beginFreshness(folder) : async (): Promise<void> => {};
const codeCache = isBundled && !isObserved() ? new CodeCache(folder, process.argv[2] ?? '', require) : null;
if (codeCache !== null) require = codeCache.require as NodeJS.Require;
if (isBundled) holdChunksSoon(`${folder}/chunks`, codeCache);

// No `await` at this level: CommonJS, which the bundle is, has none.
void start();

async function start(): Promise<never> {
  const { runCommandLine } = await import('./command-line/command-line.ts').catch(async (error: unknown) => {
    await isFresh(); // a bundle that cannot even be loaded: its sources may have been repaired since
    throw error;
  });
  const daemonEntry = isBundled ? `${folder}/holder.mjs` : `${folder}/../../holder/src/main.ts`;
  const keepCode = (isWhole: boolean): void => codeCache?.keep(isWhole);
  // Held for a long command, because V8 forgets code that was not used for some time.
  if (codeCache?.isMissed) setTimeout(keepCode, KEEP_AFTER_MS, true).unref();
  const importModule = (path: string): Promise<unknown> => import(path);
  return await runCommandLine(process.argv.slice(2), {
    isBundled,
    folder,
    daemonEntry,
    isFresh,
    keepCode,
    importModule,
  });
}

/** Returns whether Node options were set: they observe the program, which must then be loaded as Node does it. */
function isObserved(): boolean {
  const { NODE_OPTIONS, NODE_V8_COVERAGE } = process.env;
  return process.execArgv.length > 0 || !!NODE_OPTIONS || !!NODE_V8_COVERAGE;
}
