/**
 * The state that the viewers of a session share: one size, one focus, one set of colours. The size policy decides which viewer's
 * size counts. Keeps SIZE-2 and SIZE-3 (`resize`), a part of SIZE-4 (its second half: a viewer that regains its size), and SIZE-7
 * (`touch`).
 */
import { type Requests, type Size, SpoolError } from '@spool/protocol';
import type { SessionInput } from '../input/session-input.ts';
import { type AttachedViewer, isSameSize, Viewers } from './viewers.ts';
import type { Watcher } from './watcher.ts';
import type { Child } from '../children/child.ts';
import type { SessionServices } from '../sessions/services.ts';
import type { SessionFile } from '../sessions/session-file.ts';

/** The properties that a viewer may change. */
type ViewRequest = Omit<Requests['view']['ask'], 'channel'>;

const FOCUS_IN = Buffer.from('\x1b[I');
const FOCUS_OUT = Buffer.from('\x1b[O');

/**
 * The time after which typing passes to another viewer: if two people type in turn, the session keeps the first one's size until
 * that one has typed nothing for this long.
 */
export const TYPING_PAUSE_MS = 3000;

export interface SharedViewOptions {
  readonly id: string;
  readonly services: Pick<SessionServices, 'screens' | 'emit'>;
  readonly file: SessionFile;
  readonly input: SessionInput;
  readonly watchers: ReadonlySet<Watcher>;
  /** Returns the child; null when it has ended. */
  child(): Child | null;
}

export class SharedView {
  readonly viewers = new Viewers();
  /** Whether the program wants to be notified of the focus. */
  reportsFocus = false;
  readonly #options: SharedViewOptions;
  #hadFocus = false;
  /** The viewer that typed last, of those whose typing counted. */
  #typist: { readonly viewer: AttachedViewer; readonly at: number } | null = null;

  constructor(options: SharedViewOptions) {
    this.#options = options;
  }

  /** Sends the list of viewers to every viewer. */
  tellViewers(): void {
    const viewers = this.viewers.list;
    for (const { watcher } of this.viewers.all()) watcher.emitLatest({ type: 'viewers', viewers });
  }

  /** Handles a watcher that has left; returns false if it was not a viewer. */
  left(watcher: Watcher): boolean {
    if (!this.viewers.remove(watcher)) return false;
    this.tellViewers();
    this.#focusChanged();
    // The remaining viewers get their own size back; without viewers, the size does not change.
    this.applySize();
    return true;
  }

  /** Notes that a viewer types: under the policy `latest`, the session gets its size, unless another viewer is typing. */
  touch(viewer: AttachedViewer): void {
    const now = performance.now();
    const other = this.#typist?.viewer === viewer ? null : this.#typist;
    if (other !== null && now - other.at < TYPING_PAUSE_MS && this.viewers.all().includes(other.viewer)) return;
    this.#typist = { viewer, at: now };
    if (this.viewers.touch(viewer) && this.#options.file.sizePolicy === 'latest') this.applySize();
  }

  /** Changes a viewer's size, focus or colours. */
  change(viewer: AttachedViewer, { size, isFocused, colours, wantsSnapshot, historyLines }: ViewRequest): void {
    const { id, services } = this.#options;
    // A read-only viewer does not change the colours that the program sees while another viewer can type.
    if (colours && (!viewer.isReadOnly || !this.viewers.canType)) services.screens.colours(id, colours);
    if (isFocused !== undefined) {
      viewer.isFocused = isFocused;
      this.#focusChanged();
    }
    if (size !== undefined && !viewer.isReadOnly) {
      viewer.size = size;
      this.viewers.touch(viewer);
      this.applySize(viewer.watcher);
    }
    if (wantsSnapshot) void viewer.watcher.snapshot(historyLines);
  }

  /** Applies the size that the policy selects among the viewers. */
  applySize(by?: Watcher): void {
    const size = this.viewers.size(this.#options.file.sizePolicy);
    if (size && this.#options.child()?.isTerminal) this.resize(size, by);
  }

  /** Resizes the session. `by`, the viewer that requested it, is not notified. */
  resize(size: Size, by?: Watcher): void {
    const { id, services, file, watchers } = this.#options;
    const child = this.#options.child();
    if (!child) throw new SpoolError('SESSION_EXITED', { session: file.record.name });
    if (!child.isTerminal) throw new SpoolError('NOT_A_TERMINAL', { session: file.record.name });
    const before = file.record.size;
    if (isSameSize(before, size) && isSamePixels(before, size)) return;
    child.setSize(size);
    const at = Date.now();
    const { log } = file;
    const { cols, rows } = size;
    log.markResize(cols, rows, at);
    file.change({ size });
    services.screens.resized(id, log.end, size);
    const untold = by?.followsSize ? undefined : by;
    for (const watcher of watchers) if (watcher !== untold) watcher.resized(log.end, cols, rows);
    // A terminal of another size has lines at other places than the session.
    for (const { watcher, size: own } of this.viewers.all())
      if (watcher !== by && isSameSize(own, size)) void watcher.snapshot();
    services.emit({ type: 'session-resized', at, id, cols, rows });
  }

  /** Notifies the program when the common focus of all viewers changes. */
  #focusChanged(): void {
    const { hasFocus } = this.viewers;
    if (hasFocus === this.#hadFocus) return;
    this.#hadFocus = hasFocus;
    if (this.reportsFocus) void this.#options.input.push(hasFocus ? FOCUS_IN : FOCUS_OUT).catch(() => {}); // the child has ended
  }
}

function isSamePixels(one: Size | null, other: Size): boolean {
  return (one?.widthPx ?? 0) === (other.widthPx ?? 0) && (one?.heightPx ?? 0) === (other.heightPx ?? 0);
}
