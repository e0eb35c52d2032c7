/** `spool wait`: until sessions end, or print something; and it says which of these it was. */
import type { Client } from '@spool/client';
import type { SessionInfo } from '@spool/protocol';
import { EXIT, exitCodeOfSession } from '../exit-code.ts';
import { waitForMatch } from '../match-wait.ts';
import { Pattern } from '../pattern.ts';
import { printable } from '../printable.ts';
import { openClient, type VerbAction } from '../program.ts';
import { endWords } from '../session-words.ts';
import { print, printJson } from '../stdio.ts';
import { UsageError } from '../usage-error.ts';

/** For a match that did not come: neither the session's code nor a failure of ours. */
const EXIT_WITHOUT_MATCH = 1;

interface Waited {
  readonly id: string;
  readonly name: string;
  readonly reason: 'exit' | 'match' | 'timeout';
  readonly state: SessionInfo['state'];
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly offset: number;
  /** The whole match, then its groups. */
  readonly match?: readonly (string | null)[];
}

const wait: VerbAction<'wait'> = async ({ flags, operands }, program) => {
  const pattern = parseUntil(flags.until ?? 'exit');
  if (flags.fromNow && pattern === null) throw new UsageError('--from-now goes with --until match:…', 'wait');
  await using client = await openClient(program);
  const startedAt = performance.now();
  const sessions = await Promise.all((operands.length === 0 ? [''] : operands).map((operand) => client.get(operand)));
  const timeoutMs =
    flags.timeout === undefined ? undefined : Math.max(1, flags.timeout - (performance.now() - startedAt));

  const results = pattern
    ? [await firstMatch(client, sessions, pattern, flags.fromNow, timeoutMs)]
    : await Promise.all(sessions.map((session) => untilExit(client, session, timeoutMs)));
  if (flags.json) printJson(results.length === 1 ? results[0] : results);
  else for (const result of results) print(line(result));
  return results.map((result) => codeOf(result, pattern !== null)).find((code) => code !== 0) ?? 0;
};

export default wait;

/** Null for `exit`. */
export function parseUntil(text: string): Pattern | null {
  if (text === 'exit') return null;
  if (text.startsWith('match:')) return new Pattern(text.slice('match:'.length));
  throw new UsageError(`--until ${JSON.stringify(text)} is not understood; write exit, or match:/PATTERN/`, 'wait');
}

async function untilExit(client: Client, session: SessionInfo, timeoutMs: number | undefined): Promise<Waited> {
  const { id, name, state, exitCode, signal, offset } = await client.wait(session.id, { timeoutMs });
  return { id, name, reason: state === 'running' ? 'timeout' : 'exit', state, exitCode, signal, offset };
}

/** Of several sessions the first match counts; without one, how the last of them ended. */
async function firstMatch(
  client: Client,
  sessions: readonly SessionInfo[],
  pattern: Pattern,
  isFromNow: boolean,
  timeoutMs: number | undefined,
): Promise<Waited> {
  const over = new AbortController();
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => over.abort(), timeoutMs);
  let last: Waited | undefined;
  const waits = sessions.map(async (session): Promise<Waited | undefined> => {
    const end = await waitForMatch(client, session.id, pattern, { isFromNow, signal: over.signal });
    if (end?.reason === 'exit') last = { ...base(session), ...end };
    if (end?.reason !== 'match') return undefined;
    over.abort();
    return { ...base(session), ...end };
  });
  try {
    const matched = (await Promise.all(waits)).find((result) => result !== undefined);
    return matched ?? last ?? { ...base(await client.get(sessions[0]!.id)), reason: 'timeout' };
  } finally {
    clearTimeout(timer);
  }
}

function base({ id, name, state, exitCode, signal, offset }: SessionInfo): Omit<Waited, 'reason'> {
  return { id, name, state, exitCode, signal, offset };
}

function line(result: Waited): string {
  switch (result.reason) {
    case 'match':
      return `${result.id}: match: ${printable(result.match?.[0] ?? '')}`;
    case 'exit':
      return `${result.id}: exit: ${endWords(result)}`;
    case 'timeout':
      return `${result.id}: timeout: still running`;
  }
}

function codeOf(result: Waited, isMatching: boolean): number {
  if (result.reason === 'timeout') return EXIT.timedOut;
  if (result.reason === 'match') return 0;
  return isMatching ? EXIT_WITHOUT_MATCH : exitCodeOfSession(result);
}
