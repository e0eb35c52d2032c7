/**
 * Finds milestones in the lines of one session.
 *
 * A line has at most one milestone: that of the first matching entry. Progress is reported as it grows, in steps of PROGRESS_STEP
 * percent, and a `once` entry is reported once in a run of its tool. A run ends with a line that contains its outcome, or when
 * the tool starts again.
 *
 * Most lines of most logs match no entry: a single search for all the texts of the catalogue excludes them.
 */
import type { Milestone } from '@spool/protocol';
import type { Catalogue, CatalogueEntry, CatalogueTool } from './catalogue.ts';
import type { Groups } from './title.ts';

/** The number of characters that are examined: only the start of a longer line. */
export const LINE_CHARACTERS_MAX = 2048;
/** The step in percent. */
export const PROGRESS_STEP = 5;
/** The number of keys that one entry can distinguish in one run; further ones are not reported. */
export const KEYS_MAX = 64;

const NONE: readonly Milestone[] = [];

export class MilestoneReader {
  readonly #catalogue: Catalogue;
  readonly #runs = new Map<CatalogueTool, ToolRun>();
  #lines = 0;
  #open = '';

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** Reads a complete line; `end` is the offset of the byte after it. */
  line(text: string, end: number): readonly Milestone[] {
    this.#lines++;
    this.#open = '';
    return this.#read(text, end, false);
  }

  /** Reads the unfinished line, which may be a progress bar. */
  openLine(text: string, end: number): readonly Milestone[] {
    if (text === this.#open) return NONE;
    this.#open = text;
    return this.#read(text, end, true);
  }

  /** Starts a new command, for which no milestone has been reported yet. */
  restart(): void {
    this.#runs.clear();
  }

  #read(whole: string, end: number, isOpen: boolean): readonly Milestone[] {
    const text = whole.length > LINE_CHARACTERS_MAX ? whole.slice(0, LINE_CHARACTERS_MAX) : whole;
    const tools = this.#catalogue.finder.ownersIn(text);
    if (tools.size === 0) return NONE;
    let isKnown = false;
    let told: Milestone | undefined;
    for (const tool of this.#catalogue.tools) {
      if (!tools.has(tool)) continue;
      const run = this.#runOf(tool);
      if (!isOpen && tool.start?.expression.test(text)) run.restart();
      for (const entry of tool.entries) {
        if (isOpen && !entry.isProgress) continue;
        const groups = isKnown ? undefined : run.match(entry, text, this.#lines);
        if (!isOpen) run.remember(entry, text, this.#lines);
        if (groups === undefined) continue;
        isKnown = true;
        told = run.tell(entry, groups, end);
      }
    }
    return told === undefined ? NONE : [told];
  }

  #runOf(tool: CatalogueTool): ToolRun {
    let run = this.#runs.get(tool);
    if (run === undefined) this.#runs.set(tool, (run = new ToolRun()));
    return run;
  }
}

/** The state of a tool since it started. */
class ToolRun {
  readonly #before = new Map<CatalogueEntry, { readonly line: number; readonly groups: Groups }>();
  /** The reported milestones, by name and key: for progress, its value. */
  readonly #told = new Map<string, Map<string, number>>();

  restart(): void {
    this.#before.clear();
    this.#told.clear();
  }

  match(entry: CatalogueEntry, text: string, line: number): Groups | undefined {
    const before = this.#before.get(entry);
    if (entry.after && !(before && line - before.line <= entry.within)) return undefined;
    const match = entry.match.expression.exec(text);
    return match === null ? undefined : { ...before?.groups, ...match.groups };
  }

  remember(entry: CatalogueEntry, text: string, line: number): void {
    const match = entry.after?.expression.exec(text);
    if (match) this.#before.set(entry, { line, groups: match.groups ?? {} });
  }

  tell(entry: CatalogueEntry, groups: Groups, offset: number): Milestone | undefined {
    const percent = percentOf(groups);
    if (!this.#isNew(entry, groups['key'] ?? '', percent)) return undefined;
    if (entry.outcome && !entry.isOnce) this.restart();
    return {
      name: entry.name,
      title: entry.title.fill(groups),
      ...(percent !== undefined && { percent }),
      ...(groups['url'] !== undefined && { url: groups['url'] }),
      ...(entry.outcome !== undefined && { outcome: entry.outcome }),
      offset,
    };
  }

  #isNew(entry: CatalogueEntry, key: string, percent: number | undefined): boolean {
    if (!entry.isOnce && !entry.isProgress) return true;
    if (entry.isProgress && percent === undefined) return false;
    let keys = this.#told.get(entry.name);
    if (keys === undefined) this.#told.set(entry.name, (keys = new Map()));
    const last = keys.get(key);
    if (last === undefined && keys.size >= KEYS_MAX) return false;
    if (entry.isProgress ? !hasGrown(last ?? 0, percent!) : last !== undefined) return false;
    keys.set(key, percent ?? 0);
    return true;
  }
}

/**
 * Returns whether a bar has grown. A complete bar that is incomplete again is a new one; otherwise smaller numbers come from a bar
 * that is half redrawn.
 */
function hasGrown(last: number, percent: number): boolean {
  if (last === 100) return percent < 100 && percent >= PROGRESS_STEP;
  return percent >= last + PROGRESS_STEP || percent === 100;
}

function percentOf({ percent, done, total }: Groups): number | undefined {
  const isCounted = percent === undefined && Number(total) > 0;
  const value = isCounted ? Math.min(100, (100 * Number(done)) / Number(total)) : Number(percent);
  return value >= 0 && value <= 100 ? Math.floor(value) : undefined; // undefined also for NaN
}
