/**
 * Shows tasks until they have finished: a live line for each on a terminal, plain lines elsewhere, and their output with
 * --verbose. The tasks keep running if this process ends.
 */
import type { Client, Milestone, SessionInfo, TaskResult } from '@spool/client';
import { taskQuestion } from '@spool/protocol';
import { longDuration } from '@spool/protocol/duration';
import { EXIT } from '../command-line/exit-code.ts';
import { ownCommand } from '../output/own-command.ts';
import { printable } from '../output/printable.ts';
import { isTerminal, notice, print } from '../output/stdio.ts';
import { followTasks, type TaskListener, viewOf } from './follow.ts';
import { Interrupts } from './interrupts.ts';
import { endLines, saidLast, type TaskView, waitingWords } from './line.ts';
import { LiveLines } from './live.ts';

export interface ShowOptions {
  readonly isVerbose: boolean;
  readonly asJson: boolean;
  /** The limit of the wait; the tasks have none. */
  readonly timeoutMs?: number | undefined;
}

const JUST_NOW_MS = 1000;

/** Returns the exit code: for several tasks, the first that is not 0. */
export async function showTasks(
  client: Client,
  sessions: readonly SessionInfo[],
  options: ShowOptions,
): Promise<number> {
  const ids = sessions.map(({ id }) => id);
  const views = sessions.map(viewOf);
  const isTied = sessions.some(({ startedBy }) =>
    startedBy?.owners.some(({ pid }) => pid === process.pid && startedBy.isTied),
  );
  const tell = (text: string): void => notice(`[spool: ${text}]`);
  using live = !options.asJson && !options.isVerbose && isTerminal(1) ? new LiveLines(views) : undefined;
  using interrupts = new Interrupts(() => {
    live?.stop();
    if (isTied) return tell('stopping: the task is tied to this command (press Ctrl-C again to wait for its end)');
    const what = ids.length === 1 ? `${printable(sessions[0]!.name)} keeps running` : 'they keep running';
    tell(`${what}; return with: ${ownCommand(['task', 'wait', ...ids])} (press Ctrl-C again to cancel)`);
  });
  using timeout = new Timeout(options.timeoutMs);
  const finished = options.asJson
    ? (await import('./json.ts')).tellTasksAsJson(client, ids)
    : followTasks(client, views, live ? {} : plainListener(sessions, options.isVerbose));

  const end = await Promise.race([finished, interrupts.decided, timeout.over]);
  live?.stop();
  if (end === 'over') {
    tell(
      `not finished after ${longDuration(options.timeoutMs!)}; return with: ${ownCommand(['task', 'wait', ...ids])}`,
    );
    return EXIT.timedOut;
  }
  if ('type' in end && end.type === 'left') return end.exitCode;
  if ('type' in end) await Promise.all(ids.map((id) => client.stop(id))); // an awaited session may not be a task
  const codes = await finished;
  if (live) tellFailures(views);
  return codes.find((code) => code !== 0) ?? 0;

  /** Prints the last lines of failed tasks below the live lines. */
  function tellFailures(all: readonly TaskView[]): void {
    for (const { name, result } of all) {
      if (result === null || result.state === 'success' || result.lastLines.length === 0) continue;
      print([...(all.length > 1 ? [`${printable(name)}:`] : []), ...saidLast(result.lastLines)].join('\n'));
    }
  }
}

/** Prints events as lines; with --verbose to stderr, so that stdout has only the output of the tasks. */
function plainListener(sessions: readonly SessionInfo[], isVerbose: boolean): TaskListener {
  const say = isVerbose ? notice : print;
  const isOne = sessions.length === 1;
  for (const { id, name, startedAt, milestone, status } of sessions) {
    const elapsed = Date.now() - startedAt;
    const since = elapsed < JUST_NOW_MS ? '' : ` ${longDuration(elapsed)} ago`;
    say(`${printable(name)} (${id}): started${since}${milestone ? `; ${printable(milestone.title)}` : ''}`);
    const question = taskQuestion(status);
    if (question !== null) say(`${printable(name)} ${waitingWords(name, question)}`);
  }
  return {
    onLine: isVerbose
      ? ({ name }: TaskView, line: string) => print(isOne ? line : `${printable(name)}: ${line}`)
      : undefined,
    onMilestone: ({ name }: TaskView, { title }: Milestone) => say(`${printable(name)}: ${printable(title)}`),
    onQuestion: ({ name }: TaskView, question: string) => say(`${printable(name)} ${waitingWords(name, question)}`),
    onFinish: (_view: TaskView, result: TaskResult) => say(endLines(result, isVerbose).join('\n')),
  };
}

class Timeout implements Disposable {
  readonly over: Promise<'over'>;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number | undefined) {
    this.over = new Promise((resolve) => {
      if (ms !== undefined) this.#timer = setTimeout(() => resolve('over'), ms);
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
