/**
 * The entry point. It enables the compile cache before loading anything else, so it imports almost nothing itself.
 *
 * The cache is stored beside the bundle, because only users who can change the code can write there; /tmp would not be safe.
 */
import { enableCompileCache } from 'node:module';

const isBundled = import.meta.filename.endsWith('.mjs');
if (isBundled) enableCompileCache(`${import.meta.dirname}/compile-cache`);

const { commandLine } = await import('./command-line/command-line.ts');
await commandLine(process.argv.slice(2), {
  isBundled,
  folder: import.meta.dirname,
  daemonEntry: isBundled ? `${import.meta.dirname}/holder.mjs` : `${import.meta.dirname}/../../holder/src/main.ts`,
});
