/**
 * Sends the terminal every query that programs send, one after the other, and prints as JSON the answers, their times in
 * milliseconds, and unexpected bytes.
 */
import { writeSync } from 'node:fs';

const QUERIES = [
  ['DA1', '\x1b[c', /^\x1b\[\?[\d;]+c$/],
  ['DA2', '\x1b[>c', /^\x1b\[>[\d;]+c$/],
  ['DA3', '\x1b[=c', /^\x1bP!\|[0-9A-F]*\x1b\\$/],
  ['DSR', '\x1b[5n', /^\x1b\[0n$/],
  // A width probe: the column that the text before it produced.
  ['CPR', '\r\x1b[2Kab漢c\x1b[6n', /^\x1b\[\d+;6R$/],
  ['DECXCPR', '\r\x1b[2Kabc\x1b[?6n', /^\x1b\[\?\d+;4(;\d+)?R$/],
  ['DECRQM 2004 off', '\x1b[?2004$p', /^\x1b\[\?2004;2\$y$/],
  ['DECRQM 2004 on', '\x1b[?2004h\x1b[?2004$p', /^\x1b\[\?2004;1\$y$/],
  ['DECRQM 2026', '\x1b[?2026$p', /^\x1b\[\?2026;[12]\$y$/],
  ['DECRQM 2027', '\x1b[?2027$p', /^\x1b\[\?2027;0\$y$/],
  ['DECRQM 2031', '\x1b[?2031$p', /^\x1b\[\?2031;[0-4]\$y$/],
  ['DECRQM 2048', '\x1b[?2048$p', /^\x1b\[\?2048;[0-4]\$y$/],
  ['DECRQM ansi 4', '\x1b[4$p', /^\x1b\[4;2\$y$/],
  ['OSC 4', '\x1b]4;1;?\x1b\\', /^\x1b\]4;1;rgb:[0-9a-f]{4}\/[0-9a-f]{4}\/[0-9a-f]{4}\x1b\\$/],
  ['OSC 10', '\x1b]10;?\x1b\\', /^\x1b\]10;rgb:[0-9a-f/]{14}\x1b\\$/],
  ['OSC 11', '\x1b]11;?\x07', /^\x1b\]11;rgb:[0-9a-f/]{14}\x07$/],
  ['OSC 12', '\x1b]12;?\x1b\\', /^\x1b\]12;rgb:[0-9a-f/]{14}\x1b\\$/],
  ['XTVERSION', '\x1b[>q', /^\x1bP>\|spool\([^)]+\)\x1b\\$/],
  ['XTGETTCAP', '\x1bP+q524742\x1b\\', /^\x1bP[01]\+r[0-9A-Fa-f=]*\x1b\\$/],
  ['DECRQSS', '\x1bP$qm\x1b\\', /^\x1bP1\$r[\d;:]*m\x1b\\$/],
  ['kitty keyboard', '\x1b[>5u\x1b[?u', /^\x1b\[\?5u$/],
  ['kitty keyboard popped', '\x1b[<u\x1b[?u', /^\x1b\[\?0u$/],
  ['size in cells', '\x1b[18t', /^\x1b\[8;24;80t$/],
  ['size in pixels', '\x1b[14t', /^\x1b\[4;\d+;\d+t$/],
  ['cell in pixels', '\x1b[16t', /^\x1b\[6;\d+;\d+t$/],
  ['colour scheme', '\x1b[?996n', /^\x1b\[\?997;[12]n$/],
  ['program status', '\x1b]7501;?\x1b\\', /^\x1b\]7501;[^\x1b]*\x1b\\$/],
];

process.stdin.setRawMode(true);
let got = '';
let arrived = () => {};
process.stdin.on('data', (bytes) => {
  got += bytes.toString('latin1');
  arrived();
});

const results = [];
for (const [name, query, expected] of QUERIES) {
  got = '';
  const askedAt = performance.now();
  writeSync(1, query);
  const deadline = askedAt + 2000;
  while (!expected.test(got) && performance.now() < deadline) {
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, 20);
      arrived = () => (clearTimeout(timer), resolve());
    });
  }
  const ms = performance.now() - askedAt;
  // Any further bytes arrive now: a second answer, or an answer to another client.
  await new Promise((resolve) => setTimeout(resolve, 30));
  results.push({ name, isRight: expected.test(got), ms: Math.round(ms), got: expected.test(got) ? '' : got });
}
writeSync(1, `\x1b[?2004l\r\nRESULT ${JSON.stringify(results)}\r\n`);
process.exit(0);
