/**
 * The destination of input: a terminal or a pipe (`DirectSink`), or the pipe of an agent, through an escrow pipe
 * (`EscrowedSink`).
 *
 * Direct input is recorded a moment after it is written, and a kill in between repeats it (decision 013). An agent would then get a
 * prompt twice. Therefore its input goes through a pipe that all processes of the daemon hold:
 *
 *   1. The escrow pipe is empty, and the journal records this.
 *   2. The bytes are written into the escrow pipe.
 *   3. The journal says that they are typed. This is one small write: it is done or not.
 *   4. The kernel moves them to the agent; each byte is in one pipe or in the other.
 *
 * A keeper that finds bytes in the escrow pipe reads in the journal whether step 3 was done. If it was, the keeper continues with
 * step 4; otherwise no byte has arrived, and it discards them: the sender repeats them. Keeps a part of EVT-6, its first sentence
 * (decision 143).
 */
import { constants } from 'node:os';
import { native } from '@spool/native';
import type { InputJournal } from './journal.ts';

/** Called with the number of pushed bytes that are typed. It is called at once, because the keeper may be killed at any time. */
export type OnWritten = (written: number) => void;

export interface InputSink {
  /**
   * Writes bytes; returns their number, or -errno. Calls `onWritten` if at least one byte was written, and for an empty write
   * that succeeded.
   */
  write(bytes: Uint8Array, onWritten: OnWritten): number;
  /** Moves the bytes in the escrow pipe onward; returns 0 when none is left, or -errno. */
  move(): number;
}

export class DirectSink implements InputSink {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(bytes: Uint8Array, onWritten: OnWritten): number {
    const written = native.write(this.#fd, bytes);
    if (written > 0 || (written === 0 && bytes.length === 0)) onWritten(written);
    return written;
  }

  move(): number {
    return 0;
  }
}

export class EscrowedSink implements InputSink {
  readonly #fd: number;
  readonly #escrow: number;
  readonly #journal: InputJournal;

  constructor(fd: number, escrow: number, journal: InputJournal) {
    this.#fd = fd;
    this.#escrow = escrow;
    this.#journal = journal;
    if (!journal.isEscrowed) this.#empty();
  }

  write(bytes: Uint8Array, onWritten: OnWritten): number {
    const left = this.move();
    if (left < 0) return left;
    if (bytes.length === 0) {
      onWritten(0);
      return 0;
    }
    this.#journal.recordEscrowed(false);
    const written = native.write(this.#escrow, bytes);
    if (written <= 0) return written;
    this.#journal.recordEscrowed(true, { isLater: true });
    onWritten(written); // this usually writes the journal, together with the mark from above
    this.#journal.recordEscrowed(true);
    const moved = this.move();
    return moved < 0 && moved !== -constants.errno.EAGAIN ? moved : written;
  }

  move(): number {
    let bytes: number;
    while ((bytes = native.available(this.#escrow)) > 0) {
      const moved = native.splice(this.#escrow, this.#fd, bytes);
      if (moved < 0) return moved;
    }
    return 0;
  }

  #empty(): void {
    const room = new Uint8Array(native.available(this.#escrow));
    if (room.length > 0) native.read(this.#escrow, room);
  }
}
