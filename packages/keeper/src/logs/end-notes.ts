/**
 * Reports the end of a log to the holder, once its session pauses. The holder and the fd store keep it in memory: if all files of
 * a log are deleted and the keeper is killed, the next keeper continues after the lost bytes. Keeps LOG-12, with `store/log`.
 *
 * A session that prints steadily needs no note: its log detects with the next output that its files are missing. No timer runs
 * while no log grows.
 */
const PAUSE_MS = 1000;

export interface EndNoteTarget {
  /** Sends the note, unless the session has ended. */
  noteEnd(): void;
}

export class EndNotes {
  #grown = new Set<EndNoteTarget>();
  /** The logs that have grown before the last tick and not since. */
  #pausing = new Set<EndNoteTarget>();
  #timer: NodeJS.Timeout | null = null;

  grown(session: EndNoteTarget): void {
    this.#pausing.delete(session);
    this.#grown.add(session);
    this.#timer ??= setTimeout(() => this.#tick(), PAUSE_MS);
  }

  #tick(): void {
    const paused = this.#pausing;
    this.#pausing = this.#grown;
    this.#grown = new Set();
    this.#timer = this.#pausing.size > 0 ? setTimeout(() => this.#tick(), PAUSE_MS) : null;
    for (const session of paused) session.noteEnd();
  }
}
