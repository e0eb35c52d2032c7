import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ANYTHING_SET,
  asRestored,
  INITIAL_MODES,
  kittyFlags,
  type ModeState,
  ModeTracker,
  restore,
  TITLE_STACK_MAX,
  undo,
  withoutInput,
} from './modes.ts';
import { bytes, cutInto, everyCut, lengths, text, wild } from '../testing/cuts.ts';
import { recordings } from '../testing/recordings.ts';
import { eachSequence } from '../testing/scan.ts';

function modesAfter(chunks: readonly Uint8Array[], initial?: ModeState): ModeState {
  const tracker = new ModeTracker(initial);
  eachSequence(chunks, (sequence) => tracker.apply(sequence));
  return tracker.state;
}

const after = (input: string, initial?: ModeState): ModeState => modesAfter([bytes(input)], initial);

/** Inputs, and the difference that each makes to the state of a fresh terminal. */
const CASES: readonly (readonly [string, Partial<ModeState>])[] = [
  ['', {}],
  ['\x1b[?1h\x1b[?2004h\x1b[?1004h', { applicationCursor: true, bracketedPaste: true, focusReports: true }],
  ['\x1b[?1;2004h\x1b[?1l', { bracketedPaste: true }],
  ['\x1b=', { applicationKeypad: true }],
  ['\x1b=\x1b>', {}],
  ['\x1b[?66h', { applicationKeypad: true }],
  ['\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h', { mouse: 1003, mouseEncodings: [1006] }],
  ['\x1b[?1003h\x1b[?1000l', {}],
  ['\x1b[?1015h\x1b[?1006h', { mouseEncodings: [1015, 1006] }],
  ['\x1b[?1006h\x1b[?1015h\x1b[?1006l', { mouseEncodings: [1015] }],
  ['\x1b[?9h', { mouse: 9 }],
  ['\x1b[?1049h', { alternate: 1049 }],
  ['\x1b[?47h\x1b[?1049l', {}],
  ['\x1b[?25l\x1b[5 q', { cursorVisible: false, cursorStyle: 5 }],
  ['\x1b[5 q\x1b[ q', {}],
  ['\x1b[9 q', {}],
  ['\x1b[4h\x1b[20h', { insert: true, lineFeed: true }],
  ['\x1b[?4h\x1b[1h', {}],
  ['\x1b[?5;6;45;69h\x1b[?7l', { reverseVideo: true, origin: true, reverseWrap: true, sideMargins: true, wrap: false }],
  ['\x1b[?2026h', { synchronized: true }],
  ['\x1b[?2031;2048;1007;12h', { colourReports: true, resizeReports: true, alternateScroll: true, cursorBlink: true }],
  ['\x1b[>5u', { kittyMain: [0, 5] }],
  ['\x1b[>1u\x1b[>7u\x1b[<u', { kittyMain: [0, 1] }],
  ['\x1b[>1u\x1b[>7u\x1b[<9u', {}],
  ['\x1b[<u\x1b[>5u', { kittyMain: [0, 5] }],
  ['\x1b[=5u\x1b[=2;2u\x1b[=1;3u', { kittyMain: [6] }],
  ['\x1b[>1u\x1b[?1049h\x1b[>5u', { kittyMain: [0, 1], kittyAlternate: [0, 5], alternate: 1049 }],
  ['\x1b[>4;2m', { modifyOtherKeys: 2 }],
  ['\x1b[>4;2m\x1b[>4m', {}],
  ['\x1b[>4;2m\x1b[>4n', {}],
  ['\x1b[>4;2m\x1b[>4;?m\x1b[4;31m', { modifyOtherKeys: 2 }],
  ['\x1b]0;one\x07', { title: 'one', iconName: 'one' }],
  ['\x1b]2;✳ two\x1b\\\x1b]1;icon\x07', { title: '✳ two', iconName: 'icon' }],
  ['\x1b]2;a\nb\u202ec\x7f\x07', { title: 'abc' }],
  ['\x1b]2;one\x07\x1b[22;0;0t\x1b]2;two\x07\x1b[23;0;0t', { title: 'one' }],
  ['\x1b]0;one\x07\x1b[22t\x1b]0;two\x07\x1b[23;2t', { title: 'one', iconName: 'two' }],
  ['\x1b]7;file://box/home/u/a%20b\x1b\\', { cwd: '/home/u/a b' }],
  ['\x1b]8;;http://x/\x07', { hasHyperlink: true }],
  ['\x1b]8;;http://x/\x07a\x1b]8;;\x07', {}],
  ['\x1b[3;9r\x1b(0', { hasMargins: true, charsets: '0BBB' }],
  ['\x1b[3;9r\x1b[r\x1b(B', {}],
  ['\x1b]11;#fff\x07\x1b]4;1;red\x07', { colours: [11, 4] }],
  ['\x1b]11;#fff\x07\x1b]11;?\x07\x1b]111\x07', {}],
  ['\x1b]4;1;red\x07\x1b]104;1\x07', { colours: [4] }],
  ['\x1b[?1000;1006;2004h\x1b[?7s\x1b[?7l\x1b[?7r', { mouse: 1000, mouseEncodings: [1006], bracketedPaste: true }],
  ['\x1b[?1h\x1b=\x1b[4h\x1b[?6h\x1b[?7l\x1b[?25l\x1b[?2004h\x1b[!p', { bracketedPaste: true }],
  ['\x1b]0;t\x07\x1b[?1;1000;1006;2004;1049h\x1b[>5u\x1b[4h\x1bc', { title: 't', iconName: 't' }],
];

describe('ModeTracker', () => {
  test('[ATT-4] follows each mode, at every cut', () => {
    for (const [input, expected] of CASES)
      for (const chunks of everyCut(bytes(input)))
        expect(modesAfter(chunks), JSON.stringify(input)).toEqual({ ...INITIAL_MODES, ...expected });
  });

  test('a state is a value, and the revision says whether it has changed', () => {
    const tracker = new ModeTracker();
    const before = tracker.state;
    eachSequence([bytes('\x1b[?25h\x1b[<u\x1b[?1000l')], (sequence) => tracker.apply(sequence));
    expect(tracker.revision).toBe(0);
    expect(tracker.state).toBe(before);
    eachSequence([bytes('\x1b[?25l')], (sequence) => tracker.apply(sequence));
    expect([before.cursorVisible, tracker.state.cursorVisible, tracker.revision]).toEqual([true, false, 1]);
  });

  test('stacks that are pushed without end stay small', () => {
    const state = after('\x1b[>5u'.repeat(1000) + '\x1b[22t'.repeat(1000));
    expect(state.titleStack.length).toBe(TITLE_STACK_MAX);
    expect(state.kittyMain.length).toBeLessThan(20);
    expect(after(`\x1b]2;${'x'.repeat(60_000)}\x07`).title.length).toBeLessThan(1000);
  });

  test('any bytes in any pieces give the same state', () => {
    fc.assert(
      fc.property(wild(), lengths(), (input, pieces) => {
        expect(modesAfter(cutInto(input, pieces))).toEqual(modesAfter([input]));
      }),
      { numRuns: 1000 },
    );
  });

  test('programs that ended by themselves have left nothing set; those that were killed have, for us to undo', () => {
    const unclean: string[] = [];
    for (const { name, bytes: whole, chunks } of recordings()) {
      const state = modesAfter(chunks);
      expect(modesAfter([whole])).toEqual(state);
      const rest = { ...withoutTitles(state), hasMargins: false }; // vim and tmux leave margins as high as the screen
      if (JSON.stringify(rest) !== JSON.stringify(INITIAL_MODES)) unclean.push(name);
    }
    expect(unclean).toEqual([
      'codex/tui-remote',
      'codex/tui-session-inline',
      'codex/tui-session-inline-silent',
      'codex/tui-startup-nodaemon-xterm',
      'codex/tui-startup-silent',
      'codex/tui-startup-xterm',
      'grok/tui-session-minimal-silent',
      'grok/tui-startup-ghostty-kitty',
      'grok/tui-startup-ghostty-silent',
      'grok/tui-startup-kitty',
      'grok/tui-startup-silent',
      'opencode/tui-session-mini-silent',
      'opencode/tui-startup-kitty',
      'opencode/tui-startup-silent',
      'opencode/tui-startup-xterm',
    ]);
  });
});

describe('restore and undo', () => {
  test('[ATT-4] restore brings a fresh terminal to the same state, and undo takes it back', () => {
    for (const [input] of CASES) {
      const state = after(input);
      const restored = modesAfter([restore(state)]);
      // State that comes with the picture is not restored here; and an open frame would hide the picture.
      const drawn = {
        hasMargins: state.hasMargins,
        charsets: state.charsets,
        hasHyperlink: state.hasHyperlink,
        colours: state.colours,
        cwd: state.cwd,
        titleStack: state.titleStack,
        iconName: state.iconName,
        title: state.title,
      };
      expect({ ...restored, ...drawn }, JSON.stringify(input)).toEqual(asRestored(state));
      expect(withoutTitles(modesAfter([bytes(input), undo(state)])), JSON.stringify(input)).toEqual(INITIAL_MODES);
      expect(withoutTitles(modesAfter([restore(state), undo(asRestored(state))])), JSON.stringify(input)).toEqual(
        INITIAL_MODES,
      );
    }
  });

  test('[ATT-4] whatever was set by whatever bytes is undone, and never by RIS', () => {
    fc.assert(
      fc.property(wild(), (input) => {
        const tracker = new ModeTracker();
        const scanner = eachSequence([input], (sequence) => tracker.apply(sequence));
        const end = undo(tracker.state);
        expect(text(end)).not.toContain('\x1bc');
        if (scanner.pending.length > 0) return;
        expect({ ...withoutTitles(modesAfter([end], tracker.state)), kittyAlternate: [0] }).toEqual(INITIAL_MODES);
      }),
      { numRuns: 2000 },
    );
  });

  test('[ATT-4] in the middle of each recording, attach then detach leaves nothing set', () => {
    for (const { bytes: whole } of recordings()) {
      for (const part of [0.1, 0.5, 0.9]) {
        const state = modesAfter([whole.subarray(0, Math.floor(whole.length * part))]);
        expect(withoutTitles(modesAfter([restore(state), undo(asRestored(state))]))).toEqual(INITIAL_MODES);
      }
    }
  });

  test('[ATT-4] a read-only watcher gets nothing that makes its terminal send', () => {
    const state = after(
      '\x1b[?1;66;1000;1003;1004;1006;1007;2004;2031;2048h\x1b[>4;2m\x1b[>5u\x1b[?1049h\x1b[>7u\x1b[?25l',
    );
    expect(text(restore(state, { input: false }))).toBe('\x1b[?1049h\x1b[?25l');
    expect(text(restore(withoutInput(state)))).toBe('\x1b[?1049h\x1b[?25l');
  });

  test('[ATT-4] the alternate screen comes before the picture, all else after it', () => {
    const state = after('\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[?1000h\x1b[?1006h\x1b[?2026h\x1b[2 q\x1b]2;t\x07');
    expect(text(restore(state, { part: 'before' }))).toBe('\x1b[>1u\x1b[?1049h\x1b[>5u');
    expect(text(restore(state, { part: 'after' }))).toBe('\x1b[2 q\x1b]2;t\x1b\\\x1b[?1006h\x1b[?1000h');
    expect(text(undo(state))).toBe('\x0f\x1b[?2026l\x1b[?1000l\x1b[?1006l\x1b[<1u\x1b[?1049l\x1b[<1u\x1b[0 q\x1b[m');
  });

  test('[ATT-4] a terminal of which nothing is known can be put right', () => {
    for (const [input] of CASES.filter(
      ([each]) => !/\?6|\?5;6|\?1[02]|2048|\?66|1047|\x1b\[>|\x1b\[=|\]\d+;|\?7s|22/.test(each),
    ))
      expect(withoutTitles(modesAfter([bytes(input), undo(ANYTHING_SET)])), JSON.stringify(input)).toEqual(
        INITIAL_MODES,
      );
    const kitty = after('\x1b[>5u\x1b[?1049h\x1b[>5u' + text(undo(ANYTHING_SET)));
    expect(kittyFlags(kitty)).toBe(0);
  });
});

const withoutTitles = (state: ModeState): ModeState => ({ ...state, title: '', iconName: '', titleStack: [], cwd: '' });
