import type { AgentBody, AgentEvent } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { AgentStatus } from './agent-status.ts';

const event = (body: AgentBody): AgentEvent =>
  ({ seq: 0, at: 0, session: 's', source: 'claude', evidence: 'wire', ...body }) as AgentEvent;

test('[STATE-11] the status has the last words of the agent in one line, also after a restart of its driver', () => {
  const status = new AgentStatus();
  expect(status.at(0).said).toBeUndefined();
  status.take(event({ kind: 'message.done', message: 'm', part: 0, text: 'All tests\n\npass now.\n' }));
  expect(new AgentStatus(status.state).at(0).said).toBe('All tests pass now.');
  status.take(event({ kind: 'message.done', message: 'n', part: 0, text: ' \n' }));
  expect(status.at(0).said).toBe('All tests pass now.');
  status.take(event({ kind: 'message.done', message: 'n', part: 0, text: 'x'.repeat(9_000_000) }));
  expect(status.at(0).said).toBe(`${'x'.repeat(300)}…`);
});

test('[EVT-7] a prompt that was sent makes the agent work, until its turn has ended or it is refused', () => {
  const status = new AgentStatus();
  expect(status.at(0)).toMatchObject({ state: 'idle', kind: 'prompt' });
  status.promptSent('p');
  expect(status.at(0)).toMatchObject({ state: 'working', why: 'a prompt waits for the agent' });
  status.take(event({ kind: 'prompt', state: 'queued', clientId: 'p' }));
  status.take(event({ kind: 'queue', prompts: [{ clientId: 'p', content: [] }] }));
  expect(status.at(0).state).toBe('working');
  status.take(event({ kind: 'queue', prompts: [] }));
  status.take(event({ kind: 'turn.started', origin: 'user' }));
  expect(status.at(0)).toMatchObject({ state: 'working', why: 'a turn is running' });
  status.take(event({ kind: 'turn.ended', outcome: 'completed' }));
  expect(status.at(0).state).toBe('idle');
  status.promptSent('q');
  status.take(event({ kind: 'command.refused', command: 'q', do: 'prompt', code: 'ended', message: 'no' }));
  expect(status.at(0).state).toBe('idle');
});

test('[PAGE-75] the status has the cost and the context that the agent reports, each cost once', () => {
  const status = new AgentStatus();
  expect(status.at(0).usage).toBeUndefined();
  status.take(event({ kind: 'turn.ended', outcome: 'completed', costUsd: 0.25 }));
  status.take(event({ kind: 'turn.ended', outcome: 'completed', costUsd: 0.5 }));
  expect(status.at(0).usage).toEqual({ costUsd: 0.75 });
  status.take(event({ kind: 'usage', scope: 'session', costUsd: 1.5, context: { used: 10, size: 100 } }));
  status.take(event({ kind: 'turn.ended', outcome: 'completed', costUsd: 0.75 }));
  expect(new AgentStatus(status.state).at(0).usage).toEqual({ costUsd: 1.5, context: { used: 10, size: 100 } });
});

test('[STATE-70] a state began when its event came, also for a driver that was started again', () => {
  const at = (time: number, body: AgentBody): AgentEvent => ({ ...event(body), at: time });
  const status = new AgentStatus();
  expect(status.at(0).since).toBeUndefined();
  status.take(at(1000, { kind: 'turn.started', origin: 'user' }));
  expect(status.at(0)).toMatchObject({ state: 'working', since: 1000 });
  status.take(
    at(2000, { kind: 'permission.requested', request: 'r', digest: 'd', options: [] } as unknown as AgentBody),
  );
  status.take(
    at(3000, { kind: 'permission.requested', request: 's', digest: 'e', options: [] } as unknown as AgentBody),
  );
  expect(new AgentStatus(status.state).at(0)).toMatchObject({ state: 'blocked', since: 2000 });
  status.take(at(4000, { kind: 'permission.resolved', request: 'r', decision: 'allow' } as unknown as AgentBody));
  expect(status.at(0)).toMatchObject({ state: 'blocked', since: 3000 });
});
