/** Which of a model's lines are rendered. */
import type { ScreenLine } from '../snapshot/screen-line.ts';
import type { ScreenModel } from '../engine/screen-model.ts';

export interface RenderOptions {
  /** How many lines of history to put before the screen (default: 0). */
  readonly history?: number;
}

export const renderedLines = (model: ScreenModel, { history = 0 }: RenderOptions): ScreenLine[] =>
  model.lines(-Math.min(Math.max(0, history), model.historyLength));
