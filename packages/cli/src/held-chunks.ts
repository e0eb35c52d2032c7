/**
 * Keeps the chunks of a long-running command in memory: npm replaces the folder of a package as a whole, and a chunk that an
 * attached terminal, a live list or an MCP server needs later would be gone. A command that ends sooner has no cost. Keeps REL-5.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CodeCache } from './code-cache.ts';

/** Longer than almost every command with a single request. */
const HOLD_AFTER_MS = 1000;

/** Reads the chunks in this folder after a moment; from then on Node, or the code cache in its place, loads them from memory. */
export function holdChunksSoon(folder: string, codeCache: CodeCache | null): void {
  setTimeout(() => {
    if (codeCache === null) holdForNode(readChunks(folder));
    else codeCache.hold(readChunks(folder));
  }, HOLD_AFTER_MS).unref();
}

function holdForNode(sources: ReadonlyMap<string, Buffer>): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('.') || context.parentURL === undefined) return next(specifier, context);
      const url = new URL(specifier, context.parentURL);
      if (url.protocol !== 'file:' || !sources.has(fileURLToPath(url))) return next(specifier, context);
      return { url: url.href, format: 'commonjs', shortCircuit: true };
    },
    load(url, context, next) {
      const source = url.startsWith('file:') ? sources.get(fileURLToPath(url)) : undefined;
      return source === undefined ? next(url, context) : { format: 'commonjs', source, shortCircuit: true };
    },
  });
}

/** Returns the chunks that are not loaded yet, by path. */
function readChunks(folder: string): Map<string, Buffer> {
  const sources = new Map<string, Buffer>();
  const { cache } = createRequire(pathToFileURL(`${folder}/`));
  try {
    for (const name of readdirSync(folder)) {
      const path = `${folder}/${name}`;
      if (name.endsWith('.cjs') && cache[path] === undefined) sources.set(path, readFileSync(path));
    }
  } catch {
    // the folder is being replaced; the chunks that were read are kept
  }
  return sources;
}
