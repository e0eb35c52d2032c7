/** Two machines for tests: each has its own daemon and folder; one is a node of the other, over any road. */
import { writeFileSync } from 'node:fs';
import type { Role } from '@spool/protocol';
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
  static async start(role = 'operator', ...flags: string[]): Promise<TwoMachines> {
    const machines = new TwoMachines();
    await TestGateway.start(machines.primary);
    await TestGateway.start(machines.node);
    const { url, code } = await machines.invite(role);
    await machines.node.json('node', 'join', url, code, '--name', 'build1', ...flags);
    return machines;
  }

  /** Starts both, and adds the node `build1` by its address. */
  static async startByUrl(role: Role = 'operator'): Promise<TwoMachines & { readonly token: string }> {
    const machines = new TwoMachines();
    await TestGateway.start(machines.primary);
    const gateway = await TestGateway.start(machines.node);
    const { token, id } = await gateway.token(role, '--name', 'laptop');
    const file = `${machines.primary.home}/token`;
    writeFileSync(file, token, { mode: 0o600 });
    await machines.primary.json('node', 'add', gateway.origin, '--name', 'build1', '--token-file', file);
    return Object.assign(machines, { token: id });
  }

  async invite(role = 'operator'): Promise<Invite> {
    return await this.primary.json<Invite & Record<string, never>>('node', 'invite', '--role', role);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.primary[Symbol.asyncDispose]();
    await this.node[Symbol.asyncDispose]();
  }
}
