/**
 * Remembers the last content of miniatures, so that the next answer has only the rows that have changed. Keeps SCR-5.
 *
 * Each session has one memory, whatever the number of pages; a row stores the number of the picture in which it last changed. A
 * page sends back a stamp, which names the memory and the last picture that the page got. It then gets the rows with a later
 * number.
 */
import { renderGrid, type ScreenModel } from '@spool/screen';
import type { Grid, GridRun } from '@spool/protocol';

/** The maximum of memories, of some 5 KiB each. The least recently used one is dropped first. */
const MEMORIES_MAX = 256;

export type GridPicture = Omit<Grid, 'id' | 'offset'>;

interface Memory {
  readonly name: number;
  picture: number;
  cols: number;
  /** Rows as JSON, which compares quickly. */
  rows: string[];
  /** The picture in which a row last changed. */
  changed: number[];
}

export class Grids {
  readonly #memories = new Map<string, Memory>();
  #names = 0;

  constructor(firstName: number = Date.now()) {
    this.#names = firstName; // different from the names of the previous thread
  }

  /** Returns the rows that the owner of the stamp has not seen. */
  take(id: string, model: ScreenModel, stamp: string | undefined): GridPicture {
    const memory = this.#memoryOf(id);
    const lines = renderGrid(model);
    const { cols, rows } = model.size;
    this.#remember(memory, lines, cols);
    const seen = seenIn(memory, stamp);
    const { row, col, isVisible } = model.cursor;
    return {
      stamp: `${memory.name}.${memory.picture}`,
      cols,
      rows,
      cursor: isVisible ? { row, col } : null,
      lines: lines.flatMap((runs, index) => (memory.changed[index]! > seen ? [[index, runs] as const] : [])),
    };
  }

  forget(id: string): void {
    this.#memories.delete(id);
  }

  #memoryOf(id: string): Memory {
    const memory = this.#memories.get(id) ?? { name: this.#names++, picture: 0, cols: 0, rows: [], changed: [] };
    this.#memories.delete(id);
    this.#memories.set(id, memory);
    if (this.#memories.size > MEMORIES_MAX) this.#memories.delete(this.#memories.keys().next().value!);
    return memory;
  }

  #remember(memory: Memory, lines: readonly (readonly GridRun[])[], cols: number): void {
    const next = lines.map((runs) => JSON.stringify(runs));
    const isResized = memory.cols !== cols || memory.rows.length !== next.length;
    if (!isResized && next.every((row, index) => row === memory.rows[index])) return;
    memory.picture++;
    memory.changed = next.map((row, index) =>
      isResized || row !== memory.rows[index] ? memory.picture : memory.changed[index]!,
    );
    memory.rows = next;
    memory.cols = cols;
  }
}

/** Returns the number of the picture that a stamp names; 0 for a stamp of another memory: then every row is new. */
function seenIn(memory: Memory, stamp: string | undefined): number {
  const [name, picture] = (stamp ?? '').split('.').map(Number);
  return name === memory.name && picture !== undefined && picture <= memory.picture ? picture : 0;
}
