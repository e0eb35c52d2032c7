/** Counts the work of a run, from the loaded part of its conversation. Keeps CARD-15. */
import { type BackgroundTask, changeRows, type TranscriptEntry, type UsedQuota } from '@spool/render';
import { todosOf } from '../cards/tool-input.ts';
import type { ConversationPart } from './conversation.ts';

type RunEntry<K extends TranscriptEntry['kind']> = Extract<TranscriptEntry, { readonly kind: K }>;

interface TouchedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** The event of the card in which the file was last changed. */
  readonly seq: number;
}

interface RunTurn {
  readonly prompt: string;
  readonly end: RunEntry<'turn-end'>;
}

export interface RunOverview {
  readonly plan: readonly { readonly text: string; readonly status: string }[];
  readonly files: readonly TouchedFile[];
  readonly subagents: readonly RunEntry<'tool'>[];
  readonly tasks: readonly BackgroundTask[];
  readonly turns: readonly RunTurn[];
  readonly costUsd: number | undefined;
  readonly context: { readonly used: number; readonly size: number } | undefined;
  readonly quotas: readonly UsedQuota[];
}

export function runOverview(parts: readonly ConversationPart[]): RunOverview {
  const entries = parts.flatMap(({ transcript }) => transcript.entries);
  const { totals, quotas } = parts.at(-1)!.transcript;
  return {
    plan: planOf(entries),
    files: filesOf(entries),
    subagents: entries.filter(
      (entry): entry is RunEntry<'tool'> => entry.kind === 'tool' && entry.toolKind === 'agent',
    ),
    tasks: parts.flatMap(({ transcript }) => transcript.tasks),
    turns: turnsOf(entries),
    costUsd: totals.costUsd,
    context: totals.context,
    quotas,
  };
}

/** Returns the last plan. For some agents the plan is a tool that writes it. */
function planOf(entries: readonly TranscriptEntry[]): RunOverview['plan'] {
  for (const entry of entries.toReversed()) {
    const steps = entry.kind === 'plan' ? entry.entries : entry.kind === 'tool' ? todosOf(entry.input) : null;
    if (steps !== null) return steps.filter(({ status }) => status !== 'deleted');
  }
  return [];
}

function filesOf(entries: readonly TranscriptEntry[]): readonly TouchedFile[] {
  const files = new Map<string, TouchedFile>();
  for (const entry of entries) {
    const diffs =
      entry.kind === 'tool' && entry.status === 'ok'
        ? entry.diffs
        : entry.kind === 'change' && entry.phase === 'applied'
          ? [entry.diff]
          : [];
    for (const diff of diffs) {
      const path = diff.movedTo ?? diff.path;
      const marks = changeRows(diff).map(({ mark }) => mark);
      const before = files.get(path);
      files.set(path, {
        path,
        added: (before?.added ?? 0) + marks.filter((mark) => mark === '+').length,
        removed: (before?.removed ?? 0) + marks.filter((mark) => mark === '-').length,
        seq: entry.place.seq,
      });
    }
  }
  return [...files.values()];
}

function turnsOf(entries: readonly TranscriptEntry[]): readonly RunTurn[] {
  const turns: RunTurn[] = [];
  let prompt = '';
  for (const entry of entries) {
    if (entry.kind === 'prompt' && prompt === '') prompt = entry.words;
    if (entry.kind !== 'turn-end') continue;
    turns.push({ prompt, end: entry });
    prompt = '';
  }
  return turns;
}
