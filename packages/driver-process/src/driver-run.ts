/**
 * Runs a driver: first it replays the inputs that the events log records as taken, then it continues with new output and new
 * commands. The input that the driver has read, the resulting events and the lines for the agent become one record; then the lines
 * are written. Keeps EVT-1: if a driver is killed at any moment, the next one neither loses nor repeats an event.
 */
import { type RecordItem, RecordWatch, type Requester, Watch } from '@spool/client/driver';
import type { CommandInput, DriverInput } from '@spool/drivers';
import {
  type BatchInput,
  type BatchRecord,
  type CommandRecord,
  type EventsRecord,
  type InputState,
  SpoolError,
  type WireStatus,
} from '@spool/protocol';
import type { AgentMachine } from './agent-machine.ts';
import { type Checkpoint, encodeCheckpoint, isLastBatch } from './checkpoint.ts';
import { Collector } from './collector.ts';
import { InputBuffer } from './input-buffer.ts';
import { cutEvent } from './large-event.ts';
import { type OutputItem, outputLines } from './output-lines.ts';
import type { Pace } from './pace.ts';
import type { PolicyAnswers } from './policy-answers.ts';
import type { SideChannelReader } from './channel/side-channel.ts';
import { type BatchWriter, WireWriter } from './wire-writer.ts';

/** The interval between records. The keeper sends output at ticks (decision 088): all output of one tick becomes one record. */
const COLLECT_MS = 60;
/** The time in which the lines of one burst are collected, after a pause or in a flood. */
const COLLECT_MS_FIRST = 10;
const PAUSE_MS = 200;
/** The limit of the events in a record; a record has 768 KiB at most. */
const BATCH_CHARACTERS = 256 * 1024;
/** The limit of the lines in a record: a flood becomes many short records, so that little of it is in memory at once. */
const BATCH_LINE_CHARACTERS = 64 * 1024;
/** The limit of a line for the agent that is repeated in the log. */
const WRITE_CHARACTERS_MAX = 16 * 1024;
/**
 * The bytes of both logs between two checkpoints: a restarted driver reads no more than that, if its agent pauses from time to
 * time.
 */
const CHECKPOINT_EVERY_BYTES = 256 * 1024;
/** The error after which the keeper starts a driver that reads the logs from the beginning. */
const MISMATCH = 'the checkpoint is not of this log';
const MOVED_MS = 5;
/** The limit of unhandled bytes in this process; the rest of a flood waits in the log. */
const CREDIT_BYTES = 64 * 1024;

type QueuedInput =
  | { readonly type: 'wire'; readonly input: InputState }
  | { readonly type: 'output'; readonly item: OutputItem }
  | { readonly type: 'command'; readonly offset: number; readonly record: CommandRecord };

export interface DriverRunOptions {
  readonly requester: Requester;
  readonly session: string;
  readonly machine: AgentMachine;
  /** The checkpoint of an earlier driver, from which the machine was created. */
  readonly from: Checkpoint | null;
  /** The name of this program, for checkpoints. */
  readonly build: string;
  readonly policy: PolicyAnswers;
  /** The side channel of an agent in a terminal: the driver reads it instead of the output, and writes its lines to it. */
  readonly channel?: SideChannelReader | undefined;
  /** Whether each of the first lines becomes a separate record, because an earlier driver has failed on one of them. */
  readonly isLineByLine?: boolean;
  readonly pace: Pace;
  /** Called when another driver has appended: this one is outdated. */
  onOutdated(): void;
}

/** Counts the taken lines and their events, which are garbage soon, of all drivers of this process. */
const collector = new Collector();

export class DriverRun {
  readonly #options: DriverRunOptions;
  readonly #driver = `${process.pid}.${Date.now().toString(36)}`;
  readonly #records: RecordWatch;
  readonly #writer: BatchWriter;
  readonly #lines: AsyncGenerator<OutputItem, undefined>;
  readonly #buffer = new InputBuffer<QueuedInput>();
  /** Commands that no batch has taken yet. */
  readonly #commands: { readonly offset: number; readonly record: CommandRecord }[] = [];
  #end = 0;
  #consumed = 0;
  /** The offset before which the output is no longer stored. */
  #lostTo = 0;
  /** The last reported status, as JSON. */
  #toldStatus = '';
  /**
   * The number of characters that are still taken line by line: the line on which an earlier driver failed was in its next record.
   */
  #carefulCharacters: number;
  #hasStarted: boolean;
  #hasExited = false;
  /** Whether `#consumed` is between two lines, so that reading can continue from there. */
  #isClean = true;
  #lastBatch: Checkpoint['lastBatch'] | null = null;
  /** The sum of the positions in both logs at the last checkpoint. */
  #checkpointAt: number;

  constructor(options: DriverRunOptions) {
    const { requester, session, from, channel, pace } = options;
    this.#options = options;
    this.#hasStarted = from !== null;
    this.#carefulCharacters = options.isLineByLine ? BATCH_LINE_CHARACTERS : 0;
    this.#consumed = from?.consumed ?? 0;
    this.#end = from?.end ?? 0;
    this.#checkpointAt = this.#end + this.#consumed;
    const own = `"driver":${JSON.stringify(this.#driver)}`;
    this.#records = new RecordWatch(requester, session, {
      creditBytes: CREDIT_BYTES,
      ...(from && { from: Math.min(from.lastBatch.offset, from.commandsFrom) }),
      isLeftOut: (head) => head.includes(own), // records that this driver has written itself
    });
    this.#writer =
      channel?.writer ??
      new WireWriter({ requester, session, pace, onInput: (input) => this.#buffer.push({ type: 'wire', input }) });
    this.#lines =
      channel?.lines(this.#consumed) ??
      outputLines(new Watch(requester, session, { from: this.#consumed, creditBytes: CREDIT_BYTES }));
  }

  /** Resolves when the session has ended and all events are published. */
  async run(): Promise<void> {
    await this.#replay();
    const failure = Promise.withResolvers<never>();
    this.#readRecords().catch(failure.reject);
    this.#readOutput().catch(failure.reject);
    await Promise.race([this.#takeAll(), failure.promise]);
    await this.#writer.settled();
  }

  /** Takes all input, until the end of the session. */
  async #takeAll(): Promise<void> {
    const { pace } = this.#options;
    const inputs: BatchInput[] = [];
    if (!this.#hasStarted) {
      this.#step({ type: 'started', at: Date.now() });
      inputs.push({ fact: 'started' });
      this.#hasStarted = true;
    }
    await this.#publish(inputs); // includes events that an earlier driver could not publish
    if (!this.#hasExited) await this.#report();
    let publishedAt = 0;
    let collectedAt = this.#consumed;
    while (!this.#hasExited) {
      await this.#buffer.filled();
      const sinceMs = performance.now() - publishedAt;
      if (this.#carefulCharacters > 0) await pace.turn();
      else if (sinceMs > PAUSE_MS || this.#buffer.isFull) await pace.sleep(COLLECT_MS_FIRST);
      else if (sinceMs < COLLECT_MS) await pace.sleep(COLLECT_MS - sinceMs);
      else await pace.turn(); // lets the rest of a burst arrive
      await this.#saveCheckpoint();
      await this.#publish(this.#takeInputs());
      publishedAt = performance.now();
      collector.note(this.#consumed - collectedAt); // the lines and their events are garbage now
      collectedAt = this.#consumed;
    }
  }

  /** Reports the status, because a new keeper does not know it. */
  async #report(): Promise<void> {
    const { requester, session, machine } = this.#options;
    const status = machine.status.at(this.#end);
    await requester.once('appendEvents', { session, end: this.#end, status, consumed: this.#consumed });
  }

  /** Saves a checkpoint from time to time, when all taken input is published and written: the next driver continues from here. */
  async #saveCheckpoint(): Promise<void> {
    const { requester, session, machine, build, pace } = this.#options;
    const at = this.#end + this.#consumed;
    if (at - this.#checkpointAt < CHECKPOINT_EVERY_BYTES || this.#lastBatch === null) return;
    const isSettled = this.#isClean && !machine.hasUnpublished && this.#writer.writtenBefore(this.#end) === this.#end;
    if (!isSettled || (this.#records.cursor ?? 0) < this.#end) return;
    await pace.turn(); // commands before the cursor are in the buffer now
    const first = this.#buffer.find((input) => (input.type === 'command' ? input.offset : undefined));
    const base64 = encodeCheckpoint({
      build,
      end: this.#end,
      commandsFrom: Math.min(first ?? this.#end, this.#end),
      consumed: this.#consumed,
      lastBatch: this.#lastBatch,
      machine: machine.state,
    });
    this.#checkpointAt = at;
    // A checkpoint that cannot be stored is not needed: there is an older one, or the logs.
    if (base64 !== null) await requester.once('putCheckpoint', { session, base64 }).catch(() => {});
  }

  /** Returns whether a record after the checkpoint was already taken. */
  #isTaken(offset: number, record: EventsRecord): boolean {
    const { from } = this.#options;
    if (from === null) return false;
    if (this.#lastBatch === null && record.type === 'batch' && isLastBatch(from, offset, record))
      this.#lastBatch = from.lastBatch;
    if (offset < from.end) return record.type !== 'command' || offset < from.commandsFrom;
    if (this.#lastBatch === null) throw new Error(MISMATCH);
    return false;
  }

  /** Replays the inputs that the events log records as taken. */
  async #replay(): Promise<void> {
    const { from } = this.#options;
    const unwritten: { offset: number; lines: readonly string[]; closes: boolean }[] = [];
    for (;;) {
      const { done, value: item } = await this.#records.next();
      if (done === true || item.type === 'synced' || item.type === 'exit') break;
      if (item.type !== 'record') continue;
      const { offset, record } = item;
      if (this.#isTaken(offset, record)) continue;
      this.#end = Math.max(this.#end, item.end);
      if (record.type === 'command') this.#commands.push({ offset, record });
      if (record.type !== 'batch') continue;
      this.#lastBatch = { offset, driver: record.driver, at: record.at };
      for (const input of record.inputs) await this.#takeAgain(input, record);
      const { lines, closes } = this.#options.machine.replayed(record);
      this.#options.machine.status.appended(offset);
      if (closes) this.#writer.noteClosed();
      while (unwritten.length > 0 && unwritten[0]!.offset < record.written) unwritten.shift();
      if (lines.length > 0 || closes) unwritten.push({ offset, lines, closes });
    }
    if (from !== null && this.#lastBatch === null) throw new Error(MISMATCH);
    for (const { offset, record } of this.#commands.splice(0)) this.#pushCommand(offset, record);
    for (const batch of unwritten) this.#writer.write(batch);
  }

  async #takeAgain(input: BatchInput, { at, isBound }: BatchRecord): Promise<void> {
    const { machine } = this.#options;
    const old = isBound ? {} : { isUnbound: true as const };
    if ('output' in input) {
      await this.#linesAgain(input, at);
      this.#consumed = input.output;
    } else if ('command' in input) {
      const record = this.#commands.shift()?.record;
      if (record) machine.take({ ...commandInput(record), ...old });
    } else if ('policy' in input) machine.take({ ...policyInput(input.policy, input.rule, at), ...old });
    else if ('input' in input) machine.take({ type: 'input', at, input: input.input });
    else if (!('exitCode' in input) && !('from' in input)) {
      this.#hasStarted = true;
      machine.take({ type: input.fact, at });
    } else {
      await this.#lines.next(); // the gap itself, or the end
      if ('exitCode' in input) this.#hasExited = true;
      machine.take('exitCode' in input ? exitInput(input, at) : { type: 'gap', at, from: input.from, to: input.to });
    }
  }

  /** Replays lines; lines that are no longer stored have become a gap. */
  async #linesAgain({ output, lines }: Extract<BatchInput, { output: number }>, at: number): Promise<void> {
    for (let left = lines; left > 0 && this.#lostTo < output; left--) {
      const { value } = await this.#lines.next();
      if (value?.type === 'line') {
        this.#isClean = value.isClean;
        this.#options.machine.take({ ...value, at });
        if (value.end >= output) return;
      } else if (value?.type === 'gap') {
        this.#options.machine.take({ ...value, at });
        this.#lostTo = value.to;
      } else throw new Error(`no line ends at ${output}`);
    }
  }

  async #readRecords(): Promise<void> {
    for await (const item of this.#records) {
      if (item.type !== 'record') continue;
      const { offset, record } = item satisfies RecordItem;
      if (record.type === 'command') this.#pushCommand(offset, record);
      else if (record.type === 'batch' && record.driver !== this.#driver) return this.#options.onOutdated();
    }
  }

  #pushCommand(offset: number, record: CommandRecord): void {
    this.#options.machine.promptSent(record);
    this.#buffer.push({ type: 'command', offset, record });
  }

  async #readOutput(): Promise<void> {
    for await (const item of this.#lines) {
      await this.#buffer.hasRoom();
      this.#buffer.push({ type: 'output', item }, item.type === 'line' ? item.text.length : 0);
    }
  }

  #takeInputs(): BatchInput[] {
    const taken: BatchInput[] = [];
    let characters = 0;
    const charactersMax = this.#carefulCharacters > 0 ? 1 : BATCH_LINE_CHARACTERS;
    while (characters < charactersMax) {
      const input = this.#buffer.shift();
      if (!input) break;
      const at = Date.now();
      if (input.type === 'command') {
        taken.push({ command: input.offset });
        this.#answer(this.#step(commandInput(input.record)), taken);
        continue;
      }
      if (input.type === 'wire') {
        taken.push({ fact: 'input', input: input.input });
        this.#step({ type: 'input', at, input: input.input });
        continue;
      }
      const { item } = input;
      if (item.type === 'line') {
        const last = taken.at(-1);
        if (last && 'output' in last) taken[taken.length - 1] = { output: item.end, lines: last.lines + 1 };
        else taken.push({ output: item.end, lines: 1 });
        this.#consumed = item.end;
        this.#isClean = item.isClean;
        characters += item.text.length + 1;
        const bodies = this.#step({ ...item, at });
        if (!item.isCut) this.#answer(bodies, taken); // the request may be for more than a cut line shows
      } else if (item.type === 'gap') {
        taken.push({ fact: 'gap', from: item.from, to: item.to });
        this.#isClean = false; // until the next line has arrived
        this.#step({ ...item, at });
      } else {
        taken.push({ fact: 'exited', exitCode: item.exitCode, signal: item.signal });
        this.#step(exitInput(item, at));
        this.#hasExited = true;
        break;
      }
    }
    this.#carefulCharacters -= characters;
    return taken;
  }

  #step(input: DriverInput): ReturnType<AgentMachine['take']> {
    return this.#options.machine.take(input);
  }

  /** Answers by the user's policy; the decision is an input, like the answer of a client. */
  #answer(bodies: ReturnType<AgentMachine['take']>, taken: BatchInput[]): void {
    for (const { command, rule } of this.#options.policy.answers(bodies)) {
      taken.push({ policy: command, rule });
      this.#step(policyInput(command, rule, Date.now()));
    }
  }

  async #publish(inputs: readonly BatchInput[]): Promise<void> {
    const { machine } = this.#options;
    let rest = inputs;
    if (rest.length === 0 && !machine.hasUnpublished && !this.#hasExited) return;
    do {
      const events: string[] = [];
      for (let characters = 0; characters < BATCH_CHARACTERS;) {
        const event = machine.next(Date.now());
        if (!event) break;
        const json = JSON.stringify(event);
        events.push(json.length > BATCH_CHARACTERS ? cutEvent(event, BATCH_CHARACTERS) : json);
        characters += json.length;
      }
      const more = machine.unpublished > 0;
      const { lines, closes } = more ? { lines: [], closes: false } : machine.takeWrites();
      const offset = await this.#append(rest, events, { more, lines, closes });
      rest = [];
      if (lines.length > 0 || closes) this.#writer.write({ offset, lines, closes });
    } while (machine.unpublished > 0);
  }

  /** Appends a record, and returns its offset. */
  async #append(
    inputs: readonly BatchInput[],
    events: readonly string[],
    { more, lines, closes }: { more: boolean; lines: readonly string[]; closes: boolean },
  ): Promise<number> {
    const { requester, session } = this.#options;
    for (;;) {
      const record: Omit<BatchRecord, 'events'> = {
        type: 'batch',
        at: Date.now(),
        driver: this.#driver,
        inputs,
        isBound: true,
        ...(more && { more }),
        ...(lines.length > 0 && {
          writes: lines.map((line) => (line.length > WRITE_CHARACTERS_MAX ? line.length : line)),
        }),
        ...(closes && { closes }),
        written: this.#writer.writtenBefore(this.#end),
      };
      const end = this.#end;
      const status = this.#options.machine.status.at(end);
      try {
        const { offset } = await requester.once('appendEvents', {
          session,
          end,
          line: `${JSON.stringify(record).slice(0, -1)},"events":[${events.join(',')}]}`,
          ...(this.#isToBeTold(status, inputs) && { status }),
          consumed: this.#consumed,
          isLast: this.#hasExited && !more,
        });
        this.#end = offset;
        this.#options.machine.status.appended(end);
        this.#lastBatch = { offset: end, driver: record.driver, at: record.at };
        this.#toldStatus = JSON.stringify(status);
        return end;
      } catch (error) {
        if (!SpoolError.is(error, 'EVENTS_MOVED')) throw error;
        await this.#readTo(Number(error.details['offset']));
      }
    }
  }

  /** Returns whether the keeper needs this status: it has the last one, and changes that itself when a client sends a command. */
  #isToBeTold(status: WireStatus, inputs: readonly BatchInput[]): boolean {
    return JSON.stringify(status) !== this.#toldStatus || inputs.some((input) => 'command' in input);
  }

  /** Resolves when everything before this offset is read: it contains commands, or shows that this driver is outdated. */
  async #readTo(offset: number): Promise<void> {
    while ((this.#records.cursor ?? 0) < offset) await this.#options.pace.sleep(MOVED_MS);
    this.#end = offset;
  }
}

function commandInput({ command, id, by, at }: CommandRecord): CommandInput {
  return { type: 'command', command, id, by, at };
}

function policyInput(
  command: Extract<BatchInput, { policy: unknown }>['policy'],
  rule: string,
  at: number,
): CommandInput {
  const id = `policy ${'request' in command ? command.request : ''}`;
  return { type: 'command', command, id, by: `policy: ${rule}`, rule, at };
}

function exitInput({ exitCode, signal }: { exitCode: number | null; signal: string | null }, at: number): DriverInput {
  return { type: 'exited', at, exitCode, signal };
}
