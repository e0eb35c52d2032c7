/** One line per task: a live line for a terminal, and plain lines for events. Keeps TASK-7. */
import type { Milestone, TaskResult, TaskState } from '@spool/client';
import { cutToWidth, displayWidth, printable } from '../output/printable.ts';

/** The current state of a task. */
export interface TaskView {
  readonly id: string;
  readonly name: string;
  readonly startedAt: number;
  milestone: Milestone | null;
  /** The last line of its output that has letters, complete or not. */
  lastLine: string;
  /** Percent, as reported by the program (OSC 9;4). */
  progress: number | null;
  /** What it asks, while it waits for a person. */
  question: string | null;
  result: TaskResult | null;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const BAR_CELLS = 10;
const NAME_CELLS_MAX = 24;

const MARK: Readonly<Record<TaskState, string>> = {
  running: '·',
  success: '✓',
  error: '✗',
  timeout: '✗',
  cancelled: '–',
};

const COLOUR: Readonly<Record<TaskState, string>> = {
  running: '36',
  success: '32',
  error: '31',
  timeout: '31',
  cancelled: '33',
};

export interface LineLook {
  readonly now: number;
  /** The frame of the spinner. */
  readonly turn: number;
  /** The width in cells. */
  readonly width: number;
  readonly isColoured: boolean;
  /** The width of the name column, so that the lines of several tasks align. */
  readonly nameWidth: number;
}

export function nameWidthOf(views: readonly TaskView[]): number {
  return Math.min(NAME_CELLS_MAX, Math.max(0, ...views.map(({ name }) => displayWidth(printable(name)))));
}

/** Spinner, name, elapsed time, progress bar if known, and the last milestone or the last line of output. */
export function liveLine(view: TaskView, { now, turn, width, isColoured, nameWidth }: LineLook): string {
  const { result } = view;
  const state = result?.state ?? 'running';
  const isWaiting = result === null && view.question !== null;
  const mark = isWaiting ? '?' : result === null ? SPINNER[turn % SPINNER.length]! : MARK[state];
  const name = cutToWidth(printable(view.name), nameWidth);
  const head = [
    name + ' '.repeat(nameWidth - displayWidth(name)),
    formatElapsed(result?.durationMs ?? now - view.startedAt).padStart(6),
  ];
  const percent = percentOf(view);
  if (percent !== null) head.push(bar(percent));
  const rest = cutToWidth(`${head.join(' ')}  ${newsOf(view)}`.trimEnd(), width - 2);
  return isColoured ? `\x1b[${isWaiting ? '33' : COLOUR[state]}m${mark}\x1b[m ${rest}` : `${mark} ${rest}`;
}

/** `waits for you: "Ok to proceed? (y)" (spool attach site)`. */
export function waitingWords(name: string, question: string): string {
  return `waits for you: ${JSON.stringify(printable(question).trim())} (spool attach ${printable(name)})`;
}

/** For a success, the last milestone says more than the reason. */
function newsOf({ name, question, result, milestone, lastLine }: TaskView): string {
  if (result === null && question !== null) return waitingWords(name, question);
  if (result !== null && result.state !== 'success') return result.reason;
  return printable(milestone?.title ?? lastLine).trim();
}

/** Null if the task has ended or its progress is unknown. */
function percentOf({ result, progress, milestone }: TaskView): number | null {
  if (result !== null) return null;
  const percent = progress ?? milestone?.percent ?? null;
  return percent === null ? null : Math.min(100, Math.max(0, Math.round(percent)));
}

function bar(percent: number): string {
  const full = Math.round((percent / 100) * BAR_CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)} ${String(percent).padStart(3)}%`;
}

/** `0.4s`, `12s`, `1m05s`, `2h03m`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`;
}

/** `build: error after 3.2s: exit code 1`, and the last lines of output if they were not shown yet. */
export function endLines({ attachName, state, durationMs, reason, lastLines }: TaskResult, isSeen: boolean): string[] {
  const said = state === 'success' || state === reason ? '' : `: ${reason}`;
  return [
    `${printable(attachName)}: ${state} after ${formatElapsed(durationMs)}${said}`,
    ...(isSeen ? [] : saidLast(lastLines)),
  ];
}

export function saidLast(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${printable(line.trimEnd())}`);
}
