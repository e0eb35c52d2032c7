/**
 * The items of a watch that have arrived and were not taken yet: bounded in bytes by the credit, and in pieces here.
 *
 * A frame's payload is valid only while it is being read, so output is copied once. Small pieces are copied one after the other
 * into a slab: pieces that are adjacent in the log are then adjacent in memory, and a late reader gets them as one piece. A million
 * one-byte frames then become a few slabs instead of a million objects.
 */
import type { WatchEvent } from '@spool/protocol';
import type { TerminalModes } from '@spool/vt';

/** The events that are sent only to viewers. */
type AttachedOnly = 'input-refused' | 'viewers' | 'notice' | 'taken-over';

export type WatchItem =
  | {
      readonly type: 'output';
      readonly offset: number;
      readonly bytes: Uint8Array;
      readonly stream: 'stdout' | 'stderr';
    }
  | Exclude<WatchEvent, { readonly type: AttachedOnly }>
  /** The link broke and is restored. This is reported so that a page may show the pause; the bytes still arrive exactly once. */
  | { readonly type: 'reconnected'; readonly offset: number };

export type AttachItem =
  | Exclude<WatchItem, { readonly type: 'output' }>
  /** The bytes in the form for display; `end` is the offset after the last byte of the log that they represent. */
  | (Extract<WatchItem, { readonly type: 'output' }> & { readonly end?: number })
  /** The modes that the program's terminal has at this offset: after each snapshot, and when they change. */
  | ({ readonly type: 'modes'; readonly offset: number } & TerminalModes)
  /** Paints the screen as it was at this offset, whatever the terminal showed before; output continues from there. */
  | { readonly type: 'snapshot'; readonly offset: number; readonly bytes: Uint8Array }
  | Extract<WatchEvent, { readonly type: AttachedOnly }>;

/** The items that a snapshot makes obsolete. */
const PAST: ReadonlySet<string> = new Set(['output', 'piece', 'gap', 'snapshot']);

/** The events that only describe the present: of several in a row, only the last is kept. */
const STANDING: ReadonlySet<string> = new Set(['resized', 'reconnected', 'viewers']);

const SLAB_BYTES = 16 * 1024;
/** The size from which on a piece gets its own copy; smaller ones are copied into the slab. */
const LARGE_BYTES = 4 * 1024;

/** A piece in the slab, which may still grow; it becomes an item when it is taken. */
interface SlabPiece {
  readonly type: 'piece';
  readonly offset: number;
  readonly stream: 'stdout' | 'stderr';
  readonly slab: Uint8Array;
  readonly start: number;
  end: number;
}

export class WatchQueue {
  readonly #items: (AttachItem | SlabPiece)[] = [];
  #first = 0;
  #slab = EMPTY;
  #slabFilled = 0;
  #bytes = 0;

  /** The number of waiting bytes of output. */
  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** Adds a copy of the bytes. */
  pushOutput(offset: number, bytes: Uint8Array, stream: 'stdout' | 'stderr'): void {
    this.#bytes += bytes.length;
    if (bytes.length >= LARGE_BYTES) {
      // `bytes.slice()` of a Buffer would be a view, not a copy.
      this.#items.push({ type: 'output', offset, bytes: new Uint8Array(bytes), stream });
      return;
    }
    if (this.#slab.length - this.#slabFilled < bytes.length) {
      this.#slab = new Uint8Array(SLAB_BYTES);
      this.#slabFilled = 0;
    }
    const start = this.#slabFilled;
    const end = start + bytes.length;
    this.#slab.set(bytes, start);
    this.#slabFilled = end;
    const last = this.length > 0 ? this.#items.at(-1)! : undefined;
    if (last?.type === 'piece' && last.slab === this.#slab && last.end === start && last.stream === stream)
      last.end = end;
    else this.#items.push({ type: 'piece', offset, stream, slab: this.#slab, start, end });
  }

  /** Adds an event; it replaces a previous one that only describes the present. */
  pushEvent(event: Exclude<AttachItem, { type: 'output' }>): void {
    const last = this.length > 0 ? this.#items.at(-1)! : undefined;
    const isRepeated = last?.type === event.type && STANDING.has(event.type);
    if (isRepeated) this.#items[this.#items.length - 1] = event;
    else this.#items.push(event);
  }

  /** Drops waiting output and its events: a snapshot will show the result. */
  dropOutput(): void {
    const kept = this.#items.slice(this.#first).filter(({ type }) => !PAST.has(type));
    this.clear();
    this.#items.push(...kept);
  }

  clear(): void {
    this.#items.length = 0;
    this.#first = 0;
    this.#bytes = 0;
    this.#slab = EMPTY;
    this.#slabFilled = 0;
  }

  take(): AttachItem | undefined {
    if (this.#first === this.#items.length) return undefined;
    const item = this.#items[this.#first]!;
    this.#items[this.#first++] = TAKEN;
    if (this.#first === this.#items.length) {
      this.#items.length = 0;
      this.#first = 0;
    } else if (this.#first >= 64 && this.#first * 2 >= this.#items.length) {
      this.#items.splice(0, this.#first);
      this.#first = 0;
    }
    if (item.type !== 'piece') {
      if (item.type === 'output') this.#bytes -= item.bytes.length;
      return item;
    }
    this.#bytes -= item.end - item.start;
    return {
      type: 'output',
      offset: item.offset,
      bytes: item.slab.subarray(item.start, item.end),
      stream: item.stream,
    };
  }
}

const EMPTY = new Uint8Array(0);
const TAKEN: WatchItem = { type: 'removed' };
