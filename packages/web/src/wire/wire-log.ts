/**
 * The lines of an agent's wire, as they were recorded: the output of an agent without a terminal, or what the side channel of one
 * in its terminal reported. The end is read first, and a page around any offset on demand. Memory is bounded. Keeps CARD-13.
 */
import type { Client } from '@spool/client';

const TAIL_BYTES = 96 * 1024;
const PAGE_BYTES = 128 * 1024;
/** The part of a page that is before the requested offset. */
const BEFORE_BYTES = 48 * 1024;
/** The maximum of lines in memory; older ones are read again. */
const LINES_MAX = 6_000;
/** The maximum of characters of a line in memory. */
const LINE_CHARACTERS_MAX = 256 * 1024;

export interface WireLine {
  /** Its offset: in the output log, or in the events log of an agent in its terminal. */
  readonly offset: number;
  /** The time, if the log has one for each line. */
  readonly at: number | null;
  /** The number of its event, for a line of a side channel. */
  readonly event: number | null;
  readonly text: string;
  /** Whether `text` is only the beginning. */
  readonly isCut: boolean;
}

export interface WireState {
  readonly lines: readonly WireLine[];
  readonly isLoaded: boolean;
  readonly hasOlder: boolean;
  /** Whether the last line of the log is among the lines, and new ones follow it. */
  readonly isLive: boolean;
}

type Source = Pick<Client, 'get' | 'watch' | 'watchEvents'>;
/** Null means that all lines that existed at the start have been read. */
type LineStream = AsyncIterable<WireLine | null> & AsyncDisposable;

export class WireLog {
  readonly #id: string;
  readonly #client: Source;
  readonly #isHeadless: boolean;
  readonly #onChange: () => void;
  #stopping = new AbortController();
  #first = 0;
  #isClosed = false;
  #state: WireState = { lines: [], isLoaded: false, hasOlder: false, isLive: true };

  constructor(client: Source, id: string, isHeadless: boolean, onChange: () => void) {
    this.#client = client;
    this.#id = id;
    this.#isHeadless = isHeadless;
    this.#onChange = onChange;
  }

  get state(): WireState {
    return this.#state;
  }

  /** Whether a newer read, or the end of the view, has replaced the present one. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Reads the end of the log, and follows it until another part is requested. */
  async follow(): Promise<void> {
    const [first, end] = await this.#bounds();
    this.#first = first;
    const from = Math.max(first, end - TAIL_BYTES);
    await this.#read(from, Infinity, true);
  }

  /** Shows the lines around an offset of the output. Does nothing if they are already shown. */
  async show(offset: number): Promise<void> {
    const { lines, isLive } = this.#state;
    const isShown = lines.length > 0 && lines[0]!.offset <= offset && (isLive || lines.at(-1)!.offset >= offset);
    if (isShown) return;
    const from = Math.max(this.#first, offset - BEFORE_BYTES);
    await this.#read(from, from + PAGE_BYTES, false);
  }

  /** Reads a page before the first line. */
  async readOlder(): Promise<void> {
    const [oldest] = this.#state.lines;
    if (!this.#state.hasOlder || oldest === undefined) return;
    const from = Math.max(this.#first, oldest.offset - PAGE_BYTES);
    const { signal } = this.#stopping;
    const found = await this.#page(from, oldest.offset, signal);
    if (signal.aborted) return;
    const all = [...found, ...this.#state.lines];
    const isTooLong = all.length > LINES_MAX;
    if (isTooLong) this.#stopping.abort(); // the end is read again on demand
    this.#set({
      lines: all.slice(0, LINES_MAX),
      hasOlder: from > this.#first,
      isLive: this.#state.isLive && !isTooLong,
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#stopping.abort();
  }

  async #bounds(): Promise<readonly [first: number, end: number]> {
    const { driver, firstOffset, offset } = await this.#client.get(this.#id);
    if (this.#isHeadless || driver === undefined) return [firstOffset, offset];
    return [driver.firstOffset, driver.offset];
  }

  async #read(from: number, to: number, isLive: boolean): Promise<void> {
    this.#stopping.abort();
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    if (this.#isClosed) return;
    const hasOlder = from > this.#first;
    if (!isLive) {
      const lines = await this.#page(from, to, signal);
      if (!signal.aborted) this.#set({ lines, isLoaded: true, hasOlder, isLive });
      return;
    }
    this.#set({ lines: [], isLoaded: false, hasOlder, isLive });
    await using lines = this.#open(from, signal);
    let waiting: WireLine[] = [];
    const add = (): void => {
      const all = [...this.#state.lines, ...waiting];
      waiting = [];
      const isTooLong = all.length > LINES_MAX;
      this.#set({
        lines: isTooLong ? all.slice(-LINES_MAX) : all,
        isLoaded: true,
        hasOlder: this.#state.hasOlder || isTooLong,
      });
    };
    for await (const line of lines) {
      if (signal.aborted) return;
      if (line !== null) waiting.push(line);
      // The lines of a past page are shown together.
      if (line === null || this.#state.isLoaded) add();
    }
    if (!signal.aborted) add();
  }

  async #page(from: number, to: number, signal: AbortSignal): Promise<readonly WireLine[]> {
    const found: WireLine[] = [];
    await using lines = this.#open(from, signal);
    for await (const line of lines) {
      if (line === null || line.offset >= to) break;
      found.push(line);
    }
    return found;
  }

  #open(from: number, signal: AbortSignal): LineStream {
    if (this.#isHeadless) return outputLines(this.#client, this.#id, { from, first: this.#first, signal });
    return eventLines(this.#client, this.#id, from, signal);
  }

  #set(change: Partial<WireState>): void {
    this.#state = { ...this.#state, ...change };
    this.#onChange();
  }
}

interface OutputPart {
  readonly from: number;
  /** The first offset of the log: a line that begins there is complete. */
  readonly first: number;
  readonly signal: AbortSignal;
}

const NEWLINE = 0x0a;

/** Yields the lines of the output. If the first line began before the range, it is left out. */
function outputLines(client: Source, id: string, { from, first, signal }: OutputPart): LineStream {
  const watch = client.watch(id, { from, signal, creditBytes: PAGE_BYTES });
  async function* lines(): AsyncGenerator<WireLine | null> {
    let line = new OpenLine(from, from <= first);
    for await (const item of watch) {
      if (item.type === 'synced') yield null;
      if (item.type === 'gap') line = new OpenLine(item.to, false);
      if (item.type !== 'output') continue;
      for (let at = 0; at < item.bytes.length;) {
        const newline = item.bytes.indexOf(NEWLINE, at);
        line.append(item.bytes.subarray(at, newline === -1 ? undefined : newline));
        if (newline === -1) break;
        const whole = line.end();
        if (whole !== null) yield whole;
        line = new OpenLine(line.next, true);
        at = newline + 1;
      }
    }
  }
  return Object.assign(lines(), { [Symbol.asyncDispose]: () => Promise.resolve(watch.close()) });
}

/** A line whose end has not arrived yet. */
class OpenLine {
  readonly #offset: number;
  readonly #isWhole: boolean;
  readonly #decoder = new TextDecoder();
  #text = '';
  #bytes = 0;

  constructor(offset: number, isWhole: boolean) {
    this.#offset = offset;
    this.#isWhole = isWhole;
  }

  /** The offset of the next line. */
  get next(): number {
    return this.#offset + this.#bytes + 1;
  }

  append(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#text.length <= LINE_CHARACTERS_MAX) this.#text += this.#decoder.decode(bytes, { stream: true });
  }

  /** Returns the line; null if it is empty, or its beginning is missing. */
  end(): WireLine | null {
    return this.#isWhole && this.#bytes > 0
      ? { offset: this.#offset, at: null, event: null, ...cut(this.#text) }
      : null;
  }
}

function eventLines(client: Source, id: string, from: number, signal: AbortSignal): LineStream {
  const watch = client.watchEvents(id, { from, signal, creditBytes: PAGE_BYTES });
  async function* lines(): AsyncGenerator<WireLine | null> {
    for await (const item of watch) {
      if (item.type === 'synced') yield null;
      if (item.type === 'event')
        yield { offset: item.offset, at: item.event.at, event: item.event.seq, ...cut(JSON.stringify(item.event)) };
      if (item.type === 'command')
        yield { offset: item.offset, at: item.at, event: null, ...cut(JSON.stringify(item.command)) };
    }
  }
  return Object.assign(lines(), { [Symbol.asyncDispose]: () => Promise.resolve(watch.close()) });
}

const cut = (text: string): Pick<WireLine, 'text' | 'isCut'> => ({
  text: text.slice(0, LINE_CHARACTERS_MAX),
  isCut: text.length > LINE_CHARACTERS_MAX,
});
