import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coloursOfFgBg, ColourTable, formatColour, isDark, parseColour, xtermColour } from './colours.ts';
import { INITIAL_MODES, ModeTracker } from './modes.ts';
import { answerQuery, queriesOf, type Query, type QueryKind, type TerminalFacts } from './queries.ts';
import { latin1 } from '../scan/sequence.ts';
import { bytes, cutInto, everyCut, lengths, text, wild } from '../testing/cuts.ts';
import { recordings } from '../testing/recordings.ts';
import { eachSequence } from '../testing/scan.ts';

function queriesIn(chunks: readonly Uint8Array[]): Query[] {
  const found: Query[] = [];
  eachSequence(chunks, (sequence) => found.push(...queriesOf(sequence)));
  return found;
}

const FACTS: TerminalFacts = {
  cursor: { row: 3, column: 17 },
  modes: { ...INITIAL_MODES, bracketedPaste: true, kittyMain: [0, 5], modifyOtherKeys: 2, cursorStyle: 4 },
  size: { rows: 30, columns: 100 },
  cellPixels: { width: 9, height: 18 },
  colours: new ColourTable({ foreground: [255, 255, 255], background: [0, 16, 32] }),
  version: '1.2.3',
};

/** Each question, its kind, and the answer. */
const CASES: readonly (readonly [string, QueryKind, string | undefined, Partial<TerminalFacts>?])[] = [
  ['\x1b[c', { type: 'device-attributes', level: 1 }, '\x1b[?62;22c'],
  [
    '\x1b[0c',
    { type: 'device-attributes', level: 1 },
    '\x1b[?62;4;22;52c',
    { features: { sixel: true, clipboardWrite: true } },
  ],
  ['\x1bZ', { type: 'device-attributes', level: 1 }, '\x1b[?62;22c'],
  ['\x1b[>c', { type: 'device-attributes', level: 2 }, '\x1b[>1;10203;0c'],
  ['\x1b[>0c', { type: 'device-attributes', level: 2 }, '\x1b[>1;10203;0c'],
  ['\x1b[=c', { type: 'device-attributes', level: 3 }, '\x1bP!|00000000\x1b\\'],
  ['\x1b[5n', { type: 'status', code: 5, isPrivate: false }, '\x1b[0n'],
  ['\x1b[6n', { type: 'cursor-position', isPrivate: false }, '\x1b[3;17R'],
  ['\x1b[?6n', { type: 'cursor-position', isPrivate: true }, '\x1b[?3;17;1R'],
  ['\x1b[?15n', { type: 'status', code: 15, isPrivate: true }, '\x1b[?13n'],
  ['\x1b[?996n', { type: 'colour-scheme' }, '\x1b[?997;1n'],
  ['\x1b[?2004$p', { type: 'mode', mode: 2004, isPrivate: true }, '\x1b[?2004;1$y'],
  ['\x1b[?2026$p', { type: 'mode', mode: 2026, isPrivate: true }, '\x1b[?2026;2$y'],
  ['\x1b[?4711$p', { type: 'mode', mode: 4711, isPrivate: true }, '\x1b[?4711;0$y'],
  ['\x1b[4$p', { type: 'mode', mode: 4, isPrivate: false }, '\x1b[4;2$y'],
  [
    '\x1b[?2027$p',
    { type: 'mode', mode: 2027, isPrivate: true },
    '\x1b[?2027;3$y',
    { modeStatus: (mode) => (mode === 2027 ? 3 : undefined) },
  ],
  ['\x1b]10;?\x07', { type: 'colour', code: 10, index: 0 }, '\x1b]10;rgb:ffff/ffff/ffff\x07'],
  ['\x1b]11;?\x1b\\', { type: 'colour', code: 11, index: 0 }, '\x1b]11;rgb:0000/1010/2020\x1b\\'],
  ['\x1b]12;?\x1b\\', { type: 'colour', code: 12, index: 0 }, '\x1b]12;rgb:ffff/ffff/ffff\x1b\\'],
  ['\x1b]17;?\x07', { type: 'colour', code: 17, index: 0 }, '\x1b]17;rgb:ffff/ffff/ffff\x07'],
  ['\x1b]19;?\x07', { type: 'colour', code: 19, index: 0 }, '\x1b]19;rgb:0000/1010/2020\x07'],
  ['\x1b]4;1;?\x07', { type: 'colour', code: 4, index: 1 }, '\x1b]4;1;rgb:cdcd/0000/0000\x07'],
  ['\x1b]4;300;?\x07', { type: 'colour', code: 4, index: 300 }, undefined],
  ['\x1b[>q', { type: 'version' }, '\x1bP>|spool(1.2.3)\x1b\\'],
  ['\x1b[>0q', { type: 'version' }, '\x1bP>|spool(1.2.3)\x1b\\'],
  ['\x1bP+q4d73\x1b\\', { type: 'capability', names: ['4d73'] }, '\x1bP0+r4d73\x1b\\'],
  [
    '\x1bP+q544e;436f\x1b\\',
    { type: 'capability', names: ['544e', '436f'] },
    '\x1bP1+r544e=787465726d2d323536636f6c6f72\x1b\\\x1bP1+r436f=323536\x1b\\',
  ],
  [
    '\x1bP+q5f5f70726f746f5f5f\x1b\\',
    { type: 'capability', names: ['5f5f70726f746f5f5f'] },
    '\x1bP0+r5f5f70726f746f5f5f\x1b\\',
  ],
  ['\x1bP$qm\x1b\\', { type: 'setting', setting: 'm' }, '\x1bP1$r1;31m\x1b\\', { sgr: '1;31' }],
  ['\x1bP$qr\x1b\\', { type: 'setting', setting: 'r' }, '\x1bP1$r1;30r\x1b\\'],
  ['\x1bP$q q\x1b\\', { type: 'setting', setting: ' q' }, '\x1bP1$r4 q\x1b\\'],
  ['\x1bP$q"p\x1b\\', { type: 'setting', setting: '"p' }, '\x1bP1$r62;1"p\x1b\\'],
  ['\x1bP$qxyz\x1b\\', { type: 'setting', setting: 'xyz' }, '\x1bP0$r\x1b\\'],
  ['\x1b[?u', { type: 'kitty-keyboard' }, '\x1b[?5u'],
  ['\x1b[?4m', { type: 'modify-keys', resource: 4 }, '\x1b[>4;2m'],
  ['\x1b[>4;?m', { type: 'modify-keys', resource: 4 }, '\x1b[>4;2m'],
  ['\x1b[14t', { type: 'window', operation: 14 }, '\x1b[4;540;900t'],
  ['\x1b[14t', { type: 'window', operation: 14 }, undefined, { cellPixels: undefined }],
  ['\x1b[16t', { type: 'window', operation: 16 }, '\x1b[6;18;9t'],
  ['\x1b[18t', { type: 'window', operation: 18 }, '\x1b[8;30;100t'],
  ['\x1b[19t', { type: 'window', operation: 19 }, '\x1b[9;30;100t'],
  ['\x1b[20t', { type: 'window', operation: 20 }, '\x1b]L\x1b\\'],
  ['\x1b[21t', { type: 'window', operation: 21 }, '\x1b]l\x1b\\'],
  ['\x1b[x', { type: 'terminal-parameters', request: 0 }, '\x1b[2;1;1;128;128;1;0x'],
  ['\x1b[?1;1;0S', { type: 'graphics-attribute', item: 1 }, '\x1b[?1;3;0S'],
  ['\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\', { type: 'kitty-graphics', id: '31' }, undefined],
  [
    '\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\',
    { type: 'kitty-graphics', id: '31' },
    '\x1b_Gi=31;OK\x1b\\',
    { features: { kittyGraphics: true } },
  ],
  ['\x1b]7501;?\x07', { type: 'program-status' }, '\x1b]7501;?:term=spool\x07'],
  ['\x1b]7501;?\x1b\\', { type: 'program-status' }, '\x1b]7501;?:term=spool\x1b\\'],
  ['\x1b]52;c;?\x07', { type: 'unanswered', what: 'clipboard' }, undefined],
  ['\x1b[1;1;1;1;9;9*y', { type: 'unanswered', what: 'screen-checksum' }, undefined],
  ['\x1b[1$w', { type: 'unanswered', what: 'presentation' }, undefined],
  ["\x1b['|", { type: 'unanswered', what: 'locator' }, undefined],
  ['\x1b]99;i=x:p=?;\x1b\\', { type: 'unanswered', what: 'notification-support' }, undefined],
  ['\x1b]1337;Capabilities\x1b\\', { type: 'unanswered', what: 'iterm' }, undefined],
  ['\x1b]22;?__current__\x1b\\', { type: 'unanswered', what: 'pointer-shape' }, undefined],
  ['\x1bP+Q4d73\x1b\\', { type: 'unanswered', what: 'x-resource' }, undefined],
];

/** Sequences that are similar to a query, but are not queries. */
const NO_QUERIES = [
  'a[5n]',
  ']1;',
  'matrix[1;2R]',
  '\x1b[1c',
  '\x1b[?1c',
  '\x1b[6m',
  '\x1b[?6h',
  '\x1b[2 q',
  '\x1b[22;0t',
  '\x1b[8;30;100t',
  '\x1b[u',
  '\x1b[>5u',
  '\x1b[>4;2m',
  '\x1b[3;17R',
  '\x1b[0n',
  '\x1b]11;#000\x07',
  '\x1b]0;?\x07',
  '\x1b]52;c;aGk=\x07',
  '\x1b]7501;state=idle:app=codex\x1b\\',
  '\x1b]99;i=1;hi\x1b\\',
  '\x1b_Ga=T,f=100;AAAA\x1b\\',
  '\x1bPq#1\x1b\\',
  '\x1b]1337;File=:AAAA\x07',
  '\x1b[?2026h',
];

describe('queriesOf and answer', () => {
  test('[QRY-1, QRY-3] each query is known at every cut, and answered from the facts, by what is no query', () => {
    for (const [input, kind, expected, facts] of CASES) {
      for (const chunks of everyCut(bytes(`ab${input}cd`))) {
        const found = queriesIn(chunks);
        expect(found, JSON.stringify(input)).toEqual([
          { ...kind, start: 2, end: 2 + input.length, endsWithBell: input.endsWith('\x07') },
        ]);
      }
      const [query] = queriesIn([bytes(input)]);
      const reply = answerQuery(query!, { ...FACTS, ...facts });
      // An echo may send an answer back, and it must not be answered.
      if (reply !== undefined) expect(queriesIn([reply])).toEqual([]);
      expect(reply && text(reply), JSON.stringify(input)).toBe(expected);
    }
  });

  test('[QRY-1] what only looks like a query is none', () => {
    for (const input of NO_QUERIES) expect(queriesIn([bytes(input)]), JSON.stringify(input)).toEqual([]);
  });

  test('[QRY-1] one sequence may ask for several colours, and set others', () => {
    const found = queriesIn([bytes('\x1b]10;?;#fff;?\x07\x1b]4;1;?;2;red;3;?\x07')]);
    expect(found.map((query) => query.type === 'colour' && [query.code, query.index])).toEqual([
      [10, 0],
      [12, 0],
      [4, 1],
      [4, 3],
    ]);
  });

  test('[QRY-1] a mode is reported as it is at that point of the stream', () => {
    const tracker = new ModeTracker();
    const reports: string[] = [];
    eachSequence(
      [bytes('\x1b[?2026$p\x1b[?2026h\x1b[?2026$p\x1b[>7u\x1b[?u\x1b[?2026l\x1b[?2026$p\x1b[?1049h\x1b[?u')],
      (sequence) => {
        tracker.apply(sequence);
        for (const query of queriesOf(sequence))
          reports.push(text(answerQuery(query, { ...FACTS, modes: tracker.state })!));
      },
    );
    expect(reports).toEqual(['\x1b[?2026;2$y', '\x1b[?2026;1$y', '\x1b[?7u', '\x1b[?2026;2$y', '\x1b[?0u']);
  });

  test('[QRY-1] any bytes in any pieces: the same queries, answers without fail, and no answer is itself a query', () => {
    fc.assert(
      fc.property(wild(), lengths(), (input, pieces) => {
        const found = queriesIn(cutInto(input, pieces));
        expect(found).toEqual(queriesIn([input]));
        for (const query of found) {
          const reply = answerQuery(query, FACTS);
          if (reply !== undefined) expect(queriesIn([reply])).toEqual([]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('[QRY-1] of what recorded programs ask, nothing is unknown', () => {
    const asked = new Map<string, Set<string>>();
    const unknown: string[] = [];
    for (const { name, chunks } of recordings()) {
      eachSequence(chunks, (sequence) => {
        const plain = latin1(sequence.source, sequence.from, sequence.to);
        const queries = queriesOf(sequence);
        for (const query of queries) {
          const what = query.type === 'unanswered' ? query.what : query.type;
          asked.set(what, (asked.get(what) ?? new Set()).add(name.split('/')[0]!));
        }
        const looksLikeOne =
          /^\x1b\[(?:[?>=]?[\d;]*[cn]|[\d;?]*\$p|>\d*q|\?\d*u|(?:1[1-9]|2[01])(?:;\d+)*t|[?>][\d;?]*\?[\d;]*m)$/.test(
            plain,
          ) ||
          /^\x1b\](?:\d+;)?(?:[^;]*;)?\?(?:\x07|\x1b\\)$/.test(plain) ||
          /^\x1bP[+$]q|^\x1b_G[^;]*a=q|p=\?/.test(plain);
        if (looksLikeOne && queries.length === 0) unknown.push(`${name}: ${JSON.stringify(plain)}`);
      });
    }
    expect(unknown).toEqual([]);
    expect(Object.fromEntries([...asked].sort().map(([what, names]) => [what, [...names].sort().join(' ')]))).toEqual({
      capability: 'local opencode',
      colour: 'codex gemini local opencode',
      'cursor-position': 'claude codex grok local opencode',
      'device-attributes': 'claude codex gemini grok local opencode',
      iterm: 'opencode',
      'kitty-graphics': 'claude opencode',
      'kitty-keyboard': 'claude codex gemini grok opencode',
      mode: 'claude opencode',
      'modify-keys': 'gemini local',
      'notification-support': 'opencode',
      'program-status': 'claude',
      version: 'claude gemini grok local opencode',
      window: 'claude opencode',
    });
  });
});

describe('ColourTable', () => {
  test('[QRY-2] what the program set comes first, then the attached terminal, then the default', () => {
    const table = new ColourTable();
    const get = (code: number, index?: number): string => formatColour(table.get(code, index)!);
    const apply = (input: string): void => void eachSequence([bytes(input)], (sequence) => table.apply(sequence));
    expect([get(11), get(4, 231), table.isDark]).toEqual(['rgb:0000/0000/0000', 'rgb:ffff/ffff/ffff', true]);
    table.rebase({ foreground: [0, 0, 0], background: [250, 250, 240], palette: new Map([[1, [9, 8, 7]]]) });
    expect([get(11), get(4, 1), table.isDark]).toEqual(['rgb:fafa/fafa/f0f0', 'rgb:0909/0808/0707', false]);
    apply(
      '\x1b]11;rgb:12/34/56\x07\x1b]4;1;#fff;2;#102030\x07\x1b]10;#abc;?;#def\x07\x1b]11;nonsense\x07\x1b]11;?\x07',
    );
    expect([get(11), get(4, 1), get(4, 2), get(10), get(12)]).toEqual([
      'rgb:1212/3434/5656',
      'rgb:f0f0/f0f0/f0f0',
      'rgb:1010/2020/3030',
      'rgb:a0a0/b0b0/c0c0',
      'rgb:d0d0/e0e0/f0f0',
    ]);
    apply('\x1b]104;1\x07\x1b]111\x07');
    expect([get(11), get(4, 1), get(4, 2)]).toEqual(['rgb:fafa/fafa/f0f0', 'rgb:0909/0808/0707', 'rgb:1010/2020/3030']);
    apply('\x1b]104\x07');
    expect(get(4, 2)).toBe('rgb:0000/cdcd/0000');
    expect(table.get(4, 256)).toBeUndefined();
  });

  test('[QRY-2] colours are read in every form that terminals tell them, and COLORFGBG', () => {
    expect([
      parseColour('rgb:ffff/0/80'),
      parseColour('rgba:ff/00/80/ff'),
      parseColour('#12f'),
      parseColour('#123456'),
      parseColour('#fff000fff000'),
      parseColour('#12'),
      parseColour('red'),
    ]).toEqual([[255, 0, 128], [255, 0, 128], [16, 32, 240], [18, 52, 86], [255, 0, 240], undefined, undefined]);
    expect([
      coloursOfFgBg('15;0'),
      coloursOfFgBg('0;default;15'),
      coloursOfFgBg('default;default'),
      coloursOfFgBg('99;1'),
    ]).toEqual([
      { foreground: [255, 255, 255], background: [0, 0, 0] },
      { foreground: [0, 0, 0], background: [255, 255, 255] },
      undefined,
      undefined,
    ]);
    expect([xtermColour(16), xtermColour(21), xtermColour(255), isDark([0, 0, 255]), isDark([200, 200, 90])]).toEqual([
      [0, 0, 0],
      [0, 0, 255],
      [238, 238, 238],
      true,
      false,
    ]);
  });
});
