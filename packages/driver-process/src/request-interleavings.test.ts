/**
 * Tests requests, withdrawals, repeated ids, answers of three clients and deaths of drivers in any order. The agent is simulated
 * and hostile; the machine, its dialect and the replay of its log are real.
 */
import { env } from 'node:process';
import { DIALECTS } from '@spool/drivers';
import { randomNumbers } from '@spool/drivers/testing';
import type { BatchInput, BatchRecord } from '@spool/protocol';
import type { AgentEvent, Command } from '@spool/protocol/agent';
import { expect, test } from 'vitest';
import { AgentMachine } from './agent-machine.ts';

/** The number of runs: all with `npm test`; `npm run check` runs a tenth (`SPOOL_TEST_ROUNDS` in percent). */
const RUNS = Math.ceil((10_000 * Number(env.SPOOL_TEST_ROUNDS ?? 100)) / 100);
const STEPS = 30;
const IDS = 5;
const COMMANDS = ['ls', 'rm -rf ~', 'echo a', 'curl x | sh'] as const;
const CLIENTS = ['ann', 'bob', 'eve'] as const;

interface Sight {
  readonly request: string;
  readonly digest: string;
  readonly command: string;
}

/** An answer in transit: the request that its author saw, and the decision. */
interface SentAnswer extends Sight {
  readonly id: string;
  readonly behavior: 'allow' | 'deny';
}

type Random = (below: number) => number;

class Simulation {
  readonly #random: Random;
  /** The two logs: lines of the agent; commands and batches. */
  readonly #wire: string[] = [];
  readonly #commands: { readonly id: string; readonly by: string; readonly command: Command }[] = [];
  readonly #records: BatchRecord[] = [];
  #machine = this.#newMachine();
  #taken = { wire: 0, commands: 0 };
  /** The request that each client shows, perhaps an old one. */
  readonly #sights: Sight[] = [];
  readonly #answers = new Map<string, SentAnswer>();
  readonly faults: string[] = [];
  /** The number of permissions that the agent got. */
  allowed = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#take({ fact: 'started' });
    this.#publish([{ fact: 'started' }]);
    const { request_id } = JSON.parse(this.#records[0]!.writes![0] as string) as { request_id: string };
    this.#say({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
    this.#send({ do: 'prompt', clientId: 'p', content: [{ type: 'text', text: 'go' }] }, 'ann', 'p');
    this.#drive();
  }

  step(): void {
    const action = this.#random(10);
    if (action < 3) this.#ask();
    else if (action < 4) this.#withdraw();
    else if (action < 7) this.#answer();
    else if (action < 9) this.#drive();
    else this.#die();
  }

  finish(): void {
    this.#drive();
    this.#take({ fact: 'exited', exitCode: 0, signal: null });
    this.#publish([{ fact: 'exited', exitCode: 0, signal: null }]);
    const events = this.#records.flatMap((record) => record.events);
    const open = new Map<string, number>();
    for (const event of events) {
      if (event.kind === 'permission.requested') open.set(event.request, (open.get(event.request) ?? 0) + 1);
      if (event.kind === 'permission.resolved') open.set(event.request, (open.get(event.request) ?? 0) - 1);
    }
    for (const [request, count] of open)
      if (count !== 0) this.faults.push(`${request} is open ${count} times at the end`);
  }

  #newMachine(): AgentMachine {
    return new AgentMachine(DIALECTS.claude, 'session', { cwd: '/' });
  }

  #say(line: object): void {
    this.#wire.push(JSON.stringify(line));
  }

  #ask(): void {
    const id = `r${this.#random(IDS)}`;
    const command = COMMANDS[this.#random(COMMANDS.length)]!;
    const input = { command };
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: `t${this.#random(3)}`, input };
    this.#say({ type: 'control_request', request_id: id, request });
  }

  #withdraw(): void {
    const id = `r${this.#random(IDS)}`;
    this.#say({ type: 'control_cancel_request', request_id: id });
  }

  #answer(): void {
    if (this.#sights.length === 0) return;
    const sight = this.#sights[this.#random(this.#sights.length)]!;
    const behavior = this.#random(3) === 0 ? 'deny' : 'allow';
    const id = `a${this.#answers.size}`;
    this.#answers.set(id, { ...sight, id, behavior });
    const { request, digest } = sight;
    this.#send({ do: 'permission', request, digest, behavior }, CLIENTS[this.#random(CLIENTS.length)]!, id);
  }

  #send(command: Command, by: string, id: string): void {
    this.#commands.push({ id, by, command });
  }

  /** Lets the driver take new inputs, in any mixture, and publish them as one or more batches. */
  #drive(): void {
    while (this.#taken.wire < this.#wire.length || this.#taken.commands < this.#commands.length) {
      const inputs: BatchInput[] = [];
      for (let left = 1 + this.#random(4); left > 0; left--) {
        const isLine = this.#taken.wire < this.#wire.length;
        const isCommand = this.#taken.commands < this.#commands.length;
        if (!isLine && !isCommand) break;
        const input: BatchInput =
          isLine && (!isCommand || this.#random(2) === 0)
            ? { output: this.#taken.wire + 1, lines: 1 }
            : { command: this.#taken.commands };
        this.#take(input);
        inputs.push(input);
        // A driver that dies here has published no event: the next one takes the same inputs again.
      }
      if (this.#random(12) === 0) return this.#die();
      this.#publish(inputs);
    }
  }

  #take(input: BatchInput): void {
    if ('output' in input) {
      const text = this.#wire[input.output - 1]!;
      this.#machine.take({ type: 'line', stream: 'stdout', text, offset: 0, length: text.length + 1, at: 1 });
      this.#taken.wire = input.output;
    } else if ('command' in input) {
      const { id, by, command } = this.#commands[input.command]!;
      this.#machine.take({ type: 'command', command, id, by, at: 1 });
      this.#taken.commands = input.command + 1;
    } else if ('exitCode' in input) this.#machine.take({ type: 'exited', at: 1, exitCode: 0, signal: null });
    else this.#machine.take({ type: 'started', at: 1 });
  }

  #publish(inputs: readonly BatchInput[]): void {
    const events: AgentEvent[] = [];
    for (let event = this.#machine.next(1); event; event = this.#machine.next(1)) events.push(event);
    const { lines } = this.#machine.takeWrites();
    this.#records.push({ type: 'batch', at: 1, driver: 'd', inputs, events, writes: lines, written: 0, isBound: true });
    for (const event of events) this.#see(event);
    for (const line of lines) this.#hear(line, events);
  }

  /** Kills the driver; the next one reads the log from its start. */
  #die(): void {
    this.#machine = this.#newMachine();
    this.#taken = { wire: 0, commands: 0 };
    for (const record of this.#records) {
      for (const input of record.inputs) this.#take(input);
      const { lines } = this.#machine.replayed(record);
      if (JSON.stringify(lines) !== JSON.stringify(record.writes)) this.faults.push('a replay writes something else');
    }
  }

  #see(event: AgentEvent): void {
    if (event.kind !== 'permission.requested') return;
    const { command } = event.input as { command: string };
    this.#sights.push({ request: event.request, digest: event.digest!, command });
  }

  /** Lets the agent run a permitted tool: it must be the one that the author of the answer saw. */
  #hear(line: string, events: readonly AgentEvent[]): void {
    const { response } = JSON.parse(line) as {
      response?: { request_id: string; response: { behavior?: string; updatedInput?: { command: string } } };
    };
    if (response === undefined) return;
    const { request_id: id, response: told } = response;
    if (told.behavior !== 'allow') return;
    this.allowed++;
    const resolved = events.find(
      (event) => event.kind === 'permission.resolved' && event.request === id && event.decision === 'allow',
    ) as { digest?: string } | undefined;
    const authors = [...this.#answers.values()].filter(
      ({ request, digest, behavior }) => request === id && digest === resolved?.digest && behavior === 'allow',
    );
    if (authors.length === 0) this.faults.push(`${id} was allowed, and nobody has said so`);
    for (const { command } of authors)
      if (command !== told.updatedInput?.command)
        this.faults.push(`${id}: saw ${command}, ran ${told.updatedInput?.command}`);
  }
}

test(
  `[REQ-3, REQ-4] in ${RUNS} random orders, an answer reaches only the request and the input that its author saw, and each request ends once`,
  { timeout: 600_000 },
  () => {
    const random = randomNumbers(19_001);
    let allowed = 0;
    for (let run = 0; run < RUNS; run++) {
      const simulation = new Simulation(random);
      for (let step = 0; step < STEPS; step++) simulation.step();
      simulation.finish();
      expect(simulation.faults, `run ${run}`).toEqual([]);
      allowed += simulation.allowed;
    }
    expect(allowed).toBeGreaterThan(RUNS / 2);
  },
);
