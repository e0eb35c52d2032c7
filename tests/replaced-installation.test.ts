/** Tests commands that run while their installation is replaced, as `npm install -g` does: the whole folder is deleted, and another one comes. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { SessionInfo } from '@spool/protocol';
import { Terminal, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { Installation } from './support/installation.ts';

/** Resolves when the process has read every chunk of its installation, which it does once. */
async function holdsChunks(pid: number, { folder }: Installation): Promise<void> {
  const chunks = readdirSync(`${folder}/dist/chunks`).filter((name) => name.endsWith('.cjs'));
  const bytes = chunks.reduce((sum, name) => sum + statSync(`${folder}/dist/chunks/${name}`).size, 0);
  const read = (): number => Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))![1]);
  await until('the command has read its chunks', () => read() > bytes, 30_000);
}

test('[REL-5] an installation is replaced while terminals are attached, a list is shown, a wait and an MCP server run: all continue', async () => {
  await using daemon = new TestDaemon();
  using old = new Installation();
  const run = (...words: string[]): string[] => [old.node, `${old.folder}/dist/spool.cjs`, ...words];
  for (const name of ['shown', 'typed'])
    expect((await old.spool(daemon, 'run', '-d', '-n', name, '--', 'cat')).code).toBe(0);
  using attached = new Terminal(run('attach', 'typed'), daemon.env);
  using list = new Terminal(run('watch'), daemon.env);
  await list.sees('shown');
  const pipe = (...words: string[]): PipedCommand => new PipedCommand(run(...words), daemon.env);
  const waiting = pipe('wait', 'typed', '--json');
  const task = pipe('task', 'run', '--', 'sh', '-c', 'read line; exit 7');
  const server = pipe('mcp');
  server.child.stdin!.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } } })}\n`,
  );
  await until('the server answers', () => server.stdout.includes('"id":1'), 30_000);
  for (const pid of [attached.pid, list.pid, ...[waiting, task, server].map(({ child }) => child.pid!)])
    await holdsChunks(pid, old);

  old.delete('dist');

  attached.type('still here\r');
  await attached.sees('still here\r\nstill here');
  // The list loads the code that attaches now.
  const since = list.printed.length;
  list.type('\r');
  await list.sees('\x1b[?1049', since);
  const called = { name: 'spool_list', arguments: {} };
  server.child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: called })}\n`);
  await until('the tool answers', () => server.stdout.includes('"id":2'), 30_000);
  expect(server.stdout).toContain('typed');
  await daemon.spool(['stop', 'typed']);
  await waiting.ended;
  expect(JSON.parse(waiting.stdout)).toMatchObject({ name: 'typed' });
  const [running] = (await daemon.json<readonly SessionInfo[]>('ls')).filter(
    ({ name }) => !['shown', 'typed'].includes(name),
  );
  await daemon.spool(['send', running!.id, 'x', '--enter']);
  expect([await task.ended, task.stderr]).toEqual([7, expect.not.stringContaining('Cannot find module')]);
  server.child.kill();
});

/** A command with pipes, as a program starts it. */
class PipedCommand {
  readonly child;
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;

  constructor([file, ...args]: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(file!, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
  }
}
