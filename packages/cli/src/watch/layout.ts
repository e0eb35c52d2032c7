/** Divides the rows of the terminal: head, list, preview, panel, footer. */
import type { Size } from '@spool/protocol';

export interface Layout {
  readonly head: 0 | 1 | 2;
  /** The rows of the list. */
  readonly list: number;
  /** The rows of the preview, without the line above it; 0 if there is none. */
  readonly preview: number;
  /** The rows of the panel that asks something. */
  readonly panel: number;
  readonly hasFooter: boolean;
}

export interface LayoutRequest {
  /** The number of sessions that are listed. */
  readonly rows: number;
  /** Whether there is a preview; null if that depends on the room. */
  readonly preview: boolean | null;
  readonly panel: number;
}

/** The number of rows below which there is a preview only if the list leaves room for it, or the user has requested it. */
const PREVIEW_ROWS_MIN = 20;
/** The smallest useful preview. */
const PREVIEW_MIN = 3;
const PREVIEW_SPARE_MIN = 5;
const LIST_MIN = 3;

export function layoutOf({ rows }: Size, wish: LayoutRequest): Layout {
  const head = rows >= 6 ? 2 : rows >= 4 ? 1 : 0;
  const hasFooter = rows >= 3;
  const body = Math.max(1, rows - head - (hasFooter ? 1 : 0));
  const panel = Math.min(wish.panel, Math.max(0, body - 1));
  const left = body - panel;
  const isRoom = rows >= PREVIEW_ROWS_MIN || left - wish.rows > PREVIEW_SPARE_MIN;
  const wantsPreview = (wish.preview ?? isRoom) && wish.rows > 0;
  if (!wantsPreview || left < LIST_MIN + 1 + PREVIEW_MIN) return { head, list: left, preview: 0, panel, hasFooter };
  const list = Math.min(Math.max(LIST_MIN, Math.min(wish.rows, Math.floor(left / 2))), left - 1 - PREVIEW_MIN);
  return { head, list, preview: left - list - 1, panel, hasFooter };
}
