/**
 * Runs a driver alone in a pipe (`spool driver NAME`): starts the agent, reads commands, one a line, and prints events, one a line.
 * There is no daemon and no log, so a kill loses the conversation. Keeps PIPE-1: when the input has ended and the agent has no more
 * work, the agent is closed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { agentLines, DIALECTS, type DialectOptions, Driver, type DriverInput, type DriverName } from '@spool/drivers';
import type { AgentBody, AgentEvent } from '@spool/protocol/agent';
import { type FramedLine, LineFraming } from '@spool/protocol/line-framing';
import { AgentTree, type AgentTreeOptions } from './agent-tree.ts';
import { COMMAND_BYTES_MAX, commandOfLine, type PipeInput, tooLong } from './command-line.ts';

/** The time for an agent to exit on request. */
const CLOSE_MS_MAX = 15_000;
/** The time for the rest of the output, which may still be in the pipes. */
const DRAIN_MS_MAX = 2000;
/** The time for the processes that an agent leaves behind. */
const LEFT_MS = 1000;
const NOBODY = 'no one can answer this: the input has ended';

export interface PipeOptions extends AgentTreeOptions {
  readonly name: DriverName;
  readonly options: DialectOptions;
}

export interface PipeEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Whether the agent was closed, because the input had ended or by a command. */
  readonly isClosed: boolean;
  /** The signal that has ended this process, or null. */
  readonly endedBy: NodeJS.Signals | null;
}

export class Pipe {
  readonly #driver: Driver;
  readonly #tree: AgentTree;
  readonly #by = 'pipe';
  #last: Promise<void> = Promise.resolve();
  /** Unfinished prompts, and the turn if one runs. */
  readonly #prompts = new Set<string>();
  #isInTurn = false;
  readonly #asks = new Map<string, 'permission' | 'question'>();
  #hasInputEnded = false;
  #isClosed = false;
  #endedBy: NodeJS.Signals | null = null;

  constructor({ name, options, ...tree }: PipeOptions) {
    this.#driver = new Driver(DIALECTS[name], 'pipe', options);
    this.#tree = new AgentTree(tree);
  }

  /** Resolves when the agent and all processes that it has started are gone. */
  async run(): Promise<PipeEnd> {
    const stop = (signal: NodeJS.Signals): void => {
      this.#endedBy ??= signal;
      void this.#tree.end();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    process.stdout.on('error', () => stop('SIGPIPE')); // the reader is gone
    const { child } = this.#tree;
    await this.#take({ type: 'started', at: Date.now() });
    const output = Promise.all([this.#read(child.stdout, 'stdout'), this.#read(child.stderr, 'stderr')]);
    void this.#readInput();
    const exit = await this.#tree.exited;
    await this.#tree.end(LEFT_MS); // ends its remaining processes; this also closes its pipes
    await Promise.race([output, sleep(DRAIN_MS_MAX)]);
    await this.#take({ type: 'exited', at: Date.now(), ...exit });
    return { ...exit, isClosed: this.#isClosed, endedBy: this.#endedBy };
  }

  async #read(stream: NodeJS.ReadableStream, name: 'stdout' | 'stderr'): Promise<void> {
    const framing = agentLines();
    const take = ({ text, offset, length, isCut }: FramedLine): Promise<void> =>
      this.#take({ type: 'line', stream: name, text, offset, length, ...(isCut && { isCut }), at: Date.now() });
    for await (const chunk of stream) for (const line of framing.push(chunk as Uint8Array)) await take(line);
    for (const line of framing.end()) await take(line);
  }

  async #readInput(): Promise<void> {
    let number = 0;
    const lines = new LineFraming({ bytesMax: COMMAND_BYTES_MAX });
    const each = async ({ text, length, isDropped }: FramedLine): Promise<void> => {
      number++;
      if (isDropped) await this.#command(tooLong(number, length));
      else if (text.trim() !== '') await this.#command(commandOfLine(text, number));
    };
    try {
      for await (const chunk of process.stdin) for (const line of lines.push(chunk as Buffer)) await each(line);
      for (const line of lines.end()) await each(line);
    } catch {
      // An input that cannot be read counts as ended.
    }
    this.#hasInputEnded = true;
    await this.#take(null);
  }

  async #command(input: PipeInput): Promise<void> {
    const { id } = input;
    if ('refused' in input) {
      const body = { kind: 'command.refused', command: id, code: 'invalid', by: this.#by, ...input.refused } as const;
      return this.#print([this.#driver.envelop(body as AgentBody, Date.now(), 'daemon')]);
    }
    const { command } = input;
    if (command.do === 'close') {
      this.#hasInputEnded = true;
      return this.#take(null);
    }
    if (command.do === 'prompt') this.#prompts.add(command.clientId);
    await this.#take({ type: 'command', command, id, by: this.#by, at: Date.now() });
    const { stdin } = this.#tree.child;
    // If the agent does not read its input, further commands wait in the pipe, but its output is still read.
    if (stdin.writableNeedDrain)
      await Promise.race([new Promise((done) => stdin.once('drain', done)), this.#tree.exited]);
  }

  /** Takes inputs one after the other. Null means that there is no new input, but it may be time to close. */
  #take(input: DriverInput | null): Promise<void> {
    return (this.#last = this.#last.then(async () => {
      if (input) await this.#step(input);
      if (this.#hasInputEnded) await this.#close();
    }));
  }

  async #step(input: DriverInput): Promise<void> {
    const { events, writes } = this.#driver.take(input);
    for (const event of events) this.#note(event);
    for (const line of writes) this.#tree.child.stdin.write(`${line}\n`);
    await this.#print(events);
  }

  #note(event: AgentEvent): void {
    if (event.kind === 'turn.started') this.#isInTurn = true;
    else if (event.kind === 'turn.ended') this.#isInTurn = false;
    else if (event.kind === 'prompt' && (event.state === 'completed' || event.state === 'cancelled'))
      this.#prompts.delete(event.clientId ?? '');
    else if (event.kind === 'command.refused' && event.do === 'prompt') this.#prompts.delete(event.clientId ?? '');
    else if (event.kind === 'permission.requested') this.#asks.set(event.request, 'permission');
    else if (event.kind === 'question.asked') this.#asks.set(event.request, 'question');
    else if (event.kind === 'permission.resolved' || event.kind === 'question.resolved')
      this.#asks.delete(event.request);
    else if (event.kind === 'fault' && event.fatal) this.#prompts.clear(); // the agent will take none of the remaining prompts
  }

  /** Denies open requests, because no client is left to answer them, and closes the input when the agent has no more work. */
  async #close(): Promise<void> {
    for (const [request, type] of [...this.#asks]) {
      this.#asks.delete(request);
      const command =
        type === 'question'
          ? ({ do: 'answer', request } as const)
          : ({ do: 'permission', request, behavior: 'deny', message: NOBODY } as const);
      await this.#step({ type: 'command', command, id: `end ${request}`, by: 'end of input', at: Date.now() });
    }
    if (this.#isClosed || this.#isInTurn || this.#prompts.size > 0) return;
    this.#isClosed = true;
    this.#tree.child.stdin.end();
    const timer = setTimeout(() => void this.#tree.end(), CLOSE_MS_MAX);
    void this.#tree.exited.then(() => clearTimeout(timer));
  }

  /** Prints events; resolves when there is room for more: a slow reader slows the agent. */
  async #print(events: readonly AgentEvent[]): Promise<void> {
    if (events.length === 0 || this.#endedBy === 'SIGPIPE') return;
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    if (process.stdout.write(text)) return;
    await Promise.race([new Promise((done) => process.stdout.once('drain', done)), this.#tree.exited]);
  }
}
