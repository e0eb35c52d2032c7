/** The nodes of a fleet that are online: each announces itself every two seconds, and counts as away when it is silent for longer. Keeps NODE-54. */
import { NODE_NAME, VERSION } from '@spool/protocol';
import { z } from 'zod';

export const HERE_MS = 2000;

/** The silence after which a node is away: two messages are missing. */
const SILENCE_MS_MAX = 4400;

const LOOK_MS = 500;

/** The message of a node that is there. `run` is another one after each break: the links from before are gone. */
const here = z.object({ name: z.string().regex(NODE_NAME), run: z.string().max(40), spool: z.string().max(100) });
export type Here = z.infer<typeof here>;

export function hereMessage(name: string, run: string): Buffer {
  return Buffer.from(JSON.stringify({ name, run, spool: VERSION } satisfies Here));
}

interface PresentNode extends Here {
  heardAt: number;
}

export class Presence {
  readonly #present = new Map<string, PresentNode>();
  readonly #timer: NodeJS.Timeout;
  readonly #waiting = new Set<() => void>();
  #lookedAt = performance.now();
  /** Called when a node that was there is gone, or its connection is another one. */
  onGone: (key: string) => void = () => {};

  constructor() {
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  get keys(): readonly string[] {
    return [...this.#present.keys()];
  }

  has(key: string): boolean {
    return this.#present.has(key);
  }

  /** Notes the message of a node. Returns it; null if it is none. */
  note(key: string, message: Buffer): Here | null {
    const found = parsed(message);
    if (found === null) return null;
    const before = this.#present.get(key);
    if (before !== undefined && before.run !== found.run) this.onGone(key);
    this.#present.set(key, { ...found, heardAt: performance.now() });
    for (const wake of this.#waiting) wake();
    return found;
  }

  /** Notes another sign of life of a node that is there. */
  heard(key: string): void {
    const node = this.#present.get(key);
    if (node) node.heardAt = performance.now();
  }

  gone(key: string): void {
    if (this.#present.delete(key)) this.onGone(key);
  }

  /** Waits until a node is there. */
  async of(key: string, signal?: AbortSignal): Promise<void> {
    while (!this.#present.has(key)) {
      signal?.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      this.#waiting.delete(resolve);
    }
  }

  /** Forgets everything: the server is not reached, so nothing is known. */
  clear(): void {
    this.#present.clear();
  }

  end(): void {
    clearInterval(this.#timer);
    this.clear();
  }

  #look(): void {
    const now = performance.now();
    const pausedMs = now - this.#lookedAt;
    this.#lookedAt = now;
    // A pause of this process says nothing about the others.
    if (pausedMs > HERE_MS) for (const node of this.#present.values()) node.heardAt = now;
    for (const [key, { heardAt }] of this.#present) if (now - heardAt > SILENCE_MS_MAX) this.gone(key);
  }
}

function parsed(message: Buffer): Here | null {
  try {
    return here.safeParse(JSON.parse(message.toString())).data ?? null;
  } catch {
    return null; // not JSON
  }
}
