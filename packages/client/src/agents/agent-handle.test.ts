import type { EventsRecord, SessionInfo } from '@spool/protocol';
import type { AgentEvent, Command } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import type { Client } from '../client.ts';
import { AgentHandle } from './agent-handle.ts';

const ENVELOPE = { seq: 0, at: 1, session: 's', source: 'claude', evidence: 'wire' } as const;
const resolved = (who: string): AgentEvent => ({
  ...ENVELOPE,
  kind: 'permission.resolved',
  request: 'r1',
  decision: 'allow',
  by: 'watcher',
  who,
});
const batch = (inputs: readonly object[], ...events: AgentEvent[]): EventsRecord =>
  ({ type: 'batch', at: 1, driver: 'd', inputs, written: 0, events }) as unknown as EventsRecord;

/** Creates a handle on a log that has these records from the place of the command on; `sent` holds its commands. */
function handle(records: readonly EventsRecord[]): { agent: AgentHandle; sent: Command[] } {
  const sent: Command[] = [];
  const client = {
    newId: () => 'mine',
    async command(_: string, command: Command) {
      sent.push(command);
      return { id: 'mine', offset: 100, isRepeated: false };
    },
    watchRecords: () => ({
      async *[Symbol.asyncIterator]() {
        for (const [at, record] of records.entries()) yield { type: 'record', offset: 100 + at, end: 101 + at, record };
      },
      async [Symbol.asyncDispose]() {},
    }),
  } as unknown as Client;
  return { agent: new AgentHandle(client, { id: 's', name: 'n' } as SessionInfo), sent };
}

test('[EVT-5, SHOW-9] the second of two who answer learns that the first has decided', async () => {
  const refused: AgentEvent = {
    ...ENVELOPE,
    kind: 'command.refused',
    command: 'mine',
    do: 'permission',
    code: 'already-resolved',
    message: 'this was answered already (bob)',
  };
  // The answer of another client was accepted first, in a record after the place of ours.
  const { agent } = handle([batch([{ command: 90 }], resolved('bob')), batch([{ command: 100 }], refused)]);
  expect(await agent.approve({ request: 'r1', digest: 'd' })).toEqual({
    isOurs: false,
    outcome: resolved('bob'),
    reason: 'this was answered already (bob)',
  });
});

test('[EVT-5] the outcome is ours only in the record that took our answer', async () => {
  const { agent } = handle([batch([], resolved('bob')), batch([{ command: 100 }], resolved('ann'))]);
  expect(await agent.deny({ request: 'r1' })).toEqual({ isOurs: true, outcome: resolved('ann'), reason: null });
});

test('[EVT-5] a session that ends before it has taken the answer is an error', async () => {
  const { agent } = handle([batch([])]);
  await expect(agent.answer({ request: 'r1' })).rejects.toMatchObject({ code: 'SESSION_EXITED' });
});

test('[REQ-4] what is sent names the request, the digest of what was shown, and nothing that was not given', async () => {
  const { agent, sent } = handle([batch([{ command: 100 }], resolved('ann'))]);
  await agent.approve({ request: 'r1', digest: 'd1' });
  await agent.approve({ request: 'r1', digest: 'd1' }, { option: 'o', input: { a: 1 } });
  await agent.deny({ request: 'r1' }, { message: 'no' });
  await agent.answer({ request: 'r1', digest: 'd1' }, { q: 'a' });
  await agent.prompt('hi', { when: 'next' });
  await agent.interrupt();
  expect(sent).toEqual([
    { do: 'permission', request: 'r1', behavior: 'allow', digest: 'd1' },
    { do: 'permission', request: 'r1', behavior: 'allow', digest: 'd1', option: 'o', input: { a: 1 } },
    { do: 'permission', request: 'r1', behavior: 'deny', message: 'no' },
    { do: 'answer', request: 'r1', digest: 'd1', answers: { q: 'a' } },
    { do: 'prompt', clientId: 'mine', content: [{ type: 'text', text: 'hi' }], when: 'next' },
    { do: 'interrupt' },
  ]);
});
