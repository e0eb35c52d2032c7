/** Signs that a program draws a picture instead of writing text that goes by: then its screen says more than its output. */

const FULL_SCREEN = /\x1b\[\?(?:1049|1047|47)([hl])/g;
/** Cursor up, or to a row: once is a heading rewritten, this often is a picture. */
const MOVES = /\x1b\[(?:\d*A|\d*(?:;\d*)?H)/g;
const MOVES_MIN = 3;

export class RepaintDetector {
  #isFullScreen: boolean;
  #moves = 0;

  constructor(isFullScreen: boolean) {
    this.#isFullScreen = isFullScreen;
  }

  /** The alternate screen is on. */
  get isFullScreen(): boolean {
    return this.#isFullScreen;
  }

  /** It draws over what it drew before: as text that is there several times. */
  get isRepainting(): boolean {
    return this.#moves >= MOVES_MIN;
  }

  /** Output that is cut nowhere inside an escape sequence. */
  look(data: string): void {
    if (!data.includes('\x1b')) return;
    for (const [, how] of data.matchAll(FULL_SCREEN)) this.#isFullScreen = how === 'h';
    if (!this.#isFullScreen) this.#moves += data.match(MOVES)?.length ?? 0;
  }
}
