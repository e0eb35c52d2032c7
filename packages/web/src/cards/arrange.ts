/**
 * Arranges the entries of a transcript as cards: the work of a subagent is inside the card of the tool that started it, and four or
 * more reads in a row are one card. Keeps CARD-2.
 */
import type { ToolEntry, TranscriptEntry } from '@spool/render';
import { isPlanName } from './tool-words.ts';

export type ToolCardEntry = TranscriptEntry & ToolEntry;

export type CardItem =
  | {
      readonly type: 'entry';
      readonly entry: TranscriptEntry;
      readonly children: readonly CardItem[];
      readonly revision: number;
    }
  | { readonly type: 'reads'; readonly entries: readonly ToolCardEntry[]; readonly revision: number };

/** The entry with which a card begins. */
export const entryOf = (item: CardItem): TranscriptEntry => (item.type === 'reads' ? item.entries[0]! : item.entry);

/** The number of reads in a row that become one card. */
const READS_MIN = 4;
const READING: ReadonlySet<string> = new Set(['read', 'search']);

export interface CardOptions {
  /** Whether minor notices are shown too. */
  readonly isFull: boolean;
}

export function arrange(entries: readonly TranscriptEntry[], options: CardOptions): readonly CardItem[] {
  const tools = new Set(entries.flatMap((entry) => (entry.kind === 'tool' ? [entry.tool] : [])));
  const inner = new Map<string, TranscriptEntry[]>();
  const outer: TranscriptEntry[] = [];
  const hasPlan = entries.some(({ kind }) => kind === 'plan');
  for (const entry of entries) {
    if (!isShown(entry, options) || (hasPlan && isPlanTool(entry))) continue;
    const { parentTool } = entry;
    if (parentTool === undefined || !tools.has(parentTool) || isItself(entry, parentTool)) outer.push(entry);
    else inner.set(parentTool, [...(inner.get(parentTool) ?? []), entry]);
  }
  return arranged(outer, inner, 0);
}

const isItself = (entry: TranscriptEntry, tool: string): boolean => entry.kind === 'tool' && entry.tool === tool;

/** The maximum depth of subagents; deeper ones are shown without their contents. */
const DEPTH_MAX = 5;

function arranged(
  entries: readonly TranscriptEntry[],
  inner: ReadonlyMap<string, readonly TranscriptEntry[]>,
  depth: number,
): readonly CardItem[] {
  const items: CardItem[] = [];
  let reads: ToolCardEntry[] = [];
  const close = (): void => {
    if (reads.length >= READS_MIN)
      items.push({ type: 'reads', entries: reads, revision: Math.max(...reads.map(({ revision }) => revision)) });
    else items.push(...reads.map((entry) => single(entry, [])));
    reads = [];
  };
  for (const entry of entries) {
    const read = quietRead(entry);
    if (read !== null) {
      reads.push(read);
      continue;
    }
    close();
    const own = entry.kind === 'tool' && depth < DEPTH_MAX ? inner.get(entry.tool) : undefined;
    items.push(single(entry, own === undefined ? [] : arranged(own, inner, depth + 1)));
  }
  close();
  return items;
}

function single(entry: TranscriptEntry, children: readonly CardItem[]): CardItem {
  const revision = Math.max(entry.revision, ...children.map((child) => child.revision));
  return { type: 'entry', entry, children, revision };
}

const quietRead = (entry: TranscriptEntry): ToolCardEntry | null =>
  entry.kind === 'tool' && READING.has(entry.toolKind) && entry.status === 'ok' ? entry : null;

/** A waiting request is shown above the prompt box, and a decided one in the card of its tool. */
function isShown(entry: TranscriptEntry, { isFull }: CardOptions): boolean {
  if (entry.kind === 'ask') return entry.outcome !== null && !entry.isTold;
  if (entry.kind === 'note') return isFull || !entry.isMinor;
  return entry.kind !== 'tool' || entry.isKnown || entry.name !== '';
}

const isPlanTool = (entry: TranscriptEntry): boolean =>
  entry.kind === 'tool' && entry.status === 'ok' && isPlanName(entry.name);

/** Returns the paths that were changed in the turn that the entry at this place ends. */
export function filesChanged(entries: readonly TranscriptEntry[], end: number): readonly string[] {
  const paths = new Set<string>();
  for (let at = end - 1; at >= 0; at--) {
    const entry = entries[at]!;
    if (entry.kind === 'turn-end') break;
    if (entry.kind === 'tool' && entry.status === 'ok') for (const { path } of entry.diffs) paths.add(path);
    if (entry.kind === 'change' && entry.phase === 'applied') paths.add(entry.diff.path);
  }
  return [...paths];
}
