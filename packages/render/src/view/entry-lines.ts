/**
 * One entry of a transcript as lines. Everything that could be long is folded, unless all of it is wanted. `head` is what is
 * known when it begins, `tail` what is known at its end. Keeps SHOW-1.
 */
import type { Tokens } from '@spool/protocol/agent';
import { cutLine, type Line, type Look, span, under } from '../lines.ts';
import { markdownLines, pieces } from '../markdown/markdown.ts';
import type { Entry, MessageEntry, ToolEntry, TurnEndEntry } from '../transcript/entries.ts';
import { printedLines } from '../printed-lines.ts';
import { visibleLines, visibleTitle } from '../visible-text.ts';
import { wrap } from '../wrap.ts';
import { askEntryLines, byWords, withoutName } from './ask-lines.ts';
import { diffLines } from './diff-lines.ts';
import { folded } from './fold.ts';

export interface ViewOptions {
  /** In cells; Infinity wraps nothing. */
  readonly width: number;
  /** Nothing is folded. */
  readonly isFull: boolean;
  /** Permissions and questions that wait are shown elsewhere. */
  readonly hidesAsks?: boolean;
}

const FAINT: Look = { dim: true };
const TITLE_CHARACTERS_MAX = 400;
const NOTE_CHARACTERS_MAX = 2000;
/** Of a folded text. */
const THINKING_LINES = 3;
const OUTPUT_HEAD = 3;
const OUTPUT_TAIL = 2;
const PROMPT_LINES = 20;

export function entryLines(entry: Entry, options: ViewOptions): Line[] {
  const { agent } = entry;
  if (agent === undefined) return bodyLines(entry, options);
  const bar = span('┆ ', FAINT);
  return bodyLines(entry, { ...options, width: options.width - 2 }).map((line) => [bar, ...line]);
}

/** Whether there is nothing to see unless everything is wanted. */
export function isHidden(entry: Entry, { isFull, hidesAsks }: ViewOptions): boolean {
  if (entry.kind === 'ask') return entry.outcome === null ? hidesAsks === true : entry.isTold;
  return !isFull && entry.kind === 'note' && entry.isMinor;
}

function bodyLines(entry: Entry, options: ViewOptions): Line[] {
  const { width, isFull } = options;
  switch (entry.kind) {
    case 'agent':
      return wrap([span(visibleTitle(entry.text, TITLE_CHARACTERS_MAX), FAINT)], width);
    case 'prompt':
      return promptLines(entry.text, options);
    case 'message':
      return messageLines(entry, options);
    case 'thinking':
      return thinkingLines(entry, options);
    case 'tool':
      return [...toolHead(entry, options), ...toolTail(entry, options)];
    case 'change':
      return diffLines(entry.diff, width, isFull, entry.phase);
    case 'ask':
      return askEntryLines(entry, width, isFull);
    case 'plan':
      return entry.entries.filter(({ status }) => status !== 'deleted').flatMap((each) => planLines(each, width));
    case 'turn-end':
      return turnEndLines(entry, width);
    case 'note':
      return noteLines(entry, width);
  }
}

export function promptLines(text: string, { width, isFull }: ViewOptions): Line[] {
  const look: Look = { tone: 'prompt', bold: true };
  const lines = visibleLines(text).flatMap((line, at) =>
    wrap([span(line, look)], width, { first: [span(at === 0 ? '> ' : '  ', look)], rest: [span('  ')] }),
  );
  return isFull ? lines : folded(lines, PROMPT_LINES, 2, '  ');
}

function messageLines({ text, isError }: MessageEntry, { width }: ViewOptions): Line[] {
  const lines = markdownLines(text.toString(), width);
  return isError ? lines.map((line) => under({ tone: 'error' }, line)) : lines;
}

/** While it streams, its end is the news. */
function thinkingLines({ text, isDone }: MessageEntry, { width, isFull }: ViewOptions): Line[] {
  const look: Look = { dim: true, italic: true };
  const lines = visibleLines(text.toString()).flatMap((line) =>
    wrap([span(line, look)], width, { first: [span('· ', FAINT)] }),
  );
  if (isFull || lines.length <= THINKING_LINES + 1) return lines;
  return isDone ? folded(lines, THINKING_LINES, 0, '· ') : lines.slice(-THINKING_LINES);
}

/** `● Bash npm test`. */
export function toolHead({ name, title, status, note, permission }: ToolEntry, { width, isFull }: ViewOptions): Line[] {
  const [sign, look] = status === null ? (['●', { tone: 'working' }] as const) : SIGNS[status];
  const label = visibleTitle(name, 60);
  const subject = visibleTitle(withoutName(title, name), isFull ? 10_000 : TITLE_CHARACTERS_MAX);
  const isNamed = subject === label || subject === '';
  const line: Line = [
    span(`${sign} `, look),
    span(label === '' && isNamed ? 'tool' : label, { bold: true }),
    ...(isNamed ? [] : [span(label === '' ? subject : ` ${subject}`)]),
    ...(permission?.decision === 'allow' ? [span(`  allowed${byWords(permission)}`, FAINT)] : []),
    ...(status === null && note !== undefined ? [span(`  ${visibleTitle(note, 100)}`, FAINT)] : []),
  ];
  if (isFull || width === Infinity) return wrap(line, width, { rest: [span('  ')] });
  return [cutLine(line, width)];
}

const SIGNS = {
  ok: ['●', { tone: 'ok' }],
  error: ['✗', { tone: 'error' }],
  denied: ['✗', { tone: 'error' }],
  cancelled: ['○', { dim: true }],
  background: ['◐', { tone: 'working' }],
} as const satisfies Record<string, readonly [string, Look]>;

/** What it printed and changed, and how it ended. */
export function toolTail(entry: ToolEntry, { width, isFull }: ViewOptions): Line[] {
  const { status, exitCode, diffs, output, toolKind, permission } = entry;
  const reason = permission?.decision === 'deny' ? (permission.message ?? entry.reason) : entry.reason;
  const by = permission?.decision === 'deny' ? byWords(permission) : '';
  const lines: Line[] = [];
  const todos = isFull && status === 'ok' && PLAN_TOOLS.test(entry.name) ? todosIn(output.toString()) : null;
  if (todos !== null) return todos.flatMap((each) => planLines(each, width).map((line): Line => [span('  '), ...line]));
  const printed = printedLines(output.toString());
  // A file that was read, and the words of an edit, say less than their title; a plan is shown as one.
  const isQuiet =
    !isFull &&
    status === 'ok' &&
    (toolKind === 'read' || (toolKind === 'edit' && diffs.length > 0) || PLAN_TOOLS.test(entry.name));
  if (isQuiet && toolKind === 'read' && printed.length > 0) lines.push([span(`  ${printed.length} lines`, FAINT)]);
  else if (!isQuiet && (isFull || status !== 'denied')) {
    const room = Math.max(4, width - 2);
    const body = printed.flatMap((line) => pieces(line, room).map((piece): Line => [span('  '), span(piece, FAINT)]));
    lines.push(...(isFull ? body : folded(body, OUTPUT_HEAD, OUTPUT_TAIL, '  ')));
  }
  for (const diff of diffs) lines.push(...diffLines(diff, width, isFull));
  if (status !== null && status !== 'ok' && status !== 'background') {
    const code = exitCode === undefined || exitCode === 0 ? '' : `, exit code ${exitCode}`;
    const why = reason === undefined || reason === '' ? '' : `: ${visibleTitle(reason, TITLE_CHARACTERS_MAX)}`;
    lines.push(
      ...wrap([span(`${by === '' ? STATUS_WORDS[status] : 'denied'}${by}${code}${why}`, { tone: 'error' })], width, {
        first: [span('  ')],
      }),
    );
  }
  return lines;
}

/** As agents call the tool that writes their plan. */
const PLAN_TOOLS = /^(?:todo_?(?:write|read)|write_todos|update_plan)$/i;
/** A list is a few kilobytes; anything longer is shown as it is. */
const TODOS_CHARACTERS_MAX = 64 * 1024;

/** OpenCode's tool answers with its list, as JSON; others with a sentence. */
function todosIn(output: string): readonly { text: string; status: string }[] | null {
  if (!output.startsWith('[') || output.length > TODOS_CHARACTERS_MAX) return null;
  try {
    const list = JSON.parse(output) as readonly { readonly content?: unknown; readonly status?: unknown }[];
    const isList = list.every((each) => typeof each?.content === 'string' && typeof each.status === 'string');
    return isList ? list.map(({ content, status }) => ({ text: String(content), status: String(status) })) : null;
  } catch {
    return null; // it was cut
  }
}

const STATUS_WORDS = { error: 'failed', denied: 'denied', cancelled: 'cancelled' } as const;

function planLines({ text, status }: { readonly text: string; readonly status: string }, width: number): Line[] {
  const [sign, look] = PLAN_SIGNS[status] ?? PLAN_SIGNS['pending']!;
  return wrap([span(visibleTitle(text, TITLE_CHARACTERS_MAX), look)], width, {
    first: [span(`${sign} `, look)],
    rest: [span('  ')],
  });
}

const PLAN_SIGNS: Readonly<Record<string, readonly [string, Look]>> = {
  pending: ['☐', {}],
  in_progress: ['▶', { bold: true }],
  completed: ['☑', FAINT],
};

function turnEndLines({ outcome, error, usage, costUsd, durationMs }: TurnEndEntry, width: number): Line[] {
  const parts = [
    ...(outcome === 'completed' ? [] : [OUTCOME_WORDS[outcome]]),
    ...(durationMs === undefined ? [] : [durationText(durationMs)]),
    ...(usage === undefined || isNothing(usage) ? [] : [tokensText(usage)]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [costText(costUsd)]),
  ].filter((part) => part !== '');
  const look: Look = outcome === 'completed' ? FAINT : { tone: outcome === 'interrupted' ? 'warning' : 'error' };
  const lines = wrap([span(`─ ${parts.join(' · ')}`, look)], width, { rest: [span('  ')] });
  if (error)
    lines.push(
      ...wrap([span(visibleTitle(error.message, NOTE_CHARACTERS_MAX), { tone: 'error' })], width, {
        first: [span('  ')],
      }),
    );
  return parts.length === 0 && !error ? [] : lines;
}

const isNothing = ({ input, output, total }: Tokens): boolean => !input && !output && !total;

const OUTCOME_WORDS = {
  interrupted: 'interrupted',
  failed: 'the turn failed',
  refused: 'refused by the agent',
  limit: 'stopped by a limit',
} as const;

function noteLines({ level, text }: Extract<Entry, { kind: 'note' }>, width: number): Line[] {
  const look: Look = level === 'info' ? FAINT : { tone: level };
  const sign = level === 'info' ? '· ' : '! ';
  return wrap([span(visibleTitle(printedLines(text).join(' '), NOTE_CHARACTERS_MAX), look)], width, {
    first: [span(sign, look)],
    rest: [span('  ')],
  });
}

export function durationText(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}

export function tokensText({ input, output, cacheRead, cacheWrite, total }: Tokens): string {
  const all = input === undefined ? undefined : input + (cacheRead ?? 0) + (cacheWrite ?? 0);
  if (all === undefined && output === undefined) return total === undefined ? '' : `${countText(total)} tokens`;
  return `${countText(all ?? 0)} in, ${countText(output ?? 0)} out`;
}

export function countText(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
}

export function costText(usd: number): string {
  return `$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
