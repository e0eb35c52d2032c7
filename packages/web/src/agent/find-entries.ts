/** Finds a text in the entries of a conversation. */
import type { TranscriptEntry } from '@spool/render';
import type { ConversationPart } from './conversation.ts';

export interface FoundEntry {
  /** The number of the entry's first event. */
  readonly seq: number;
  /** The text around the match, in one line. */
  readonly excerpt: string;
}

const AROUND_CHARACTERS = 60;

/** Returns the entries that contain the text, the latest first, ignoring case. */
export function findEntries(parts: readonly ConversationPart[], sought: string, most: number): readonly FoundEntry[] {
  const found: FoundEntry[] = [];
  const wanted = sought.toLowerCase();
  for (const { transcript } of parts.toReversed())
    for (const entry of transcript.entries.toReversed()) {
      if (found.length >= most) return found;
      const text = textOf(entry);
      const at = text.toLowerCase().indexOf(wanted);
      if (at !== -1) found.push({ seq: entry.place.seq, excerpt: excerptOf(text, at, wanted.length) });
    }
  return found;
}

function excerptOf(text: string, at: number, length: number): string {
  const from = Math.max(0, at - AROUND_CHARACTERS);
  const line = text.slice(from, at + length + AROUND_CHARACTERS).replaceAll(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${line.trim()}`;
}

function textOf(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case 'prompt':
      return entry.words;
    case 'message':
    case 'thinking':
      return entry.text.toString();
    case 'tool':
      return [entry.name, entry.title, ...entry.diffs.map(({ path }) => path), entry.output.toString()].join('\n');
    case 'change':
      return entry.diff.path;
    case 'plan':
      return entry.entries.map(({ text }) => text).join('\n');
    case 'ask':
      return entry.outcome?.about ?? '';
    case 'note':
    case 'agent':
      return entry.text;
    case 'turn-end':
      return entry.error?.message ?? '';
  }
}
