/**
 * Breaks the connections of any runtime at a chosen frame, with any transport. The frame that is named is the last that passes,
 * or the first that does not.
 */
import type { Runtime, Transport } from '@spool/client';
import { encodeFrame, type Frame, FrameReader, FrameType } from '@spool/protocol';

export interface Cut {
  /** The number of the frame, from 1, over all frames of the connection in this direction; the first is the hello. */
  readonly frame: number;
  readonly direction: 'sent' | 'received';
  /** Whether the frame itself still passes. */
  readonly passes: boolean;
}

export class CuttingRuntime implements Runtime {
  readonly #inner: Runtime;
  readonly #open = new Set<CuttingTransport>();
  /** Returns the cut of the n-th connection; null if it is not cut. */
  plan: (dial: number) => Cut | null = () => null;
  dials = 0;
  cuts = 0;
  /** The number of bytes of output that have reached the client. */
  outputBytes = 0;

  constructor(inner: Runtime) {
    this.#inner = inner;
  }

  async dial(...args: Parameters<Runtime['dial']>): Promise<Transport> {
    const inner = await this.#inner.dial(...args);
    const transport = new CuttingTransport(inner, this.plan(++this.dials), {
      onCut: () => this.cuts++,
      onFrame: ({ type, payload }) => {
        if (type === FrameType.output) this.outputBytes += payload.length;
      },
      onEnd: () => this.#open.delete(transport),
    });
    this.#open.add(transport);
    return transport;
  }

  /** Cuts all open connections. */
  cutAll(): void {
    for (const transport of this.#open) transport.cut();
  }

  sleep(...args: Parameters<Runtime['sleep']>): Promise<void> {
    return this.#inner.sleep(...args);
  }

  now(): number {
    return this.#inner.now();
  }

  randomId(): string {
    return this.#inner.randomId();
  }
}

interface Listeners {
  onCut(): void;
  onFrame(frame: Frame): void;
  onEnd(): void;
}

class CuttingTransport implements Transport {
  readonly #inner: Transport;
  readonly #cut: Cut | null;
  readonly #listeners: Listeners;
  readonly #counts = { sent: 0, received: 0 };
  readonly #readers = { sent: new FrameReader(), received: new FrameReader() };
  #isCut = false;
  onData: (chunk: Uint8Array) => void = () => {};
  onClose: (error?: Error) => void = () => {};

  constructor(inner: Transport, cut: Cut | null, listeners: Listeners) {
    this.#inner = inner;
    this.#cut = cut;
    this.#listeners = listeners;
    inner.onData = (chunk) => this.#receive(chunk);
    inner.onClose = (error) => this.#end(error);
  }

  get bufferedBytes(): number {
    return this.#inner.bufferedBytes;
  }

  drained(): Promise<void> {
    return this.#inner.drained();
  }

  /** Sends one frame: callers send whole frames, one at a time. */
  send(bytes: Uint8Array): void {
    this.#readers.sent.push(bytes, () => this.#count('sent', () => this.#inner.send(bytes)));
  }

  /** Passes frames on one by one, so that the cut is exactly between two, however they were joined in transit. */
  #receive(chunk: Uint8Array): void {
    this.#readers.received.push(chunk, (frame) =>
      this.#count('received', () => {
        this.#listeners.onFrame(frame);
        this.onData(encodeFrame(frame.type, frame.channel, frame.payload, frame.offset, frame.flags));
      }),
    );
  }

  #count(direction: Cut['direction'], pass: () => void): void {
    if (this.#isCut) return;
    const count = ++this.#counts[direction];
    const isCut = this.#cut?.direction === direction && count >= this.#cut.frame;
    if (!isCut || this.#cut.passes) pass();
    if (isCut) this.cut();
  }

  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#listeners.onCut();
    this.#inner.close();
    this.#end(new Error('cut by the test'));
  }

  close(): void {
    this.#isCut = true;
    this.#inner.close();
    this.#end();
  }

  #isEnded = false;

  #end(error?: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isCut = true;
    this.#listeners.onEnd();
    queueMicrotask(() => this.onClose(error));
  }
}
