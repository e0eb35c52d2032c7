/**
 * Stores the sessions of each node as they were last seen, in a file for each node: an offline node is listed with them, even by
 * the next gateway. They are only a cache: the log on the node is the truth.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { SessionInfo } from '@spool/protocol';

/** The interval in which changes are written together. */
const WRITE_MS = 1000;

export interface SeenNode {
  readonly at: number;
  readonly version: string | null;
  readonly sessions: readonly SessionInfo[];
}

const NEVER: SeenNode = { at: 0, version: null, sessions: [] };

export class SeenSessions {
  readonly #folder: string;
  readonly #seen = new Map<string, SeenNode>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  of(node: string): SeenNode {
    const known = this.#seen.get(node);
    if (known) return known;
    const found = this.#read(node);
    this.#seen.set(node, found);
    return found;
  }

  note(node: string, seen: SeenNode): void {
    this.#seen.set(node, seen);
    this.#changed.add(node);
    this.#timer ??= setTimeout(() => this.#write(), WRITE_MS).unref();
  }

  forget(node: string): void {
    this.#seen.delete(node);
    this.#changed.delete(node);
    rmSync(this.#path(node), { force: true });
  }

  #read(node: string): SeenNode {
    try {
      return JSON.parse(readFileSync(this.#path(node), 'utf8')) as SeenNode;
    } catch {
      return NEVER; // never seen, or damaged: the node sends them again
    }
  }

  #write(): void {
    this.#timer = null;
    for (const node of this.#changed) {
      try {
        mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
        writeFileSync(`${this.#path(node)}.tmp`, JSON.stringify(this.#seen.get(node)), { mode: 0o600 });
        renameSync(`${this.#path(node)}.tmp`, this.#path(node));
      } catch {
        // The disk is full: the next gateway will know less about an offline node.
      }
    }
    this.#changed.clear();
  }

  #path(node: string): string {
    return `${this.#folder}/${node}.json`;
  }
}
