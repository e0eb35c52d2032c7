/** The viewers attached to a session: they determine its size, its focus, and who may type. Keeps SIZE-1. */
import type { Size, SizePolicy, Viewer } from '@spool/protocol';
import type { Watcher } from './watcher.ts';

export interface AttachedViewer {
  readonly watcher: Watcher;
  readonly who: string;
  readonly isReadOnly: boolean;
  readonly since: number;
  size: Size | null;
  isFocused: boolean;
}

export class Viewers {
  /** The viewers in order of activity: the viewer that attached, typed or resized most recently is last. */
  #attached: AttachedViewer[] = [];

  get list(): readonly Viewer[] {
    return this.#attached.map(({ who, size, isReadOnly, since }) => ({ who, size, isReadOnly, since }));
  }

  all(): readonly AttachedViewer[] {
    return this.#attached;
  }

  add(viewer: AttachedViewer): void {
    this.#attached.push(viewer);
  }

  /**
   * Restores a viewer that was attached before a keeper died; the order of activity is lost. The session has the size
   * of the viewer that was active last, so a viewer with that size becomes the last one again, and no size changes.
   */
  restore(viewer: AttachedViewer, size: Size, sessionSize: Size | null): void {
    viewer.size = size;
    if (isSameSize(size, sessionSize)) this.touch(viewer);
    else this.#attached = [viewer, ...this.#attached.filter((other) => other !== viewer)];
  }

  of(watcher: Watcher): AttachedViewer | undefined {
    return this.#attached.find((viewer) => viewer.watcher === watcher);
  }

  remove(watcher: Watcher): boolean {
    const before = this.#attached.length;
    this.#attached = this.#attached.filter((viewer) => viewer.watcher !== watcher);
    return this.#attached.length < before;
  }

  /** Marks this viewer as the most recently active. Returns false if it already was. */
  touch(viewer: AttachedViewer): boolean {
    if (this.#attached.at(-1) === viewer) return false;
    this.#attached = [...this.#attached.filter((other) => other !== viewer), viewer];
    return true;
  }

  get canType(): boolean {
    return this.#attached.some(({ isReadOnly }) => !isReadOnly);
  }

  get hasFocus(): boolean {
    return this.#attached.some(({ isFocused }) => isFocused);
  }

  /** Returns the size that the policy selects; null if no viewer counts. Read-only viewers never count. */
  size(policy: SizePolicy): Size | null {
    const sizes = this.#attached.filter(({ isReadOnly }) => !isReadOnly).flatMap(({ size }) => size ?? []);
    if (sizes.length === 0 || policy === 'fixed') return null;
    if (policy === 'latest') return sizes.at(-1)!;
    const pick = policy === 'smallest' ? Math.min : Math.max;
    return { cols: pick(...sizes.map(({ cols }) => cols)), rows: pick(...sizes.map(({ rows }) => rows)) };
  }
}

export function isSameSize(one: Size | null | undefined, other: Size | null | undefined): boolean {
  return one?.cols === other?.cols && one?.rows === other?.rows;
}
