/**
 * What an attached terminal is shown: first what brings it to the present, then every byte after that, exactly once.
 *
 * At present the past is the last bytes of the log, as they are. This file alone knows that: the exact screen (a snapshot)
 * and the filter against hostile output will come in here, and those who use it stay as they are.
 */
import type { Client } from '@spool/client';
import type { SessionState, WatchFrom } from '@spool/protocol';

/** Enough to keep a fast terminal busy over a round trip; what is beyond stays in the log. */
const CREDIT_BYTES = 256 * 1024;

export interface Screen {
  /** Resolves when there is room for more. */
  paint(bytes: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void>;
  /** The past has been painted; what follows is live. */
  onPresent(): void;
  onGap(from: number, to: number): void;
}

/** Why it ended: the session did, it was removed, or whoever watched had enough. */
export type ViewEnd =
  | {
      readonly type: 'exit';
      readonly state: SessionState;
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  | { readonly type: 'removed' }
  | { readonly type: 'left' };

export async function view(
  client: Client,
  session: string,
  from: WatchFrom,
  screen: Screen,
  signal: AbortSignal,
): Promise<ViewEnd> {
  try {
    for await (const item of client.watch(session, { from, creditBytes: CREDIT_BYTES, signal })) {
      switch (item.type) {
        case 'output':
          await screen.paint(item.bytes, item.stream);
          break;
        case 'synced':
          screen.onPresent();
          break;
        case 'gap':
          screen.onGap(item.from, item.to);
          break;
        case 'exit':
          return { type: 'exit', state: item.state, exitCode: item.exitCode, signal: item.signal };
        case 'removed':
          return { type: 'removed' };
        case 'resized': // a terminal has the size that it has
        case 'reconnected': // the keeper was replaced; nothing is missing, so nothing is shown
          break;
      }
      if (signal.aborted) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return { type: 'left' };
}
