import { expect, test } from 'vitest';
import { agentRun, AGENTS } from './launch.ts';

const id = (): string => 'id';

test('no agent is started with a flag that skips permissions', () => {
  for (const { flags } of Object.values(AGENTS))
    expect(flags.join(' ')).not.toMatch(/danger|skip-permission|yolo|bypass/);
});

test('options are flags where the program has them, and are told by the driver elsewhere', () => {
  const options = { prompt: 'hello', model: 'm', mode: 'plan', resume: 'r' };
  const claude = agentRun('claude', options, id);
  expect(claude.command.slice(-6)).toEqual(['--model', 'm', '--permission-mode', 'plan', '--resume', 'r']);
  expect(claude.agent.options).toEqual({});
  expect(claude.agent.commands).toEqual([
    { id: 'id', command: { do: 'prompt', clientId: 'id', content: [{ type: 'text', text: 'hello' }] } },
  ]);
  expect(agentRun('codex', options, id).agent.options).toEqual({ model: 'm', mode: 'plan', resume: 'r' });
});

test('a limit that an agent does not know is refused, and so is an unknown agent', () => {
  expect(() => agentRun('codex', { budgetUsd: 1 }, id)).toThrow('codex cannot be limited by it');
  expect(() => agentRun('nobody', {}, id)).toThrow('unknown agent');
});
