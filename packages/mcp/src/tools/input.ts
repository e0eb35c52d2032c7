/**
 * Input tools: exact text, keys by name, and prompts with a confirmation. Keeps MCP-4: a question is returned, not
 * answered.
 */
import { type Prompted, SpoolError, type WaitUntil } from '@spool/client/node';
import { parseWanted } from '@spool/client/waits';
import { z } from 'zod';
import { dialogText } from '../dialog.ts';
import { oneLine, sessionData, wordState } from '../session-words.ts';
import {
  ACTS,
  type Call,
  CallError,
  sessionInput,
  tool,
  type ToolData,
  WAIT_SECONDS,
  waitSecondsInput,
} from '../tool.ts';
import { asksOf, dataOf, endText } from './wait.ts';

const ENTER = '\r';

export const sendTool = tool({
  name: 'spool_send',
  description: 'Type exact text into a session. Prefer spool_prompt for agents and shells.',
  input: z.strictObject({
    session: sessionInput,
    text: z.string(),
    enter: z.boolean().default(false).describe('press Enter afterwards'),
  }),
  hints: ACTS,
  async call({ session, text, enter }, { client }) {
    if (text === '' && !enter) throw new CallError('nothing to type: give text, or enter: true');
    const { id, name, offset } = await client.get(session);
    if (text !== '') await client.write(id, text);
    // Enter is a separate write: a program that treats the text as a paste would treat Enter as part of it.
    if (enter) await client.write(id, ENTER);
    return typed(id, name, offset);
  },
});

export const keysTool = tool({
  name: 'spool_keys',
  description: 'Press keys in a session, for example to answer a dialog: Enter, Escape, Tab, Up, C-c, M-x, F1, y.',
  input: z.strictObject({ session: sessionInput, keys: z.array(z.string()).min(1).max(1000) }),
  hints: ACTS,
  async call({ session, keys }, { client }) {
    const { id, name, offset } = await client.get(session);
    await client.keys(id, keys);
    return typed(id, name, offset);
  },
});

export const promptTool = tool({
  name: 'spool_prompt',
  description:
    'Submit a prompt (text and Enter) to an agent or shell in a session and confirm that it reacts. Refused while it asks something.',
  input: z.strictObject({
    session: sessionInput,
    text: z.string().min(1),
    until: z.array(z.string()).min(1).optional().describe('then wait for exit, idle, blocked or prompt'),
    timeoutSeconds: waitSecondsInput(WAIT_SECONDS).describe('limit of that wait'),
    force: z.boolean().default(false).describe('type even if it asks something'),
    clear: z.boolean().default(false).describe('clear its input line first'),
    key: z.string().optional().describe('idempotency key: typed once per key'),
  }),
  hints: ACTS,
  async call({ session, text, until, timeoutSeconds, force, clear, key }, call) {
    const { client } = call;
    const wanted = until === undefined ? null : statesOf(until);
    const before = await client.get(session);
    const prompted = await client
      .prompt(before.id, text.replace(/\n+$/, ''), { force, clear, key })
      .catch(async (error) => {
        throw SpoolError.is(error, 'INPUT_BLOCKED') ? await blocked(call, before.id, error) : error;
      });
    const became = becameOf(prompted, before.offset);
    const { isConfirmed, isRepeated } = prompted;
    const about = { isConfirmed, isRepeated, cursor: before.offset };
    if (wanted === null)
      return {
        text: `${became}; ${wordState(prompted.session)}`,
        data: { ...sessionData(prompted.session), ...about },
      };
    const end = await client.waitUntil(before.id, wanted, {
      after: isRepeated ? undefined : prompted.offset,
      timeoutMs: timeoutSeconds * 1000,
      signal: call.signal,
    });
    const asks = await asksOf(call, end);
    return { text: `${became}\n${endText(end, asks)}`, data: { ...dataOf(end, asks), ...about } };
  },
});

function becameOf({ isConfirmed, isRepeated, reason }: Prompted, cursor: number): string {
  if (isRepeated) return 'already typed with this key; not typed again';
  const why = oneLine(reason ?? 'no reaction seen');
  const what = isConfirmed ? 'accepted' : `typed, but NOT CONFIRMED: ${why}; check with spool_screen`;
  return `${what}; the response starts at cursor ${cursor}`;
}

/** Refuses patterns, because they would match the echo of the prompt. */
function statesOf(until: readonly string[]): readonly WaitUntil[] {
  const wanted = parseWanted(until);
  if (wanted.pattern !== null) throw new CallError('not typed: omit `until` and wait for the match with spool_wait');
  return wanted.until;
}

/** Names the cursor where the response starts. */
const typed = (id: string, name: string, cursor: number): ToolData => ({
  text: `typed into ${oneLine(name)}; the response starts at cursor ${cursor}`,
  data: { id, name, cursor },
});

/**
 * Describes a dialog that blocked the input: no text was typed, or only the text without Enter, because Enter would answer the
 * dialog.
 */
async function blocked({ client }: Call, id: string, { details }: SpoolError): Promise<CallError> {
  const session = await client.get(id);
  const what = details['text'] === undefined ? 'not typed' : `the text ${details['text']}`;
  return new CallError(
    `INPUT_BLOCKED: ${what}, because ${oneLine(session.name)} is ${wordState(session)}. Answer it with spool_keys or spool_send, or use force: true.${await dialogText(client, session)}`,
  );
}
