/** Preloaded into a command: writes to SPOOL_LOADED_TO which files and builtins were loaded before the first byte was written. */
'use strict';
const fs = require('node:fs');

const before = new Set(process.moduleLoadList);
const { writeSync, writeFileSync } = fs;
let isDone = false;

function report() {
  if (isDone) return;
  isDone = true;
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  const builtins = process.moduleLoadList
    .filter((name) => !before.has(name) && name.startsWith('NativeModule ') && !name.includes('internal/'))
    .map((name) => name.slice('NativeModule '.length));
  writeFileSync(process.env.SPOOL_LOADED_TO, JSON.stringify({ files, builtins }));
}

// Everything that a command prints into a file goes through this.
fs.writeSync = (fd, ...rest) => {
  if (fd === 1 || fd === 2) report();
  return writeSync(fd, ...rest);
};
process.on('exit', report);
