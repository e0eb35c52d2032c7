/** Tests the road `ssh` with a real sshd: the other machine has nothing but a login shell that prints a banner. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { NodeInfo, SessionInfo, TokenInfo } from '@spool/protocol';
import { until } from '@spool/testkit';
import { missingProgram, testNeeding } from '@spool/testkit/needs';
import { expect } from 'vitest';
import { TwoMachines } from './support/nodes.ts';
import { TestSshd } from './support/sshd.ts';

type Json<T> = T & Record<string, never>;
const BUSY_MS = 60_000;
const FISH_WITH_BANNER = 'echo "Welcome, and mind the step."; exec fish -c "$SSH_ORIGINAL_COMMAND"';

/** Returns the processes of ssh that a daemon has started. */
function sshOf(folder: string): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'latin1') : '';
      return line.startsWith('/usr/bin/ssh\0') && line.includes(folder) ? [Number(pid)] : [];
    } catch {
      return []; // it has ended
    }
  });
}

testNeeding(missingProgram('sshd', 'fish'))(
  '[NODE-21] a machine with sshd alone becomes a node, survives cuts, loses its rights, and is left as it was',
  async () => {
    await using machines = new TwoMachines();
    const { primary, node } = machines;
    await using sshd = await TestSshd.start(`${node.home}/there`, FISH_WITH_BANNER);
    primary.env['PATH'] = sshd.path;
    node.env['SPOOL_HOME'] = `${node.home}/there`;
    const nodeHere = async (): Promise<NodeInfo | undefined> =>
      (await primary.json<Json<readonly NodeInfo[]>>('node', 'ls'))[0];
    expect(await primary.json('node', 'add', 'ssh://box', '--name', 'build1')).toMatchObject({
      road: 'ssh',
      role: 'operator',
    });
    const { id } = await primary.json<Json<SessionInfo>>('run', '--node', 'build1', '-d', '--', 'cat');

    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      for (const pid of sshOf(sshd.folder)) process.kill(pid, signal);
      await until(
        'the node is used again',
        async () => (await primary.spool(['logs', `build1/${id}`])).code === 0,
        BUSY_MS,
      );
    }
    expect((await primary.spool(['send', `build1/${id}`, 'hello'])).code).toBe(0);
    await until(
      'it has arrived',
      async () => (await primary.spool(['logs', `build1/${id}`])).stdout.includes('hello'),
      BUSY_MS,
    );

    const tokens = await node.json<Json<readonly TokenInfo[]>>('token', 'ls');
    await node.json('token', 'revoke', tokens.find(({ kind }) => kind === 'peer')!.id);
    await until('the reason is shown', async () => (await nodeHere())?.reason?.includes('token') === true, BUSY_MS);

    expect((await primary.spool(['node', 'remove', 'build1'])).stderr).toContain('this would remove 1 session');
    await primary.json('node', 'remove', 'build1', '--force');
    expect(await nodeHere()).toBeUndefined();
    expect([existsSync(sshd.package), existsSync(`${node.home}/there`)]).toEqual([false, false]);
    await until('no ssh is left', () => sshOf(sshd.folder).length === 0, BUSY_MS);
  },
  300_000,
);
