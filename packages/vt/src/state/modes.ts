/**
 * The modes that a program has set in its terminal: all state that changes what keys, mouse and pastes send, that must be set
 * again on another terminal, or that must be undone on a terminal that is left.
 *
 * `restore` returns the bytes that bring a fresh terminal to this state, `undo` those that reverse it: each mode by itself, never
 * RIS, which would wipe the user's screen. Neither changes the picture; the snapshot paints it.
 */
import { cleanBytes } from '../viewer/clean-text.ts';
import { oscCodeOf, oscTextFrom, paramsOf, type Sequence } from '../scan/sequence.ts';
import { decodeUtf8, encodeUtf8 } from '../scan/utf8.ts';
import { PATH_CHARACTERS_MAX, workingDirectoryOf } from './working-directory.ts';

/** Modes that are either on or off. `input` modes change the bytes that a terminal sends; the others change the display. */
const FLAGS = [
  { name: 'insert', mode: 4, isAnsi: true, initial: false, isInput: false },
  { name: 'lineFeed', mode: 20, isAnsi: true, initial: false, isInput: false },
  { name: 'applicationCursor', mode: 1, isAnsi: false, initial: false, isInput: true },
  { name: 'reverseVideo', mode: 5, isAnsi: false, initial: false, isInput: false },
  { name: 'origin', mode: 6, isAnsi: false, initial: false, isInput: false },
  { name: 'wrap', mode: 7, isAnsi: false, initial: true, isInput: false },
  { name: 'cursorBlink', mode: 12, isAnsi: false, initial: false, isInput: false },
  { name: 'cursorVisible', mode: 25, isAnsi: false, initial: true, isInput: false },
  { name: 'reverseWrap', mode: 45, isAnsi: false, initial: false, isInput: false },
  { name: 'applicationKeypad', mode: 66, isAnsi: false, initial: false, isInput: true },
  { name: 'backspaceIsBs', mode: 67, isAnsi: false, initial: false, isInput: true },
  { name: 'sideMargins', mode: 69, isAnsi: false, initial: false, isInput: false },
  { name: 'focusReports', mode: 1004, isAnsi: false, initial: false, isInput: true },
  { name: 'alternateScroll', mode: 1007, isAnsi: false, initial: false, isInput: true },
  { name: 'bracketedPaste', mode: 2004, isAnsi: false, initial: false, isInput: true },
  { name: 'synchronized', mode: 2026, isAnsi: false, initial: false, isInput: false },
  { name: 'colourReports', mode: 2031, isAnsi: false, initial: false, isInput: true },
  { name: 'resizeReports', mode: 2048, isAnsi: false, initial: false, isInput: true },
] as const;

export type FlagName = (typeof FLAGS)[number]['name'];

export type ModeState = { readonly [Name in FlagName]: boolean } & {
  /**
   * The mouse events that are reported: the last of these modes that was set, 0 for none. Resetting any of them ends the reports,
   * as in xterm.
   */
  readonly mouse: 0 | MouseMode;
  /**
   * The encodings of mouse reports in the order in which they were set, since terminals support different ones; the last
   * supported one counts.
   */
  readonly mouseEncodings: readonly MouseEncoding[];
  /** The mode that entered the alternate screen; 0 on the main screen. */
  readonly alternate: 0 | AlternateMode;
  /** DECSCUSR; 0 for the user's own. */
  readonly cursorStyle: number;
  /** Kitty keyboard flags; the last entry is in force, earlier ones can be popped. Each screen has its own stack. */
  readonly kittyMain: readonly number[];
  readonly kittyAlternate: readonly number[];
  /** xterm's modifyOtherKeys, 0 when off. */
  readonly modifyOtherKeys: number;
  readonly title: string;
  readonly iconName: string;
  readonly titleStack: readonly (readonly [title: string, iconName: string])[];
  readonly cwd: string;
  /** Scroll margins, the sets in G0 to G3, an open hyperlink, changed colours (OSC numbers): only `undo` uses them. */
  readonly hasMargins: boolean;
  readonly charsets: string;
  readonly hasHyperlink: boolean;
  readonly colours: readonly number[];
};

export type MouseMode = 9 | 1000 | 1001 | 1002 | 1003;
export type MouseEncoding = 1005 | 1006 | 1015 | 1016;
export type AlternateMode = 47 | 1047 | 1049;

const MOUSE_MODES: readonly number[] = [9, 1000, 1001, 1002, 1003];
const MOUSE_ENCODINGS: readonly number[] = [1005, 1006, 1015, 1016];
const ALTERNATE_MODES: readonly number[] = [47, 1047, 1049];

/** A fresh terminal. */
export const INITIAL_MODES: ModeState = Object.freeze({
  ...(Object.fromEntries(FLAGS.map(({ name, initial }) => [name, initial])) as { [Name in FlagName]: boolean }),
  mouse: 0,
  mouseEncodings: [],
  alternate: 0,
  cursorStyle: 0,
  kittyMain: [0],
  kittyAlternate: [0],
  modifyOtherKeys: 0,
  title: '',
  iconName: '',
  titleStack: [],
  cwd: '',
  hasMargins: false,
  charsets: 'BBBB',
  hasHyperlink: false,
  colours: [],
});

/**
 * The depth of the keyboard stack: a program that pushes more often loses its oldest entries. Ghostty keeps 8, kitty a few more.
 */
const KITTY_STACK_MAX = 16;
/** The depth of the title stack, as in xterm. */
export const TITLE_STACK_MAX = 10;
export const TITLE_CHARACTERS_MAX = 512;

/** Follows a program's output; `state` is the result. */
export class ModeTracker {
  #now: Draft<ModeState>;
  #snapshot: ModeState | undefined;
  #revision = 0;
  readonly #saved = new Map<number, boolean>();

  constructor(initial: ModeState = INITIAL_MODES) {
    this.#now = { ...initial };
  }

  /** The present state as a value: it does not change when the tracker continues. */
  get state(): ModeState {
    this.#snapshot ??= Object.freeze({ ...this.#now });
    return this.#snapshot;
  }

  /** Two fields that callers read with every chunk, because `state` would be copied again after each change. */
  get title(): string {
    return this.#now.title;
  }

  get focusReports(): boolean {
    return this.#now.focusReports;
  }

  /** A number that grows with each change, for a cheap check whether the state has changed. */
  get revision(): number {
    return this.#revision;
  }

  apply(sequence: Sequence): void {
    switch (sequence.kind) {
      case 'csi':
        return this.#applyCsi(sequence);
      case 'escape':
        return this.#applyEscape(sequence);
      case 'osc':
        return this.#applyOsc(sequence);
      default:
        return;
    }
  }

  /** Returns the value of a private mode that XTSAVE kept, and XTRESTORE would set. */
  saved(mode: number): boolean | undefined {
    return this.#saved.get(mode);
  }

  #applyCsi(sequence: Sequence): void {
    switch (sequence.final) {
      case 0x68: // h
      case 0x6c: // l
        if (sequence.intermediate !== 0) return;
        for (const mode of paramsOf(sequence)) this.#setMode(mode, sequence.prefix, sequence.final === 0x68);
        return;
      case 0x6d: // m
        if (sequence.prefix === 0x3e) this.#modifyKeys(sequence);
        return;
      case 0x6e: // n
        if (sequence.prefix === 0x3e && paramsOf(sequence)[0] === 4) this.#change('modifyOtherKeys', 0);
        return;
      case 0x75: // u
        return this.#kitty(sequence);
      case 0x71: // q
        if (sequence.intermediate === 0x20 && sequence.prefix === 0) {
          const style = Math.max(0, paramsOf(sequence)[0] ?? 0);
          if (style <= CURSOR_STYLE_MAX) this.#change('cursorStyle', style);
        }
        return;
      case 0x70: // p
        if (sequence.intermediate === 0x21) this.#softReset();
        return;
      case 0x72: // r
        if (sequence.prefix === 0x3f) this.#restoreSaved(sequence);
        else if (sequence.prefix === 0 && sequence.intermediate === 0)
          this.#change('hasMargins', sequence.paramsTo > sequence.paramsFrom);
        return;
      case 0x73: // s
        if (sequence.prefix === 0x3f) this.#save(sequence);
        else if (this.#now.sideMargins && sequence.prefix === 0 && sequence.paramsTo > sequence.paramsFrom)
          this.#change('hasMargins', true);
        return;
      case 0x74: // t
        if (sequence.prefix === 0 && sequence.intermediate === 0) this.#stackTitle(sequence);
        return;
    }
  }

  #applyEscape(sequence: Sequence): void {
    const { intermediate, final } = sequence;
    if (intermediate === 0) {
      if (final === 0x3d || final === 0x3e) this.#change('applicationKeypad', final === 0x3d);
      else if (final === 0x63) this.#hardReset();
      return;
    }
    const slot = CHARSET_SLOTS[intermediate];
    if (slot === undefined) return;
    const { charsets } = this.#now;
    this.#change('charsets', charsets.slice(0, slot) + String.fromCharCode(final) + charsets.slice(slot + 1));
  }

  #applyOsc(sequence: Sequence): void {
    const code = oscCodeOf(sequence);
    if (code < 0) return;
    if (code <= 2) {
      const text = cleanBytes(sequence.source, oscTextFrom(sequence), sequence.dataTo, TITLE_CHARACTERS_MAX);
      if (code !== 1) this.#change('title', text);
      if (code !== 2) this.#change('iconName', text);
    } else if (code === 7) {
      const from = oscTextFrom(sequence);
      const text = decodeUtf8(sequence.source, from, Math.min(sequence.dataTo, from + 3 * PATH_CHARACTERS_MAX));
      this.#change('cwd', workingDirectoryOf(text)?.path ?? this.#now.cwd);
    } else if (code === 8) {
      this.#change('hasHyperlink', sequence.source[sequence.dataTo - 1] !== 0x3b);
    } else if (isColourCode(code) && sequence.source[sequence.dataTo - 1] !== 0x3f) {
      if (!this.#now.colours.includes(code)) this.#change('colours', [...this.#now.colours, code]);
    } else if (isColourCode(code - 100)) {
      // OSC 104 with an index resets one colour, not all.
      if (code > 105 || oscTextFrom(sequence) === sequence.dataTo)
        this.#change(
          'colours',
          this.#now.colours.filter((set) => set !== code - 100),
        );
    }
  }

  #setMode(mode: number, prefix: number, isOn: boolean): void {
    if (prefix === 0) {
      const flag = ANSI_FLAGS.get(mode);
      if (flag !== undefined) this.#change(flag, isOn);
      return;
    }
    if (prefix !== 0x3f) return;
    const flag = DEC_FLAGS.get(mode);
    if (flag !== undefined) return this.#change(flag, isOn);
    if (MOUSE_MODES.includes(mode)) return this.#change('mouse', isOn ? (mode as MouseMode) : 0);
    if (ALTERNATE_MODES.includes(mode)) return this.#change('alternate', isOn ? (mode as AlternateMode) : 0);
    if (MOUSE_ENCODINGS.includes(mode)) {
      const others = this.#now.mouseEncodings.filter((set) => set !== mode);
      this.#change('mouseEncodings', isOn ? [...others, mode as MouseEncoding] : others);
    }
  }

  #modifyKeys(sequence: Sequence): void {
    const [resource = -1, value = -1] = paramsOf(sequence);
    if (resource === 4 || resource === -1)
      this.#change('modifyOtherKeys', resource === 4 && value > 0 && value <= 3 ? value : 0);
  }

  /** Handles push `CSI > flags u`, pop `CSI < n u`, and change `CSI = flags ; how u`. */
  #kitty(sequence: Sequence): void {
    const which = this.#now.alternate === 0 ? 'kittyMain' : 'kittyAlternate';
    const stack = this.#now[which];
    const [first = -1, second = -1] = paramsOf(sequence);
    const flags = Math.max(0, first) & KITTY_FLAGS;
    const top = stack.at(-1)!;
    switch (sequence.prefix) {
      case 0x3e: // >
        return this.#change(which, [...stack, flags].slice(-KITTY_STACK_MAX));
      case 0x3c: {
        // <: popping more entries than exist clears all flags
        const left = stack.slice(0, stack.length - Math.min(stack.length, first < 0 ? 1 : first));
        return this.#change(which, left.length === 0 ? [0] : left);
      }
      case 0x3d: // =
        return this.#change(which, [
          ...stack.slice(0, -1),
          second === 2 ? top | flags : second === 3 ? top & ~flags : flags,
        ]);
    }
  }

  #stackTitle(sequence: Sequence): void {
    const [operation = -1, what = 0] = paramsOf(sequence);
    const { title, iconName, titleStack } = this.#now;
    if (operation === 22) {
      this.#change('titleStack', [...titleStack, [title, iconName] as const].slice(-TITLE_STACK_MAX));
    } else if (operation === 23) {
      const top = titleStack.at(-1);
      if (top === undefined) return;
      if (what !== 1) this.#change('title', top[0]);
      if (what !== 2) this.#change('iconName', top[1]);
      this.#change('titleStack', titleStack.slice(0, -1));
    }
  }

  #save(sequence: Sequence): void {
    for (const mode of paramsOf(sequence)) {
      const isOn = isModeSet(this.#now, mode, false);
      if (isOn !== undefined) this.#saved.set(mode, isOn); // only known modes: the map cannot grow
    }
  }

  #restoreSaved(sequence: Sequence): void {
    for (const mode of paramsOf(sequence)) {
      const isOn = this.#saved.get(mode);
      if (isOn !== undefined) this.#setMode(mode, 0x3f, isOn);
    }
  }

  /** Applies DECSTR as xterm does: mouse, paste and screens do not change. */
  #softReset(): void {
    for (const name of SOFT_RESET) this.#change(name, INITIAL_MODES[name]);
    this.#change('hasMargins', false);
    this.#change('charsets', INITIAL_MODES.charsets);
  }

  /** Applies RIS. It does not reset titles and the directory. */
  #hardReset(): void {
    const { title, iconName, titleStack, cwd } = this.#now;
    this.#now = { ...INITIAL_MODES, title, iconName, titleStack, cwd };
    this.#snapshot = undefined;
    this.#revision++;
  }

  #change<Key extends keyof ModeState>(key: Key, value: ModeState[Key]): void {
    if (isSame(this.#now[key], value)) return;
    this.#now[key] = value;
    this.#snapshot = undefined;
    this.#revision++;
  }
}

/**
 * Pushes the terminal's title when a viewer attaches; it is popped when the viewer leaves, so the user gets the old title back.
 */
export const PUSH_TITLE: Uint8Array = encodeUtf8('\x1b[22;0t');
export const POP_TITLE: Uint8Array = encodeUtf8('\x1b[23;0t');

/** Pushes the kitty keyboard's flags in the same way: a program may set any flags, and the user's flags are below them. */
export const PUSH_KEYBOARD: Uint8Array = encodeUtf8('\x1b[>0u');
export const POP_KEYBOARD: Uint8Array = encodeUtf8('\x1b[<u');

export interface RestoreOptions {
  /** Whether the terminal's keys go to the program (default: true). If not, modes that make a terminal send are not set. */
  readonly input?: boolean;
  /**
   * `before` the picture: the alternate screen. `after` the picture, and before the cursor is placed (origin mode moves it): the
   * rest (default: both).
   */
  readonly part?: 'before' | 'after' | 'all';
}

/**
 * Returns the bytes that set these modes on a fresh terminal. A synchronized frame is left closed, because an open one would hide
 * the picture. Margins, character sets and colours are not modes: they come with the picture.
 */
export function restore(state: ModeState, options: RestoreOptions = {}): Uint8Array {
  const { input = true, part = 'all' } = options;
  const text: string[] = [];
  if (part !== 'after') {
    if (input) text.push(...kittyPushes(state.kittyMain));
    if (state.alternate !== 0) text.push(`\x1b[?${state.alternate}h`);
    if (input && state.alternate !== 0) text.push(...kittyPushes(state.kittyAlternate));
  }
  if (part !== 'before') {
    if (state.cursorStyle !== 0) text.push(`\x1b[${state.cursorStyle} q`);
    if (state.title !== '') text.push(`\x1b]2;${state.title}\x1b\\`);
    if (state.iconName !== '' && state.iconName !== state.title) text.push(`\x1b]1;${state.iconName}\x1b\\`);
    for (const flag of FLAGS) {
      if (state[flag.name] === flag.initial || flag.name === 'synchronized' || (flag.isInput && !input)) continue;
      text.push(setting(flag, state[flag.name]));
    }
    if (input) {
      if (state.modifyOtherKeys !== 0) text.push(`\x1b[>4;${state.modifyOtherKeys}m`);
      for (const encoding of state.mouseEncodings) text.push(`\x1b[?${encoding}h`);
      if (state.mouse !== 0) text.push(`\x1b[?${state.mouse}h`);
    }
  }
  return encodeUtf8(text.join(''));
}

/**
 * Returns the bytes that undo every mode which is set, for a terminal that is left. Reporting modes are undone first, so that as
 * few bytes as possible are typed into the shell behind; the alternate screen is left late, and the cursor returns to its old
 * place.
 */
export function undo(state: ModeState): Uint8Array {
  const text: string[] = [];
  const isAlternate = state.alternate !== 0;
  text.push('\x0f'); // SI, because a stray SO in the output would garble all later output
  if (state.synchronized) text.push('\x1b[?2026l');
  if (state.mouse !== 0) text.push(`\x1b[?${state.mouse}l`);
  for (const encoding of state.mouseEncodings) text.push(`\x1b[?${encoding}l`);
  for (const flag of FLAGS)
    if (flag.isInput && state[flag.name] !== flag.initial) text.push(setting(flag, flag.initial));
  if (state.modifyOtherKeys !== 0) text.push('\x1b[>4m');
  if (isAlternate) text.push(...kittyPops(state.kittyAlternate));
  if (state.hasHyperlink) text.push('\x1b]8;;\x1b\\');
  for (const [slot, set] of [...state.charsets].entries()) if (set !== 'B') text.push(`\x1b${'()*+'[slot]}B`);
  for (const flag of FLAGS) {
    const isDrawing = !flag.isInput && flag.name !== 'synchronized' && flag.name !== 'cursorVisible';
    if (isDrawing && state[flag.name] !== flag.initial) text.push(setting(flag, flag.initial));
  }
  // Setting margins moves the cursor home. The cursor is restored, unless 1049 restores it from the position that it has saved
  // itself.
  if (state.hasMargins) text.push(state.alternate === 1049 ? '\x1b[r' : '\x1b7\x1b[r\x1b8');
  if (isAlternate) text.push(`\x1b[?${state.alternate}l`);
  text.push(...kittyPops(state.kittyMain));
  if (!state.cursorVisible) text.push('\x1b[?25h');
  if (state.cursorStyle !== 0) text.push('\x1b[0 q');
  for (const code of state.colours) text.push(`\x1b]${code + 100}\x1b\\`);
  text.push('\x1b[m');
  return encodeUtf8(text.join(''));
}

/**
 * A state for a terminal whose last viewer was killed, so that its modes are unknown: undoing these modes does no harm if they
 * are not set. Not included: modes that users choose for themselves (a blinking cursor, wheel scrolling, grapheme widths,
 * Backspace), and origin mode, since even resetting it moves the cursor.
 */
export const ANYTHING_SET: ModeState = Object.freeze({
  ...INITIAL_MODES,
  insert: true,
  lineFeed: true,
  applicationCursor: true,
  reverseVideo: true,
  wrap: false,
  cursorVisible: false,
  reverseWrap: true,
  applicationKeypad: true,
  sideMargins: true,
  focusReports: true,
  bracketedPaste: true,
  synchronized: true,
  colourReports: true,
  resizeReports: true,
  mouse: 1003,
  mouseEncodings: [1005, 1006, 1015, 1016] as const,
  alternate: 1047, // unlike 1049, it leaves the cursor alone when the main screen is on
  cursorStyle: 1,
  kittyMain: [1],
  kittyAlternate: [1],
  modifyOtherKeys: 1,
  hasMargins: true,
  charsets: '00BB',
  hasHyperlink: true,
});

/** Returns the state of a terminal after `restore`: the frame is closed, and all kitty flags are pushed, none is only set. */
export function asRestored(state: ModeState): ModeState {
  const pushed = (stack: readonly number[]): readonly number[] => (stack[0] === 0 ? stack : [0, ...stack]);
  const kittyAlternate = state.alternate === 0 ? INITIAL_MODES.kittyAlternate : pushed(state.kittyAlternate);
  return Object.freeze({ ...state, synchronized: false, kittyMain: pushed(state.kittyMain), kittyAlternate });
}

/** Returns the same state for a terminal that must not send. */
export function withoutInput(state: ModeState): ModeState {
  const { mouse, mouseEncodings, kittyMain, kittyAlternate, modifyOtherKeys } = INITIAL_MODES;
  const off = Object.fromEntries(FLAGS.filter(({ isInput }) => isInput).map(({ name, initial }) => [name, initial]));
  return Object.freeze({ ...state, ...off, mouse, mouseEncodings, kittyMain, kittyAlternate, modifyOtherKeys });
}

/** Returns the kitty keyboard flags in force. */
export const kittyFlags = (state: ModeState): number =>
  (state.alternate === 0 ? state.kittyMain : state.kittyAlternate).at(-1) ?? 0;

/** Returns whether a mode is on; undefined if this tracker does not follow the mode. */
export function isModeSet(state: ModeState, mode: number, isAnsi: boolean): boolean | undefined {
  const flag = (isAnsi ? ANSI_FLAGS : DEC_FLAGS).get(mode);
  if (flag !== undefined) return state[flag];
  if (isAnsi) return undefined;
  if (MOUSE_MODES.includes(mode)) return state.mouse === mode;
  if (MOUSE_ENCODINGS.includes(mode)) return state.mouseEncodings.at(-1) === mode;
  if (ALTERNATE_MODES.includes(mode)) return state.alternate !== 0;
  return undefined;
}

/** Returns whether a private mode changes the bytes that a terminal sends. */
export const isInputMode = (mode: number): boolean =>
  INPUT_MODES.has(mode) || MOUSE_MODES.includes(mode) || MOUSE_ENCODINGS.includes(mode);

/** Returns whether an OSC number sets colours: the palette, special colours, and foreground to highlight. */
export const isColourCode = (code: number): boolean => code === 4 || code === 5 || (code >= 10 && code <= 19);

type Draft<Value> = { -readonly [Key in keyof Value]: Value[Key] };

const CURSOR_STYLE_MAX = 6;
const KITTY_FLAGS = 31;
/** The bytes ( ) * + designate sets of 94 characters, - . / sets of 96. */
const CHARSET_SLOTS: Readonly<Record<number, number>> = {
  0x28: 0,
  0x29: 1,
  0x2a: 2,
  0x2b: 3,
  0x2d: 1,
  0x2e: 2,
  0x2f: 3,
};
const ANSI_FLAGS: ReadonlyMap<number, FlagName> = new Map(
  FLAGS.filter((flag) => flag.isAnsi).map((flag) => [flag.mode, flag.name]),
);
const DEC_FLAGS: ReadonlyMap<number, FlagName> = new Map(
  FLAGS.filter((flag) => !flag.isAnsi).map((flag) => [flag.mode, flag.name]),
);
const INPUT_MODES: ReadonlySet<number> = new Set(FLAGS.filter((flag) => flag.isInput).map((flag) => flag.mode));
const SOFT_RESET = [
  'cursorVisible',
  'insert',
  'origin',
  'wrap',
  'reverseWrap',
  'applicationCursor',
  'applicationKeypad',
] as const;

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  return (
    Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((item, at) => item === other[at])
  );
}

function setting(flag: (typeof FLAGS)[number], isOn: boolean): string {
  // Every terminal knows ESC = and ESC >, few know mode 66.
  if (flag.name === 'applicationKeypad') return isOn ? '\x1b=' : '\x1b>';
  return `\x1b[${flag.isAnsi ? '' : '?'}${flag.mode}${isOn ? 'h' : 'l'}`;
}

/** Pushes flags that were set without a push too: a pushed entry can be popped, and the user's flags are under it. */
const kittyPushes = (stack: readonly number[]): string[] =>
  stack.flatMap((flags, at) => (at === 0 && flags === 0 ? [] : [`\x1b[>${flags}u`]));

export function kittyPops(stack: readonly number[]): string[] {
  const text: string[] = [];
  if (stack.length > 1) text.push(`\x1b[<${stack.length - 1}u`);
  if (stack[0] !== 0) text.push('\x1b[=0;1u');
  return text;
}
