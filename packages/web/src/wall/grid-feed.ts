/**
 * Fetches the screens of the visible tiles: four times a second while they change, less often when they do not, and never while
 * the page is hidden or the link is lost.
 */
import { TILES_MAX } from '@spool/protocol';
import { client } from '../link/daemon.ts';
import { freshness } from '../link/freshness.ts';
import { useSessions } from '../sessions/store.ts';
import { type GridState, merge } from './grid-state.ts';

const BUSY_MS = 250;
const QUIET_MS = 1_000;

export class GridFeed {
  readonly #states = new Map<string, GridState>();
  readonly #inSight = new Set<string>();
  readonly #onChange: (states: readonly GridState[]) => void;
  readonly #stopLink: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;
  #isClosed = false;

  constructor(onChange: (states: readonly GridState[]) => void) {
    this.#onChange = onChange;
    document.addEventListener('visibilitychange', this.#wake);
    this.#stopLink = useSessions.subscribe(({ link }, before) => {
      if (link.type === 'live' && before.link.type !== 'live') this.#wake();
    });
  }

  get(id: string): GridState | undefined {
    return this.#states.get(id);
  }

  setInSight(id: string, isInSight: boolean): void {
    if (isInSight) this.#inSight.add(id);
    else this.#inSight.delete(id);
    if (isInSight) this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopLink();
    clearTimeout(this.#timer);
    freshness.renewed(this);
    document.removeEventListener('visibilitychange', this.#wake);
  }

  readonly #wake = (): void => this.#schedule(0);

  #schedule(afterMs: number): void {
    if (this.#isAsking || this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), afterMs);
  }

  async #ask(): Promise<void> {
    const isLive = useSessions.getState().link.type === 'live';
    if (document.hidden || this.#inSight.size === 0) return; // a change of either restarts it
    if (!isLive) return; // the next connected link restarts it
    this.#isAsking = true;
    freshness.fellBehind(this);
    let changed: GridState[] = [];
    try {
      const tiles = [...this.#inSight].slice(0, TILES_MAX).map((session) => {
        const known = this.#states.get(session);
        return { session, ...(known && { seen: { offset: known.offset, stamp: known.stamp } }) };
      });
      changed = (await client.grids(tiles)).map((grid) => merge(this.#states.get(grid.id), grid));
      for (const state of changed) this.#states.set(state.id, state);
      if (changed.length > 0) this.#onChange(changed);
    } catch {
      // The link broke: the next attempt asks with the same stamps.
    } finally {
      this.#isAsking = false;
      freshness.renewed(this);
    }
    this.#schedule(changed.length > 0 ? BUSY_MS : QUIET_MS);
  }
}
