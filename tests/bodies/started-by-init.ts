/** Acts as pid 1 of a container, which starts a session, and would tie a task to itself. */
import { TestDaemon } from '@spool/testkit';

export interface StartedByInit {
  readonly pid: number;
  readonly owner: number | undefined;
  readonly refusal: string;
}

await using daemon = new TestDaemon();
const client = await daemon.client();
const { id } = await client.run({ command: ['true'] });
const { startedBy } = await client.get(id);
const refusal = await client.runShell('true', { whileOwner: true }).then(
  () => 'started',
  (error: unknown) => String(error),
);
const told: StartedByInit = { pid: process.pid, owner: startedBy?.owners[0]?.pid, refusal };
process.stdout.write(JSON.stringify(told));
