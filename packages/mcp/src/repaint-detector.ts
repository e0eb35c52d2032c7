/** Detects programs that repaint their screen; for these, the screen is more useful than the output. */

const FULL_SCREEN = /\x1b\[\?(?:1049|1047|47)([hl])/g;
/** Matches cursor up, or to a row. Fewer than MOVES_MIN may only rewrite a heading. */
const MOVES = /\x1b\[(?:\d*A|\d*(?:;\d*)?H)/g;
const MOVES_MIN = 3;

export class RepaintDetector {
  #isFullScreen: boolean;
  #moves = 0;

  constructor(isFullScreen: boolean) {
    this.#isFullScreen = isFullScreen;
  }

  /** Whether the alternate screen is on. */
  get isFullScreen(): boolean {
    return this.#isFullScreen;
  }

  /** Whether the program overwrites its output, which would appear several times as text. */
  get isRepainting(): boolean {
    return this.#moves >= MOVES_MIN;
  }

  /** Reads output; `data` must not end inside an escape sequence. */
  look(data: string): void {
    if (!data.includes('\x1b')) return;
    for (const [, how] of data.matchAll(FULL_SCREEN)) this.#isFullScreen = how === 'h';
    if (!this.#isFullScreen) this.#moves += data.match(MOVES)?.length ?? 0;
  }
}
