/** The agent's server is a real process. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tiedProgram } from '../testing/tied-program.ts';
import { AgentServer, USER } from './agent-server.ts';

const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

function start(script: string): { server: AgentServer; lines: string[]; folder: string } {
  const { folder, tied } = tiedProgram();
  const lines: string[] = [];
  const server = new AgentServer(['sh', '-c', script, 'agent', folder], (line) => lines.push(line), tied);
  onTestFinished(() => server.end());
  return { server, lines, folder };
}

test('[HTTP-1] it serves where its own line says; the password is in its environment, and not in its arguments', async () => {
  const { server, lines, folder } = start(
    'echo starting; env > $1/env; tr "\\0" " " < /proc/$$/cmdline > $1/args; echo "listening on http://127.0.0.1:4711"; exec sleep 1000',
  );
  expect(await server.ready).toBe(4711);
  expect(lines).toEqual(['starting']);
  expect(readFileSync(`${folder}/env`, 'utf8')).toContain(`OPENCODE_SERVER_PASSWORD=${server.password}\n`);
  expect(readFileSync(`${folder}/env`, 'utf8')).toContain(`OPENCODE_SERVER_USERNAME=${USER}\n`);
  expect(readFileSync(`${folder}/args`, 'utf8')).not.toContain(server.password);
  expect(server.password.length).toBeGreaterThan(40);
});

test('one that ends before it serves is not waited for', async () => {
  const { server } = start('exit 3');
  await expect(server.ready).rejects.toThrow('it ended before it served');
  expect(await server.exited).toEqual({ code: 3, signal: null });
});

test('[HTTP-3] a wrapper that ends first leaves no server behind', async () => {
  const { server, lines } = start('sleep 1000 > /dev/null & echo $!');
  await server.exited;
  await expect.poll(() => lines.length).toBe(1);
  await expect.poll(() => isAlive(Number(lines[0])), { timeout: 60_000 }).toBe(false);
});

test('[HTTP-3] it is asked to end, and after 4 s it is killed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { server, folder } = start(
    'trap "echo asked > $1/asked" TERM; echo "listening on http://x:1"; i=0; while [ $i -lt 1000 ]; do i=$((i+1)); sleep 0.05; done',
  );
  await server.ready;
  server.end();
  server.end();
  const until = performance.now() + 20_000;
  while (!existsSync(`${folder}/asked`) && performance.now() < until)
    await new Promise((resolve) => setImmediate(resolve));
  expect(existsSync(`${folder}/asked`)).toBe(true);
  let isOver = false;
  void server.exited.then(() => (isOver = true));
  vi.advanceTimersByTime(3999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
});
