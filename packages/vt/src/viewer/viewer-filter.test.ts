import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { INITIAL_MODES, type ModeState, ModeTracker, restore } from '../state/modes.ts';
import { queriesOf } from '../state/queries.ts';
import { latin1, oscCodeOf } from '../scan/sequence.ts';
import { bytes, concat, cutInto, everyCut, lengths, text, wild } from '../testing/cuts.ts';
import { HOSTILE, inEightBits } from '../testing/hostile.ts';
import { recordings } from '../testing/recordings.ts';
import { eachSequence } from '../testing/scan.ts';
import { ViewerFilter, type ViewerFilterOptions } from './viewer-filter.ts';

function shown(chunks: readonly Uint8Array[], options?: ViewerFilterOptions): Uint8Array {
  const filter = new ViewerFilter(options);
  return concat(chunks.map((chunk) => filter.feed(chunk).slice()));
}

const show = (input: string, options?: ViewerFilterOptions): string => text(shown([bytes(input)], options));
const b = (latin: string): Uint8Array => Uint8Array.from(Buffer.from(latin, 'latin1'));

const SHOWN = '5 6 7 12 25 45 47 69 1047 1048 1049 2026';
const SENDING = '1 9 66 67 1000 1001 1002 1003 1004 1005 1006 1007 1015 1016 2004 2031 2048';

/** Returns the harmful parts of this output, found without the filter's own tables. Empty: the output is harmless. */
function harmIn(output: Uint8Array, isInteractive = false): string[] {
  const harm: string[] = [];
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(output);
  } catch {
    harm.push('not UTF-8');
  }
  if (/[\x00-\x06\x10-\x1a\x1c-\x1f\x7f\u0080-\u009f]/.test(text(output))) harm.push('a control');
  eachSequence([output], (sequence) => {
    const plain = latin1(sequence.source, sequence.from, sequence.to);
    if (queriesOf(sequence).length > 0) harm.push(`a question ${JSON.stringify(plain)}`);
    if (['dcs', 'sos', 'pm', 'apc'].includes(sequence.kind)) harm.push(`a string ${JSON.stringify(plain)}`);
    // Finals that ask, print, resize or report; but some of them, with an intermediate, only draw (rectangles, SGR
    // stack).
    const isDrawing =
      /^\x1b\[(?:[0-6]? q|[\d;:]*(?:\*x|\$[rtvxz{]|#[{}pq]|"q))$/.test(plain) ||
      (isInteractive && /^\x1b\[>4[\d;]*n$/.test(plain));
    if (sequence.kind === 'csi' && 'cintxyq|w{'.includes(String.fromCharCode(sequence.final)) && !isDrawing)
      harm.push(`a CSI ${JSON.stringify(plain)}`);
    if (sequence.kind === 'csi' && sequence.final === 0) harm.push(`a broken CSI ${JSON.stringify(plain)}`);
    const [, marker, modes, final] = /^\x1b\[(\??)([\d;:]*)([hl])$/.exec(plain) ?? [];
    if (modes !== undefined && (final === 'h' || marker === '')) {
      const allowed = marker === '' ? '4 20' : isInteractive ? `${SHOWN} ${SENDING}` : SHOWN;
      for (const mode of modes.split(/[;:]/))
        if (!allowed.split(' ').includes(String(Number(mode)))) harm.push(`mode ${mode}`);
    }
    if (/^\x1b\[[^A-Za-z]*3[^A-Za-z]*J$/.test(plain)) harm.push('the scrollback erased');
    if (sequence.kind === 'escape' && !/^\x1b(?:[6-9DEHMNOno|}~]|[=>]|[()*+\-./][0-9A-Z<=>`]|#[34568])$/.test(plain))
      harm.push(`an escape ${JSON.stringify(plain)}`);
    if (sequence.kind === 'osc') {
      const code = oscCodeOf(sequence);
      const isAllowed =
        [0, 1, 2].includes(code) ||
        plain.startsWith('\x1b]9;4;') ||
        /^\x1b\]8;[^;]*;(?:https?:\/\/[\x21-\x7e]*)?(?:\x07|\x1b\\)$/i.test(plain);
      if (!isAllowed) harm.push(`an OSC ${JSON.stringify(plain.slice(0, 60))}`);
    }
  });
  return harm;
}

describe('ViewerFilter', () => {
  test('[ATT-8] text that looks like escapes is text', () => {
    for (const input of [
      'a[5n]',
      ']1;',
      'matrix[1;2R]',
      'x[?1000h',
      '\\x1b[6n',
      'größe 漢字 😀 e\u0301',
      'a\tb\r\nc\bd\x07\x0b\x0c\x0e\x0f',
      '\u00a0\u00ff',
    ])
      for (const chunks of everyCut(bytes(input))) expect(text(shown(chunks))).toBe(input);
  });

  test('[ATT-8] drawing passes as it is, without a copy', () => {
    const input = bytes(
      '\x1b[31;1;48;2;1;2;3m\x1b[4:3mx\x1b[H\x1b[10;20f\x1b[2J\x1b[K\x1b[3A\x1b[2X\x1b[5;20r\x1b[?25l\x1b[?1049h\x1b[?7l\x1b[4h\x1b[6n\x1b7\x1b8\x1bM\x1bH\x1b[g\x1b[2 q\x1b(0q\x1b(B\x1b)0\x1b#8\x1b[3S\x1b[2T\x1b[4b\x1b[?2026h\x1b[!p'.replace(
        '\x1b[6n',
        '',
      ),
    );
    expect(new ViewerFilter().feed(input)).toBe(input);
    for (const chunks of everyCut(input)) expect(text(shown(chunks))).toBe(text(input));
    const cut = new ViewerFilter().feed(bytes('abc\x1b[31'));
    expect([text(cut), cut.byteOffset]).toEqual(['abc', 0]);
  });

  const REWRITTEN: readonly (readonly [string, string, ViewerFilterOptions?])[] = [
    ['\x1b]0;a title\x07', '\x1b]0;a title\x07'],
    ['\x1b]2;✳ x\x1b\\', '\x1b]2;✳ x\x1b\\'],
    ['\x1b]2;a\nb\x01\u202ec\u009bd\x07', '\x1b]2;abcd\x07'],
    [`\x1b]2;${'x'.repeat(300)}\x07`, `\x1b]2;${'x'.repeat(256)}\x07`],
    ['\x1b]2;x\x07', '', { allowTitle: false }],
    ['\x1b]8;id=1:x=y;https://a.b/c?d#e;f\x07t\x1b]8;;\x07', '\x1b]8;id=1;https://a.b/c?d#e;f\x07t\x1b]8;;\x07'],
    ['\x1b]8;;file:///etc\x1b\\t', '\x1b]8;;\x1b\\t'],
    ['\x1b]9;4;1;50\x07', '\x1b]9;4;1;50\x07'],
    ['\x1b]9;4;1;50\x07', '', { allowProgress: false }],
    ['\x1b[?1000;1049;2004h', '\x1b[?1049h'],
    ['\x1b[?1000;1049;2004h', '\x1b[?1000;1049;2004h', { input: true }],
    ['\x1b[?1000;46h\x1b=\x1b[>5u\x1b[>4;2m', '\x1b[?1000h\x1b=\x1b[>5u\x1b[>4;2m', { input: true }],
    ['\x1b[>4;?m\x1b[>1;2m\x1b[?4m', '', { input: true }],
    ['\x1b[<u\x1b[<;u\x1b[<9u\x1b[>5u\x1b[>1u\x1b[<u\x1b[<9u', '\x1b[>5u\x1b[>1u\x1b[<u\x1b[<1u', { input: true }],
    ['\x1b[>5u\x1b[?1049h\x1b[<u\x1b[?1049l\x1b[<u', '\x1b[>5u\x1b[?1049h\x1b[?1049l\x1b[<u', { input: true }],
    ['\x1b[=5u\x1b[<u', '\x1b[=5u\x1b[=0;1u', { input: true }],
    ['\x1b[<u\x1b[<u', '\x1b[<u', { input: true, modes: { ...INITIAL_MODES, kittyMain: [5] } }],
    ['\x1b[3\n1mx', '\n\x1b[31mx'],
    ['\x1b[\x051mx\x00\x7f', '\x1b[1mx'],
    ['\xc2\x9b31mx\xc2\x85', 'latin:\x1b[31mx\x1bE'],
    ['\x9b31mx', 'latin:\xef\xbf\xbd31mx'],
    ['\x9b31mx\x9d0;t\x9c\xe9', 'latin:\x1b[31mx\x1b]0;t\x1b\\\xe9', { c1: 'bytes' }],
    ['a\xe2\x94b\xff\xc3\xe2\x1b[m\xf0\x9f', 'latin:a\xef\xbf\xbdb\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\x1b[m'],
    ['\xc2\x1b\x9b6n\xe2\x94\x1b[\x80', 'latin:\xef\xbf\xbd\xef\xbf\xbd6n\xef\xbf\xbd\xef\xbf\xbd'],
    ['\x1b[999999999999b\x1b[1;4294967296H', '\x1b[65535b\x1b[1;65535H'],
    ['\x1b[3J\x1b[2J', '\x1b[2J'],
    ['\x1b[3J', '\x1b[3J', { allowScrollbackErase: true }],
    ['\x07a', 'a', { allowBell: false }],
    ['\x1b]2;one\x07\x1b[22;2t\x1b]2;two\x07\x1b[23;2t', '\x1b]2;one\x07\x1b]2;two\x07\x1b]2;one\x07'],
    ['\x1b[?7s\x1b[?7lx\x1b[?7r', '\x1b[?7lx\x1b[?7h'],
    ['\x1b[?1000s\x1b[?1000h\x1b[?1000r', '\x1b[?1000h\x1b[?1000l', { input: true }],
    [
      '\x1b]133;A\x07\x1b]633;P;Cwd=/x\x07\x1b]7;file:///x\x07',
      '\x1b]133;A\x07\x1b]633;P;Cwd=/x\x07\x1b]7;file:///x\x07',
      { allowMarks: true },
    ],
    ['\x1b]52;c;aGk=\x07\x1b]52;c;?\x07\x1b]52;c;a b\x07', '\x1b]52;c;aGk=\x07', { allowClipboard: true }],
    [
      '\x1b]11;#123\x07\x1b]4;1;red;2;rgb:1/2/3\x07\x1b]111\x07\x1b]10;?\x07\x1b]4;1;?\x07\x1b]5;1;red\x07',
      '\x1b]11;#123\x07\x1b]4;1;red;2;rgb:1/2/3\x07\x1b]111\x07',
      { allowColours: true },
    ],
    ['\x1bP0;1q"1;1;2;2#0~\n~\x1b\\', '\x1bP0;1q"1;1;2;2#0~~\x1b\\', { allowGraphics: true }],
    [
      '\x1b_Ga=T,f=24,s=1,v=1;AAAA\x1b\\\x1b_Gm=1,q=1;AAAA\x1b\\',
      '\x1b_Gq=2,a=T,f=24,s=1,v=1;AAAA\x1b\\\x1b_Gq=2,m=1;AAAA\x1b\\',
      { allowGraphics: true },
    ],
    ['\x1b_Ga=q,i=1;AAAA\x1b\\\x1b_Ga=T,t=f;AAAA\x1b\\\x1bP+q544e\x1b\\', '', { allowGraphics: true }],
  ];

  test('[ATT-8] what is passed in part is written anew, the same at every cut', () => {
    for (const [input, expected, options] of REWRITTEN) {
      const isLatin = expected.startsWith('latin:');
      const data = isLatin ? b(input) : bytes(input);
      for (const chunks of everyCut(data)) {
        const output = shown(chunks, options);
        expect(isLatin ? `latin:${latin1(output, 0, output.length)}` : text(output), JSON.stringify(input)).toBe(
          expected,
        );
      }
    }
  });

  test(`[ATT-8] ${HOSTILE.length} hostile sequences, in 7 and 8 bits, at every cut, do nothing to the viewer, and the text around is whole`, () => {
    const failures: string[] = [];
    const check = (data: Uint8Array, options: ViewerFilterOptions, chunks: readonly Uint8Array[]): string => {
      const output = shown(chunks, options);
      const harm = harmIn(output, options.input);
      const seen = text(output);
      if (harm.length > 0 || !seen.startsWith('before') || !seen.endsWith('after'))
        failures.push(
          `${JSON.stringify(latin1(data, 0, Math.min(60, data.length)))} → ${harm.join(', ')} ${JSON.stringify(seen.slice(0, 80))}`,
        );
      return seen;
    };
    for (const hostile of HOSTILE) {
      for (const form of [b(hostile), inEightBits(hostile, 'characters'), inEightBits(hostile, 'bytes')]) {
        const data = concat([bytes('before'), form, bytes('\x1b\\after')]);
        const whole = check(data, {}, [data]);
        const cuts = data.length > 2000 ? [[data], cutInto(data, [999]), cutInto(data, [7, 1])] : everyCut(data);
        for (const chunks of cuts)
          if (check(data, {}, chunks) !== whole) failures.push(`${JSON.stringify(hostile)} depends on the cut`);
        check(data, { input: true }, [data]);
      }
    }
    expect(failures).toEqual([]);
  });

  test('[ATT-8] any bytes, in any pieces, and recordings with any damage: no harm, the same output, nothing thrown', () => {
    fc.assert(
      fc.property(wild(), lengths(), fc.boolean(), (data, pieces, input) => {
        const whole = shown([data], { input });
        expect(harmIn(whole, input)).toEqual([]);
        expect(shown(cutInto(data, pieces), { input })).toEqual(whole);
      }),
      { numRuns: 1000 },
    );
    const all = recordings();
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 40 }),
        lengths(),
        (which, at, damage, pieces) => {
          const { bytes: whole } = all[which % all.length]!;
          const from = at % whole.length;
          const piece = whole.slice(from, from + 4000);
          for (const [place, value] of damage) piece[place % piece.length] = value;
          const output = shown([piece], { input: true });
          expect(harmIn(output, true)).toEqual([]);
          expect(shown(cutInto(piece, pieces), { input: true })).toEqual(output);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('[ATT-8] real programs are shown as they are, but for their questions and reports', () => {
    const dropped = new Set<string>();
    for (const { chunks } of recordings()) {
      const filter = new ViewerFilter({ input: true });
      const output = concat(chunks.map((chunk) => filter.feed(chunk).slice()));
      expect(harmIn(output, true)).toEqual([]);
      // Only whole sequences are missing: the output is a subsequence of the input, with all the text.
      const before: string[] = [];
      const after = new Map<string, number>();
      eachSequence(chunks, (sequence) => before.push(latin1(sequence.source, sequence.from, sequence.to)));
      eachSequence([output], (sequence) => {
        const plain = latin1(sequence.source, sequence.from, sequence.to);
        after.set(plain, (after.get(plain) ?? 0) + 1);
      });
      for (const plain of before) {
        const left = after.get(plain) ?? 0;
        if (left > 0) after.set(plain, left - 1);
        else dropped.add(plain.replace(/^(\x1b_G).*/s, '$1…').replace(/^(\x1b\](?:4|7501);).*/s, '$1…'));
      }
      expect([...after].filter(([, count]) => count > 0)).toEqual([]);
    }
    expect(
      [...dropped]
        .map((plain) => JSON.stringify(plain).slice(1, -1).replaceAll('\\u001b', '␛').replaceAll('\\u0007', '␇'))
        .sort(),
    ).toMatchInlineSnapshot(`
      [
        "␛P+q2332␛\\\\",
        "␛P+q2334␛\\\\",
        "␛P+q2569␛\\\\",
        "␛P+q2a37␛\\\\",
        "␛P+q436f␛\\\\",
        "␛P+q4d73␛\\\\",
        "␛P+q6b31␛\\\\",
        "␛P+q6b64␛\\\\",
        "␛P+q6b6c␛\\\\",
        "␛P+q6b72␛\\\\",
        "␛P+q6b75␛\\\\",
        "␛Pzz␛\\\\",
        "␛[0%m",
        "␛[14t",
        "␛[16t",
        "␛[22;0;0t",
        "␛[22;1t",
        "␛[22;2t",
        "␛[23;0;0t",
        "␛[23;1t",
        "␛[23;2t",
        "␛[3J",
        "␛[6n",
        "␛[<u",
        "␛[>0q",
        "␛[>4;?m",
        "␛[>c",
        "␛[>q",
        "␛[?1004$p",
        "␛[?1016$p",
        "␛[?2004$p",
        "␛[?2026$p",
        "␛[?2027$p",
        "␛[?2027h",
        "␛[?2031$p",
        "␛[?4m",
        "␛[?6n",
        "␛[?7727h",
        "␛[?7727l",
        "␛[?u",
        "␛[c",
        "␛]10;?␇",
        "␛]10;?␛\\\\",
        "␛]112␇",
        "␛]11;?␇",
        "␛]11;?␛\\\\",
        "␛]12;#eeeeee␇",
        "␛]12;#f8fafc␇",
        "␛]12;?␇",
        "␛]12;default␇",
        "␛]12;rgb:c6/c6/c6␇",
        "␛]12;rgb:c8/c8/c8␇",
        "␛]1337;Capabilities␛\\\\",
        "␛]133;A;redraw=0␇",
        "␛]133;C␇",
        "␛]133;D␇",
        "␛]13;?␇",
        "␛]14;?␇",
        "␛]15;?␇",
        "␛]16;?␇",
        "␛]17;?␇",
        "␛]19;?␇",
        "␛]22;␇",
        "␛]4;…",
        "␛]66;s=2; ␛\\\\",
        "␛]66;w=1; ␛\\\\",
        "␛]7501;…",
        "␛]777;notify;Claude Code;Claude is waiting for your input␇",
        "␛]777;notify;Claude Code;Claude needs your permission␇",
        "␛]99;i=opentui-notifications:p=?;␛\\\\",
        "␛]9;Claude is waiting for your input␇",
        "␛]9;Claude needs your permission␇",
        "␛_G…",
      ]
    `);
  });

  test('[ATT-5] a watcher that begins in the middle of a sequence or character sees what the others see', () => {
    const input = bytes('ab\x1b[31mcd\x1b]2;tïtle\x07é漢😀\x1b[?1049h\x1b[6nx\x1b_Gq\x1b\\y');
    for (let cut = 0; cut <= input.length; cut++) {
      const first = new ViewerFilter();
      const head = first.feed(input.subarray(0, cut)).slice();
      const scanner = eachSequence([input.subarray(0, cut)], () => {});
      const second = new ViewerFilter({ pending: scanner.pending });
      const one = text(first.feed(input.subarray(cut)));
      expect(text(second.feed(input.subarray(cut)))).toBe(one);
      expect(text(head) + one).toBe('ab\x1b[31mcd\x1b]2;tïtle\x07é漢😀\x1b[?1049hxy');
    }
  });

  test('[ATT-4] what was let through, and no more, is undone when the watcher leaves', () => {
    for (const input of [true, false]) {
      for (const { bytes: whole } of recordings()) {
        const middle = whole.subarray(0, Math.floor(whole.length / 2));
        const state = modesAfter([middle]);
        const filter = new ViewerFilter({ input, modes: state, allowColours: true });
        const terminal = [
          restore(state, { input }),
          filter.feed(whole.subarray(middle.length, Math.floor(whole.length * 0.8))).slice(),
          filter.close(),
        ];
        expect({ ...modesAfter(terminal), title: '', iconName: '', titleStack: [], cwd: '' }).toEqual(INITIAL_MODES);
      }
    }
  });

  test('[ATT-8] RIS clears the picture and the modes, and leaves the scrollback alone', () => {
    const output = show('\x1b[?1049h\x1b[?1000h\x1b[?25lx\x1bcy', { input: true });
    expect(output).toBe(
      '\x1b[?1049h\x1b[?1000h\x1b[?25lx\x0f\x1b[?1000l\x1b[?1049l\x1b[?25h\x1b[m\x1b[!p\x1b[m\x1b(B\x1b)B\x1b[r\x1b[?5W\x1b[H\x1b[2Jy',
    );
    expect(modesAfter([bytes(output)])).toEqual(INITIAL_MODES);
  });

  test('[ATT-8] an image too long to be held passes as it comes, and is closed when it is broken off', () => {
    const data = `\x1bP0;1q${'#0~-'.repeat(40_000)}`;
    for (const [end, expected] of [
      ['\x1b\\x', '\x1b\\x'],
      ['\x18x', '\x1b\\x'],
      ['\x1b[mx', '\x1b\\\x1b[mx'],
    ] as const) {
      for (const size of [1000, 65_536, 1e6]) {
        const output = text(shown(cutInto(bytes(data + end), [size]), { allowGraphics: true }));
        expect(output === data + expected, `${JSON.stringify(end)} ${size}`).toBe(true);
      }
    }
    const filter = new ViewerFilter({ allowGraphics: true });
    filter.feed(bytes(data));
    expect(text(filter.close()).startsWith('\x1b\\')).toBe(true);
    expect(show(`${data}\x1b\\x`)).toBe('x');
  });
});

function modesAfter(chunks: readonly Uint8Array[]): ModeState {
  const tracker = new ModeTracker();
  eachSequence(chunks, (sequence) => tracker.apply(sequence));
  return tracker.state;
}
