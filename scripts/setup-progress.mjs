/**
 * Shows the steps of set-up on stderr. In a terminal, one line is rewritten with the details and the time while a step runs; otherwise
 * each step prints its name when it begins and its time when it is done. Plain JavaScript, for Node 18.
 */
import { stderr } from 'node:process';

const REDRAW_MS = 200;

/**
 * Runs a step. `work` gets a function that it calls with the details to show; its result is a remark that replaces the time.
 *
 * @param {string} name
 * @param {(show: (details: string | (() => string)) => void) => Promise<string | void>} work
 */
export async function step(name, work) {
  const startedAt = Date.now();
  const title = `spool: set-up: ${name} …`;
  let details = () => '';
  const redraw = () => {
    const seconds = `${Math.floor((Date.now() - startedAt) / 1000)} s`;
    rewrite(`${title} ${[seconds, details()].filter(Boolean).join(', ')}`);
  };
  const endLine = () => stderr.write('\n');
  const timer = stderr.isTTY ? setInterval(redraw, REDRAW_MS) : undefined;
  process.once('exit', endLine); // if it is interrupted, the prompt of the shell starts on a new line
  stderr.write(title);
  let result = 'failed';
  try {
    const remark = await work((shown) => (details = typeof shown === 'function' ? shown : () => shown));
    result = remark ?? `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  } finally {
    clearInterval(timer);
    process.removeListener('exit', endLine);
    if (stderr.isTTY) rewrite(`${title} ${result}`);
    else stderr.write(` ${result}`);
    endLine();
  }
}

/** Writes over the present line, and stays within it. */
function rewrite(line) {
  stderr.write(`\r\x1b[K${line.slice(0, (stderr.columns || 80) - 1)}`);
}
