/**
 * A one-page summary of a session: its duration, its end, its milestones, its last lines, and its changed files. It is assembled
 * from known data; no language model is involved. Keeps STATE-7.
 */
import {
  isHeadless,
  type DriverInfo,
  type HistoryItem,
  type Milestone,
  type SessionInfo,
  type SessionState,
  SpoolError,
  type StatusInfo,
  type StatusState,
} from '@spool/protocol';
import { lastMessage, lastWords } from '../agents/last-message.ts';
import type { Client } from '../client.ts';
import type { ChangedFile } from './changed-file.ts';
import { meaningfulLines } from './meaningful-lines.ts';

export interface StateSpan {
  readonly state: StatusState;
  readonly kind: string | null;
  readonly at: number;
  readonly durationMs: number;
}

export interface Summary {
  readonly id: string;
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd: string;
  /** The agent and its first prompt; absent for a session that is not an agent without a terminal. */
  readonly driver?: Pick<DriverInfo, 'name' | 'prompt'> | undefined;
  readonly state: SessionState;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The duration until its end, or until now while it runs. */
  readonly durationMs: number;
  /** Its present or last status. */
  readonly status: StatusInfo;
  /** The milestones, oldest first. */
  readonly milestones: readonly (Milestone & { readonly at: number })[];
  /** The commands that its shell has run. */
  readonly commands: readonly Omit<Extract<HistoryItem, { type: 'command' }>, 'type'>[];
  /** The states one after the other, from its start. */
  readonly states: readonly StateSpan[];
  /** The time in each state, in milliseconds. */
  readonly timeIn: Readonly<Partial<Record<StatusState, number>>>;
  /** The last informative lines; of a full-screen program those of its last screen, of an agent those of its last message, or why it failed. */
  readonly lastLines: readonly string[];
  /** The changed files in its folder, from its start to its end; null if the folder is in no git repository. */
  readonly changedFiles: readonly ChangedFile[] | null;
}

const LAST_LINES = 12;
/** The number of lines above the screen that are also examined. */
const HISTORY_LINES = 200;
/** The number of lines for sessions without a terminal. */
const TAIL_LINES = 200;

/** Returns the summary; for a running session, it describes the present state. `filesOf` finds the changed files. */
export async function summaryOf(
  client: Client,
  session: string,
  filesOf: (info: SessionInfo) => Promise<readonly ChangedFile[] | null>,
): Promise<Summary> {
  const info = await client.get(session);
  const now = Date.now();
  const [{ history }, lines, files] = await Promise.all([
    client.explain(info.id),
    lastLines(client, info),
    filesOf(info),
  ]);
  const { id, name, command, cwd, driver, state, exitCode, signal, startedAt, endedAt, status } = info;
  const states = spansOf(history, startedAt, endedAt ?? now);
  return {
    id,
    name,
    command,
    cwd,
    ...(driver && { driver: { name: driver.name, ...(driver.prompt !== undefined && { prompt: driver.prompt }) } }),
    state,
    exitCode,
    signal,
    startedAt,
    endedAt,
    durationMs: Math.max(0, (endedAt ?? now) - startedAt),
    status,
    milestones: history.flatMap((item) => (item.type === 'milestone' ? [withoutType(item)] : [])),
    commands: history.flatMap((item) => (item.type === 'command' ? [withoutType(item)] : [])),
    states,
    timeIn: timeIn(states),
    lastLines: lines.slice(-LAST_LINES),
    changedFiles: files,
  };
}

/** Returns the time spans of the states. A session is `starting` until another state is reported; the end is not a state. */
export function spansOf(history: readonly HistoryItem[], startedAt: number, until: number): StateSpan[] {
  const spans: { state: StatusState; kind: string | null; at: number; durationMs: number }[] = [];
  let current: Pick<StateSpan, 'state' | 'kind' | 'at'> = { state: 'starting', kind: null, at: startedAt };
  const end = (at: number): void => {
    const durationMs = Math.max(0, Math.min(at, until) - current.at);
    if (current.state !== 'exited' && durationMs > 0) spans.push({ ...current, durationMs });
  };
  for (const item of history) {
    if (item.type !== 'status' || (item.state === current.state && item.kind === current.kind)) continue;
    end(item.at);
    current = { state: item.state, kind: item.kind, at: item.at };
  }
  end(until);
  return spans;
}

function timeIn(spans: readonly StateSpan[]): Partial<Record<StatusState, number>> {
  const sums: Partial<Record<StatusState, number>> = {};
  for (const { state, durationMs } of spans) sums[state] = (sums[state] ?? 0) + durationMs;
  return sums;
}

/**
 * Returns the last lines as a user saw them. The screen and its scrollback are right for programs that overwrite their output;
 * programs without a terminal have only lines.
 */
async function lastLines(client: Client, info: SessionInfo): Promise<string[]> {
  const { id, size } = info;
  if (isHeadless(info)) {
    const failure = info.state === 'failed' ? await lastWords(client, info) : null;
    return meaningfulLines((failure ?? (await lastMessage(client, info)) ?? '').split('\n'));
  }
  if (size !== null) {
    try {
      const { content } = await client.screen(id, { format: 'json', historyLines: HISTORY_LINES });
      return meaningfulLines(unwrapped(JSON.parse(content) as ScreenContent));
    } catch (error) {
      if (!SpoolError.is(error)) throw error; // the screen is unavailable: the log may still exist
    }
  }
  return meaningfulLines((await client.tail(id, { lines: TAIL_LINES })).split('\n'));
}

/** The part of a screen as JSON that is used here. */
interface ScreenContent {
  readonly lines: readonly { readonly isWrapped: boolean; readonly runs: readonly { readonly text: string }[] }[];
}

function unwrapped({ lines }: ScreenContent): string[] {
  const whole: string[] = [];
  for (const { isWrapped, runs } of lines) {
    const text = runs.map((run) => run.text).join('');
    if (isWrapped && whole.length > 0) whole[whole.length - 1] += text;
    else whole.push(text);
  }
  return whole;
}

function withoutType<T extends { readonly type: string }>({ type: _type, ...rest }: T): Omit<T, 'type'> {
  return rest;
}
