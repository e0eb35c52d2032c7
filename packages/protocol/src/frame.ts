/**
 * Frames: the units of all traffic between a client and a keeper.
 *
 * A frame is a header of 20 bytes, then a payload: JSON for control, plain bytes for output and input. A frame contains its
 * channel and its offset, so the same frames can be sent over a socket, a WebSocket or NATS.
 *
 *   0  u32  payload bytes
 *   4  u8   type
 *   5  u8   flags
 *   6  u16  zero, for later
 *   8  u32  channel: the request that this belongs to
 *  12  u64  offset in the log: of the first byte (output), or of the room granted (credit)
 *
 * Keeps WIRE-1: the layout above does not change.
 */
import { SpoolError } from './errors.ts';

export const HEADER_BYTES = 20;

/**
 * The maximum output in a frame. It fits sixteen times into one NATS message (1 MiB), so a frame never has to be split for the
 * fleet.
 */
export const OUTPUT_BYTES_MAX = 64 * 1024;

/** The maximum input in a frame, more than any terminal pastes at once; a longer paste is several frames. */
export const INPUT_BYTES_MAX = 64 * 1024;

/**
 * The maximum size of a control frame, which holds at most a command line and its environment; the kernel's own limit for both is
 * 2 MiB.
 */
export const CONTROL_BYTES_MAX = 1024 * 1024;

export const FrameType = {
  /** The first frame of both sides: the version of the sender. */
  hello: 1,
  /** Client: `{op, …}`; the channel is the request's number, chosen by the client. */
  request: 2,
  /** Keeper: the one answer to a request. */
  reply: 3,
  /** Keeper: the one answer to a request that failed, or, on channel 0, the reason why the connection is being closed. */
  error: 4,
  /** Keeper: an event on a watch: `{type: 'gap' | 'exit' | …}`. */
  event: 5,
  /** Keeper: bytes of a session, at their offset. */
  output: 16,
  /** Client: bytes for a session; the channel is the number of the request that is answered once they are in the terminal. */
  input: 17,
  /** Client: the absolute offset up to which its watch may be filled. A watch without credit waits. */
  credit: 18,
  /** Keeper: bytes that paint the screen as it was at this offset; output continues from there. */
  snapshot: 19,
  /** Keeper: confirms that a viewer's input is in the terminal, up to this offset of its stream. */
  typed: 20,
} as const;

export type FrameType = (typeof FrameType)[keyof typeof FrameType];

export const FrameFlag = {
  /** Output: the bytes are from the child's stderr (children on pipes only). */
  stderr: 1,
  /** Input: typed by a viewer; the channel is its attachment, the offset its place in the viewer's input. */
  typed: 2,
  /** Reply and snapshot: the payload continues in the next frame of this channel. */
  more: 4,
} as const;

export interface Frame {
  readonly type: FrameType;
  readonly flags: number;
  readonly channel: number;
  readonly offset: number;
  /** The payload, valid until the next `push` of the reader that created it: callers must copy bytes that they keep. */
  readonly payload: Uint8Array;
}

/** The largest answer or snapshot, in all its frames: more than any screen with its history, and harmless for a reader. */
export const JOINED_BYTES_MAX = 64 * 1024 * 1024;

/** Returns the largest payload of a type: a reader treats a larger one as a fault of the peer. */
export function payloadBytesMax(type: number): number | undefined {
  switch (type) {
    case FrameType.hello:
    case FrameType.request:
    case FrameType.reply:
    case FrameType.error:
    case FrameType.event:
    case FrameType.snapshot:
      return CONTROL_BYTES_MAX;
    case FrameType.output:
      return OUTPUT_BYTES_MAX;
    case FrameType.input:
      return INPUT_BYTES_MAX + 256;
    case FrameType.credit:
    case FrameType.typed:
      return 0;
    default:
      return undefined;
  }
}

/** Encodes a header alone, so that a large payload can be sent beside it without a copy. */
export function encodeHeader(
  type: FrameType,
  flags: number,
  channel: number,
  offset: number,
  bytes: number,
): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  writeHeader(new DataView(header.buffer), type, flags, channel, offset, bytes);
  return header;
}

export function encodeFrame(
  type: FrameType,
  channel: number,
  payload: Uint8Array = EMPTY,
  offset = 0,
  flags = 0,
): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + payload.length);
  writeHeader(new DataView(frame.buffer), type, flags, channel, offset, payload.length);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** Encodes a payload that may be larger than a frame, in as many frames as needed. */
export function encodeFrames(type: FrameType, channel: number, payload: Uint8Array, offset = 0): Uint8Array[] {
  const frames: Uint8Array[] = [];
  let at = 0;
  do {
    const part = payload.subarray(at, at + CONTROL_BYTES_MAX);
    at += part.length;
    frames.push(encodeFrame(type, channel, part, offset, at < payload.length ? FrameFlag.more : 0));
  } while (at < payload.length);
  return frames;
}

/** Joins the frames of a large payload. */
export class FrameJoiner {
  readonly #parts = new Map<number, { readonly payloads: Uint8Array[]; bytes: number }>();

  /** Returns the whole frame, or null while it is incomplete. */
  take(frame: Frame): Frame | null {
    const isLast = (frame.flags & FrameFlag.more) === 0;
    let begun = this.#parts.get(frame.channel);
    if (begun === undefined && isLast) return frame;
    if (begun === undefined) this.#parts.set(frame.channel, (begun = { payloads: [], bytes: 0 }));
    begun.bytes += frame.payload.length;
    if (begun.bytes > JOINED_BYTES_MAX)
      throw new SpoolError('FRAME_TOO_LARGE', { type: frame.type, bytes: begun.bytes, most: JOINED_BYTES_MAX });
    begun.payloads.push(new Uint8Array(frame.payload));
    if (!isLast) return null;
    this.#parts.delete(frame.channel);
    const payload = new Uint8Array(begun.bytes);
    let at = 0;
    for (const part of begun.payloads) {
      payload.set(part, at);
      at += part.length;
    }
    return { ...frame, payload };
  }
}

/**
 * Cuts a stream of bytes into frames. Invalid input throws a typed error (`FRAME_…`) at once, before any byte is buffered for it:
 * the connection cannot be read any further and must be closed.
 */
export class FrameReader {
  /** An unfinished frame: a buffer of the size in its header, filled to `#filled`. */
  #partial: Uint8Array | null = null;
  #filled = 0;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #headerFilled = 0;

  /** Whether no frame is unfinished. */
  get isBetween(): boolean {
    return this.#headerFilled === 0;
  }

  /** Calls `take` for each frame completed by `chunk`. A frame that is complete in the chunk is not copied. */
  push(chunk: Uint8Array, take: (frame: Frame) => void): void {
    let at = 0;
    while (at < chunk.length || this.#headerFilled === HEADER_BYTES) {
      if (this.#headerFilled < HEADER_BYTES) {
        const wanted = HEADER_BYTES - this.#headerFilled;
        const part = chunk.subarray(at, at + wanted);
        this.#header.set(part, this.#headerFilled);
        this.#headerFilled += part.length;
        at += part.length;
        if (this.#headerFilled < HEADER_BYTES) return;
      }
      const head = parseHeader(this.#header);
      if (this.#partial === null && chunk.length - at >= head.bytes) {
        this.#headerFilled = 0;
        take({ ...head.frame, payload: chunk.subarray(at, at + head.bytes) });
        at += head.bytes;
        continue;
      }
      this.#partial ??= new Uint8Array(head.bytes);
      const part = chunk.subarray(at, at + this.#partial.length - this.#filled);
      this.#partial.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled < this.#partial.length) return;
      const payload = this.#partial;
      this.#partial = null;
      this.#filled = 0;
      this.#headerFilled = 0;
      take({ ...head.frame, payload });
    }
  }
}

const EMPTY = new Uint8Array(0);

function writeHeader(
  view: DataView,
  type: FrameType,
  flags: number,
  channel: number,
  offset: number,
  bytes: number,
): void {
  view.setUint32(0, bytes);
  view.setUint8(4, type);
  view.setUint8(5, flags);
  view.setUint32(8, channel);
  // Written as two halves, because a BigInt per frame would be garbage, and offsets are below 2^53.
  view.setUint32(12, Math.floor(offset / 0x1_0000_0000));
  view.setUint32(16, offset >>> 0);
}

function parseHeader(header: Uint8Array): { bytes: number; frame: Omit<Frame, 'payload'> } {
  const view = new DataView(header.buffer, header.byteOffset, HEADER_BYTES);
  const bytes = view.getUint32(0);
  const type = view.getUint8(4);
  const most = payloadBytesMax(type);
  if (most === undefined) throw new SpoolError('FRAME_UNKNOWN', { type });
  if (bytes > most) throw new SpoolError('FRAME_TOO_LARGE', { type, bytes, most });
  const offset = view.getUint32(12) * 0x1_0000_0000 + view.getUint32(16);
  if (offset > Number.MAX_SAFE_INTEGER) throw new SpoolError('FRAME_INVALID', { offset: 'beyond 2^53' });
  return {
    bytes,
    frame: { type: type as FrameType, flags: view.getUint8(5), channel: view.getUint32(8), offset },
  };
}
