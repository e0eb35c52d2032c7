/** The agent and its children are real processes, found by the cookie in their environment. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tiedProgram } from '../testing/tied-program.ts';
import { AgentTree } from './agent-tree.ts';

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

function start(script: string): { tree: AgentTree; folder: string; read(name: string): Promise<string> } {
  const { folder, tied } = tiedProgram();
  const env = { PATH: process.env['PATH'] };
  const tree = new AgentTree({
    command: ['sh', '-c', script, 'agent', folder],
    cwd: folder,
    env,
    isBridged: false,
    tied,
  });
  const read = async (name: string): Promise<string> => {
    const text = (): string => (existsSync(`${folder}/${name}`) ? readFileSync(`${folder}/${name}`, 'utf8') : '');
    await expect.poll(() => text().endsWith('\n'), { timeout: 60_000 }).toBe(true);
    return text().trim();
  };
  return { tree, folder, read };
}

test('[PIPE-3] everything that the agent has started is ended, also what has left its group', async () => {
  const { tree, read } = start('setsid sh -c "echo \\$\\$ > $1/pid; exec sleep 1000" & exec sleep 1000');
  const pid = Number(await read('pid'));
  await tree.end();
  expect(isAlive(pid)).toBe(false);
  expect(await tree.exited).toEqual({ exitCode: null, signal: 'SIGTERM' });
});

test('[PIPE-3] a process that is stopped is continued, so that it can end by itself', async () => {
  const { tree, read } = start(
    'trap "echo tidied > $1/end; exit 7" TERM; echo up > $1/up; while :; do kill -STOP $$; done',
  );
  await read('up');
  const stat = (): string => readFileSync(`/proc/${tree.child.pid}/stat`, 'utf8');
  await expect.poll(stat, { timeout: 60_000 }).toContain(') T ');
  await tree.end(60_000);
  expect(await read('end')).toBe('tidied');
  expect(await tree.exited).toEqual({ exitCode: 7, signal: null });
});

test('[PIPE-3] what does not end by itself within the grace period is killed', async () => {
  const { tree, read } = start(
    'trap "" TERM; echo up > $1/up; i=0; while [ $i -lt 1000 ]; do i=$((i+1)); sleep 0.05; done',
  );
  await read('up');
  await tree.end(100);
  expect(await tree.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
});
