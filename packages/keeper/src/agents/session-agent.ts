/**
 * The agent's part of a session: its events log, its driver and the status that the driver reports. Keeps EVT-5: a command
 * has one place in the log, whichever client sent it and however often.
 */
import type { SessionRecord } from '@spool/core';
import {
  type AgentCommandLine,
  type DriverInfo,
  type Requests,
  SpoolError,
  type Status,
  type WireStatus,
} from '@spool/protocol';
import { IdempotencyKeys } from '../input/idempotency-keys.ts';
import { History } from '../screens/insight/history.ts';
import type { SessionServices } from '../session/services.ts';
import { CheckpointFile } from './checkpoint-file.ts';
import { DriverProcess } from './driver-process.ts';
import { EventsLog } from './events-log.ts';

export interface SessionAgentOptions {
  readonly record: SessionRecord;
  readonly folder: string;
  readonly services: SessionServices;
  /** The events log has grown, or is done. */
  onGrown(): void;
  onStatus(status: Status): void;
  /** A tool has begun: what follows may be a question, which is not to wait for a tick. */
  onTool(): void;
  /** The session has ended, and so has its events log. */
  onDone(): void;
}

export class SessionAgent {
  readonly name: string;
  readonly events: EventsLog;
  readonly checkpoint: CheckpointFile;
  readonly #options: SessionAgentOptions;
  readonly #driver: DriverProcess;
  readonly #keys: IdempotencyKeys;
  readonly #history: History;
  #isDone: boolean;
  #state: Status['state'] = 'starting';
  #kind: string | null = null;
  #since: number;

  constructor(options: SessionAgentOptions) {
    const { record, folder, services } = options;
    const { id, agent, retainBytes, retainMs } = record.run;
    this.name = agent!.name;
    this.#options = options;
    this.#isDone = record.areEventsDone === true;
    this.#since = record.startedAt;
    this.#keys = new IdempotencyKeys(folder, 'commands');
    this.#history = new History(folder);
    this.checkpoint = new CheckpointFile(folder);
    this.events = new EventsLog(folder, services, {
      ...(retainBytes !== undefined && { retainBytes }),
      ...(retainMs !== undefined && { retainMs }),
    });
    this.#driver = new DriverProcess({
      name: this.name,
      session: id,
      configFolder: services.home.config,
      serve: (fd) => services.serveDriver(fd, id),
      onGivenUp: (reason) => this.#givenUp(reason),
      warn: services.warn,
    });
  }

  get info(): DriverInfo {
    const { start: firstOffset, end: offset } = this.events.log;
    const { options, resumes } = this.#options.record.run.agent!;
    const started = { ...(options && { options }), ...(resumes && { resumes }) };
    return { name: this.name, state: this.#driverState, ...started, firstOffset, offset };
  }

  get #driverState(): DriverInfo['state'] {
    if (this.#isDone) return 'done';
    return this.#driver.isGivenUp ? 'failed' : 'running';
  }

  /** For watchers. */
  get log(): EventsLog['log'] {
    return this.events.log;
  }

  get isDone(): boolean {
    return this.#isDone || this.#driver.isGivenUp;
  }

  start(): void {
    if (!this.#isDone) this.#driver.start();
  }

  /** `isRepeated` when a command with this id is in the log already. */
  command({ id, command }: AgentCommandLine, by: string): Requests['command']['answer'] {
    if (this.#isDone) throw new SpoolError('AGENT_ENDED', { session: this.#options.record.name });
    if (this.#keys.has(id)) return { offset: this.log.end, isRepeated: true };
    const line = JSON.stringify({ type: 'command', id, at: Date.now(), by, command });
    const offset = this.events.append(line) - Buffer.byteLength(line) - 1;
    this.#keys.add(id);
    // Whoever sends a prompt and then waits for `idle` waits for its turn. The driver says what becomes of it.
    if (command['do'] === 'prompt' && this.#state === 'idle')
      this.#setStatus({ state: 'working', kind: null, why: 'a prompt was sent', activity: null, thought: null });
    this.#options.onGrown();
    this.#driver.start(); // one that was given up gets another chance
    return { offset, isRepeated: false };
  }

  /** From its driver. */
  append({ end, line, status, isLast }: Requests['appendEvents']['ask']): Requests['appendEvents']['answer'] {
    if (this.#isDone) throw new SpoolError('SESSION_EXITED', { session: this.#options.record.name });
    const offset = line === undefined ? this.log.end : this.events.append(line, end);
    if (line !== undefined) this.#driver.progressed();
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

  #done(): void {
    this.#isDone = true;
    this.#driver.end();
    this.checkpoint.remove();
    this.#options.onDone();
  }

  #givenUp(reason: string): void {
    this.events.append(JSON.stringify({ type: 'driver', at: Date.now(), state: 'failed', reason }));
    this.#setStatus({ state: 'idle', kind: 'error', why: reason, activity: null, thought: null });
    this.#options.onGrown();
  }

  #setStatus({ state, kind, why, activity, thought, question }: WireStatus): void {
    const at = Date.now();
    const offset = this.#options.record.end?.offset ?? 0;
    if (state !== this.#state || kind !== this.#kind || question !== undefined) {
      if (state !== this.#state || state === 'blocked') this.#since = at;
      this.#history.add({ type: 'status', at, offset, state, kind, source: 'wire', why });
      this.#history.save();
    }
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
      progress: null,
      ...(question && { question }),
      offset,
    });
  }
}
