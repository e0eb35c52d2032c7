/**
 * Calls back soon after something changed in a few folders. Only a hint: where the kernel gives no more watches, or the
 * file system none at all, the caller finds out with its next regular check.
 */
import { type FSWatcher, watch } from 'node:fs';

/** Several changes in a row are one. */
const COLLECT_MS = 10;

export class FolderWatch {
  readonly #onChange: () => void;
  #watchers: FSWatcher[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Instead of those before. */
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
        // gone, or no watches left
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
