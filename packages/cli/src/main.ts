/**
 * The entry. It turns on the compile cache before anything else is loaded, so it imports next to nothing itself.
 *
 * The cache lies beside the bundle: who may write there owns the code anyway, which cannot be said of a folder in /tmp.
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
