/**
 * Waits until any of several conditions is met in any of several sessions. Keeps MCP-3: the answer names the session and the
 * condition, or the timeout.
 */
import { parseWanted, type WaitEnd, waitForFirst } from '@spool/client/waits';
import { z } from 'zod';
import { dialogText } from '../dialog.ts';
import { oneLine, wordState } from '../session-words.ts';
import {
  type Call,
  CallError,
  LOOKS,
  offsetInput,
  sessionInput,
  tool,
  WAIT_SECONDS,
  waitSecondsInput,
} from '../tool.ts';

export const waitTool = tool({
  name: 'spool_wait',
  description: 'Wait until any of the conditions is met in any of the sessions; returns which one, and the offset.',
  input: z.strictObject({
    sessions: z.array(sessionInput).min(1).max(100),
    until: z
      .array(z.string())
      .min(1)
      .default(['exit'])
      .describe('any of exit, idle, blocked (asks something), prompt, output, match:/RE/flags'),
    after: offsetInput.optional().describe('with one session: ignore everything before this offset'),
    timeoutSeconds: waitSecondsInput(WAIT_SECONDS),
  }),
  output: z.object({
    id: z.string().optional(),
    name: z.string().optional(),
    reason: z.string(),
    offset: z.number(),
    state: z.string(),
    status: z.object({ state: z.string() }),
    exitCode: z.number().optional(),
    match: z.array(z.string()).optional(),
    asks: z.string().optional(),
    question: z.object({ text: z.string(), options: z.array(z.string()) }).optional(),
  }),
  hints: LOOKS,
  async call({ sessions, until, after, timeoutSeconds }, call) {
    if (after !== undefined && sessions.length > 1)
      throw new CallError('`after` is an offset in one session: wait for one session, or omit it');
    const wanted = parseWanted(until);
    const timeoutMs = Math.max(1, Math.round(timeoutSeconds * 1000));
    const ids = await Promise.all(sessions.map(async (session) => (await call.client.get(session)).id));
    const places = ids.map((session) => ({ session, after }));
    const end = await waitForFirst(call.client, places, wanted, { timeoutMs, signal: call.signal });
    const asks = await asksOf(call, end);
    return { text: endText(end, asks, ids.length), data: dataOf(end, asks, ids.length) };
  },
});

/** Returns the session's question, from its screen; '' if it does not ask. */
export async function asksOf({ client }: Call, { session }: WaitEnd): Promise<string> {
  return session.status.state === 'blocked' ? await dialogText(client, session) : '';
}

/**
 * Returns the result in words: `k3f9x0a1b2: match "listening on 3000" at offset 512; running, working`, and the session's question.
 */
export function endText({ reason, offset, session, match }: WaitEnd, asks: string, waitedFor = 1): string {
  if (reason === 'timeout') {
    if (waitedFor > 1) return `timeout: none of the ${waitedFor} sessions met a condition`;
    return `${session.id}: timeout at offset ${offset}; still ${wordState(session)}${asks}`;
  }
  const what = match ? ` "${oneLine(match[0] ?? '')}"` : '';
  return `${session.id}: ${reason}${what} at offset ${offset}; ${wordState(session)}${asks}`;
}

/** Returns the data; absent values are omitted, because not every schema reader supports null. */
export function dataOf(
  { reason, offset, session, match }: WaitEnd,
  asks: string,
  waitedFor = 1,
): Record<string, unknown> {
  const { id, name, state, status, exitCode } = session;
  return {
    ...((reason !== 'timeout' || waitedFor === 1) && { id, name }),
    reason,
    offset,
    state,
    status: { state: status.state },
    ...(exitCode !== null && { exitCode }),
    ...(match && { match: match.map((group) => group ?? '') }),
    ...(asks !== '' && { asks: asks.trim() }),
    ...(status.question && {
      question: { text: status.question.text, options: status.question.options.map(({ label }) => label) },
    }),
  };
}
