/**
 * Input on its way to a child: ordered, binary-safe, acknowledged when it is in the terminal. A child that does not
 * read fills the queue; then a write is refused as a whole, and nothing is dropped silently. Keeps IN-1, IN-2 and IN-3.
 */
import { constants } from 'node:os';
import { native } from '@spool/native';
import { SpoolError } from '@spool/protocol';

/** Sixteen frames of the largest size: a long paste fits, a runaway writer does not. */
export const INPUT_QUEUE_BYTES_MAX = 1024 * 1024;

interface Pending {
  bytes: Uint8Array;
  written: number;
  readonly onWritten: OnWritten;
  readonly resolve: () => void;
  readonly reject: (error: SpoolError) => void;
}

/**
 * This many of the pushed bytes are in the terminal. Called immediately after the write, because the keeper may be
 * killed at any time.
 */
export type OnWritten = (written: number) => void;

export class InputQueue {
  readonly #pending: Pending[] = [];
  readonly #wantWritable: (wanted: boolean) => void;
  #fd: number;
  #bytes = 0;

  constructor(fd: number, wantWritable: (wanted: boolean) => void) {
    this.#fd = fd;
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
    if (this.#fd === -1) return Promise.reject(new SpoolError('INPUT_CLOSED'));
    if (this.#bytes + bytes.length > INPUT_QUEUE_BYTES_MAX) {
      return Promise.reject(new SpoolError('INPUT_QUEUE_FULL', { queuedBytes: this.#bytes }));
    }
    let written = 0;
    if (this.#pending.length === 0) {
      written = native.write(this.#fd, bytes);
      if (written < 0 && !isBusy(written)) return Promise.reject(this.#broken());
      written = Math.max(0, written);
      if (written > 0 || bytes.length === 0) onWritten(written);
      if (written === bytes.length) return Promise.resolve();
    }
    this.#bytes += bytes.length - written;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending.push({ bytes: new Uint8Array(bytes.subarray(written)), written, onWritten, resolve, reject });
    if (this.#pending.length === 1) this.#wantWritable(true);
    return promise;
  }

  /** The fd takes bytes again. */
  flush(): void {
    let next: Pending | undefined;
    while ((next = this.#pending[0])) {
      const written = native.write(this.#fd, next.bytes);
      if (written < 0) {
        if (isBusy(written)) return;
        return this.close(this.#broken());
      }
      this.#bytes -= written;
      next.written += written;
      next.onWritten(next.written);
      if (written < next.bytes.length) {
        next.bytes = next.bytes.subarray(written);
        return;
      }
      this.#pending.shift();
      next.resolve();
    }
    this.#wantWritable(false);
  }

  /** Nothing more can be written; rejects whatever waits. */
  close(error = new SpoolError('SESSION_EXITED')): void {
    this.#fd = -1;
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
