/** [ATT-5] Tests difficult places to cut a stream: each case is cut at every byte. */
import { expect, test } from 'vitest';
import { snapshot } from './snapshot/snapshot.ts';
import { followStream, type Stream } from './testing/fidelity.ts';

const CASES: Readonly<Record<string, string>> = {
  'a wide character at the margin': `${'a'.repeat(9)}字b\x1b[31m\r\n${'b'.repeat(9)}\x1b[44m漢c`,
  'widths that terminals disagree on': `${'a'.repeat(8)}☰☰☰b\u0600\u302ec\u{110bd}\r\n\u302ex\u3248\x1b[41m\u{1171e}☷\x1b[K${'⚊'.repeat(11)}`,
  'wide characters halved': '漢字漢字\x1b[5G\x1b[4:3;31mx\x1b[2G\x1b[7my\x1b[9G字\x1b[10G\x1b[1mz',
  'the last column, and what follows it': `${'a'.repeat(10)}\x1b[32mb\x1b[2;10Hx\x1b[K\x1b[31my${'c'.repeat(9)}\x1b[1K\x1b[7mz`,
  'the last column, then a line feed': `${'a'.repeat(10)}\ny${'b'.repeat(8)}\x1b[m\u0301\u0301\nz`,
  'the last column without autowrap': `\x1b[?7l${'a'.repeat(12)}字\u0301b\x1b[?7h\x1b[1;10H字`,
  'the last column in insert mode': `abcdef\x1b[4h\x1b[3Gxyz漢e\u0301\x1b[1;10Hq\x1b[4l`,
  'sequences cut':
    '\x1b[1;31;48;2;1;2;3mred\x1b[0m\x1b]8;id=1;http://a/b\x1b\\link\x1b]8;;\x07\x1bP$q"p\x1b\\\x1b_apc\x1b\\\x1b(0qqq\x1b(B\x1b[?25l\x1b#8',
  'a control inside a sequence': 'ab\x1b[3\r1\nmcd\x1b[\x182mx\x1b[4\x1b[1mz',
  'characters cut': '— “é” 漢 👩\u200d💻 ⚠\ufe0f 🇩🇪 e\u0301\u0302',
  'marks that join what was before': 'e\u0301\u0302x\x1b[m\u0301y\r\u0301z漢\u0301字\x1b[2b\u0302a\x1b[3b',
  'an open frame': 'before\x1b[?2026h\x1b[2J\x1b[Hnew\x1b[3;3Hpicture\x1b[?2026lafter',
  'saved cursors on both screens':
    '\x1b[3;4H\x1b[1;31m\x1b7\x1b[mab\x1b[?1049h\x1b[2;2H\x1b[4m\x1b7alt\x1b[24m\x1b8x\x1b[?1049lcd\x1b8e',
  'saved behind the last column': `${'a'.repeat(10)}\x1b7\x1b[Hxx\x1b8y`,
  'a pen that only restoring makes':
    '\x1b7\x1b]8;;http://a/\x1b\\\x1b[4:3;58:5:9mlink\x1b8plain\x1b[31mred\x1b[4mu\x1b[mx\x1b]8;;\x1b\\y',
  'a set that only restoring makes': '\x1b(0\x1b7q\x1b(Bq\x1b8q\x1b)0\x0eqx\x0fq',
  'margins and origin': '\x1b[2;4r\x1b[?6h\x1b[2;2Hab\x1b[3;1Hcd\r\nef\x1bM\x1bM\x1bM\x1b[?6l\x1b[r',
  'margins on both screens': '\x1b[2;3r\x1b[3;1H\x1b[?47ha\x1b[1;2r\x1b[2;1Hb\r\nc\x1b[?47l\nd',
  'wrapped lines that were erased': `${'a'.repeat(25)}\x1b[2;1H\x1b[3X\x1b[1;10H\x1b[X\x1b[3;1H\x1b[K`,
  'a wrapped line at the top': `${'a'.repeat(65)}b`,
  'tab stops': '\x1b[3g\x1b[3G\x1bH\x1b[7G\x1bH\r\ta\tb\tc\x1b[?1049h\r\td\x1b[3g\r\te\x1b[?1049l\r\tf',
  'colours of what is erased': '\x1b[44m\x1b[2J\x1b[41m\x1b[2;3H\x1b[K\x1b[3;3H\x1b[2X\x1b[42m\x1b[5;1H\n\x1b[L',
  'protected cells': '\x1b[1"qkeep\x1b[0"qlose\r\x1b[?K\x1b[1"q\x1b7\x1b[m\x1b8x',
  modes:
    '\x1b[?1;2004;1004;1002;1006h\x1b=\x1b[>5u\x1b[?1049h\x1b[>1u\x1b[5 q\x1b[?25l\x1b[?1049l\x1b[<u\x1b[?1;2004;1004;1002;1006l',
  'eight-bit controls': 'a\u009b31mb\u009d0;title\u009cc\u0085d',
};

for (const [what, input] of Object.entries(CASES)) {
  test(`[ATT-5] cuts: ${what}`, () => {
    const bytes = Uint8Array.from(Buffer.from(input));
    for (const size of [
      { cols: 10, rows: 5 },
      { cols: 10, rows: 2 },
    ]) {
      const stream: Stream = { name: what, ...size, bytes, resizes: [] };
      for (const withHistory of [false, true]) {
        const samples = [...bytes.keys(), bytes.length].map((offset) => ({ offset, later: 1, toTheEnd: true }));
        const { failures } = followStream(stream, samples, {
          withHistory,
          paint: (model) => snapshot(model, { history: withHistory ? Infinity : 0 }),
        });
        expect(failures, `${size.cols}x${size.rows}`).toEqual([]);
      }
    }
  });
}
