/** Seed 003: its tables (the task object, the events) and its code block, row by row (see blocks/README.md). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { TaskStreamEvent } from '@spool/client';
import { isAlive, outputOf, SPOOL, TestDaemon } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../support/sources.ts';

const daemon = new TestDaemon();
afterAll(() => daemon[Symbol.asyncDispose]());

test('[TASK-1] "When `pty=False` (default): same synchronous return as today. When `pty=True`: … returns `TaskHandle` ({taskId, status: "started"})"', async () => {
  const client = await daemon.client();
  expect(await client.runShell('echo out; echo err >&2; exit 3')).toMatchObject({
    stdout: 'out\n',
    stderr: 'err\n',
    exitCode: 3,
  });
  const handle = await client.runShell('read x', { pty: true });
  expect(handle).toMatchObject({ taskId: expect.any(String), status: 'started' });
  await client.cancelTask(handle);
});

test.each([
  ['success', 'exit 0', 0],
  ['error', 'exit 5', 5],
  ['timeout', 'echo begun; exec sleep 1000', null],
] as const)(
  '[TASK-2] "Task object {id, name, state(running | success | error | timeout), pid, startedAt, finishedAt, exitCode}": %s',
  async (state, script, exitCode) => {
    const client = await daemon.client();
    const timeout = state === 'timeout' ? 0.5 : 300;
    const task = await client.runShell(`read go; ${script}`, { pty: true, taskName: `to-${state}`, timeout });
    const get = async (): Promise<unknown> => (await client.tasks()).find(({ id }) => id === task.taskId);
    const fields = { id: task.taskId, name: `to-${state}`, pid: expect.any(Number), startedAt: expect.any(Number) };
    if (state !== 'timeout')
      expect(await get()).toMatchObject({ ...fields, state: 'running', finishedAt: null, exitCode: null });
    await client.write(task.taskId, '\r').catch(() => {}); // it may have timed out
    const ended = await client.waitForCompletion(task);
    expect(ended).toMatchObject({ state, exitCode });
    expect(await get()).toMatchObject({ ...fields, state, finishedAt: expect.any(Number), exitCode });
  },
);

test('[TASK-3] "task_started {taskId, name, startedAt}", "task_log {taskId, chunk} (UTF-8 bytes)", "task_finished {taskId, state, exitCode, durationMs}"', async () => {
  const client = await daemon.client();
  const task = await client.runShell('printf "grün\\n"; exit 4', { pty: true, taskName: 'told' });
  const heard: TaskStreamEvent[] = [];
  for await (const event of client.taskEvents({ tasks: [task.taskId] })) heard.push(event);
  const { taskId } = task;
  const { startedAt, finishedAt } = (await client.tasks()).find(({ id }) => id === taskId)!;
  expect(heard[0]).toMatchObject({ type: 'task_started', taskId, name: 'told', startedAt });
  const logs = heard.filter((event) => event.type === 'task_log');
  expect(logs.every((event) => event.taskId === taskId)).toBe(true);
  expect(logs.map(({ chunk }) => chunk).join('')).toBe((await outputOf(client, taskId)).toString());
  const durationMs = finishedAt! - startedAt;
  expect(heard.at(-1)).toMatchObject({ type: 'task_finished', taskId, state: 'error', exitCode: 4, durationMs });
  expect(heard.map(({ type }) => type).filter((type) => type === 'task_started' || type === 'task_finished')).toEqual([
    'task_started',
    'task_finished',
  ]);
});

test('[TASK-2] "awaits TaskEvent[taskId] (set when PTY closes)": every waiter goes on when the task has ended, and not before; "No polling"', async () => {
  const client = await daemon.client();
  const task = await client.runShell('read go; exit 0', { pty: true, taskName: 'awaited' });
  const { pid } = (await client.tasks()).find(({ id }) => id === task.taskId)!;
  let resumed = 0;
  const waiters = [client, await daemon.client()].map((each) => each.waitForCompletion(task).finally(() => resumed++));
  expect(await client.get(task.taskId)).toMatchObject({ state: 'running' });
  expect(resumed).toBe(0);
  await client.write(task.taskId, '\r');
  for (const result of await Promise.all(waiters)) expect(result).toMatchObject({ state: 'success', exitCode: 0 });
  expect(isAlive(pid!)).toBe(false);
  // "the agent proceed[s] before scaffolding finishes" no more: a later call is answered at once, too.
  expect(await client.waitForCompletion(task)).toMatchObject({ state: 'success' });
});

testNeeding(missingProgram('python3'))(
  '[TASK-2] "proceed with directory exploration": the agent flow of the seed, in Python, with an `npx` that takes its time',
  async () => {
    const bin = `${daemon.home}/bin`;
    mkdirSync(bin);
    writeFileSync(`${bin}/npx`, '#!/bin/sh\ntest -t 1 && sleep 0.5 && mkdir "$1" && echo made "$1"\n');
    chmodSync(`${bin}/npx`, 0o755);
    const block = readFileSync(new URL('blocks/003-agent-flow.txt', import.meta.url), 'utf8');
    const flow = block.replace('handle = run_shell', 'handle = await run_shell');
    const script = `
import asyncio, os, sys
sys.path.insert(0, ${JSON.stringify(`${ROOT}/examples`)})
import run_shell as PTY_MANAGER
from run_shell import run_shell

async def main():
${flow.replace(/^/gm, '    ')}
    print(os.listdir("create-next-app"), handle["status"])

asyncio.run(main())
`;
    const python = spawn('python3', ['-c', script], {
      cwd: daemon.home,
      env: { ...daemon.env, SPOOL, PATH: `${bin}:${process.env.PATH}`, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    python.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await once(python, 'close');
    expect(printed).toBe('[] started\n');
  },
);
