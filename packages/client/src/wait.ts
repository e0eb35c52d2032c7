/** Waits for a session, with a time limit of the caller; the daemon notifies, without polling. */
import { SpoolError, type Waited, type WaitUntil } from '@spool/protocol';
import { badArgument, checkWhole } from './check.ts';
import { abortReason } from './link/connection.ts';
import type { Requester } from './link/requests.ts';
import { abortController } from './link/abort.ts';
import type { Runtime } from './link/runtime.ts';
import type { UntilOptions } from './options.ts';

export type WaitResult = Omit<Waited, 'reason'> & { readonly reason: WaitUntil | 'timeout' };

interface WaitRequest extends UntilOptions {
  readonly until: WaitUntil | readonly WaitUntil[];
}

export async function waitUntil(
  requester: Requester,
  runtime: Runtime,
  session: string,
  { until, after, wholeTree, timeoutMs, signal }: WaitRequest,
): Promise<WaitResult> {
  const words = checkUntil(until);
  checkWhole('after', after);
  if (Number.isNaN(timeoutMs)) throw badArgument('timeoutMs', NaN, 'it must be a number');
  const id = await requester.id(session, signal);
  // After a broken link the repeated request must have the same meaning: output since the first request, not since the second.
  const isFromNow = after === undefined && words.includes('output');
  const outputAfter = isFromNow ? (await requester.get(id, signal)).offset : undefined;
  const ask = { session: id, until: words, after, outputAfter, wholeTree };
  if (timeoutMs === undefined) return requester.again('wait', ask, { signal });
  if (signal?.aborted) throw abortReason(signal); // the signal is already aborted, so no event will come
  const over = abortController();
  const onAbort = (): void => over.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  const done = abortController();
  void runtime.sleep(timeoutMs, done.signal).then(() => over.abort(TIMED_OUT));
  try {
    return await requester.again('wait', ask, { signal: over.signal });
  } catch (error) {
    if (error !== TIMED_OUT) throw error;
    const info = await requester.get(ask.session, signal);
    return { reason: 'timeout', offset: info.offset, session: info };
  } finally {
    signal?.removeEventListener('abort', onAbort);
    done.abort();
  }
}

const TIMED_OUT = Symbol('timed out');

const WAITS: readonly string[] = ['exit', 'idle', 'blocked', 'prompt', 'output'] satisfies readonly WaitUntil[];

function checkUntil(until: WaitUntil | readonly WaitUntil[]): readonly WaitUntil[] {
  const each = new Set(typeof until === 'string' ? [until] : until);
  if (each.size === 0) throw badArgument('until', '', `it must name a wait condition: ${WAITS.join(', ')}`);
  for (const word of each) if (!WAITS.includes(word)) throw new SpoolError('WAIT_UNKNOWN', { until: word });
  return [...each];
}
