/** Feeds an attached viewer: the screen first, then every byte after it, until either side ends. */
import type { AttachItem } from '@spool/client';
import type { ErrorCode, SessionState, Size } from '@spool/protocol';
import type { SessionNotice } from './session-notice.ts';

export interface SessionCanvas {
  /** Replaces the content with the current screen. Resolves when there is room for more, as `paint` does. */
  paintSnapshot(bytes: Uint8Array, offset: number): Promise<void>;
  paint(bytes: Uint8Array, offset: number): Promise<void>;
  /** Handles a resize of the session. */
  resized(size: Size): void;
  /** Called when typed input was refused. */
  onRefused(code: ErrorCode): void;
  onGap(from: number, to: number): void;
  /** Called when another session needs the user. */
  onNotice(notice: SessionNotice): Promise<void>;
}

/** The reason of the end: the session ended or was removed, another client took over, or the user left. */
export type ViewEnd =
  | {
      readonly type: 'exit';
      readonly state: SessionState;
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  | { readonly type: 'removed' }
  | { readonly type: 'taken-over'; readonly by: string }
  | { readonly type: 'left' };

export async function view(items: AsyncIterable<AttachItem>, canvas: SessionCanvas): Promise<ViewEnd> {
  for await (const item of items) {
    switch (item.type) {
      case 'snapshot':
        await canvas.paintSnapshot(item.bytes, item.offset);
        break;
      case 'output':
        await canvas.paint(item.bytes, item.offset);
        break;
      case 'gap':
        canvas.onGap(item.from, item.to);
        break;
      case 'input-refused':
        canvas.onRefused(item.code);
        break;
      case 'notice':
        await canvas.onNotice(item);
        break;
      case 'resized':
        canvas.resized({ cols: item.cols, rows: item.rows });
        break;
      case 'exit':
        return { type: 'exit', state: item.state, exitCode: item.exitCode, signal: item.signal };
      case 'removed':
        return { type: 'removed' };
      case 'taken-over':
        return { type: 'taken-over', by: item.by };
      case 'synced':
      case 'viewers': // `inspect` shows it
      case 'reconnected': // the keeper was replaced; nothing is missing, so nothing is shown
        break;
    }
  }
  return { type: 'left' };
}
