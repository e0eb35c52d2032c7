/**
 * Calls back soon after a change in one of a few folders. The call is only a hint: if the kernel has no more watches, or the file
 * system supports none, the caller notices the change at its next regular check.
 */
import { type FSWatcher, watch } from 'node:fs';

/** The time in which several changes cause one call. */
const COLLECT_MS = 10;

export class FolderWatch {
  readonly #onChange: () => void;
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches these folders instead of the previous ones. */
  watch(folders: readonly string[]): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
    for (const folder of folders) {
      try {
        const watcher = watch(folder, { persistent: false }, (type) => {
          if (type === 'rename') this.callIn(COLLECT_MS);
        });
        watcher.on('error', () => watcher.close());
        this.#watchers.push(watcher);
      } catch {
        // the folder is missing, or no watches are left
      }
    }
  }

  callIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#onChange();
    }, ms);
  }
}
