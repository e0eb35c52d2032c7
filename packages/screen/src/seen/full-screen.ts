/**
 * Follows a full-screen program, from entering the alternate screen to leaving it: keeps the last screen that showed any content.
 *
 * Many programs erase their screen before they leave, so the last picture at the very end may be empty. The picture is sampled
 * whenever time passes; at the end, the last one that was mostly complete is taken.
 */
import type { ScreenModel } from '../engine/screen-model.ts';
import type { ScreenLine } from '../snapshot/screen-line.ts';
import { isBlank, type SeenFrame, type SeenScreen, trimmed } from './seen-item.ts';

/** The time without painting after which a picture counts as finished. */
const FRAME_QUIET_MS = 300;
/** The interval of samples, in the session's time. */
const LOOK_MS = 50;

interface ScreenPicture {
  readonly at: number;
  readonly lines: readonly string[];
  readonly rows: readonly ScreenLine[] | undefined;
}

export class FullScreen {
  readonly #model: ScreenModel;
  readonly #from: number;
  readonly #isStyled: boolean;
  #last: ScreenPicture | undefined;
  #lastFrame = '';
  #paintedAt: number;
  #lookedAt = -Infinity;

  constructor(model: ScreenModel, from: number, isStyled: boolean) {
    this.#model = model;
    this.#from = from;
    this.#paintedAt = from;
    this.#isStyled = isStyled;
  }

  /**
   * Must be called before bytes of that time are painted. Returns the picture so far, if it was unchanged for a while and is new.
   */
  before(at: number, wantsFrames: boolean): SeenFrame | undefined {
    const quietMs = at - this.#paintedAt;
    if (at - this.#lookedAt >= LOOK_MS) this.look();
    this.#lookedAt = Math.max(this.#lookedAt, at - LOOK_MS + 1);
    const frame = wantsFrames && quietMs >= FRAME_QUIET_MS ? this.#frame() : undefined;
    this.#paintedAt = at;
    return frame;
  }

  /** Takes a sample; must also be called before the screen is erased. */
  look(): void {
    const now = this.#picture();
    this.#lookedAt = this.#paintedAt;
    if (fullness(now) > 0) this.#last = now;
  }

  /** Returns undefined if the program has shown no content. */
  end(isOver: boolean): SeenScreen | undefined {
    const now = this.#picture();
    const last = this.#last;
    const isErased = last !== undefined && 2 * fullness(now) < fullness(last);
    const shown = isErased && isOver ? last : now;
    if (fullness(shown) === 0) return undefined;
    const { at, lines, rows } = shown;
    return { type: 'screen', from: this.#from, at, lines, rows, isOver };
  }

  #frame(): SeenFrame | undefined {
    const { at, lines } = this.#picture();
    const text = lines.join('\n');
    if (text === this.#lastFrame || lines.length === 0) return undefined;
    this.#lastFrame = text;
    return { type: 'frame', at, lines };
  }

  #picture(): ScreenPicture {
    const lines = trimmed(
      this.#model.plainLines().map((line) => line.trimEnd()),
      isBlank,
    );
    const rows = this.#isStyled ? this.#model.lines(0, lines.length) : undefined;
    return { at: this.#paintedAt, lines, rows };
  }
}

const fullness = ({ lines }: ScreenPicture): number => lines.reduce((sum, line) => sum + (isBlank(line) ? 0 : 1), 0);
