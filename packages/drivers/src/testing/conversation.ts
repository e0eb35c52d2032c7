/** A dialect in conversation with a scripted agent: lines in, commands in, what it writes and says out. */
// oxlint-disable typescript/no-explicit-any -- what is written to an agent is read as the agent would read it
import type { AgentEvent, Command } from '@spool/protocol/agent';
import type { DialectOptions } from '../dialect.ts';
import { DIALECTS, type DriverName } from '../dialects.ts';
import { Driver, type DriverOutput } from '../driver.ts';

export class Conversation {
  readonly events: AgentEvent[] = [];
  /** The driver has ended the agent's input. */
  isClosed = false;
  readonly #driver: Driver;
  #at = 0;
  #commands = 0;

  constructor(agent: DriverName, options: DialectOptions = { cwd: '/project' }) {
    this.#driver = new Driver(DIALECTS[agent], 'session', options);
  }

  /** Each returns what the driver writes to the agent, parsed. */
  started(): any[] {
    return this.#took(this.#driver.take({ type: 'started', at: ++this.#at }));
  }

  says(message: unknown): any[] {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    const line = { stream: 'stdout' as const, text, offset: 0, length: text.length + 1 };
    return this.#took(this.#driver.take({ type: 'line', ...line, at: ++this.#at }));
  }

  command(command: Command, by = 'ann'): any[] {
    return this.#took(this.#driver.take({ type: 'command', command, id: `c${++this.#commands}`, by, at: ++this.#at }));
  }

  prompt(text: string, clientId: string, when?: 'now' | 'next' | 'queue'): any[] {
    const content = [{ type: 'text' as const, text }];
    return this.command({ do: 'prompt', content, clientId, ...(when ? { when } : {}) });
  }

  exited(): any[] {
    return this.#took(this.#driver.take({ type: 'exited', at: ++this.#at, exitCode: null, signal: 'SIGKILL' }));
  }

  get kinds(): string[] {
    return this.events.map(({ kind }) => kind);
  }

  last<K extends AgentEvent['kind']>(kind: K): Extract<AgentEvent, { kind: K }> | undefined {
    return this.events.findLast((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);
  }

  #took({ events, writes, closes }: DriverOutput): any[] {
    this.isClosed ||= closes === true;
    this.events.push(...events);
    return writes.map((line) => JSON.parse(line));
  }
}
