/**
 * The agent's part of a session: its events log, its driver and the status that the driver reports. Keeps EVT-5: a command has
 * one place in the log, no matter which client sent it, or how often.
 */
import type { SessionRecord } from '@spool/store';
import {
  type AgentCommandLine,
  CHANNEL_FOLDER,
  type DriverInfo,
  type Requests,
  SpoolError,
  type Status,
  type WireStatus,
} from '@spool/protocol';
import { IdempotencyKeys } from '../input/idempotency-keys.ts';
import { History } from '../screens/insight/history.ts';
import type { SessionServices } from '../sessions/services.ts';
import { AgentDriver } from './agent-driver.ts';
import { CheckpointFile } from './checkpoint-file.ts';
import { EventsLog } from './events-log.ts';
import { promptLine } from './prompt-line.ts';
import { channelDriver } from './side-channel/side-channel.ts';

export interface SessionAgentOptions {
  readonly record: SessionRecord;
  readonly folder: string;
  readonly services: SessionServices;
  /** Called when the events log has grown, or has ended. */
  onGrown(): void;
  onStatus(status: Status): void;
  /** Called when a tool has begun, because a question may follow that must not wait for a tick. */
  onTool(): void;
  /** Called once, with the start of the agent's first prompt. */
  onFirstPrompt(text: string): void;
  /** Called when the session and its events log have ended. */
  onDone(): void;
}

export class SessionAgent {
  readonly name: string;
  readonly events: EventsLog;
  readonly checkpoint: CheckpointFile;
  readonly #options: SessionAgentOptions;
  readonly #driver: AgentDriver;
  readonly #keys: IdempotencyKeys;
  /** Null for an agent in a terminal, whose history the thread for screens keeps. */
  readonly #history: History | null;
  #isDone: boolean;
  #prompt: string | undefined;
  #said: string | undefined;
  #usage: WireStatus['usage'];
  #state: Status['state'] = 'starting';
  #kind: string | null = null;
  #since: number;

  constructor(options: SessionAgentOptions) {
    const { record, folder, services } = options;
    const { id, agent, agentServer, retainBytes, retainMs } = record.run;
    this.name = agent?.name ?? channelDriver(agentServer)!;
    this.#options = options;
    this.#isDone = record.areEventsDone === true;
    this.#prompt = record.prompt;
    this.#since = record.startedAt;
    this.#keys = new IdempotencyKeys(folder, 'commands');
    this.#history = agent === undefined ? null : new History(folder);
    this.checkpoint = new CheckpointFile(folder);
    this.events = new EventsLog(folder, services, {
      ...(retainBytes !== undefined && { retainBytes }),
      ...(retainMs !== undefined && { retainMs }),
    });
    this.#driver = new AgentDriver({
      hosts: services.driverHosts,
      name: this.name,
      session: id,
      ...(agent === undefined && { channel: `${folder}/${CHANNEL_FOLDER}` }),
      serve: (fd, traffic) => services.serveDriver(fd, id, traffic),
      onGivenUp: (reason) => this.#givenUp(reason),
      warn: services.warn,
    });
  }

  get info(): DriverInfo {
    const { start: firstOffset, end: offset } = this.events.log;
    const { options, resumes } = this.#options.record.run.agent ?? {};
    const prompt = this.#prompt;
    const started = { ...(prompt && { prompt }), ...(options && { options }), ...(resumes && { resumes }) };
    return { name: this.name, state: this.#driverState, ...started, firstOffset, offset };
  }

  get #driverState(): DriverInfo['state'] {
    if (this.#isDone) return 'done';
    return this.#driver.isGivenUp ? 'failed' : 'running';
  }

  /** The log, for watchers. */
  get log(): EventsLog['log'] {
    return this.events.log;
  }

  get isDone(): boolean {
    return this.#isDone || this.#driver.isGivenUp;
  }

  start(): void {
    if (!this.#isDone) this.#driver.start();
  }

  /** Appends a command. `isRepeated`: a command with this id is already in the log. */
  command({ id, command }: AgentCommandLine, by: string): Requests['command']['answer'] {
    if (this.#isDone) throw new SpoolError('AGENT_ENDED', { session: this.#options.record.name });
    if (this.#keys.has(id)) return { offset: this.log.end, isRepeated: true };
    const line = JSON.stringify({ type: 'command', id, at: Date.now(), by, command });
    const offset = this.#append(line) - Buffer.byteLength(line) - 1;
    this.#keys.add(id);
    this.#notePrompt(command);
    // A client that sends a prompt and then waits for `idle` waits for the turn of this prompt. The driver reports the further
    // states.
    if (command['do'] === 'prompt' && this.#state === 'idle' && this.#history !== null)
      this.#setStatus({ state: 'working', kind: null, why: 'a prompt was sent', activity: null, thought: null });
    this.#options.onGrown();
    this.#driver.start(); // a driver that was given up gets another chance
    return { offset, isRepeated: false };
  }

  /** Appends an event from the driver. */
  append({ end, line, status, consumed, isLast }: Requests['appendEvents']['ask']): Requests['appendEvents']['answer'] {
    if (this.#isDone) throw new SpoolError('SESSION_EXITED', { session: this.#options.record.name });
    const offset = line === undefined ? this.log.end : this.#append(line, end);
    if (line !== undefined) this.#driver.progressed();
    this.#driver.took(consumed);
    if (status) this.#setStatus(status);
    if (status && status.activity !== null && status.state === 'working') this.#options.onTool();
    if (isLast === true) this.#done();
    if (line !== undefined || isLast === true) this.#options.onGrown();
    return { offset };
  }

  close(): void {
    this.#driver.end();
    this.events.close();
  }

  /**
   * Appends a line. Reports growth also when the append fails, because it may have ended a line that a full disk had cut: a driver
   * reads to the end of the log that EVENTS_MOVED names, and would wait forever without a report.
   */
  #append(line: string, expected?: number): number {
    try {
      return this.events.append(line, expected);
    } catch (error) {
      this.#options.onGrown();
      throw error;
    }
  }

  #notePrompt(command: AgentCommandLine['command']): void {
    const text = this.#prompt === undefined ? promptLine(command) : '';
    if (text === '') return;
    this.#prompt = text;
    this.#options.onFirstPrompt(text);
  }

  #done(): void {
    this.#isDone = true;
    this.#driver.end();
    this.checkpoint.remove();
    this.#options.onDone();
  }

  #givenUp(reason: string): void {
    this.#append(JSON.stringify({ type: 'driver', at: Date.now(), state: 'failed', reason }));
    this.#setStatus({ state: 'idle', kind: 'error', why: reason, activity: null, thought: null });
    this.#options.onGrown();
  }

  #setStatus({ state, kind, why, activity, thought, said, usage, since, question, requests }: WireStatus): void {
    const at = Date.now();
    const offset = this.#options.record.end?.offset ?? 0;
    if (state !== this.#state || kind !== this.#kind || question !== undefined) {
      if (state !== this.#state || state === 'blocked') this.#since = since ?? at;
      this.#history?.add({ type: 'status', at, offset, state, kind, source: 'wire', why });
      this.#history?.save();
    }
    this.#said = said ?? this.#said;
    this.#usage = usage ?? this.#usage;
    this.#state = state;
    this.#kind = kind;
    this.#options.onStatus({
      state,
      since: this.#since,
      source: 'wire',
      confidence: 1,
      evidence: [{ source: 'wire', says: state, why, rule: null, confidence: 1, at, offset }],
      kind,
      agent: this.name,
      activity,
      thought,
      ...(this.#said !== undefined && { said: this.#said }),
      ...(this.#usage && { usage: this.#usage }),
      progress: null,
      ...(question && { question }),
      ...(requests && requests.length > 0 && { requests }),
      offset,
    });
  }
}
