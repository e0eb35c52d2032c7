import { DIALECTS } from '@spool/drivers';
import { expect, test } from 'vitest';
import { AgentMachine } from './agent-machine.ts';

const IDS_MAX = 5000;
const machine = (from?: AgentMachine['state']): AgentMachine =>
  new AgentMachine(DIALECTS.claude, 's', { cwd: '/' }, from);
const interrupt = (id: string) => ({
  type: 'command' as const,
  command: { do: 'cancelPrompt' as const, clientId: 'x' },
  id,
  by: 'ann',
  at: 1,
});

test('[EVT-5] a command with a known id is carried out once, also by the next driver', () => {
  const first = machine();
  expect(first.take(interrupt('a'))).not.toEqual([]);
  expect(first.take(interrupt('a'))).toEqual([]);
  while (first.next(1)) continue;
  const next = machine(JSON.parse(JSON.stringify(first.state)));
  expect(next.take(interrupt('a'))).toEqual([]);
});

test('[DRV-42] the ids of commands are remembered for the last ones only', () => {
  const long = machine();
  for (let n = 0; n < IDS_MAX + 100; n++) long.take(interrupt(`c${n}`));
  expect(long.state.ids).toHaveLength(IDS_MAX);
  expect(long.state.ids.at(-1)).toBe(`c${IDS_MAX + 99}`);
});

test('[DRV-17] a command that is not valid closes nothing and sends nothing', () => {
  const agent = machine();
  agent.take({ ...interrupt('a'), command: { do: 'close', now: true } as never });
  agent.promptSent({ command: { do: 'prompt', content: null, clientId: 'p' } as never });
  expect(agent.takeWrites()).toEqual({ lines: [], closes: false });
  expect(agent.status.at(0).state).toBe('idle');
});
