/**
 * A user at a shell in a terminal, who calls `spool` there, and works in the session: reads the screen rather than bytes, types
 * as the terminal would encode it, and at the end finds the shell and the terminal in their former state.
 */
import type { Client } from '@spool/client';
import { Terminal, type TestDaemon, until } from '@spool/testkit';
import { expect } from 'vitest';
import {
  expectClean,
  ReferenceTerminal,
  type Picture,
  seenBy,
  showsTruth,
  type ReferenceSize,
  stty,
} from './reference-terminal.ts';

export const WHEEL_UP = 64;
export const WHEEL_DOWN = 65;
/**
 * The pause of a hand: programs distinguish typing from pastes by time; Gemini takes Enter within 40 ms of a paste for a part of
 * it.
 */
const HAND_MS = 200;
const WHEEL_MS = 25;
const AGREE_MS = 8000;
/** The time limit for a text: OpenCode has taken 12 s for its first screen, on a machine with other work. */
const SEE_MS = 50_000;

export class TerminalUser implements Disposable {
  readonly #terminal: Terminal;
  readonly #daemon: TestDaemon;
  readonly #size: ReferenceSize;
  readonly #settings: string;
  readonly #glass: ReferenceTerminal;
  #looked = 0;

  constructor(command: readonly string[], daemon: TestDaemon, size: ReferenceSize) {
    // The shell waits for a first line, so that its terminal can be checked before it changes.
    const shell = ['sh', '-c', 'read first; "$@"; echo "shell back $?"; exec sleep 1000', 'sh', ...command];
    this.#terminal = new Terminal(shell, daemon.env, size);
    this.#settings = stty(this.#terminal);
    this.#glass = new ReferenceTerminal(size);
    this.#daemon = daemon;
    this.#size = size;
    this.#terminal.answersQueries();
    this.#terminal.type('\r');
  }

  types(keys: string): void {
    this.#terminal.type(keys);
  }

  /** Types a key with Ctrl, as the terminal would send it in its present mode. */
  typesCtrl(key: string): void {
    const code = key.charCodeAt(0);
    const { flags } = kittyOf(this.#terminal.printed);
    this.#terminal.type(flags !== 0 ? `\x1b[${code};5u` : String.fromCharCode(code & 0x1f));
  }

  /** Types a prompt, and sends it once it is on the screen. */
  async says(prompt: string): Promise<void> {
    this.#terminal.type(prompt);
    await this.sees(prompt);
    await this.pressesEnter();
  }

  /** Presses Escape, with a pause: a key right after it would be a key with Alt. */
  async pressesEscape(): Promise<void> {
    this.#terminal.type('\x1b');
    await hand();
  }

  async pressesEnter(): Promise<void> {
    await hand();
    this.#terminal.type('\r');
  }

  /** Pastes, as soon as the program has requested pastes in brackets: some do so after their prompt. */
  async pastes(text: string): Promise<void> {
    await this.#isAskedForBrackets();
    this.#terminal.type(`\x1b[200~${text}\x1b[201~`);
  }

  /**
   * Pastes with a pause around each Enter, as over a slow line: several agents take fast input for a paste, even without the
   * brackets.
   */
  async pastesSlowly(text: string): Promise<void> {
    await this.#isAskedForBrackets();
    for (const piece of `\x1b[200~${text}\x1b[201~`.split(/(\r)/)) {
      this.#terminal.type(piece);
      await hand();
    }
  }

  async #isAskedForBrackets(): Promise<void> {
    await this.seesThat('pastes are put in brackets', ({ modes }) => modes.bracketedPasteMode);
  }

  /** Presses and releases a button of the mouse, column and row from 1 on. */
  clicks(column: number, row: number): void {
    this.#terminal.type(`\x1b[<0;${column};${row}M\x1b[<0;${column};${row}m`);
  }

  async turnsTheWheelUntil(text: string, wheel = WHEEL_UP): Promise<void> {
    const turn = `\x1b[<${wheel};20;8M`;
    await until(`the wheel has brought ${JSON.stringify(text)}`, async () => {
      if ((await this.look()).lines.some((line) => line.includes(text))) return true;
      this.#terminal.type(turn);
      await hand(WHEEL_MS);
      return false;
    });
  }

  /** Returns the present screen. */
  async look(): Promise<Picture> {
    const { printed } = this.#terminal;
    const fresh = printed.slice(this.#looked);
    this.#looked = printed.length;
    await this.#glass.feed(Buffer.from(fresh, 'latin1'));
    return this.#glass.picture;
  }

  /** Waits until a text is on the screen; with `then`, until that is below it. */
  async sees(text: string, then = ''): Promise<void> {
    await this.seesThat(`the screen shows ${JSON.stringify(text)} and then ${JSON.stringify(then)}`, ({ lines }) => {
      const at = lines.findLastIndex((line) => line.includes(text));
      return at !== -1 && lines.slice(at).some((line) => line.includes(then));
    });
  }

  async seesThat(what: string, claim: (picture: Picture) => boolean): Promise<void> {
    let picture: Picture | undefined;
    try {
      await until(what, async () => claim((picture = await this.look())), SEE_MS);
    } catch (error) {
      throw new Error(`${(error as Error).message}; it shows\n${picture?.lines.join('\n')}`, { cause: error });
    }
  }

  /** Waits until this terminal, one that was always attached, and `spool screen` agree. */
  async seesTheTruth(client: Client, session: string, first: ReferenceSize): Promise<void> {
    const deadline = performance.now() + AGREE_MS;
    for (;;) {
      const { lines } = await showsTruth(this.#terminal, this.#size, client, session, first);
      const { stdout } = await this.#daemon.spool(['screen', session, '--format', 'text']);
      // The program may have painted between the two; a real difference stays.
      if (textOf(lines) === textOf(stdout.split('\n'))) return;
      if (performance.now() > deadline) expect(textOf(stdout.split('\n'))).toBe(textOf(lines));
    }
  }

  /** Checks that `spool` has ended, and has left no state of the session in the terminal. */
  async isBackInTheShell(code: number): Promise<void> {
    await this.#terminal.sees('shell back ');
    expectClean(await seenBy(this.#size, this.#terminal.printed));
    expect(kittyOf(this.#terminal.printed)).toEqual({ flags: 0, isUsersKept: true });
    expect(stty(this.#terminal)).toBe(this.#settings);
    expect(this.#terminal.printed).toContain(`shell back ${code}\r\n`);
  }

  [Symbol.dispose](): void {
    this.#terminal[Symbol.dispose]();
  }
}

/** Waits for the time that a hand takes. */
const hand = (ms = HAND_MS): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Returns the kitty keyboard flags of a terminal that was sent these bytes; each screen has its own stack. `isUsersKept`: only
 * pushed entries were popped, since the others are the user's.
 */
function kittyOf(printed: string): { readonly flags: number; readonly isUsersKept: boolean } {
  const stacks: { main: number[]; alternate: number[] } = { main: [], alternate: [] };
  let stack = stacks.main;
  let isUsersKept = true;
  for (const [, screen, operation, number] of printed.matchAll(/\x1b\[(?:\?1049([hl])|([<>=])(\d*)(?:;\d+)?u)/g)) {
    if (screen !== undefined) stack = screen === 'h' ? stacks.alternate : stacks.main;
    else if (operation === '>') stack.push(Number(number));
    else if (operation === '=') stack[Math.max(0, stack.length - 1)] = Number(number);
    else for (let left = Number(number || 1); left > 0; left--) isUsersKept = stack.pop() !== undefined && isUsersKept;
  }
  return { flags: stack.at(-1) ?? 0, isUsersKept };
}

/** Returns the lines of a screen, without invisible parts: blanks at the ends of lines, and of the screen. */
function textOf(lines: readonly string[]): string {
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
}
