/**
 * Tests every real agent without a terminal, beside a scripted model (`packages/testkit/programs/scripted-model.mjs`): the
 * actions of a user, step by step. The table of docs/agents.md lists the actions that an agent does not support. Each test runs
 * if `node scripts/agents.mjs NAME` has downloaded the program.
 */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGAIN } from '@spool/testkit/agents';
import { AgentSession, MATRIX } from './support/agent-session.ts';

test.for(MATRIX)(
  '[DRV-11, DRV-12] $name, the real one: text, a thought, an image, an approved and a denied command, a file, an interrupt, a queue',
  AGAIN,
  async (agent, { skip }) => {
    await using run = await AgentSession.start(agent, skip);

    const thought = await run.turn('please think');
    expect(thought.texts).toEqual(['Heard 1 of them, at last PLEASE THINK.']);
    if (agent.thinks) expect(thought.thoughts.join('')).toContain('It wants a thought');

    if (agent.seesImages) {
      const seen = await run.turn([{ type: 'text', text: 'please look' }, run.image]);
      expect(seen.texts.join('')).toContain('with 1 image');
    }

    const approving = await run.submit(`please run ${agent.shell('approved')}`);
    const ask = await run.asked();
    expect(existsSync(`${run.project}/approved.txt`)).toBe(false);
    expect(await run.other.approve(ask)).toMatchObject({ isOurs: true });
    const approved = await run.ended(approving);
    expect(approved.outcome).toBe('completed');
    expect(existsSync(`${run.project}/approved.txt`)).toBe(true);
    expect(approved.of('tool.ended')).toMatchObject([{ status: 'ok' }]);
    expect(approved.of('permission.resolved')).toMatchObject([{ decision: 'allow', by: 'watcher' }]);

    const denying = await run.submit(`please run ${agent.shell('denied')}`);
    const second = await run.asked();
    await run.other.deny(second, { message: 'use the other folder' });
    const denied = await run.ended(denying);
    expect(existsSync(`${run.project}/denied.txt`)).toBe(false);
    expect(denied.of('permission.resolved')).toMatchObject([{ decision: 'deny' }]);
    expect(denied.of('tool.ended')).toMatchObject([{ status: 'denied' }]);
    const told = agent.deniesLater ? await run.ended(`deny ${second.request}`) : denied;
    expect(told.texts.join('')).toContain('USE THE OTHER FOLDER');

    const writing = await run.submit(`please write ${run.project}/written.txt`);
    const written = await run.ended(writing, { approving: true });
    expect(readFileSync(`${run.project}/written.txt`, 'utf8')).toBe('first line\nsecond line\n');
    const changes = written.of('file.changed').filter(({ phase }) => phase === 'applied');
    if (agent.showsDiffs) {
      expect(changes[0]).toMatchObject({ diff: { change: 'add' } });
      expect(JSON.stringify(changes)).toContain('second line');
    }

    const waiting = await run.submit('please wait');
    await run.streams(waiting);
    const queued = await run.submit('please be first');
    const edited = await run.submit('please be wrong');
    await run.agent.command({
      do: 'editPrompt',
      clientId: edited,
      content: [{ type: 'text', text: 'please be right' }],
    });
    await run.agent.command({ do: 'movePrompt', clientId: edited, before: queued });
    const removed = await run.submit('please be gone');
    await run.agent.command({ do: 'cancelPrompt', clientId: removed });
    await run.agent.interrupt();
    expect(await run.ended(waiting)).toMatchObject({ outcome: 'interrupted' });
    expect((await run.ended(edited)).texts.join('')).toBe('Heard 1 of them, at last PLEASE BE RIGHT.');
    expect((await run.ended(queued)).texts.join('')).toBe('Heard 1 of them, at last PLEASE BE FIRST.');

    const running = await run.submit(`please run ${agent.shell('slow', 'tail -f /dev/null')}`);
    await run.other.approve(await run.asked());
    const pid = await run.processOf('tail -f /dev/null');
    await run.agent.interrupt();
    expect(await run.ended(running)).toMatchObject({ outcome: 'interrupted' });
    await run.gone(pid);

    const failed = await run.turn(`please ${agent.retried}`);
    expect(failed.texts.join('')).toMatch(/^Heard 1 of them after a (failure|cut), /);
    if (agent.tellsRetries) expect(failed.of('retry').length).toBeGreaterThan(0);

    expect(run.unknown).toEqual([]);
    await run.stop();
  },
);
