/** Renders a model's lines for users and programs: as text, with colours for a terminal, as data (and `render-html.ts`). */
import type { ModeState } from '@spool/vt';
import { Bg, PLAIN } from '../engine/attributes.ts';
import { renderedLines, type RenderOptions } from './rendered-lines.ts';
import type { StyledRun, ScreenLine, Style } from '../snapshot/screen-line.ts';
import type { ScreenCursor, ScreenModel } from '../engine/screen-model.ts';
import { sgr } from '../snapshot/sgr.ts';

export interface ScreenJson {
  readonly cols: number;
  readonly rows: number;
  readonly title: string;
  readonly isAlternate: boolean;
  readonly cursor: ScreenCursor;
  readonly modes: ModeState;
  /** The number of `lines`, from the first, that are history. */
  readonly historyLines: number;
  readonly lines: readonly LineJson[];
}

export interface LineJson {
  readonly isWrapped: boolean;
  readonly runs: readonly { readonly text: string; readonly cells: number; readonly style: Style }[];
}

/** Returns the lines, without blanks at the end. */
export const renderText = (model: ScreenModel, options: RenderOptions = {}): string =>
  renderedLines(model, options).map(textOf).join('\n');

/**
 * Returns the lines with colours and other attributes as SGR, without any other sequence: safe to print anywhere. Each line
 * starts and ends plain.
 */
export const renderAnsi = (model: ScreenModel, options: RenderOptions = {}): string =>
  renderedLines(model, options).map(lineAnsi).join('\n');

export function renderJson(model: ScreenModel, options: RenderOptions = {}): ScreenJson {
  const lines = renderedLines(model, options);
  const { modes } = model;
  return {
    ...model.size,
    title: modes.title,
    isAlternate: model.isAlternate,
    cursor: model.cursor,
    modes,
    historyLines: lines.length - model.size.rows,
    lines: lines.map(({ isWrapped, runs }) => ({
      isWrapped,
      runs: runs.map(({ text, cells, style }) => ({ text, cells, style })),
    })),
  };
}

const textOf = ({ runs }: ScreenLine): string =>
  runs
    .map(({ text }) => text)
    .join('')
    .trimEnd();

/** Returns a line with its colours as SGR. It starts and ends plain. */
export function lineAnsi({ runs }: ScreenLine): string {
  let look = PLAIN;
  let line = '';
  for (const run of runs) {
    line += sgr(look, lookOf(run)) + run.text;
    look = lookOf(run);
  }
  return line + sgr(look, PLAIN);
}

/** Returns the attributes without DECSCA, which is not visible. */
const lookOf = ({ attributes }: StyledRun): StyledRun['attributes'] => ({
  ...attributes,
  bg: (attributes.bg & ~Bg.protected) >>> 0,
});
