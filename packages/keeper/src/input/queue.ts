/**
 * Input on its way to a child: ordered, binary-safe, acknowledged when it is in the terminal. A child that does not read fills
 * the queue; then a write is refused as a whole, and no byte is dropped silently. Keeps IN-1, IN-2 and IN-3.
 */
import { constants } from 'node:os';
import { SpoolError } from '@spool/protocol';
import type { InputSink, OnWritten } from './input-sink.ts';

/** The limit, sixteen frames of the largest size: a long paste fits, a runaway writer does not. */
export const INPUT_QUEUE_BYTES_MAX = 1024 * 1024;

interface PendingInput {
  bytes: Uint8Array;
  written: number;
  readonly onWritten: OnWritten;
  readonly resolve: () => void;
  readonly reject: (error: SpoolError) => void;
}

export class InputQueue {
  readonly #pending: PendingInput[] = [];
  readonly #wantWritable: (wanted: boolean) => void;
  #sink: InputSink | null;
  #bytes = 0;

  constructor(sink: InputSink, wantWritable: (wanted: boolean) => void) {
    this.#sink = sink;
    this.#wantWritable = wantWritable;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Resolves when all of `bytes` are in the terminal. A terminal takes some kilobytes at a time: `onWritten` is called
   * for each part. Bytes that have to wait are copied.
   */
  push(bytes: Uint8Array, onWritten: OnWritten = () => {}): Promise<void> {
    if (this.#sink === null) return Promise.reject(new SpoolError('INPUT_CLOSED'));
    if (this.#bytes + bytes.length > INPUT_QUEUE_BYTES_MAX) {
      return Promise.reject(new SpoolError('INPUT_QUEUE_FULL', { queuedBytes: this.#bytes }));
    }
    let written = 0;
    if (this.#pending.length === 0) {
      const result = this.#sink.write(bytes, onWritten);
      if (result < 0 && !isBusy(result)) return Promise.reject(this.#broken());
      written = Math.max(0, result);
      if (result === bytes.length) {
        if (this.#sink.move() < 0) this.#wantWritable(true);
        return Promise.resolve();
      }
    }
    this.#bytes += bytes.length - written;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.push({ bytes: new Uint8Array(bytes.subarray(written)), written, onWritten, resolve, reject });
    if (this.#pending.length === 1) this.#wantWritable(true);
    return promise;
  }

  /** Continues to write when the fd accepts bytes again. */
  flush(): void {
    if (this.#sink === null) return;
    let next: PendingInput | undefined;
    while ((next = this.#pending[0])) {
      const { written: before, onWritten } = next;
      const written = this.#sink.write(next.bytes, (count) => onWritten(before + count));
      if (written < 0) {
        if (isBusy(written)) return;
        return this.close(this.#broken());
      }
      this.#bytes -= written;
      next.written += written;
      if (written < next.bytes.length) {
        next.bytes = next.bytes.subarray(written);
        return;
      }
      this.#pending.shift();
      next.resolve();
    }
    this.#wantWritable(isBusy(this.#sink.move()));
  }

  /** Ends the queue; rejects the writes that wait. */
  close(error = new SpoolError('SESSION_EXITED')): void {
    this.#sink = null;
    this.#bytes = 0;
    for (const { reject } of this.#pending.splice(0)) reject(error);
  }

  #broken(): SpoolError {
    return new SpoolError('INPUT_CLOSED');
  }
}

function isBusy(result: number): boolean {
  return result === -constants.errno.EAGAIN || result === -constants.errno.EINTR;
}
