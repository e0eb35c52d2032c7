/**
 * xterm.js without a screen, and the internals that its public interface does not expose: saved cursors, margins, tab
 * stops, character sets, underline kinds and hyperlinks of cells, a synchronous write.
 *
 * All knowledge of these internals is in this file (and their shape in `engine.test.ts`), so that an update of xterm which moves
 * a field fails in one place.
 */
import headless from '@xterm/headless';
import { guard, mendAlternate } from './engine-guards.ts';
import { useWidths } from './widths.ts';

export interface GridSize {
  readonly cols: number;
  readonly rows: number;
}

/** The attributes of cells, the pen and saved cursors: words of bits, see `attributes.ts`. */
export interface EngineAttributes {
  fg: number;
  bg: number;
  extended: { _ext: number; _urlId: number };
}

export interface EngineLine {
  isWrapped: boolean;
  readonly length: number;
  /** The data of the cells, three words for each: content, foreground, background. */
  readonly _data: Uint32Array;
  readonly _extendedAttrs: Readonly<Record<number, { _ext: number; _urlId: number } | undefined>>;
  getWidth(column: number): number;
  getFg(column: number): number;
  getBg(column: number): number;
  getString(column: number): string;
  getTrimmedLength(): number;
  translateToString(isTrimmed: boolean, from: number, to: number): string;
}

export interface EngineBuffer {
  readonly lines: {
    readonly length: number;
    maxLength: number;
    get(index: number): EngineLine | undefined;
    onTrim(listen: (count: number) => void): unknown;
  };
  readonly ybase: number;
  x: number;
  y: number;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  tabs: Readonly<Record<number, boolean | undefined>>;
  savedX: number;
  savedY: number;
  readonly savedCurAttrData: EngineAttributes;
  readonly savedCharset: Charset;
  readonly markers: readonly unknown[];
  /** Frees memory piece by piece after the terminal has become narrower. */
  readonly _memoryCleanupQueue: { enqueue(task: () => boolean | undefined): void };
}

/** A table from ASCII to characters; undefined is ASCII itself. Tables are compared by identity. */
export type Charset = Readonly<Record<string, string>> | undefined;

export interface EngineLink {
  readonly id: number;
  readonly data: { readonly id?: string | undefined; readonly uri: string };
}

export interface EngineParams {
  readonly length: number;
  readonly params: Int32Array;
}

export interface EngineCore {
  readonly cols: number;
  readonly rows: number;
  readonly buffers: { readonly active: EngineBuffer; readonly normal: EngineBuffer; readonly alt: EngineBuffer };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly modes: { readonly insertMode: boolean };
    readonly decPrivateModes: {
      readonly origin: boolean;
      readonly wraparound: boolean;
      readonly reverseWraparound: boolean;
    };
  };
  readonly optionsService: { readonly rawOptions: { readonly convertEol: boolean } };
  readonly unicodeService: { wcwidth(point: number): number };
  readonly _charsetService: {
    readonly glevel: number;
    readonly charset: Charset;
    readonly _charsets: readonly Charset[];
  };
  readonly _oscLinkService: {
    readonly _dataByLinkId: ReadonlyMap<number, EngineLink>;
    readonly registerLink: (data: EngineLink['data']) => number;
    readonly addLineToLink: (link: number, line: number) => void;
  };
  readonly _inputHandler: {
    readonly _curAttrData: EngineAttributes;
    readonly _parser: { precedingJoinState: number; reset(): void };
    readonly _utf8Decoder: { clear(): void };
    parse(bytes: Uint8Array): void;
    _eraseInBufferLine(row: number, from: number, to: number, unwrap: boolean, keepsProtected: boolean): void;
    _resetBufferLine(row: number, keepsProtected: boolean): void;
  };
  registerCsiHandler(
    id: { readonly final: string; readonly prefix?: string },
    handle: (params: EngineParams) => boolean,
  ): void;
  resize(cols: number, rows: number): void;
}

/** A terminal without a listener: it answers no query. */
export class Engine {
  readonly core: EngineCore;
  readonly #terminal: headless.Terminal;

  constructor({ cols, rows }: GridSize, scrollback: number) {
    this.#terminal = plainTerminal({ cols, rows }, { scrollback });
    this.core = coreOf(this.#terminal);
    guard(this.core);
  }

  /** Parses bytes like `Terminal.writeSync`, without its queue: an exception would block that queue for good. */
  parse(bytes: Uint8Array): void {
    this.core._inputHandler.parse(bytes);
  }

  /** Abandons the current sequence or character, after an exception has interrupted it. */
  recover(): void {
    this.core._inputHandler._parser.reset();
    this.core._inputHandler._utf8Decoder.clear();
  }

  resize(cols: number, rows: number): void {
    if (cols === this.core.cols && rows === this.core.rows) return;
    this.core.resize(cols, rows);
    mendAlternate(this.core);
  }

  dispose(): void {
    this.#terminal.dispose();
  }
}

/**
 * Creates an xterm with its defaults, but silent (it would warn of every unknown byte), and with current widths: its own are those
 * of Unicode 6, for which ✅ and 🤖 are as narrow as a letter.
 */
export function plainTerminal(
  { cols, rows }: GridSize,
  options: { readonly scrollback?: number } = {},
): headless.Terminal {
  const terminal = new headless.Terminal({ cols, rows, ...options, allowProposedApi: true, logLevel: 'off' });
  useWidths(terminal);
  silenceCleanup(coreOf(terminal));
  return terminal;
}

/**
 * Keeps xterm from printing "task queue exceeded allotted deadline" when its memory is freed on a busy machine: `attach` would have
 * that line amid the session's output. Every piece gets all the time it needs, and the next one comes in another turn of the event
 * loop. All queues have one prototype, including those that a reset makes.
 */
function silenceCleanup({ buffers: { normal } }: EngineCore): void {
  Object.assign(Object.getPrototypeOf(normal._memoryCleanupQueue) as object, {
    _createDeadline() {
      let asked = 0;
      return { timeRemaining: () => (asked++ === 0 ? Infinity : 0) };
    },
  });
}

export const coreOf = (terminal: headless.Terminal): EngineCore => (terminal as unknown as { _core: EngineCore })._core;

/**
 * Returns the final byte that designates a character set, found by trying all of them in xterm: the tables themselves are not
 * exported.
 */
export function charsetFinal(charset: Charset): string {
  if (charset === undefined) return 'B';
  charsets ??= askForCharsets();
  return charsets.get(charset) ?? 'B';
}

let charsets: ReadonlyMap<NonNullable<Charset>, string> | undefined;

function askForCharsets(): ReadonlyMap<NonNullable<Charset>, string> {
  const found = new Map<NonNullable<Charset>, string>();
  const engine = new Engine({ cols: 2, rows: 1 }, 0);
  for (const final of '0A45RQKYEZH=') {
    engine.parse(new TextEncoder().encode(`\x1b(${final}`));
    const charset = engine.core._charsetService._charsets[0];
    if (charset !== undefined) found.set(charset, final);
  }
  engine.dispose();
  return found;
}
