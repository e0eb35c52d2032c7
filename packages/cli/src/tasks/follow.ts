/** Follows tasks until all have finished, and reports their output, milestones and results. */
import type { Client, Milestone, SessionInfo, TaskResult } from '@spool/client';
import { SpoolError, taskQuestion } from '@spool/protocol';
import { LineText } from '@spool/vt';
import { exitCodeOfTask } from './exit-code.ts';
import type { TaskView } from './line.ts';

export interface TaskListener {
  /** Called for each line of output. Without it, only the last line is tracked. */
  readonly onLine?: ((view: TaskView, line: string) => void) | undefined;
  readonly onMilestone?: ((view: TaskView, milestone: Milestone) => void) | undefined;
  /** Called when the task waits for a person. */
  readonly onQuestion?: ((view: TaskView, question: string) => void) | undefined;
  readonly onFinish?: ((view: TaskView, result: TaskResult) => void) | undefined;
}

/**
 * The number of bytes that are read for the last line: a longer line is not shown anyway, and reading a whole flood for its last
 * line would be a waste.
 */
const LAST_LINE_BYTES = 4096;
/** Matches a letter. A line without a letter is a spinner, a rule or a box, which is not worth showing. */
const LETTER = /\p{L}/u;

export function viewOf({ id, name, startedAt, milestone, status }: SessionInfo): TaskView {
  const question = taskQuestion(status);
  return { id, name, startedAt, milestone, lastLine: '', progress: status.progress, question, result: null };
}

/** Resolves with the exit codes. It changes only the views and calls the listener, so a caller may abandon it. */
export async function followTasks(
  client: Client,
  views: readonly TaskView[],
  listener: TaskListener,
): Promise<readonly number[]> {
  return await new TaskFollower(client, views, listener).follow();
}

class TaskFollower {
  readonly #client: Client;
  readonly #views: readonly TaskView[];
  readonly #listener: TaskListener;
  readonly #following = new AbortController();
  /** The offset of the last reported milestone of each task. */
  readonly #reported: Map<string, number>;

  constructor(client: Client, views: readonly TaskView[], listener: TaskListener) {
    this.#client = client;
    this.#views = views;
    this.#listener = listener;
    this.#reported = new Map(views.map(({ id, milestone }) => [id, milestone?.offset ?? -1]));
  }

  async follow(): Promise<readonly number[]> {
    void this.#followEvents();
    try {
      return await Promise.all(this.#views.map((view) => this.#followTask(view)));
    } finally {
      this.#following.abort();
    }
  }

  async #followEvents(): Promise<void> {
    const { signal } = this.#following;
    const byId = new Map(this.#views.map((view) => [view.id, view]));
    try {
      const events = this.#client.events({
        sessions: [...byId.keys()],
        types: ['milestone', 'session-status'],
        signal,
      });
      await this.#readQuestions(); // no event has a question that was asked before the subscription
      for await (const event of events) {
        if (event.type === 'events-missed') await this.#readQuestions();
        else if (event.type === 'milestone') {
          const { type: _type, at: _at, id, ...milestone } = event;
          this.#setMilestone(byId.get(id)!, milestone);
        } else if (event.type === 'session-status') {
          const view = byId.get(event.id)!;
          view.progress = event.status.progress;
          this.#setQuestion(view, taskQuestion(event.status));
        }
      }
    } catch (error) {
      if (!signal.aborted && !SpoolError.is(error)) throw error; // the ends are reported even without events
    }
  }

  async #readQuestions(): Promise<void> {
    for (const view of this.#views) this.#setQuestion(view, taskQuestion((await this.#client.get(view.id)).status));
  }

  #setQuestion(view: TaskView, question: string | null): void {
    if (question === view.question) return;
    view.question = question;
    if (question !== null) this.#listener.onQuestion?.(view, question);
  }

  #setMilestone(view: TaskView, milestone: Milestone): void {
    if (milestone.offset <= this.#reported.get(view.id)!) return;
    this.#reported.set(view.id, milestone.offset);
    view.milestone = milestone;
    this.#listener.onMilestone?.(view, milestone);
  }

  async #followTask(view: TaskView): Promise<number> {
    const client = this.#client;
    const { onLine, onFinish } = this.#listener;
    const shown = new AbortController();
    const output = onLine ? everyLine(client, view, onLine) : lastLine(client, view, shown.signal);
    const [result] = await Promise.all([client.waitForCompletion(view.id).finally(() => shown.abort()), output]);
    // The milestone thread may be slightly behind; `explain` answers once it has caught up.
    const { history } = await client.explain(view.id);
    for (const item of history) if (item.type === 'milestone') this.#setMilestone(view, item);
    view.result = result;
    onFinish?.(view, result);
    return exitCodeOfTask(result, await client.get(view.id));
  }
}

async function everyLine(client: Client, view: TaskView, onLine: NonNullable<TaskListener['onLine']>): Promise<void> {
  const texts = { stdout: new LineText(), stderr: new LineText() };
  for await (const item of client.watch(view.id, { from: 0 })) {
    if (item.type === 'output') for (const { text } of texts[item.stream].feed(item.bytes)) onLine(view, text);
  }
  for (const text of Object.values(texts)) for (const line of text.flush()) onLine(view, line.text);
}

async function lastLine(client: Client, view: TaskView, signal: AbortSignal): Promise<void> {
  const text = new LineText();
  try {
    for await (const item of client.watch(view.id, { from: { tailBytes: LAST_LINE_BYTES }, signal })) {
      if (item.type !== 'output') continue;
      const ended = text.feed(item.bytes.subarray(-LAST_LINE_BYTES)).map((line) => line.text);
      view.lastLine = [...ended, text.current].findLast((line) => LETTER.test(line)) ?? view.lastLine;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
