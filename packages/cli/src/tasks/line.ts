/** Formats tasks, one line each: a live line for a terminal, and plain lines for events. Keeps TASK-7. */
import type { Milestone, TaskResult, TaskState } from '@spool/client';
import { longDuration, runningDuration } from '@spool/protocol/duration';
import { say, visible, type VisibleText } from '@spool/protocol/visible-text';
import { cutLine, type Line, repeated, span, type SpanStyle } from '@spool/render/lines';
import { cutToWidth, displayWidth, printable } from '../output/printable.ts';

/** The current state of a task. */
export interface TaskView {
  readonly id: string;
  readonly name: string;
  readonly startedAt: number;
  milestone: Milestone | null;
  /** The last line of its output that has letters, complete or not. */
  lastLine: string;
  /** The progress in percent, as reported by the program (OSC 9;4). */
  progress: number | null;
  /** The question of the task, while it waits for a person. */
  question: string | null;
  result: TaskResult | null;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const BAR_CELLS = 10;
const NAME_CELLS_MAX = 24;

const MARK = {
  running: '·',
  success: '✓',
  error: '✗',
  timeout: '✗',
  cancelled: '–',
} as const satisfies Readonly<Record<TaskState, string>>;

const WAITING: SpanStyle = { tone: 'ask' };
const LOOKS: Readonly<Record<TaskState, SpanStyle>> = {
  running: { tone: 'prompt' },
  success: { tone: 'ok' },
  error: { tone: 'error' },
  timeout: { tone: 'error' },
  cancelled: { tone: 'warning' },
};

export interface LineLook {
  readonly now: number;
  /** The frame of the spinner. */
  readonly turn: number;
  /** The width in cells. */
  readonly width: number;
  /** The width of the name column, so that the lines of several tasks align. */
  readonly nameWidth: number;
}

export function nameWidthOf(views: readonly TaskView[]): number {
  return Math.min(NAME_CELLS_MAX, Math.max(0, ...views.map(({ name }) => displayWidth(printable(name)))));
}

/**
 * Returns the live line: spinner, name, elapsed time, progress bar if known, and the last milestone or the last line of output.
 */
export function liveLine(view: TaskView, { now, turn, width, nameWidth }: LineLook): Line {
  const { result } = view;
  const state = result?.state ?? 'running';
  const isWaiting = result === null && view.question !== null;
  const mark = isWaiting ? '?' : result === null ? SPINNER[turn % SPINNER.length]! : MARK[state];
  const name = cutToWidth(printable(view.name), nameWidth);
  const time = result === null ? runningDuration(now - view.startedAt) : longDuration(result.durationMs);
  const percent = percentOf(view);
  const line: Line = [
    span(mark, isWaiting ? WAITING : LOOKS[state]),
    span(say` ${name}${repeated(' ', nameWidth - displayWidth(name))} ${visible(time.padStart(7))}`),
    ...(percent === null ? [] : [span(say` ${bar(percent)}`)]),
    ...(newsOf(view) === '' ? [] : [span(say`  ${newsOf(view)}`)]),
  ];
  return cutLine(line, width);
}

/** `waits for you: "Ok to proceed? (y)" (spool attach site)`. */
export function waitingWords(name: string, question: string): VisibleText {
  return visible(`waits for you: ${JSON.stringify(printable(question).trim())} (spool attach ${printable(name)})`);
}

/** Returns the lines about a change of the task. After a success, the last milestone says more than the reason. */
function newsOf({ name, question, result, milestone, lastLine }: TaskView): VisibleText {
  if (result === null && question !== null) return waitingWords(name, question);
  if (result !== null && result.state !== 'success') return visible(result.reason);
  return visible((milestone?.title ?? lastLine).trim());
}

/** Returns the progress; null if the task has ended or its progress is unknown. */
function percentOf({ result, progress, milestone }: TaskView): number | null {
  if (result !== null) return null;
  const percent = progress ?? milestone?.percent ?? null;
  return percent === null ? null : Math.min(100, Math.max(0, Math.round(percent)));
}

function bar(percent: number): VisibleText {
  const full = Math.round((percent / 100) * BAR_CELLS);
  return say`${repeated('█', full)}${repeated('░', BAR_CELLS - full)} ${visible(String(percent).padStart(3))}%`;
}

/** Returns `build: error after 3.2s: exit code 1`, and the last lines of output if they were not shown yet. */
export function endLines({ attachName, state, durationMs, reason, lastLines }: TaskResult, isSeen: boolean): string[] {
  const said = state === 'success' || state === reason ? '' : `: ${reason}`;
  return [
    `${printable(attachName)}: ${state} after ${longDuration(durationMs)}${said}`,
    ...(isSeen || state === 'success' ? [] : saidLast(lastLines)),
  ];
}

export function saidLast(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${printable(line.trimEnd())}`);
}
