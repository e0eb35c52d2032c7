/**
 * The colours of the person's terminal: asked for once, so that programs which ask for them get the true ones.
 *
 * Behind the two questions goes one that every terminal answers (DA1): its reply says that no other will come. A terminal
 * that answers nothing costs a moment; one that answers late is heard late, and waited for before it is left, else its reply
 * would be typed into the shell.
 */
import type { TerminalColours } from '@spool/protocol';
import { coloursOfFgBg, parseColour, type Rgb } from '@spool/vt';

/** Longer than a terminal on this machine takes, too short to be felt. */
export const ANSWER_MS_MAX = 60;
/** How long after asking a reply may still be on its way: a bad line. */
export const LATE_MS_MAX = 600;

const QUESTION = '\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[c';

/** These know no OSC, and some of them would print it. */
const SILENT = /^(?:|dumb|linux|vt\d+|cons25|sun|unknown)$/;

export function understandsOsc(env: Readonly<Record<string, string | undefined>>): boolean {
  return !SILENT.test(env.TERM ?? '');
}

export class ColourQuestion {
  readonly #found: { foreground?: string; background?: string } = {};
  readonly #end = Promise.withResolvers<void>();
  readonly #askedAt = performance.now();
  readonly #fallback: TerminalColours | undefined;
  #isOpen = true;

  constructor(env: Readonly<Record<string, string | undefined>>, write: (text: string) => void) {
    const told = coloursOfFgBg(env.COLORFGBG ?? '');
    this.#fallback = told && { foreground: hex(told.foreground), background: hex(told.background) };
    if (understandsOsc(env)) write(QUESTION);
    else this.#close();
  }

  /** What is known so far. */
  get colours(): TerminalColours | undefined {
    return this.#found.background === undefined && this.#found.foreground === undefined
      ? this.#fallback
      : { ...this.#found };
  }

  /** A reply of the terminal, whoever asked for it. True when it told a colour. */
  handle(reply: Uint8Array): boolean {
    const text = Buffer.from(reply).toString('latin1');
    const colour = /^\x1b\](1[01]);([^\x07\x1b]{1,64})(?:\x07|\x1b\\)$/.exec(text);
    const rgb = colour && parseColour(colour[2]!);
    if (rgb) this.#found[colour[1] === '10' ? 'foreground' : 'background'] = hex(rgb);
    if (/^\x1b\[\?[\d;]*c$/.test(text)) this.#close();
    return rgb !== null && rgb !== undefined;
  }

  /** Resolves when the terminal has answered, or should have. */
  async answered(): Promise<void> {
    await this.#within(ANSWER_MS_MAX);
  }

  /** Resolves when no reply can be on its way any more. */
  async silence(): Promise<void> {
    await this.#within(LATE_MS_MAX);
  }

  async #within(ms: number): Promise<void> {
    const left = this.#askedAt + ms - performance.now();
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
