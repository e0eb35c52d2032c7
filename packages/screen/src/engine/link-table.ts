/**
 * Keeps the hyperlinks of a model in our own table, in place of xterm's.
 *
 * xterm ties a link to the line where it was opened, and drops it when that line is cleared, even if other cells still show it. It
 * never drops a link whose lines are only painted over. A program written with Ink that shows links does this for days: each
 * repaint leaves one more link, and one more listener for every scroll. Here a link lives as long as a cell shows it: when there
 * are many links, the cells are scanned.
 */
import type { EngineBuffer, EngineCore, EngineLink } from './engine.ts';

/**
 * The number of links at which the cells are scanned: a full screen of links has fewer; scanning 1000 lines takes well under a
 * millisecond.
 */
export const LINKS_MAX = 1024;
/** The limit of an address; the text of a longer one is not a link. The limits of browsers are not far above. */
const LINK_CHARACTERS_MAX = 8192;

export class LinkTable {
  readonly #core: EngineCore;
  readonly #byId = new Map<number, EngineLink>();
  readonly #byKey = new Map<string, EngineLink>();
  #nextId = 1;
  #limit = LINKS_MAX;

  constructor(core: EngineCore) {
    this.#core = core;
    const service = core._oscLinkService as {
      -readonly [Key in keyof EngineCore['_oscLinkService']]: EngineCore['_oscLinkService'][Key];
    };
    service._dataByLinkId = this.#byId;
    service.registerLink = (data) => this.#register(data);
    service.addLineToLink = () => {};
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Drops unused links; must be called between writes, when no link is being created. */
  sweep(): void {
    if (this.#byId.size <= this.#limit) return;
    const used = new Set<number>([this.#core._inputHandler._curAttrData.extended._urlId]);
    const { normal, alt } = this.#core.buffers;
    collect(normal, used);
    collect(alt, used);
    for (const [id, { data }] of this.#byId) {
      if (used.has(id)) continue;
      this.#byId.delete(id);
      this.#byKey.delete(keyOf(data));
    }
    // If most links are in use, the next sweep waits until their number has doubled: each link is then scanned twice at most.
    this.#limit = Math.max(LINKS_MAX, 2 * this.#byId.size);
  }

  /**
   * Registers a link. Links with the same id and address are one link; without an id, those with the same address are one, because
   * a model need not distinguish them.
   */
  #register(data: EngineLink['data']): number {
    if (data.uri.length + (data.id?.length ?? 0) > LINK_CHARACTERS_MAX) return 0;
    const key = keyOf(data);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known.id;
    const link = { id: this.#nextId++, data };
    this.#byId.set(link.id, link);
    this.#byKey.set(key, link);
    return link.id;
  }
}

const keyOf = ({ id, uri }: EngineLink['data']): string => `${id ?? ''};${uri}`;

function collect({ lines }: EngineBuffer, used: Set<number>): void {
  for (let at = 0; at < lines.length; at++) {
    for (const extended of Object.values(lines.get(at)?._extendedAttrs ?? {}))
      if (extended?._urlId) used.add(extended._urlId);
  }
}
