/**
 * Machines with separate networks, for tests in a pid namespace (`inNamespace`): each has a daemon in a network namespace that only it uses,
 * and one cable (veth) to the first machine. A road through the cable is delayed at each end of a proxy, because not every kernel can delay by itself.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { TestDaemon } from '@spool/testkit';

const PROXY = fileURLToPath(new URL('../../packages/testkit/programs/delay-proxy.mjs', import.meta.url));

export class NetworkMachine extends TestDaemon {
  readonly #proxies: ChildProcess[] = [];
  readonly #network: ChildProcess;
  /** The words before a command that runs in this machine's network. */
  readonly inside: readonly string[];

  private constructor(network: ChildProcess) {
    const inside = ['nsenter', '-n', '-t', String(network.pid), '--'];
    super({ through: inside });
    this.#network = network;
    this.inside = inside;
  }

  /** Creates the network, with loopback alone. */
  static async create(): Promise<NetworkMachine> {
    const network = spawn('unshare', ['-n', 'sh', '-c', 'ip link set lo up && echo up && exec sleep infinity'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(network.stdout!, 'data');
    return new NetworkMachine(network);
  }

  /** Runs a command in this machine's network. */
  run(...command: readonly string[]): void {
    const [program = '', ...words] = [...this.inside, ...command];
    execFileSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  }

  /** Lays a cable to another machine: `10.77.AT.1` is this one, `10.77.AT.2` the other. */
  cableTo(other: NetworkMachine, at: number): void {
    this.run('ip', 'link', 'add', `to${at}`, 'type', 'veth', 'peer', 'name', 'cable', 'netns', other.inside[3]!);
    for (const [machine, link, address] of [
      [this, `to${at}`, `10.77.${at}.1/24`],
      [other, 'cable', `10.77.${at}.2/24`],
    ] as const) {
      machine.run('ip', 'address', 'add', address, 'dev', link);
      machine.run('ip', 'link', 'set', link, 'up');
    }
  }

  /** Lets this machine reach a port of another one at the same port of loopback, through their cable, with a delay. */
  async reach(other: NetworkMachine, address: string, port: number, delayMs: number): Promise<void> {
    await other.#proxy(address, port, '127.0.0.1', port, 0);
    await this.#proxy('127.0.0.1', port, address, port, delayMs);
  }

  async #proxy(...words: readonly (string | number)[]): Promise<void> {
    const [program = '', ...command] = [...this.inside, process.execPath, PROXY, ...words.map(String)];
    const proxy = spawn(program, command, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#proxies.push(proxy);
    await once(proxy.stdout!, 'data');
  }

  /** Cuts every connection of this machine's proxies. */
  cut(): void {
    for (const proxy of this.#proxies) proxy.kill('SIGUSR2');
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    for (const child of [...this.#proxies, this.#network]) child.kill('SIGKILL');
  }
}
