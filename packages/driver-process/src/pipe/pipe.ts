/**
 * A driver alone in a pipe (`spool driver NAME`): starts the agent, reads commands, one a line, and prints events, one a line.
 * There is no daemon and no log: what is killed is lost. Keeps PIPE-1: when the input has ended and the agent has nothing
 * more to do, it is closed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DIALECTS, type DialectOptions, Driver, type DriverInput, type DriverName, LineFraming } from '@spool/drivers';
import type { AgentBody, AgentEvent } from '@spool/protocol/agent';
import { LineSplitter } from '../bridge/line-splitter.ts';
import { AgentTree, type AgentTreeOptions } from './agent-tree.ts';
import { COMMAND_BYTES_MAX, commandOfLine, type InputLine, tooLong } from './command-line.ts';

/** An agent that was asked to exit, and does not. */
const CLOSE_MS_MAX = 15_000;
/** Its output may still be in the pipes. */
const DRAIN_MS_MAX = 2000;
/** For what an agent leaves behind. */
const LEFT_MS = 1000;
const NOBODY = 'nobody can answer this: the input has ended';

export interface PipeOptions extends AgentTreeOptions {
  readonly name: DriverName;
  readonly options: DialectOptions;
}

export interface PipeEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Closed because the input had ended, or by a command. */
  readonly isClosed: boolean;
  /** The signal that has ended us, if one has. */
  readonly endedBy: NodeJS.Signals | null;
}

export class Pipe {
  readonly #driver: Driver;
  readonly #tree: AgentTree;
  readonly #by = 'pipe';
  #last: Promise<void> = Promise.resolve();
  /** Prompts that are not done, and the turn, if one runs. */
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

  /** Resolves when the agent and everything that it has started are gone. */
  async run(): Promise<PipeEnd> {
    const stop = (signal: NodeJS.Signals): void => {
      this.#endedBy ??= signal;
      void this.#tree.end();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    process.stdout.on('error', () => stop('SIGPIPE')); // nobody reads
    const { child } = this.#tree;
    await this.#take({ type: 'started', at: Date.now() });
    const output = Promise.all([this.#read(child.stdout, 'stdout'), this.#read(child.stderr, 'stderr')]);
    void this.#readInput();
    const exit = await this.#tree.exited;
    await this.#tree.end(LEFT_MS); // what it has left; this also closes its pipes
    await Promise.race([output, sleep(DRAIN_MS_MAX)]);
    await this.#take({ type: 'exited', at: Date.now(), ...exit });
    return { ...exit, isClosed: this.#isClosed, endedBy: this.#endedBy };
  }

  async #read(stream: NodeJS.ReadableStream, name: 'stdout' | 'stderr'): Promise<void> {
    const framing = new LineFraming();
    const lines = (framed: ReturnType<LineFraming['push']>): DriverInput[] =>
      framed.map((line) => ({ type: 'line', stream: name, ...line, at: Date.now() }));
    for await (const chunk of stream)
      for (const input of lines(framing.push(chunk as Uint8Array))) await this.#take(input);
    for (const input of lines(framing.end())) await this.#take(input);
  }

  async #readInput(): Promise<void> {
    let number = 0;
    const refused: InputLine[] = [];
    const splitter = new LineSplitter(COMMAND_BYTES_MAX, (bytes) => refused.push(tooLong(++number, bytes)));
    const each = async (line: string): Promise<void> => {
      for (const input of refused.splice(0)) await this.#command(input);
      number++;
      if (line.trim() !== '') await this.#command(commandOfLine(line, number));
    };
    try {
      for await (const chunk of process.stdin) for (const line of splitter.push(chunk as Buffer)) await each(line);
      for (const line of splitter.end()) await each(line);
      for (const input of refused.splice(0)) await this.#command(input);
    } catch {
      // What cannot be read has ended.
    }
    this.#hasInputEnded = true;
    await this.#take(null);
  }

  async #command(input: InputLine): Promise<void> {
    const { id } = input;
    if ('refused' in input) {
      const body = { kind: 'command.refused', command: id, code: 'invalid', by: this.#by, ...input.refused } as const;
      return this.#print([this.#driver.say(body as AgentBody, Date.now())]);
    }
    const { command } = input;
    if (command.do === 'close') {
      this.#hasInputEnded = true;
      return this.#take(null);
    }
    if (command.do === 'prompt') this.#prompts.add(command.clientId);
    await this.#take({ type: 'command', command, id, by: this.#by, at: Date.now() });
    const { stdin } = this.#tree.child;
    // An agent that does not read: further commands wait in the pipe, and its output is read on.
    if (stdin.writableNeedDrain)
      await Promise.race([new Promise((done) => stdin.once('drain', done)), this.#tree.exited]);
  }

  /** One after the other. Null: nothing new, but it may be time to close. */
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
    else if (event.kind === 'fault' && event.fatal) this.#prompts.clear(); // it will take none of them
  }

  /** Nobody is there to answer what it asks; when it has nothing more to do, its input ends. */
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

  /** Resolves when there is room for more: a slow reader slows the agent. */
  async #print(events: readonly AgentEvent[]): Promise<void> {
    if (events.length === 0 || this.#endedBy === 'SIGPIPE') return;
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    if (process.stdout.write(text)) return;
    await Promise.race([new Promise((done) => process.stdout.once('drain', done)), this.#tree.exited]);
  }
}
