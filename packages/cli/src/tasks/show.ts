/**
 * Shows tasks until they have finished: a live line each on a terminal, plain lines elsewhere, their output if that is asked
 * for. They go on whatever becomes of us.
 */
import type { Client, Milestone, SessionInfo, TaskResult } from '@spool/client';
import { EXIT } from '../command-line/exit-code.ts';
import { printable } from '../output/printable.ts';
import { isTerminal, notice, print } from '../output/stdio.ts';
import { followTasks, type TaskListener, viewOf } from './follow.ts';
import { Interrupts } from './interrupts.ts';
import { endLines, formatElapsed, saidLast, type TaskView } from './line.ts';
import { LiveLines } from './live.ts';

export interface ShowOptions {
  readonly isVerbose: boolean;
  readonly asJson: boolean;
  /** We wait no longer than this; the tasks do as they like. */
  readonly timeoutMs?: number | undefined;
}

const JUST_NOW_MS = 1000;

/** Returns what `spool` should: of several tasks the first code that is not 0. */
export async function showTasks(
  client: Client,
  sessions: readonly SessionInfo[],
  options: ShowOptions,
): Promise<number> {
  const ids = sessions.map(({ id }) => id);
  const views = sessions.map(viewOf);
  const tell = (text: string): void => notice(`[spool: ${text}]`);
  using live = !options.asJson && !options.isVerbose && isTerminal(1) ? new LiveLines(views) : undefined;
  using interrupts = new Interrupts(() => {
    live?.stop();
    const what = ids.length === 1 ? `${printable(sessions[0]!.name)} runs on` : 'they run on';
    tell(`${what}; come back with: spool task wait ${ids.join(' ')} (Ctrl-C again now cancels)`);
  });
  using timeout = new Timeout(options.timeoutMs);
  const finished = options.asJson
    ? (await import('./json.ts')).tellTasksAsJson(client, ids)
    : followTasks(client, views, live ? {} : plainListener(sessions, options.isVerbose));

  const end = await Promise.race([finished, interrupts.decided, timeout.over]);
  live?.stop();
  if (end === 'over') {
    tell(`not finished after ${formatElapsed(options.timeoutMs!)}; come back with: spool task wait ${ids.join(' ')}`);
    return EXIT.timedOut;
  }
  if ('type' in end && end.type === 'left') return end.exitCode;
  if ('type' in end) await Promise.all(ids.map((id) => client.stop(id))); // what was waited for may be no task
  const codes = await finished;
  if (live) tellFailures(views);
  return codes.find((code) => code !== 0) ?? 0;

  /** The lines have their ends; what the failed ones said last stands below. */
  function tellFailures(all: readonly TaskView[]): void {
    for (const { name, result } of all) {
      if (result === null || result.lastLines.length === 0) continue;
      print([...(all.length > 1 ? [`${printable(name)}:`] : []), ...saidLast(result.lastLines)].join('\n'));
    }
  }
}

/** Lines as things happen; with output they go to standard error, so that standard output has nothing else. */
function plainListener(sessions: readonly SessionInfo[], isVerbose: boolean): TaskListener {
  const say = isVerbose ? notice : print;
  const isOne = sessions.length === 1;
  for (const { id, name, startedAt, milestone } of sessions) {
    const elapsed = Date.now() - startedAt;
    const since = elapsed < JUST_NOW_MS ? '' : ` ${formatElapsed(elapsed)} ago`;
    say(`${printable(name)} (${id}): started${since}${milestone ? `; ${printable(milestone.title)}` : ''}`);
  }
  return {
    onLine: isVerbose
      ? ({ name }: TaskView, line: string) => print(isOne ? line : `${printable(name)}: ${line}`)
      : undefined,
    onMilestone: ({ name }: TaskView, { title }: Milestone) => say(`${printable(name)}: ${printable(title)}`),
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
