// Writes text of many bytes a character, with escape sequences all over it, in pieces that are cut at random: inside characters
// and inside sequences. `cut-writer.mjs SEED PIECES`; the same seed writes the same bytes. A pause after each hundred pieces
// gives readers time.
import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const PIECES_BETWEEN_PAUSES = 100;
const PAUSE_MS = 3;
const WORDS = [
  ...['plain ', 'grün ', '日本語', '👩‍👩‍👧 ', '─┼─', '   ', '\t', '\n', '\n\n', '\r'],
  ...['\x1b[31m', '\x1b[0m', '\x1b[38;2;1;2;3m', '\x1b[2K', '\x1b]0;題名\x07', '\x1b]8;;http://x/é\x1b\\', '\u009b1m'],
  ...['\x1b]133;A\x07$ \x1b]133;B\x07', '\x1b]133;D;0\x07', '● Bash(ls -l)\n', '• Ran npm test\n'],
];

const [seed, pieces] = process.argv.slice(2).map(Number);
let state = seed;
/** Generates Park and Miller's numbers: random enough for cuts, and the same on every machine. */
const random = (below) => (state = (state * 48271) % 2147483647) % below;

for (let piece = 0, rest = Buffer.alloc(0); piece < pieces; piece++) {
  const length = 1 + random(12);
  while (rest.length < length) rest = Buffer.concat([rest, Buffer.from(WORDS[random(WORDS.length)])]);
  // The last piece ends an unfinished sequence.
  const written = piece === pieces - 1 ? rest : rest.subarray(0, length);
  for (let at = 0; at < written.length;) at += writeSync(1, written, at);
  rest = rest.subarray(length);
  if (piece % PIECES_BETWEEN_PAUSES === 0) await setTimeout(PAUSE_MS);
}
