/** Shows a transcript as a document: its entries with space between them, and only the requested number of lines. */
import type { Line } from '../lines.ts';
import type { TranscriptEntry } from '../transcript/entries.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { entryLines, isHidden, type ViewOptions } from './entry-lines.ts';

/** Returns whether an empty line separates the two: tools and their permissions belong together. */
export function isApart(before: TranscriptEntry, entry: TranscriptEntry): boolean {
  const isWork = ({ kind }: TranscriptEntry): boolean =>
    kind === 'tool' || kind === 'ask' || kind === 'note' || kind === 'change';
  return !(isWork(before) && isWork(entry)) && entry.kind !== 'turn-end' && before.kind !== 'agent';
}

interface CachedLines {
  readonly revision: number;
  readonly lines: readonly Line[];
}

/** Renders an entry again only when it has changed. */
export class DocumentView {
  readonly #kept = new WeakMap<TranscriptEntry, CachedLines>();
  readonly #options: ViewOptions;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  all({ entries }: Pick<Transcript, 'entries'>): readonly Line[] {
    return entries.flatMap((_, at) => this.linesAt(entries, at));
  }

  /** Returns the last `count` lines, `skipped` lines above the end. `above` is true if there are lines before them. */
  last(
    { entries }: Pick<Transcript, 'entries'>,
    count: number,
    skipped = 0,
  ): { readonly lines: readonly Line[]; readonly above: boolean; readonly skipped: number } {
    const wanted = count + skipped;
    const parts: (readonly Line[])[] = [];
    let found = 0;
    let at = entries.length - 1;
    for (; at >= 0 && found < wanted; at--) {
      const lines = this.linesAt(entries, at);
      parts.push(lines);
      found += lines.length;
    }
    const lines = parts.reverse().flat();
    const below = Math.max(0, Math.min(skipped, lines.length - count));
    const end = lines.length - below;
    return { lines: lines.slice(Math.max(0, end - count), end), above: at >= 0 || end > count, skipped: below };
  }

  /** Returns the lines of an entry with the empty line before it. */
  linesAt(entries: readonly TranscriptEntry[], at: number): readonly Line[] {
    const entry = entries[at]!;
    if (isHidden(entry, this.#options)) return [];
    const kept = this.#kept.get(entry);
    const lines = kept?.revision === entry.revision ? kept.lines : entryLines(entry, this.#options);
    if (lines !== kept?.lines) this.#kept.set(entry, { revision: entry.revision, lines });
    if (lines.length === 0) return [];
    let previous = at - 1;
    while (previous >= 0 && isHidden(entries[previous]!, this.#options)) previous--;
    const before = entries[previous];
    return before && isApart(before, entry) ? [[], ...lines] : lines;
  }
}
