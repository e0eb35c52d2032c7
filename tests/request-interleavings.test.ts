/**
 * Tests requests of an agent that three clients answer while driver and keeper are killed: with real processes. The ten thousand
 * random orders of `packages/driver-process/src/request-interleavings.test.ts` use none.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as dial, type Socket } from 'node:net';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { AgentEvent, AgentHandle, Client, RequestRef } from '@spool/client';
import { connect } from '@spool/client/remote';
import { statusField, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';
import { TestGateway } from './support/gateway.ts';

const AGENT = fileURLToPath(new URL('../packages/testkit/programs/puppet-agent.mjs', import.meta.url));
const ROUNDS = Math.ceil((200 * Number(env.SPOOL_TEST_ROUNDS ?? 100)) / 100);
/** The number of rounds after which a process is killed. */
const KILL_EVERY = 4;
const PATIENCE_MS = 60_000;
const COMMANDS = ['ls', 'rm -rf ~', 'echo a', 'curl x | sh'] as const;

type PermissionRequestEvent = Extract<AgentEvent, { readonly kind: 'permission.requested' }>;
type PermissionResolution = Extract<AgentEvent, { readonly kind: 'permission.resolved' }>;

class ScriptedAgent {
  readonly client: Client;
  readonly agent: AgentHandle;
  readonly events: AgentEvent[] = [];
  readonly #received: string;
  #socket: Socket;

  private constructor(client: Client, agent: AgentHandle, received: string, socket: Socket) {
    this.client = client;
    this.agent = agent;
    this.#received = received;
    this.#socket = socket;
  }

  static async start(daemon: TestDaemon): Promise<ScriptedAgent> {
    const client = await daemon.client();
    const [received, path] = [`${daemon.home}/received.ndjson`, `${daemon.home}/puppet.sock`];
    writeFileSync(received, '');
    const agent = await client.agent('claude', {
      prompt: 'go',
      program: [execPath, AGENT, received, path],
      env: { PATH: env.PATH! },
    });
    await until('the agent is told to go', () => readFileSync(received, 'utf8').includes('"go"'), PATIENCE_MS);
    const socket = dial(path);
    await once(socket, 'connect');
    const puppet = new ScriptedAgent(client, agent, received, socket);
    void puppet.#follow();
    return puppet;
  }

  async #follow(): Promise<void> {
    for await (const event of this.agent) this.events.push(event);
  }

  says(line: object): void {
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  asks(id: string, command: string): void {
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: `tool ${id}`, input: { command } };
    this.says({ type: 'control_request', request_id: id, request });
  }

  of<K extends AgentEvent['kind']>(kind: K): Extract<AgentEvent, { kind: K }>[] {
    return this.events.filter((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);
  }

  /** The answers that the agent got about its requests. */
  get answers(): { readonly id: string; readonly behavior: string; readonly command: string | undefined }[] {
    return readFileSync(this.#received, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"control_response"'))
      .map((line) => JSON.parse(line).response)
      .map(({ request_id: id, response }) => ({
        id,
        behavior: response.behavior,
        command: response.updatedInput?.command,
      }));
  }

  /** Kills the driver or the keeper, if it exists. */
  async kill(what: 'driver' | 'keeper'): Promise<void> {
    const { keeper } = await this.client.status();
    const children = readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, 'utf8').trim().split(' ');
    const isDriver = (pid: number): boolean => pid > 0 && statusField(pid, 'Name').startsWith('spool-driver');
    try {
      const pid = what === 'keeper' ? keeper.pid : children.map(Number).find(isDriver);
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } catch {
      // It was just being replaced.
    }
  }
}

test(
  `[REQ-3, REQ-4] ${ROUNDS} rounds of requests, withdrawals, used ids, answers of three clients and kills: an answer reaches only what its author saw, and each request ends once`,
  { timeout: 600_000 },
  async () => {
    await using daemon = new TestDaemon();
    const puppet = await ScriptedAgent.start(daemon);
    const gateway = await TestGateway.start(daemon);
    const { token } = await gateway.token('prompter');
    await using afar = await connect({ url: gateway.origin, token });
    await using beside = await daemon.client();
    const hands = [puppet.agent, await afar.openAgent(puppet.agent.id), await beside.openAgent(puppet.agent.id)];
    /** The answers, and the requests that their authors saw. */
    const said: { readonly ref: RequestRef; readonly command: string }[] = [];
    let expected = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const id = `r${round}`;
      const command = COMMANDS[round % COMMANDS.length]!;
      puppet.asks(id, command);
      expected++;
      await until(`${id} is asked`, () => puppet.of('permission.requested').length >= expected, PATIENCE_MS);
      const asked = puppet.of('permission.requested').find(({ request }) => request === id)!;
      const before = puppet.of('permission.requested')[Math.max(0, puppet.of('permission.requested').length - 2)]!;
      const killing =
        round % KILL_EVERY === 0 ? puppet.kill(round % (2 * KILL_EVERY) === 0 ? 'driver' : 'keeper') : null;
      // In turn: withdrawn, its id used for another request, or left alone; all while it is answered.
      if (round % 5 === 1) puppet.says({ type: 'control_cancel_request', request_id: id });
      if (round % 5 === 2) puppet.asks(id, COMMANDS[(round + 1) % COMMANDS.length]!);
      const sights: RequestRef[] = [asked, { request: id, digest: before.digest }, asked];
      await Promise.all(
        hands.map(async (hand, at) => {
          const ref = sights[at]!;
          if (ref.digest === asked.digest) said.push({ ref, command });
          await (at === 2 && round % 3 === 0 ? hand.deny(ref) : hand.approve(ref));
        }),
      );
      await killing;
      await until(`${id} has ended`, () => endsOf(puppet, id).length > 0, PATIENCE_MS);
    }
    await until('every end is heard', () => puppet.answers.length >= ROUNDS - Math.ceil(ROUNDS / 5), PATIENCE_MS);
    const asks = puppet.of('permission.requested');
    expect(asks.map(({ request }) => request)).toEqual(Array.from({ length: ROUNDS }, (_, round) => `r${round}`));
    expect(asks.map((ask) => endsOf(puppet, ask.request).length)).toEqual(asks.map(() => 1));
    for (const { id, behavior, command } of puppet.answers) {
      if (behavior !== 'allow') continue;
      expect(
        said.some((each) => each.ref.request === id && each.command === command),
        `${id} ran ${command}`,
      ).toBe(true);
      expect(inputOf(asks.find(({ request }) => request === id)!)).toBe(command);
    }
    const allowed = puppet.answers.filter(({ behavior }) => behavior === 'allow').map(({ id }) => id);
    expect(new Set(allowed).size).toBe(allowed.length);
    expect(allowed.length).toBeGreaterThan(ROUNDS / 4);
  },
);

const endsOf = (puppet: ScriptedAgent, id: string): PermissionResolution[] =>
  puppet.of('permission.resolved').filter(({ request }) => request === id);

const inputOf = ({ input }: PermissionRequestEvent): string => (input as { command: string }).command;
