/**
 * Measures, in MB/s, the code in the keeper's and the watcher's hot path. `node packages/vt/bench/speed.ts`
 *
 * The chunks have 4095 bytes, as a PTY delivers them. The best of several rounds counts, since other processes disturb the
 * measurement.
 */
import { readFileSync } from 'node:fs';
import { EscapeScanner, LineText, OutputFollower, ViewerFilter } from '../src/index.ts';

const BYTES = 32_000_000;
const CHUNK_BYTES = 4095;
const TURNS = 7;

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../tests/fixtures/terminal/${name}`, import.meta.url));
const repeated = (bytes: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(BYTES / bytes.length) }, () => bytes));
const lines = (line: (n: number) => string): Buffer =>
  Buffer.from(Array.from({ length: 2000 }, (_, n) => line(n)).join(''));

const INPUTS: Readonly<Record<string, Buffer>> = {
  'plain log': lines(
    (n) =>
      `2026-11-15T19:${n % 60}:07.123Z INFO  request id=${n} path=/api/v1/items/${n * 7} status=200 duration=${n % 97}ms bytes=${n * 31}\r\n`,
  ),
  'UTF-8 log': lines(
    (n) => `2026-11-15T19:${n % 60} größe=${n} ✓ 漢字 «fertig» für /api/v1/items/${n * 7} – alles gut\r\n`,
  ),
  'coloured log': lines(
    (n) =>
      `\x1b[90m2026-11-15T19:${n % 60}\x1b[39m \x1b[32mINFO\x1b[39m  request \x1b[36mid\x1b[39m=${n} \x1b[36mpath\x1b[39m=/api/v1/items/${n * 7} \x1b[36mstatus\x1b[39m=\x1b[1;32m200\x1b[0m\r\n`,
  ),
  vim: fixture('local/vim.pty'),
  'Ink (gemini)': fixture('gemini/tui-full-xterm.pty'),
  claude: fixture('claude/tui-full-kitty.pty'),
};

const WORK: Readonly<Record<string, () => (chunk: Uint8Array) => void>> = {
  scanner: () => {
    const scanner = new EscapeScanner({ onSequence: () => {} });
    return (chunk) => scanner.feed(chunk);
  },
  follower: () => {
    const follower = new OutputFollower({});
    return (chunk) => follower.feed(chunk);
  },
  filter: () => {
    const filter = new ViewerFilter({ input: true });
    return (chunk) => void filter.feed(chunk);
  },
  text: () => {
    const text = new LineText();
    return (chunk) => void text.feed(chunk);
  },
};

const only = process.argv[2];
console.log(''.padEnd(14), ...Object.keys(WORK).flatMap((work) => [work.padStart(10), '(Uint8Array)']));
for (const [name, sample] of Object.entries(INPUTS)) {
  const whole = repeated(sample);
  const buffers: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += CHUNK_BYTES) buffers.push(whole.subarray(at, at + CHUNK_BYTES));
  const arrays = buffers.map((chunk) => new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length));
  const figures: string[] = [];
  for (const [work, make] of Object.entries(WORK)) {
    if (only !== undefined && work !== only) continue;
    for (const chunks of [buffers, arrays]) {
      const feed = make();
      let bestMs = Infinity;
      for (let turn = 0; turn < TURNS; turn++) {
        const start = performance.now();
        for (const chunk of chunks) feed(chunk);
        bestMs = Math.min(bestMs, performance.now() - start);
      }
      figures.push((whole.length / 1000 / bestMs).toFixed(0).padStart(chunks === buffers ? 10 : 12));
    }
  }
  console.log(name.padEnd(14), ...figures);
}
