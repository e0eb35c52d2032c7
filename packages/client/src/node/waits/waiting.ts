/**
 * Waits for the first of several conditions: those that the daemon reports (`exit`, `idle`, …), and a pattern. It is a separate
 * module (`@spool/client/waits`), because guarding a pattern takes parts of Node that most programs need not load.
 */
import type { SessionInfo, WaitUntil } from '@spool/protocol';
import { SpoolError } from '@spool/protocol';
import type { Client, RequestClient } from '../../index.ts';
import { Pattern } from './pattern.ts';

export interface WaitWanted {
  readonly until: readonly WaitUntil[];
  readonly pattern: Pattern | null;
}

export interface WaitEnd {
  readonly reason: WaitUntil | 'match' | 'timeout';
  readonly offset: number;
  readonly session: SessionInfo;
  /** The whole match, then its groups. */
  readonly match?: readonly (string | null)[];
}

export interface WaitForOptions {
  /** The offset after which events count. */
  readonly after?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const STATES: readonly string[] = ['exit', 'idle', 'blocked', 'prompt', 'output'] satisfies readonly WaitUntil[];

/**
 * Parses `exit`, `idle`, `blocked`, `prompt`, `output`, `match:/RE/`: any number of them, one pattern at most. Each text may be a
 * comma-separated list; `match:` without slashes takes the rest of the text.
 */
export function parseWanted(texts: readonly string[]): WaitWanted {
  // The text is empty: an unset variable of a script, which no event would ever match.
  if (texts.includes('')) throw new SpoolError('WAIT_UNKNOWN', { until: '' });
  const words = texts.flatMap((text) => [...wordsOf(text)]);
  const patterns = words.filter((word) => word.startsWith('match:'));
  const until = words.filter((word) => !word.startsWith('match:'));
  const wrong = until.find((word) => !STATES.includes(word));
  if (wrong !== undefined) throw new SpoolError('WAIT_UNKNOWN', { until: wrong });
  if (patterns.length > 1)
    throw new SpoolError('PATTERN_INVALID', { reason: 'only one pattern is allowed; combine several with |' });
  return {
    until: until as WaitUntil[],
    pattern: patterns[0] === undefined ? null : new Pattern(patterns[0].slice('match:'.length)),
  };
}

/** Matches a word, or a pattern in slashes (a slash inside a class or after a backslash does not end it), or a bare pattern. */
const WORD = /(match:\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])*\/[a-z]*|match:[^/].*|[^,]*)(?:,|$)/sy;

function* wordsOf(text: string): Generator<string> {
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length) {
    const from = WORD.lastIndex;
    const found = WORD.exec(text);
    if (found === null || (found[1]!.startsWith('match:/') && !/\/[a-z]*$/.test(found[1]!.slice('match:/'.length))))
      throw new SpoolError('PATTERN_INVALID', {
        pattern: text.slice(from),
        reason: 'it starts with / but has no closing /',
      });
    yield found[1]!;
  }
}

/** Resolves with the first condition that is true; the end of the session always counts. A pattern needs a `Client`. */
export async function waitFor(
  client: RequestClient | Client,
  session: string,
  { until, pattern }: WaitWanted,
  { after, timeoutMs, signal }: WaitForOptions = {},
): Promise<WaitEnd> {
  const { id, offset } = await client.get(session);
  if (pattern !== null && after !== undefined && after > offset) {
    const reason = `the session has written ${offset} bytes so far`;
    throw new SpoolError('ARGUMENT_INVALID', { argument: 'after', value: after, reason });
  }
  signal?.throwIfAborted(); // aborted meanwhile, so nothing more is started
  const conditions = until.length > 0 ? until : 'exit';
  if (pattern === null) return await client.waitUntil(id, conditions, { after, timeoutMs, signal });
  const over = new AbortController();
  const both = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const told = (async (): Promise<WaitEnd | null> => {
    const waited = await client.waitUntil(id, conditions, { after, timeoutMs, signal: both });
    // The last line may match too, and it came before the end.
    return waited.reason === 'exit' ? null : waited;
  })();
  const matched = untilMatch(client as Client, id, pattern, after, both);
  for (const each of [told, matched]) each.catch(() => {}); // one of the two waits is abandoned
  try {
    return await Promise.race([told.then((end) => end ?? matched), matched]);
  } finally {
    over.abort(new Error('the wait is over'));
  }
}

async function untilMatch(
  client: Client,
  id: string,
  pattern: Pattern,
  after: number | undefined,
  signal: AbortSignal,
): Promise<WaitEnd> {
  const { waitForMatch } = await import('./match-wait.ts');
  const end = await waitForMatch(client, id, pattern, { from: after ?? 'start', signal });
  if (end === null) signal.throwIfAborted();
  const session = await client.get(id);
  if (end?.reason === 'match') return { reason: 'match', offset: end.offset, session, match: end.match };
  return { reason: 'exit', offset: end?.offset ?? session.offset, session };
}

/** The session and the offset at which a wait begins. */
export interface WaitPlace {
  readonly session: string;
  /** The offset after which events count. */
  readonly after?: number | undefined;
}

/** Resolves with the first of several sessions that meets a condition. */
export async function waitForFirst(
  client: RequestClient | Client,
  places: readonly WaitPlace[],
  wanted: WaitWanted,
  options: Omit<WaitForOptions, 'after'> = {},
): Promise<WaitEnd> {
  const over = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal;
  const waits = places.map(({ session, after }) => waitFor(client, session, wanted, { ...options, after, signal }));
  for (const wait of waits) wait.catch(() => {}); // ends the abandoned waits
  try {
    return await Promise.race(waits);
  } finally {
    over.abort(new Error('another came first'));
  }
}
