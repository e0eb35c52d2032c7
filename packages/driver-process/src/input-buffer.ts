/** Holds inputs until they are taken. Output is bounded, because the log keeps the rest; commands are few. */

const CHARACTERS_MAX = 128 * 1024;
const ITEMS_MAX = 500;

export class InputBuffer<Item> {
  readonly #items: { readonly item: Item; readonly characters: number }[] = [];
  #characters = 0;
  #filled = Promise.withResolvers<void>();
  #room: PromiseWithResolvers<void> | null = null;

  push(item: Item, characters = 0): void {
    this.#items.push({ item, characters });
    this.#characters += characters;
    this.#filled.resolve();
  }

  shift(): Item | undefined {
    const first = this.#items.shift();
    if (this.#items.length === 0) this.#filled = Promise.withResolvers();
    if (!first) return undefined;
    this.#characters -= first.characters;
    if (!this.isFull) {
      this.#room?.resolve();
      this.#room = null;
    }
    return first.item;
  }

  /** Returns the first result of `what` for the waiting items. */
  find<Found>(what: (item: Item) => Found | undefined): Found | undefined {
    for (const { item } of this.#items) {
      const found = what(item);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Resolves when there is an item. */
  filled(): Promise<void> {
    return this.#filled.promise;
  }

  /** Resolves when output may be pushed. */
  hasRoom(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** True in a flood, when waiting for more input has little benefit. */
  get isFull(): boolean {
    return this.#characters > CHARACTERS_MAX || this.#items.length > ITEMS_MAX;
  }
}
