/**
 * The conversation with an agent, from its end: the last part of the events log is read at once, and older parts on demand. Each
 * part is a separate transcript and begins with a turn, so an older part changes nothing below it. The events of the last part
 * continue to arrive, each once. Keeps CARD-5 and CARD-6.
 */
import type { AgentEventItem, Client } from '@spool/client';
import { Transcript } from '@spool/render';

/** The bytes of the log that are read at once, for about the last 200 events. */
const TAIL_BYTES = 160 * 1024;
const PAGE_BYTES = 256 * 1024;
/** The size from which on a part may begin in the middle of a turn. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;
/** The range at the beginning of the log in which the agent introduces itself, in bytes and events. */
const HEAD_BYTES = 16 * 1024;
const HEAD_EVENTS_MAX = 20;

/** A part of the log; `from` is the position of its first event. */
export interface ConversationPart {
  readonly from: number;
  readonly transcript: Transcript;
}

type LogItem = Extract<AgentEventItem, { readonly type: 'event' | 'command' }>;
type Source = Pick<Client, 'get' | 'watchEvents'>;

export interface ConversationState {
  /** The parts, the oldest first. The last one grows. */
  readonly parts: readonly ConversationPart[];
  /** Whether the end of the log has been read. */
  readonly isLoaded: boolean;
  /** Whether the log has events before the first part. */
  readonly hasOlder: boolean;
  readonly isReadingOlder: boolean;
  /** The reason why the agent's driver was given up. */
  readonly driverFault: string | null;
}

const NOTHING: ConversationState = {
  parts: [{ from: 0, transcript: new Transcript() }],
  isLoaded: false,
  hasOlder: false,
  isReadingOlder: false,
  driverFault: null,
};

export class AgentConversation {
  readonly #client: Source;
  readonly #id: string;
  readonly #onChange: () => void;
  readonly #stopping = new AbortController();
  #first = 0;
  #state = NOTHING;

  constructor(client: Source, id: string, onChange: () => void) {
    this.#client = client;
    this.#id = id;
    this.#onChange = onChange;
  }

  get state(): ConversationState {
    return this.#state;
  }

  /** Follows the conversation until it is closed, or the agent has ended. */
  async follow(): Promise<void> {
    const { driver } = await this.#client.get(this.#id);
    if (driver === undefined) return;
    this.#first = driver.firstOffset;
    const start = Math.max(driver.firstOffset, driver.offset - TAIL_BYTES);
    await using events = this.#client.watchEvents(this.#id, { from: start, signal: this.#stopping.signal });
    let waiting: LogItem[] | null = [];
    for await (const item of events) {
      if (item.type === 'event' || item.type === 'command') {
        if (waiting !== null) waiting.push(item);
        else {
          feed(this.#state.parts.at(-1)!.transcript, item);
          this.#onChange();
        }
        continue;
      }
      if (waiting !== null) this.#begin(waiting, start);
      waiting = null;
      if (item.type === 'driver-failed') this.#set({ driverFault: item.reason });
    }
    if (waiting !== null) this.#begin(waiting, start);
  }

  /** Reads the part before the first one. Does nothing while another part is being read, and if there is none. */
  async readOlder(): Promise<void> {
    const [{ from: end }] = this.#state.parts as [ConversationPart];
    if (!this.#state.hasOlder || this.#state.isReadingOlder) return;
    this.#set({ isReadingOlder: true });
    try {
      for (let bytes = PAGE_BYTES; ; bytes *= 2) {
        const start = Math.max(this.#first, end - bytes);
        const found = await this.#read(start, end);
        const isWhole = start === this.#first;
        const part = partOf(found, start, isWhole || bytes >= PAGE_BYTES_MAX, isWhole);
        if (part === null) continue;
        return this.#set({ parts: [part, ...this.#state.parts], hasOlder: part.from > this.#first });
      }
    } finally {
      this.#set({ isReadingOlder: false });
    }
  }

  close(): void {
    this.#stopping.abort();
  }

  get isClosed(): boolean {
    return this.#stopping.signal.aborted;
  }

  #begin(items: readonly LogItem[], start: number): void {
    const part = partOf(items, start, true, start === this.#first)!;
    this.#set({ parts: [part], isLoaded: true, hasOlder: part.from > this.#first });
    if (part.from > this.#first) void this.#introduce(part.transcript).catch(() => {}); // then the names are missing
  }

  /** Reads the agent's introduction at the beginning of the log. */
  async #introduce(transcript: Transcript): Promise<void> {
    const options = { creditBytes: HEAD_BYTES, signal: this.#stopping.signal };
    await using events = this.#client.watchEvents(this.#id, options);
    let left = HEAD_EVENTS_MAX;
    for await (const item of events) {
      if (item.type !== 'event' || left-- === 0) return;
      // Some agents list their commands later than their name.
      if (item.event.kind !== 'session.started' && item.event.kind !== 'session.updated') continue;
      transcript.noteAgent(item.event);
      this.#onChange();
    }
  }

  async #read(start: number, end: number): Promise<readonly LogItem[]> {
    const found: LogItem[] = [];
    const options = { from: start, creditBytes: PAGE_BYTES, signal: this.#stopping.signal };
    await using events = this.#client.watchEvents(this.#id, options);
    for await (const item of events) {
      if (item.type !== 'event' && item.type !== 'command') continue;
      if (item.offset >= end) break;
      found.push(item);
    }
    return found;
  }

  #set(change: Partial<ConversationState>): void {
    this.#state = { ...this.#state, ...change };
    this.#onChange();
  }
}

/**
 * Creates a part from the items. It begins with the first turn, because a tool or a text that began earlier is incomplete. If the
 * items contain no turn, the part begins at `start`; null if `mayBeginWithin` is false.
 */
function partOf(
  items: readonly LogItem[],
  start: number,
  mayBeginWithin: boolean,
  isWhole = false,
): ConversationPart | null {
  const turn = items.findIndex((item) => item.type === 'event' && item.event.kind === 'turn.started');
  if (turn === -1 && !mayBeginWithin) return null;
  const at = isWhole || turn === -1 ? 0 : turn;
  const transcript = new Transcript();
  // The sender of the first prompt is in the log before its turn.
  for (const item of items.slice(0, at)) if (item.type === 'command') feed(transcript, item);
  for (const item of items.slice(at)) feed(transcript, item);
  return { from: at === 0 ? start : items[at]!.offset, transcript };
}

function feed(transcript: Transcript, item: LogItem): void {
  if (item.type === 'event') return void transcript.take(item.event);
  const { clientId } = item.command;
  if (item.command['do'] === 'prompt' && typeof clientId === 'string') transcript.noteSender(clientId, item.by);
}
