/**
 * Reads a recording of an agent, in any form: the agent's own lines, a stream of server-sent events, or a trace (`{t, dir,
 * data|line}`, both directions with their times and chunks). Keeps DRV-9.
 */
import type { FramedLine } from '@spool/protocol/line-framing';
import type { DriverInput, LineInput } from '../dialect.ts';
import { agentLines } from '../framing/long-line.ts';
import { SseFraming } from '../framing/sse.ts';
import { isObject, type JsonObject, numberOf, objectOf, parseJson, textOf } from '../json-value.ts';

const { TextEncoder } = globalThis as unknown as { TextEncoder: new () => { encode(text: string): Uint8Array } };
const utf8 = new TextEncoder();

type RecordedStream = LineInput['stream'];

const STREAMS: Readonly<Record<string, RecordedStream>> = {
  in: 'stdin',
  out: 'stdout',
  err: 'stderr',
  stdin: 'stdin',
  stdout: 'stdout',
  stderr: 'stderr',
};

export class RecordingReader {
  /** The lines of the file. */
  readonly #lines = agentLines();
  /** Returns the lines of the agent's streams, in a trace. */
  readonly #streams: Record<RecordedStream, ReturnType<typeof agentLines>> = {
    stdin: agentLines(),
    stdout: agentLines(),
    stderr: agentLines(),
  };
  readonly #sse = new SseFraming();
  #isTrace: boolean | undefined;
  #sseStream: string | undefined;
  #exit: DriverInput | undefined;
  #at = 0;
  readonly #client: string | undefined;

  /** `client`: in a trace of several clients, the one whose lines count. */
  constructor(client?: string) {
    this.#client = client;
  }

  *push(chunk: Uint8Array): Generator<DriverInput> {
    for (const line of this.#lines.push(chunk)) yield* this.#take(line);
  }

  *end(): Generator<DriverInput> {
    for (const line of this.#lines.end()) yield* this.#take(line);
    for (const stream of ['stdout', 'stderr', 'stdin'] as const)
      for (const line of this.#streams[stream].end()) yield this.#input(stream, line);
    const left = this.#sse.end();
    if (left !== undefined) yield this.#input('stdout', { text: left, offset: 0, length: 0, isCut: false });
    yield this.#exit ?? { type: 'exited', at: this.#at };
  }

  *#take(line: FramedLine): Generator<DriverInput> {
    if (this.#isTrace === undefined && line.text.trim() === '') return;
    const record = this.#isTrace === false ? undefined : traceRecord(line.text);
    this.#isTrace ??= record !== undefined;
    if (record) yield* this.#takeRecord(record);
    else yield* this.#takeLine(line);
  }

  *#takeLine(line: FramedLine): Generator<DriverInput> {
    const text = this.#sse.line(line.text);
    if (text !== undefined) yield this.#input('stdout', { ...line, text });
  }

  *#takeRecord(record: JsonObject): Generator<DriverInput> {
    this.#at = numberOf(record.t) ?? this.#at;
    if (this.#client !== undefined && textOf(record.client) !== this.#client) return;
    const direction = textOf(record.dir) ?? '';
    const stream = Object.hasOwn(STREAMS, direction) ? STREAMS[direction]! : undefined;
    if (stream) {
      const data = textOf(record.data) ?? `${textOf(record.line) ?? ''}\n`;
      for (const line of this.#streams[stream].push(utf8.encode(data))) yield this.#input(stream, line);
    } else if (direction === 'sse') {
      // The same events come on several streams, of which one counts.
      this.#sseStream ??= textOf(record.stream);
      if (textOf(record.stream) !== this.#sseStream) return;
      for (const line of this.#streams.stdout.push(utf8.encode(`${textOf(record.data) ?? ''}\n`)))
        yield this.#input('stdout', line);
    } else if (direction === 'request' || direction === 'response') {
      const { http, body, status } = record;
      const line = JSON.stringify({ http, body, ...(direction === 'response' ? { status } : {}) });
      for (const framed of this.#streams.stdin.push(utf8.encode(`${line}\n`))) yield this.#input('stdin', framed);
    } else if (direction === 'exit') {
      const exit = isObject(record.exit) ? record.exit : record;
      this.#exit = {
        type: 'exited',
        at: this.#at,
        exitCode: numberOf(exit.code) ?? null,
        signal: textOf(exit.signal) ?? null,
      };
    }
  }

  #input(
    stream: RecordedStream,
    { text, offset, length, isCut }: Pick<FramedLine, 'text' | 'offset' | 'length' | 'isCut'>,
  ): LineInput {
    return { type: 'line', stream, text, offset, length, at: this.#at, ...(isCut ? { isCut } : {}) };
  }
}

function traceRecord(text: string): JsonObject | undefined {
  const record = objectOf(parseJson(text));
  if (typeof record.dir !== 'string') return undefined;
  const isTrace = [record.t, record.data, record.line].some((value) => value !== undefined);
  return isTrace ? record : undefined;
}

/** Returns the client of a trace with the most lines from the agent; undefined if the trace has only one. */
export class BusiestClient {
  readonly #lines = agentLines();
  readonly #counts = new Map<string, number>();

  push(chunk: Uint8Array): void {
    for (const { text } of this.#lines.push(chunk)) {
      const record = traceRecord(text);
      const client = textOf(record?.client);
      if (client === undefined || record?.dir !== 'out') continue;
      this.#counts.set(client, (this.#counts.get(client) ?? 0) + 1);
    }
  }

  get client(): string | undefined {
    const [first] = [...this.#counts].sort(([, a], [, b]) => b - a);
    return first?.[0];
  }
}
