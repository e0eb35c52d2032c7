/**
 * The hyperlinks of a model: an own table in place of xterm's.
 *
 * xterm ties a link to the line where it was opened, and forgets it when that line is cleared, though other cells still show
 * it; and it never forgets one whose lines are only painted over, as every Ink program with links does for days: each repaint
 * leaves one more link and one more listener to every scroll. Here a link lives as long as a cell shows it: whenever there are
 * many, the cells are asked.
 */
import type { EngineBuffer, EngineCore, EngineLink } from './engine.ts';

/** A full screen of links stays below; asking 1000 lines takes well under a millisecond. */
export const LINKS_MAX = 1024;
/** A longer address is not kept: what is printed under it is then no link. Browsers give up not far above. */
export const LINK_CHARACTERS_MAX = 8192;

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

  /** To be called between writes, when no link is just being made. */
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
    // If most are in use, the next sweep waits until as many have come again: each link is then looked at twice at most.
    this.#limit = Math.max(LINKS_MAX, 2 * this.#byId.size);
  }

  /** The same id and address are the same link; without an id, the same address is: a model need not tell them apart. */
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
