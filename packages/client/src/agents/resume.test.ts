import type { SessionInfo } from '@spool/protocol';
import type { AgentEvent } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import type { Client } from '../client.ts';
import { AGENTS } from './launch.ts';
import { continuedCommand, resumedRun } from './resume.ts';

const ended = (agentSession?: string): AgentEvent =>
  ({ kind: 'session.ended', ...(agentSession && { agentSession }) }) as AgentEvent;

function clientWith(...events: AgentEvent[]): Client {
  return {
    newId: () => 'id',
    watchEvents: () => ({
      async *[Symbol.asyncIterator]() {
        for (const event of events) yield { type: 'event', event };
      },
      async [Symbol.asyncDispose]() {},
    }),
  } as unknown as Client;
}

function infoOf(name: string, more: Partial<SessionInfo> = {}): SessionInfo {
  const command = [name, '--resume', 'older', 'rest'];
  const driver = { name, state: 'done', options: { model: 'm', mode: 'plan' }, firstOffset: 0, offset: 10 };
  return { id: 's1', name: 'a', state: 'exited', command, cwd: '/p', labels: {}, size: null, driver, ...more } as never;
}

test.each(Object.keys(AGENTS))(
  '[EVT-40] a resumed %s has its model and its mode, and its own session',
  async (name) => {
    const { agent, command } = await resumedRun(clientWith(ended('own-1')), infoOf(name), {});
    expect(agent!.options).toMatchObject({ model: 'm', mode: 'plan' });
    expect(agent!.resumes).toEqual({ agentSession: 'own-1', session: 's1' });
    const isFlag = name === 'claude';
    expect(agent!.options?.resume).toBe(isFlag ? undefined : 'own-1');
    expect(command).toEqual(isFlag ? [name, 'rest', '--resume', 'own-1'] : [name, '--resume', 'older', 'rest']);
    expect(agent!.bridge).toBe(AGENTS[name]!.bridge);
  },
);

test('[EVT-40] what cannot be resumed is refused with the reason', async () => {
  const resume = (client: Client, info: SessionInfo) => resumedRun(client, info, {});
  await expect(resume(clientWith(ended()), infoOf('claude'))).rejects.toMatchObject({ code: 'AGENT_NOT_RESUMABLE' });
  const running = infoOf('claude', { state: 'running' });
  await expect(resume(clientWith(ended('x')), running)).rejects.toMatchObject({ code: 'SESSION_RUNNING' });
  const { driver: _driver, ...shell } = infoOf('claude');
  await expect(resume(clientWith(), shell as SessionInfo)).rejects.toMatchObject({ code: 'NOT_AN_AGENT' });
});

test('[EVT-40] without a last word of the driver, the last session that the agent named counts; a prompt goes along', async () => {
  const started = { kind: 'session.started', agentSession: 'one' } as AgentEvent;
  const updated = { kind: 'session.updated', agentSession: 'two' } as AgentEvent;
  const { agent } = await resumedRun(clientWith(started, updated), infoOf('codex'), { prompt: 'go on' });
  expect(agent!.resumes).toMatchObject({ agentSession: 'two' });
  expect(agent!.commands).toEqual([
    { id: 'id', command: { do: 'prompt', clientId: 'id', content: [{ type: 'text', text: 'go on' }] } },
  ]);
});

test('[RUN-50] an agent in its terminal continues its own session, without the prompt that it has had', async () => {
  const again = (command: readonly string[], agentSession?: string): Promise<readonly string[]> =>
    continuedCommand(clientWith(ended(agentSession)), infoOf(command[0]!, { command }));
  expect(await again(['claude', '--verbose'], 'own-1')).toEqual(['claude', '--verbose', '--resume', 'own-1']);
  expect(await again(['claude', '--model', 'm', 'fix it'], 'own-1')).toEqual(['claude', '--resume', 'own-1']);
  expect(await again(['codex'], 'own-1')).toEqual(['codex', 'resume', 'own-1']);
  expect(await again(['claude', 'fix it'])).toEqual(['claude', 'fix it']);
  expect(await again(['unknown', 'fix it'], 'own-1')).toEqual(['unknown', 'fix it']);
});
