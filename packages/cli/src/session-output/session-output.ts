/**
 * Writes a session's bytes [ATT-8]: unchanged to a pipe or a file, filtered to a terminal. The state of the terminal is restored
 * at the end, however the process ends.
 */
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { ViewerFilter, type ViewerFilterOptions } from '@spool/vt';
import { isTerminal, writeOut } from '../output/stdio.ts';

/** Without an attachment, nothing would restore the title of the terminal. */
const WITHOUT_TITLE = { allowTitle: false, allowProgress: false } as const;

export interface SessionOutputOptions extends Pick<
  ViewerFilterOptions,
  'allowClipboard' | 'allowColours' | 'allowGraphics'
> {
  /** Whether to write the exact bytes even to a terminal. */
  readonly isForced?: boolean;
}

export class SessionOutput implements Disposable {
  readonly #fd: 1 | 2;
  readonly #options: SessionOutputOptions;
  /** The filter; null until something is written to a terminal, which must be undone later. */
  #filter: ViewerFilter | null = null;

  constructor(fd: 1 | 2, options: SessionOutputOptions = {}) {
    this.#fd = fd;
    this.#options = options;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { isForced = false, ...permissions } = this.#options;
    if (!isTerminal(this.#fd) || isForced) return writeOut(bytes, this.#fd);
    if (this.#filter === null) {
      this.#filter = new ViewerFilter({ ...WITHOUT_TITLE, ...permissions });
      undoAtEnd.add(this);
    }
    const shown = this.#filter.feed(bytes);
    if (shown.length > 0) await writeOut(shown, this.#fd);
  }

  [Symbol.dispose](): void {
    undoAtEnd.delete(this);
    const undone = this.#close();
    if (undone.length > 0) void writeOut(undone, this.#fd);
  }

  /** Undoes the changes to the terminal. Synchronous, for a process that is exiting. */
  undo(): void {
    try {
      writeSync(this.#fd, this.#close());
    } catch {
      // EAGAIN, EIO: the terminal is stalled or gone
    }
  }

  /** Returns the bytes that undo everything, once. */
  #close(): Uint8Array {
    const end = this.#filter?.close() ?? new Uint8Array(0);
    this.#filter = null;
    return end;
  }
}

/** Outputs whose terminal must be restored if the process exits first. */
class UndoAtEnd {
  readonly #outputs = new Set<SessionOutput>();

  add(output: SessionOutput): void {
    if (this.#outputs.size === 0) {
      process.on('exit', this.#undo);
      for (const signal of ENDING) process.on(signal, this.#onSignal);
    }
    this.#outputs.add(output);
  }

  delete(output: SessionOutput): void {
    if (!this.#outputs.delete(output) || this.#outputs.size > 0) return;
    process.off('exit', this.#undo);
    for (const signal of ENDING) process.off(signal, this.#onSignal);
  }

  readonly #undo = (): void => {
    for (const output of this.#outputs) output.undo();
  };

  /** Exits only if no other listener handles the signal. */
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  };
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const undoAtEnd = new UndoAtEnd();
