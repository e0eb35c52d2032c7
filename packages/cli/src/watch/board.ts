/**
 * The content of `spool watch`: the sessions, the selected one, the filter and the order, the preview. It does not handle keys.
 * Keeps WATCH-2, WATCH-40 and WATCH-41.
 */
import type { Client } from '@spool/client/node';
import { type Size, SpoolError } from '@spool/protocol';
import { sessionOrder } from '../listing/order.ts';
import { recentSessions } from '../output/recent-sessions.ts';
import type { ViewPicture } from '../tui/terminal-view.ts';
import type { Footer } from './footer.ts';
import { type Layout, layoutOf } from './layout.ts';
import { WatchLines } from './lines.ts';
import { LIST_EVENTS, type Row, sinceOf, WatchList } from './list.ts';
import { pictureOf, type WatchPicture } from './picture.ts';
import { SessionPreview } from './preview.ts';
import { WatchSelection } from './selection.ts';

const ORDERS = ['need', 'name', 'age', 'active'].map((word) => ({ word, compare: sessionOrder(word) }));

/** The parts of the picture besides the sessions. */
export interface DrawnBeside extends Pick<WatchPicture, 'panel' | 'request' | 'message' | 'showsHelp' | 'isFiltering'> {
  readonly footer: Footer;
}

export class WatchBoard implements Disposable {
  readonly #client: Client;
  readonly #list = new WatchList();
  readonly #selection = new WatchSelection();
  readonly #lines: WatchLines;
  readonly #listed = Promise.withResolvers<void>();
  /** The index of the order. */
  #order = 0;
  /** Whether the preview is shown; null if that depends on the room. */
  #showsPreview: boolean | null = null;
  readonly preview: SessionPreview;
  filter = '';
  showsEnded: boolean;
  size: Size = { cols: 80, rows: 24 };
  /** The rows that a question or a long message takes from the list. */
  panelRows = 0;
  /** Called when something visible has changed. */
  onChange: () => void = () => {};

  constructor(client: Client, { showsEnded }: { readonly showsEnded: boolean }) {
    this.#client = client;
    this.showsEnded = showsEnded;
    this.#lines = new WatchLines(client, () => this.onChange());
    this.preview = new SessionPreview(client, () => this.onChange());
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
    this.preview[Symbol.dispose]();
  }

  /** Resolves when the sessions are known: until then, a key would move through an empty list. */
  get listed(): Promise<void> {
    return this.#listed.promise;
  }

  /** Keeps the list up to date, even while another screen is on the terminal. Rejects when the events end. */
  async follow(signal: AbortSignal): Promise<never> {
    // Subscribes before listing, so that no event in between is missed.
    const events = this.#client.events({ types: LIST_EVENTS, signal });
    this.#list.replace(await recentSessions(this.#client));
    this.#listed.resolve();
    this.onChange();
    for await (const event of events) {
      if (event.type === 'events-missed') this.#list.replace(await recentSessions(this.#client));
      else {
        const change = this.#list.handle(event);
        if (!change) continue;
        if (change.row === null) this.#lines.forget(change.id);
      }
      this.onChange();
    }
    throw new SpoolError('CONNECTION_LOST');
  }

  /** The list is not on the terminal, so nothing has to be followed. */
  rest(): void {
    this.#lines.follow([]);
    this.preview.follow(null);
  }

  get(id: string): Row | undefined {
    return this.#list.get(id);
  }

  update(row: Row): void {
    this.#list.update(row);
  }

  get selected(): Row | undefined {
    return this.#selection.id === null ? undefined : this.#list.get(this.#selection.id);
  }

  move(by: number): void {
    this.#selection.move(this.#shown(), by);
  }

  /** Selects the row at this line of the list. */
  selectLine(line: number): void {
    this.#selection.select(this.#shown(), this.#selection.top + line);
  }

  /** Selects a session, which need not be in the list yet. */
  choose(id: string): void {
    this.#selection.choose(id);
  }

  nextOrder(): void {
    this.#order = (this.#order + 1) % ORDERS.length;
  }

  togglePreview(): void {
    this.#showsPreview = this.layout.preview === 0;
  }

  /** The list may have changed since it was last drawn. */
  settle(): void {
    this.#selection.settle(this.#shown(), this.layout.list);
  }

  /** The number of rows that a panel can have. */
  get panelRoom(): number {
    return layoutOf(this.size, { rows: this.#shown().length, preview: false, panel: Infinity }).panel;
  }

  get layout(): Layout {
    return layoutOf(this.size, { rows: this.#shown().length, preview: this.#showsPreview, panel: this.panelRows });
  }

  draw(beside: DrawnBeside): ViewPicture {
    const now = Date.now();
    const { size, layout } = this;
    const rows = this.#shown();
    const { id: selected, top } = this.#selection;
    const inView = rows.slice(top, top + layout.list);
    this.#lines.follow(inView);
    const hasPreview = layout.preview > 0 && !beside.showsHelp;
    this.preview.follow(layout.preview > 0 ? (this.selected ?? null) : null);
    const target = { top: layout.head + layout.list + 1, left: 0, rows: layout.preview, cols: size.cols };
    if (hasPreview) this.preview.fit(target);
    const picture: WatchPicture = {
      ...beside,
      rows,
      counts: this.#list.counts(),
      selected,
      top,
      lastLines: this.#lines.all,
      filter: this.filter,
      order: this.#order === 0 ? null : ORDERS[this.#order]!.word,
      showsEnded: this.showsEnded,
      layout,
      previewTitle: hasPreview ? this.preview.titleIn(target) : '',
      now,
    };
    return {
      lines: pictureOf(picture, size),
      paintRest: (isFresh) => (hasPreview ? this.preview.paint(target, isFresh) : ''),
      cursor: null,
      agesMs: inView.map((row) => now - sinceOf(row)),
    };
  }

  #shown(): readonly Row[] {
    return this.#list.shown({
      filter: this.filter,
      showsEnded: this.showsEnded,
      order: ORDERS[this.#order]!.compare,
    });
  }
}
