/** Two machines for tests: each has its own daemon and folder; one is a node of the other by an invite. */
import { TestDaemon } from '@spool/testkit';
import { TestGateway } from './gateway.ts';

export interface Invite {
  readonly url: string;
  readonly code: string;
}

export class TwoMachines implements AsyncDisposable {
  readonly primary = new TestDaemon();
  readonly node = new TestDaemon();

  /** Starts both, and joins them: the node is called `build1`. */
  static async start(role = 'operator'): Promise<TwoMachines> {
    const machines = new TwoMachines();
    await TestGateway.start(machines.primary);
    await TestGateway.start(machines.node);
    const { url, code } = await machines.invite(role);
    await machines.node.json('node', 'join', url, code, '--name', 'build1');
    return machines;
  }

  async invite(role = 'operator'): Promise<Invite> {
    return await this.primary.json<Invite & Record<string, never>>('node', 'invite', '--role', role);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.primary[Symbol.asyncDispose]();
    await this.node[Symbol.asyncDispose]();
  }
}
