/** A NATS server of Debian for tests, with the configuration that `spool node nats-config` prints. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { type TestDaemon, until } from '@spool/testkit';
import { missingProgram } from '@spool/testkit/needs';
import { freePort } from './free-port.ts';
import { TestGateway } from './gateway.ts';
import { TwoMachines } from './nodes.ts';

export const missingNats = missingProgram('nats-server');

const WITHIN_MS = 60_000;

export class TestNats implements AsyncDisposable {
  readonly folder = mkdtempSync(`${tmpdir()}/spool-test-nats-`);
  readonly port: number;
  #server: ChildProcess | null = null;
  #isTls = false;

  private constructor(port: number) {
    this.port = port;
  }

  /** Starts a server for these members; `more` is added to its configuration. */
  static async start(config: string, more = ''): Promise<TestNats> {
    const nats = new TestNats(await freePort());
    nats.configure(config, more);
    await nats.up();
    return nats;
  }

  get url(): string {
    return `${this.#isTls ? 'tls' : 'nats'}://127.0.0.1:${this.port}`;
  }

  get log(): string {
    return existsSync(`${this.folder}/log`) ? readFileSync(`${this.folder}/log`, 'utf8') : '';
  }

  /** Writes its configuration; a running server reads it at once. */
  configure(config: string, more = ''): void {
    this.#isTls = more.includes('tls {');
    writeFileSync(
      `${this.folder}/conf`,
      `listen: 127.0.0.1:${this.port}\nlog_file: "${this.folder}/log"\n${more}\n${config}`,
    );
    this.#server?.kill('SIGHUP');
  }

  /** Starts it, at the same port as before. */
  async up(): Promise<void> {
    this.#server = spawn('nats-server', ['-c', `${this.folder}/conf`], { stdio: 'ignore' });
    await until('the NATS server listens', async () => await isOpen(this.port), WITHIN_MS);
  }

  /** Ends it without a word, as a crash does. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
    appendFileSync(`${this.folder}/log`, 'killed by the test\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Two machines in a fleet: `node` is its node `build1`, and `primary` uses it. */
export class FleetOfTwo extends TwoMachines {
  #nats: TestNats | null = null;

  get nats(): TestNats {
    return this.#nats!;
  }

  static async begin(role = 'operator', more = '', ...flags: readonly string[]): Promise<FleetOfTwo> {
    const machines = new FleetOfTwo();
    await machines.meet(role, more, ...flags);
    return machines;
  }

  async meet(role = 'operator', more = '', ...flags: readonly string[]): Promise<void> {
    const { primary, node } = this;
    await TestGateway.start(primary);
    await TestGateway.start(node);
    const members = [`${await natsKeyOf(node)}=node`, `${await natsKeyOf(primary)}=${role}`];
    this.#nats = await TestNats.start(await natsConfig(primary, ...members), more);
    await node.json('node', 'join', this.nats.url, '--name', 'build1', ...flags);
    await primary.json('node', 'add', this.nats.url, '--role', role);
    await until(
      'the node is there',
      async () => (await primary.spool(['node', 'ls', '-q'])).stdout === 'build1\n',
      WITHIN_MS,
    );
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    try {
      await super[Symbol.asyncDispose]();
    } finally {
      await this.#nats?.[Symbol.asyncDispose](); // also when a daemon has left processes
    }
  }
}

export async function natsKeyOf(daemon: TestDaemon): Promise<string> {
  return (await daemon.json<{ key: string } & Record<string, never>>('node', 'nats-key')).key;
}

export async function natsConfig(daemon: TestDaemon, ...members: readonly string[]): Promise<string> {
  return (await daemon.spool(['node', 'nats-config', ...members])).stdout;
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return isThere;
}
