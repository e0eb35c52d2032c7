/** Kills the whole daemon of a task; returns the task afterwards: for a waiting client, in a list, on the command line. */
import { seen, TestDaemon } from '@spool/testkit';

export interface LostTask {
  readonly waited: unknown;
  readonly command: { readonly code: number | null; readonly stdout: string };
}

export default async function loseTask(): Promise<LostTask> {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const handle = await client.runShell('echo begun; exec sleep 1000', { pty: true, taskName: 'lost one' });
  await seen(client, handle.taskId, 'begun');
  daemon.killWhole(await client.status());
  client.close();
  const after = await daemon.client();
  const { state, exitCode, reason, lastLines } = await after.waitForCompletion(handle);
  const { code, stdout } = await daemon.spool(['task', 'wait', handle.taskId, '--json']);
  return { waited: { state, exitCode, reason, lastLines }, command: { code, stdout } };
}
