/**
 * Where a session's own bytes are written [ATT-8]: a pipe or a file gets them as they are; a terminal gets what its filter lets
 * through, and what was set there is undone at the end, however we end.
 */
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { ViewerFilter, type ViewerFilterOptions } from '@spool/vt';
import { isTerminal, writeOut } from '../output/stdio.ts';

/** Nobody is attached: nothing would give the terminal its own title back. */
const WITHOUT_TITLE = { allowTitle: false, allowProgress: false } as const;

export interface SessionOutputOptions extends Pick<
  ViewerFilterOptions,
  'allowClipboard' | 'allowColours' | 'allowGraphics'
> {
  /** The exact bytes, even to a terminal. */
  readonly isForced?: boolean;
}

export class SessionOutput implements Disposable {
  readonly #fd: 1 | 2;
  readonly #options: SessionOutputOptions;
  /** Null until something is shown on a terminal: then there is something to undo. */
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

  /** At once, for a process that ends now. */
  undo(): void {
    try {
      writeSync(this.#fd, this.#close());
    } catch {
      // EAGAIN, EIO: it takes nothing, or is gone
    }
  }

  /** What takes back all that was set; once. */
  #close(): Uint8Array {
    const end = this.#filter?.close() ?? new Uint8Array(0);
    this.#filter = null;
    return end;
  }
}

/** Those whose terminal has to be restored when the process ends before they do. */
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

  /** Unless somebody else knows what the signal means. */
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  };
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const undoAtEnd = new UndoAtEnd();
