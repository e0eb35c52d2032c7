/** Lets a dialect converse with a scripted agent: lines and commands go in; its lines and events come out. */
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

  constructor(agent: DriverName, options: DialectOptions = { cwd: '/project' }, dialect = DIALECTS[agent]) {
    this.#driver = new Driver(dialect, 'session', options);
  }

  /** Starts the agent. This and the next methods return the driver's lines to the agent, parsed. */
  started(): any[] {
    return this.#took(this.#driver.take({ type: 'started', at: ++this.#at }));
  }

  says(message: unknown): any[] {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    const line = { stream: 'stdout' as const, text, offset: 0, length: text.length + 1 };
    return this.#took(this.#driver.take({ type: 'line', ...line, at: ++this.#at }));
  }

  /**
   * Sends a command. An answer carries the digest of the request, like one of a client that has shown it, unless it has another
   * digest.
   */
  command(command: Command, by = 'ann', rule?: string): any[] {
    const shown = 'request' in command ? { digest: this.digestOf(command.request), ...command } : command;
    return this.raw(shown as Command, by, rule);
  }

  /** Sends a command as it is. */
  raw(command: Command, by = 'ann', rule?: string): any[] {
    const input = { command, id: `c${++this.#commands}`, by, at: ++this.#at, ...(rule === undefined ? {} : { rule }) };
    return this.#took(this.#driver.take({ type: 'command', ...input }));
  }

  /** The digest of a request, by the last event with its id. */
  digestOf(request: string): string | undefined {
    const event = this.events.findLast(
      (each) => (each.kind === 'permission.requested' || each.kind === 'question.asked') && each.request === request,
    );
    return (event as { digest?: string } | undefined)?.digest;
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
