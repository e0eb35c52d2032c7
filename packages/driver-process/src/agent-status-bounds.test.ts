import { type AgentEvent, REQUESTS_OPEN_MAX } from '@spool/protocol/agent';
import { REQUEST_SCHEMAS } from '@spool/protocol/schemas';
import { expect, test } from 'vitest';
import { AgentStatus } from './agent-status.ts';

const ENVELOPE = { seq: 0, at: 1, session: 's', source: 'claude', evidence: 'wire' } as const;

test('[REQ-7] a record that ends between a request and its denial has a status that the keeper takes', () => {
  const status = new AgentStatus();
  const ask = (request: string): AgentEvent => ({ ...ENVELOPE, kind: 'permission.requested', request, options: [] });
  for (let n = 0; n <= REQUESTS_OPEN_MAX; n++) status.take({ ...ask(`r${n}`), digest: `${n}-a` } as AgentEvent);
  const told = status.at(0);
  expect(told.requests).toHaveLength(REQUESTS_OPEN_MAX);
  expect(told.requests![0]!.request).toBe('r0');
  const asked = { session: 's', end: 0, line: '{}', consumed: 0, status: told };
  expect(REQUEST_SCHEMAS.appendEvents.safeParse(asked).error).toBeUndefined();
});

test('[EVT-7, EVT-11] a prompt that waits is in the state of the status: the next driver does not call the agent idle', () => {
  const status = new AgentStatus();
  status.promptSent('p1');
  const next = new AgentStatus(JSON.parse(JSON.stringify(status.state)));
  expect(next.at(0)).toMatchObject({ state: 'working', why: 'a prompt waits for the agent' });
  next.take({ ...ENVELOPE, kind: 'prompt', state: 'started', clientId: 'p1' });
  expect(next.at(0).state).toBe('idle');
});
