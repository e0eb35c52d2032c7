/**
 * The colours of the user's terminal. They are queried once, so that programs that query them get the real colours.
 *
 * The two queries are followed by one that every terminal answers (DA1); its reply means that no other reply will come. Only the
 * end waits for the replies: a reply that arrives after the terminal is left would be typed into the shell.
 */
import type { TerminalColours } from '@spool/protocol';
import { coloursOfFgBg, parseColour, type Rgb } from '@spool/vt';

/** The longest time that a reply may take over a bad connection. */
export const LATE_MS_MAX = 600;

const QUESTION = '\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[c';

/** These terminals do not support OSC, and some would print it. */
const SILENT = /^(?:|dumb|linux|vt\d+|cons25|sun|unknown)$/;

export function understandsOsc(env: Readonly<Record<string, string | undefined>>): boolean {
  return !SILENT.test(env.TERM ?? '');
}

/** Returns the colours in COLORFGBG, for a terminal that answers no query, or is not queried. */
export function environmentColours(env: Readonly<Record<string, string | undefined>>): TerminalColours | undefined {
  const told = coloursOfFgBg(env.COLORFGBG ?? '');
  return told && { foreground: hex(told.foreground), background: hex(told.background) };
}

export class ColourQuestion {
  readonly #found: { foreground?: string; background?: string } = {};
  readonly #end = Promise.withResolvers<void>();
  readonly #askedAt = performance.now();
  readonly #fallback: TerminalColours | undefined;
  #isOpen = true;

  constructor(env: Readonly<Record<string, string | undefined>>, write: (text: string) => void) {
    this.#fallback = environmentColours(env);
    if (understandsOsc(env)) write(QUESTION);
    else this.#close();
  }

  /** The colours known so far. */
  get colours(): TerminalColours | undefined {
    return this.#found.background === undefined && this.#found.foreground === undefined
      ? this.#fallback
      : { ...this.#found };
  }

  /** Handles a reply of the terminal. Returns true if it contained a colour. */
  handle(reply: Uint8Array): boolean {
    const text = Buffer.from(reply).toString('latin1');
    const colour = /^\x1b\](1[01]);([^\x07\x1b]{1,64})(?:\x07|\x1b\\)$/.exec(text);
    const rgb = colour && parseColour(colour[2]!);
    if (rgb) this.#found[colour[1] === '10' ? 'foreground' : 'background'] = hex(rgb);
    if (/^\x1b\[\?[\d;]*c$/.test(text)) this.#close();
    return rgb !== null && rgb !== undefined;
  }

  /** Resolves when no reply can arrive any more. */
  async silence(): Promise<void> {
    const left = this.#askedAt + LATE_MS_MAX - performance.now();
    if (!this.#isOpen || left <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.#end.promise, new Promise((resolve) => (timer = setTimeout(resolve, left)))]);
    clearTimeout(timer);
  }

  #close(): void {
    this.#isOpen = false;
    this.#end.resolve();
  }
}

const hex = (rgb: Rgb): string => `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
