/**
 * Renders one entry of a transcript as lines. Long parts are folded, unless all lines are requested. `head` is the part that is
 * known when the entry begins, `tail` the part that is known at its end. Keeps SHOW-1.
 */
import type { Tokens } from '@spool/protocol/agent';
import { longDuration } from '@spool/protocol/duration';
import { say, visible, visibleTitle, type VisibleText } from '@spool/protocol/visible-text';
import { cutLine, joinVisible, type Line, lineWidth, type SpanStyle, span, under } from '../lines.ts';
import { markdownLines, pieces } from '../markdown/markdown.ts';
import type { TranscriptEntry, MessageEntry, ToolEntry, TurnEndEntry } from '../transcript/entries.ts';
import { printedLines } from '../printed-lines.ts';
import { visibleLines } from '../visible-lines.ts';
import { wrap } from '../wrap.ts';
import { askEntryLines, type AskViewOptions, byWords, withoutName } from './ask-lines.ts';
import { diffLines } from './diff-lines.ts';
import { folded } from './fold.ts';

/** `width` is in cells; with Infinity no line is wrapped; with `isFull` no part is folded. */
export interface ViewOptions extends AskViewOptions {
  /** Whether pending permissions and questions are hidden, because they are shown elsewhere. */
  readonly hidesAsks?: boolean;
}

const FAINT: SpanStyle = { dim: true };
const TITLE_CHARACTERS_MAX = 400;
const NOTE_CHARACTERS_MAX = 2000;
/** The length of a folded text. */
const THINKING_LINES = 3;
const OUTPUT_HEAD = 3;
const OUTPUT_TAIL = 2;
const PROMPT_LINES = 20;

export function entryLines(entry: TranscriptEntry, options: ViewOptions): Line[] {
  const { agent } = entry;
  if (agent === undefined) return bodyLines(entry, options);
  const bar = span('┆ ', FAINT);
  return bodyLines(entry, { ...options, width: options.width - 2 }).map((line) => [bar, ...line]);
}

/** Returns whether the entry is only visible with `isFull`. */
export function isHidden(entry: TranscriptEntry, { isFull, hidesAsks }: ViewOptions): boolean {
  if (entry.kind === 'ask') return entry.outcome === null ? hidesAsks === true : entry.isTold;
  return !isFull && entry.kind === 'note' && entry.isMinor;
}

function bodyLines(entry: TranscriptEntry, options: ViewOptions): Line[] {
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
      return askEntryLines(entry, options);
    case 'plan':
      return entry.entries.filter(({ status }) => status !== 'deleted').flatMap((each) => planLines(each, width));
    case 'turn-end':
      return turnEndLines(entry, width);
    case 'note':
      return noteLines(entry, width);
  }
}

export function promptLines(text: string, { width, isFull }: ViewOptions): Line[] {
  const look: SpanStyle = { tone: 'prompt', bold: true };
  const lines = visibleLines(text).flatMap((line, at) =>
    wrap([span(line, look)], width, { first: [at === 0 ? span('> ', look) : span('  ', look)], rest: [span('  ')] }),
  );
  return isFull ? lines : folded(lines, PROMPT_LINES, 2, say`  `);
}

function messageLines({ text, isError }: MessageEntry, { width }: ViewOptions): Line[] {
  const lines = markdownLines(text.toString(), width);
  return isError ? lines.map((line) => under({ tone: 'error' }, line)) : lines;
}

/** Shows the end of a thought while it streams. */
function thinkingLines({ text, isDone }: MessageEntry, { width, isFull }: ViewOptions): Line[] {
  const look: SpanStyle = { dim: true, italic: true };
  const lines = visibleLines(text.toString()).flatMap((line) =>
    wrap([span(line, look)], width, { first: [span('· ', FAINT)] }),
  );
  if (isFull || lines.length <= THINKING_LINES + 1) return lines;
  return isDone ? folded(lines, THINKING_LINES, 0, say`· `) : lines.slice(-THINKING_LINES);
}

/**
 * Returns the head of a tool: `● Bash npm test`. A tool that needed a permission is shown as it was when the decision was made, not
 * by the agent's title.
 */
export function toolHead(entry: ToolEntry, { width, isFull }: ViewOptions): Line[] {
  const { name, title, status, note, permission } = entry;
  const [sign, look] = status === null ? ([say`●`, { tone: 'working' }] as const) : SIGNS[status];
  const label = visibleTitle(name, 60);
  const subject = visibleTitle(withoutName(title, name), isFull ? 10_000 : TITLE_CHARACTERS_MAX);
  const isNamed = subject === label || subject === '';
  const about: Line =
    permission === null || permission.about === ''
      ? [
          span(label === '' && isNamed ? say`tool` : label, { bold: true }),
          ...(isNamed ? [] : [span(label === '' ? subject : say` ${subject}`)]),
        ]
      : [span(permission.about, { bold: true })];
  const head: Line = [span(say`${sign} `, look), ...about];
  const after: Line = [
    ...(permission?.decision === 'allow' ? [span(say`  allowed${byWords(permission)}`, FAINT)] : []),
    ...(permission?.changedTo === undefined ? [] : [span(say` with another input: ${permission.changedTo}`)]),
    ...(status === null && note !== undefined ? [span(say`  ${visibleTitle(note, 100)}`, FAINT)] : []),
  ];
  if (isFull || width === Infinity) return wrap([...head, ...after], width, { rest: [span('  ')] });
  // The deciding user is visible, however long the input is.
  const room = Math.max(Math.floor(width / 2), width - lineWidth(after));
  return [cutLine([...cutLine(head, room), ...after], width)];
}

const SIGNS = {
  ok: [say`●`, { tone: 'ok' }],
  error: [say`✗`, { tone: 'error' }],
  denied: [say`✗`, { tone: 'error' }],
  cancelled: [say`○`, { dim: true }],
  background: [say`◐`, { tone: 'working' }],
} as const satisfies Record<string, readonly [VisibleText, SpanStyle]>;

/** Returns the output and the changes of a tool, and its result. */
export function toolTail(entry: ToolEntry, { width, isFull }: ViewOptions): Line[] {
  const { status, exitCode, diffs, output, toolKind, permission } = entry;
  const reason = permission?.decision === 'deny' ? (permission.message ?? entry.reason) : entry.reason;
  const by = permission?.decision === 'deny' ? byWords(permission) : say``;
  const lines: Line[] = [];
  const todos = isFull && status === 'ok' && PLAN_TOOLS.test(entry.name) ? todosIn(output.toString()) : null;
  if (todos !== null) return todos.flatMap((each) => planLines(each, width).map((line): Line => [span('  '), ...line]));
  const printed = printedLines(output.toString());
  // The content of a file that was read, and the words of an edit, add little to their title; a plan is shown as a plan.
  const isQuiet =
    !isFull &&
    status === 'ok' &&
    (toolKind === 'read' || (toolKind === 'edit' && diffs.length > 0) || PLAN_TOOLS.test(entry.name));
  if (isQuiet && toolKind === 'read' && printed.length > 0) lines.push([span(say`  ${printed.length} lines`, FAINT)]);
  else if (!isQuiet && (isFull || status !== 'denied')) {
    const room = Math.max(4, width - 2);
    const body = printed.flatMap((line) => pieces(line, room).map((piece): Line => [span('  '), span(piece, FAINT)]));
    lines.push(...(isFull ? body : folded(body, OUTPUT_HEAD, OUTPUT_TAIL, say`  `)));
  }
  for (const diff of diffs) lines.push(...diffLines(diff, width, isFull));
  if (status !== null && status !== 'ok' && status !== 'background') {
    const code = exitCode === undefined || exitCode === 0 ? say`` : say`, exit code ${exitCode}`;
    const why = reason === undefined || reason === '' ? say`` : say`: ${visibleTitle(reason, TITLE_CHARACTERS_MAX)}`;
    lines.push(
      ...wrap(
        [span(say`${by === '' ? STATUS_WORDS[status] : say`denied`}${by}${code}${why}`, { tone: 'error' })],
        width,
        {
          first: [span('  ')],
        },
      ),
    );
  }
  return lines;
}

/** The names that agents use for the tool that writes their plan. */
const PLAN_TOOLS = /^(?:todo_?(?:write|read)|write_todos|update_plan)$/i;
/** The limit of a list: usual ones have a few kilobytes; a longer text is shown unchanged. */
const TODOS_CHARACTERS_MAX = 64 * 1024;

/** Reads the list of OpenCode's tool, which is JSON; other tools answer with a sentence. */
function todosIn(output: string): readonly { text: string; status: string }[] | null {
  if (!output.startsWith('[') || output.length > TODOS_CHARACTERS_MAX) return null;
  try {
    const list = JSON.parse(output) as readonly { readonly content?: unknown; readonly status?: unknown }[];
    const isList = list.every((each) => typeof each?.content === 'string' && typeof each.status === 'string');
    return isList ? list.map(({ content, status }) => ({ text: String(content), status: String(status) })) : null;
  } catch {
    return null; // the list was cut
  }
}

const STATUS_WORDS = { error: say`failed`, denied: say`denied`, cancelled: say`cancelled` } as const;

function planLines({ text, status }: { readonly text: string; readonly status: string }, width: number): Line[] {
  const [sign, look] = PLAN_SIGNS[status] ?? PLAN_SIGNS['pending']!;
  return wrap([span(visibleTitle(text, TITLE_CHARACTERS_MAX), look)], width, {
    first: [span(say`${sign} `, look)],
    rest: [span('  ')],
  });
}

const PLAN_SIGNS: Readonly<Record<string, readonly [VisibleText, SpanStyle]>> = {
  pending: [say`☐`, {}],
  in_progress: [say`▶`, { bold: true }],
  completed: [say`☑`, FAINT],
};

function turnEndLines({ outcome, error, usage, costUsd, durationMs }: TurnEndEntry, width: number): Line[] {
  const parts = [
    ...(outcome === 'completed' ? [] : [OUTCOME_WORDS[outcome]]),
    ...(durationMs === undefined ? [] : [visible(longDuration(durationMs))]),
    ...(usage === undefined || isNothing(usage) ? [] : [tokensText(usage)]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [costText(costUsd)]),
  ].filter((part) => part !== '');
  const look: SpanStyle = outcome === 'completed' ? FAINT : { tone: outcome === 'interrupted' ? 'warning' : 'error' };
  const lines = wrap([span(say`─ ${joinVisible(parts, ' · ')}`, look)], width, { rest: [span('  ')] });
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
  interrupted: say`interrupted`,
  failed: say`the turn failed`,
  refused: say`refused by the agent`,
  limit: say`stopped by a limit`,
} as const;

function noteLines({ level, text }: Extract<TranscriptEntry, { kind: 'note' }>, width: number): Line[] {
  const look: SpanStyle = level === 'info' ? FAINT : { tone: level };
  return wrap([span(visibleTitle(printedLines(text).join('\n'), NOTE_CHARACTERS_MAX), look)], width, {
    first: [level === 'info' ? span('· ', look) : span('! ', look)],
    rest: [span('  ')],
  });
}

export function tokensText({ input, output, cacheRead, cacheWrite, total }: Tokens): VisibleText {
  const all = input === undefined ? undefined : input + (cacheRead ?? 0) + (cacheWrite ?? 0);
  if (all === undefined && output === undefined) return total === undefined ? say`` : say`${countText(total)} tokens`;
  return say`${countText(all ?? 0)} in, ${countText(output ?? 0)} out`;
}

export function countText(count: number): VisibleText {
  if (count < 1000) return say`${count}`;
  return count < 1_000_000
    ? visible(`${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`)
    : visible(`${(count / 1_000_000).toFixed(1)}M`);
}

export function costText(usd: number): VisibleText {
  return visible(`$${usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`);
}
