/**
 * Repeats a task on request: one run at a time, and one more run for all requests during a run. After a run that failed, as on a full
 * disk, the next one does the rest.
 */
export class RepeatedWork {
  readonly #work: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #isDue = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Runs the task now, or after the present run. */
  readonly start = (): void => {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#last = this.#last.then(async () => {
      this.#isDue = false;
      await this.#work().catch(() => {});
    });
  };

  /** Resolves after a run that began now or later. */
  async settled(): Promise<void> {
    this.start();
    await this.#last;
  }
}
