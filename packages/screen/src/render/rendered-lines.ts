/** Selects the lines of a model that are rendered. */
import type { ScreenLine } from '../snapshot/screen-line.ts';
import type { ScreenModel } from '../engine/screen-model.ts';

export interface RenderOptions {
  /** The number of lines of history before the screen (default: 0). */
  readonly history?: number;
}

export const renderedLines = (model: ScreenModel, { history = 0 }: RenderOptions): ScreenLine[] =>
  model.lines(-Math.min(Math.max(0, history), model.historyLength));
