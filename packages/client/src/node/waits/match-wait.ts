/** Waits for a matching line, in the client, over the watch of a session. */
import type { Client, WatchItem } from '../../index.ts';
import type { SessionState, WatchFrom } from '@spool/protocol';
import { LineCutter } from './line-cutter.ts';
import type { Pattern } from './pattern.ts';

/** The pause after which an unfinished line is tried, because it is then a prompt rather than half of a line. */
const QUIET_MS = 50;
/** The interval of attempts while the line grows without a pause. */
const OPEN_MS_MAX = 250;

export type MatchEnd =
  | { readonly reason: 'match'; readonly offset: number; readonly match: readonly (string | null)[] }
  | {
      readonly reason: 'exit';
      readonly offset: number;
      readonly state: SessionState;
      readonly exitCode: number | null;
      readonly signal: string | null;
    };

/** Resolves with the first match, or the end of the session; null if `signal` ended the wait (or the session was removed). */
export async function waitForMatch(
  client: Client,
  session: string,
  pattern: Pattern,
  { from, signal }: { from: WatchFrom; signal: AbortSignal },
): Promise<MatchEnd | null> {
  let cutters = freshCutters();
  const open = new OpenLines();
  const done = new AbortController();
  const watch = client.watch(session, {
    from,
    signal: AbortSignal.any([signal, done.signal]),
  });
  let found: MatchEnd | null = null;
  let failure: unknown = null;
  let offset = 0;
  try {
    for await (const item of watch) {
      if (item.type === 'output') {
        offset = item.offset + item.bytes.length;
        const lines = cutters[item.stream].push(item.offset, item.bytes);
        const hit = lines.length === 0 ? null : pattern.find(lines.map(({ text }) => text));
        if (hit) return { reason: 'match', offset: lines[hit.line]!.end, match: hit.groups };
        open.touch(tryOpen);
      } else if (item.type === 'gap') {
        cutters = freshCutters(); // the text before and after the gap is not one line
      } else if (item.type === 'exit') {
        tryOpen();
        if (failure === null && found === null) return exited(item);
      }
    }
  } catch (error) {
    if (!signal.aborted && !done.signal.aborted) throw error;
  } finally {
    open[Symbol.dispose]();
  }
  if (failure !== null) throw failure;
  return found;

  function tryOpen(): void {
    try {
      const hit = pattern.find([cutters.stdout.open, cutters.stderr.open].filter((text) => text !== ''));
      if (hit) found = { reason: 'match', offset, match: hit.groups };
    } catch (error) {
      failure = error;
    }
    if (found !== null || failure !== null) done.abort();
  }
}

function freshCutters(): Record<'stdout' | 'stderr', LineCutter> {
  return { stdout: new LineCutter(), stderr: new LineCutter() };
}

function exited({ offset, state, exitCode, signal }: Extract<WatchItem, { type: 'exit' }>): MatchEnd {
  return { reason: 'exit', offset, state, exitCode, signal };
}

/** Decides when to try an unfinished line. */
class OpenLines implements Disposable {
  #timer: NodeJS.Timeout | undefined;
  #since: number | null = null;

  /** Notes that the line has grown. */
  touch(attempt: () => void): void {
    this.#since ??= performance.now();
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, Math.min(QUIET_MS, this.#since + OPEN_MS_MAX - performance.now()));
    this.#timer = setTimeout(() => {
      this.#since = null;
      attempt();
    }, waitMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
