/** One line per task: a live line for a terminal, and plain lines for events. Keeps TASK-7. */
import type { Milestone, TaskResult, TaskState } from '@spool/client';
import { longDuration, runningDuration } from '@spool/protocol/duration';
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

/**
 * Returns the live line: spinner, name, elapsed time, progress bar if known, and the last milestone or the last line of output.
 */
export function liveLine(view: TaskView, { now, turn, width, isColoured, nameWidth }: LineLook): string {
  const { result } = view;
  const state = result?.state ?? 'running';
  const isWaiting = result === null && view.question !== null;
  const mark = isWaiting ? '?' : result === null ? SPINNER[turn % SPINNER.length]! : MARK[state];
  const name = cutToWidth(printable(view.name), nameWidth);
  const head = [
    name + ' '.repeat(nameWidth - displayWidth(name)),
    (result === null ? runningDuration(now - view.startedAt) : longDuration(result.durationMs)).padStart(7),
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

/** Returns the news of a task. After a success, the last milestone says more than the reason. */
function newsOf({ name, question, result, milestone, lastLine }: TaskView): string {
  if (result === null && question !== null) return waitingWords(name, question);
  if (result !== null && result.state !== 'success') return result.reason;
  return printable(milestone?.title ?? lastLine).trim();
}

/** Returns the progress; null if the task has ended or its progress is unknown. */
function percentOf({ result, progress, milestone }: TaskView): number | null {
  if (result !== null) return null;
  const percent = progress ?? milestone?.percent ?? null;
  return percent === null ? null : Math.min(100, Math.max(0, Math.round(percent)));
}

function bar(percent: number): string {
  const full = Math.round((percent / 100) * BAR_CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)} ${String(percent).padStart(3)}%`;
}

/** `build: error after 3.2s: exit code 1`, and the last lines of output if they were not shown yet. */
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
