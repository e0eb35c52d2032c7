/** Tests the parts of a conversation: the end first, older parts from a turn on, every event once. */
import type { AgentEventItem, Client, SessionInfo } from '@spool/client';
import type { AgentEvent } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { AgentConversation } from './conversation.ts';
import { findEntries } from './find-entries.ts';

/** The length of a record in this log. */
const RECORD_BYTES = 1_000;

type Source = Pick<Client, 'get' | 'watchEvents'>;

/** A log of turns with one prompt and some messages each; `read` counts the items that were read. */
function logOf(turns: number, messages: number): { readonly source: Source; readonly count: () => number } {
  const events: AgentEvent[] = [{ kind: 'session.started', model: 'm1', commands: ['help'] } as unknown as AgentEvent];
  for (let turn = 0; turn < turns; turn++) {
    const prompt = [{ type: 'text', text: `prompt ${turn}` }];
    events.push({ kind: 'turn.started', origin: 'user', prompt } as unknown as AgentEvent);
    for (let at = 0; at < messages; at++)
      events.push({
        kind: 'message.done',
        message: `${turn}-${at}`,
        part: 0,
        text: `text ${turn}-${at}`,
      } as AgentEvent);
    events.push({ kind: 'turn.ended', outcome: 'completed' } as AgentEvent);
  }
  const items = events.map((event, seq) => ({
    type: 'event' as const,
    offset: seq * RECORD_BYTES,
    event: { ...event, seq, at: seq, session: 's', source: 'claude', evidence: 'wire' } as AgentEvent,
  }));
  let read = 0;
  const watchEvents = (_: string, { from = 0 }: { readonly from?: number } = {}): unknown => {
    const stream = (async function* (): AsyncGenerator<AgentEventItem> {
      for (const item of items) {
        if (item.offset < from) continue;
        read++;
        yield item;
      }
      yield { type: 'synced' } as AgentEventItem;
    })();
    return Object.assign(stream, { [Symbol.asyncDispose]: async () => void (await stream.return(undefined)) });
  };
  const driver = { name: 'claude', state: 'running', firstOffset: 0, offset: items.length * RECORD_BYTES };
  const get = async (): Promise<SessionInfo> => ({ driver }) as unknown as SessionInfo;
  return { source: { get, watchEvents } as unknown as Source, count: () => read };
}

const textsOf = (conversation: AgentConversation): readonly string[] =>
  conversation.state.parts.flatMap(({ transcript }) =>
    transcript.entries.flatMap((entry) => (entry.kind === 'message' ? [entry.text.toString()] : [])),
  );

test('[CARD-5] the end of a long log is read first, from a turn on; the agent is still known', async () => {
  const { source, count } = logOf(1_000, 8);
  const conversation = new AgentConversation(source, 's', () => {});
  await conversation.follow();
  const { parts, hasOlder, isLoaded } = conversation.state;
  expect({ isLoaded, hasOlder, parts: parts.length }).toEqual({ isLoaded: true, hasOlder: true, parts: 1 });
  expect(count()).toBeLessThan(250);
  expect(parts[0]!.transcript.entries[0]).toMatchObject({ kind: 'prompt' });
  await expect.poll(() => conversation.state.parts[0]!.transcript.model).toBe('m1');
  expect(conversation.state.parts[0]!.transcript.commands).toEqual(['help']);
});

test.each([
  [300, 8],
  [1, 3_000],
  [3, 2],
])(
  '[CARD-5, CARD-6] all parts of %i turns of %i messages are the whole log, each event once',
  async (turns, messages) => {
    const { source } = logOf(turns, messages);
    const conversation = new AgentConversation(source, 's', () => {});
    await conversation.follow();
    const newest = conversation.state.parts.at(-1)!;
    while (conversation.state.hasOlder) await conversation.readOlder();
    expect(conversation.state.parts.at(-1)).toBe(newest);
    const all = Array.from({ length: turns }, (_, turn) =>
      Array.from({ length: messages }, (_, at) => `text ${turn}-${at}`),
    ).flat();
    expect(textsOf(conversation)).toEqual(all);
  },
);

test('[CARD-11] a text is found in messages and prompts, the latest first, whatever its case', async () => {
  const { source } = logOf(3, 2);
  const conversation = new AgentConversation(source, 's', () => {});
  await conversation.follow();
  const found = findEntries(conversation.state.parts, 'TEXT 1', 10);
  expect(found.map(({ excerpt }) => excerpt)).toEqual(['text 1-1', 'text 1-0']);
  expect(findEntries(conversation.state.parts, 'prompt 2', 10)).toHaveLength(1);
  expect(findEntries(conversation.state.parts, 'text', 3)).toHaveLength(3);
});
