/** Renders a model in the requested form. */
import type { Log } from '@spool/store';
import { renderAnsi, renderHtml, renderJson, renderText, type ScreenModel, snapshot } from '@spool/screen';
import type { ScreenFormat } from '@spool/protocol';
import { Grids } from './grids.ts';
import type { ScreenAnswer, ScreenAsk } from '../messages.ts';
import type { PastModel } from './timeline.ts';

export type PictureAsk = Extract<ScreenAsk, { type: 'snapshot' | 'screen' | 'grid' | 'shown' }>;

const RENDERERS: Record<ScreenFormat, (model: ScreenModel, options: { history: number }) => string> = {
  text: renderText,
  ansi: renderAnsi,
  html: renderHtml,
  json: (model, options) => JSON.stringify(renderJson(model, options)),
  snapshot: (model, options) => Buffer.from(snapshot(model, options)).toString('base64'),
};

export function describePicture(what: PictureAsk, moment: PastModel, isExact: boolean, at: number): ScreenAnswer {
  const { model, offset } = moment;
  const missingBytes = moment.missing.at(offset);
  if (what.type === 'snapshot') {
    const bytes = snapshot(model, { history: what.historyLines });
    return { type: 'snapshot', offset, size: model.size, bytes, missingBytes };
  }
  if (what.type === 'shown') return { type: 'shown', offset, text: renderAnsi(model), scrolled: null };
  // The session has ended, or has no follower, so there is no earlier picture to compare with.
  if (what.type === 'grid') return { type: 'grid', offset, ...new Grids().take('', model, undefined) };
  const { cols, rows } = model.size;
  const content = RENDERERS[what.format](model, { history: what.historyLines });
  return { type: 'screen', offset, at, cols, rows, isExact, missingBytes, title: model.modes.title, content };
}

export function timeOf(log: Log, offset: number): number {
  return log.timeAt(Math.max(log.start, offset - 1)) ?? 0;
}
