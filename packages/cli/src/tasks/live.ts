/** Repaints lines at the bottom of a terminal. It sets no modes, so there is nothing to restore. */
import { ansiLine } from '@spool/render/ansi';
import { terminalHeight, terminalWidth, wantsColour, writeOut } from '../output/stdio.ts';
import { FrameLoop } from '../tui/frame-loop.ts';
import { liveLine, nameWidthOf, type TaskView } from './line.ts';

const PAINT_MS = 100;

export class LiveLines implements Disposable {
  readonly #views: readonly TaskView[];
  readonly #loop = new FrameLoop(() => ({ written: this.#paint(), nextMs: PAINT_MS }), PAINT_MS);
  #isOver = false;
  #turn = 0;
  #painted = 0;

  constructor(views: readonly TaskView[]) {
    this.#views = views;
    this.#loop.changed();
  }

  /** Paints the final state; later output goes below it. May be called twice. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#loop[Symbol.dispose]();
    void this.#paint();
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #paint(): Promise<void> {
    const look = {
      now: Date.now(),
      turn: this.#turn++,
      // Keep the last cell free, because a character in it moves the cursor of some terminals to the next line.
      width: (terminalWidth() ?? 80) - 1,
      nameWidth: nameWidthOf(this.#views),
    };
    const colouring = wantsColour(1) ? 'colours' : 'none';
    const shown = selectShown(this.#views, (terminalHeight() ?? 24) - 1);
    const lines = shown.map((view) => ansiLine(liveLine(view, look), colouring));
    if (lines.length < this.#views.length) lines.push(`… and ${this.#views.length - lines.length} more`);
    const up = this.#painted > 0 ? `\x1b[${this.#painted}A` : '';
    this.#painted = lines.length;
    return writeOut(`${up}${lines.map((line) => `\r${line}\x1b[K\n`).join('')}\x1b[J`);
  }
}

/** Selects as many tasks as fit: running ones have priority; the given order is kept. */
function selectShown(views: readonly TaskView[], rows: number): readonly TaskView[] {
  if (views.length <= rows) return views;
  const chosen = new Set(
    [...views].sort((a, b) => Number(a.result !== null) - Number(b.result !== null)).slice(0, rows - 1),
  );
  return views.filter((view) => chosen.has(view));
}
