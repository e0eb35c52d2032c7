/** Tasks as NDJSON: `task_started`, `task_log`, `task_finished`, and the milestones between them. */
import type { Client, Milestone } from '@spool/client';
import { milestoneJson } from '../events/event-json.ts';
import { jsonText } from '../output/json-text.ts';
import { writeText } from '../output/stdio.ts';
import { exitCodeOfTask } from './exit-code.ts';

/** Resolves with the exit codes, once all have finished. */
export async function tellTasksAsJson(client: Client, ids: readonly string[]): Promise<readonly number[]> {
  const milestones = client.events({ sessions: ids, types: ['milestone'] });
  /** The offset of the last printed milestone of each task. */
  const told = new Map<string, number>();
  const names = new Map<string, string>();
  let telling: Promise<void> | undefined;
  let started = 0;
  for await (const event of client.taskEvents({ tasks: ids })) {
    if (event.type === 'task_finished') {
      // The milestones from its last moments, or from before the subscription.
      for (const item of (await client.explain(event.taskId)).history)
        if (item.type === 'milestone') await tell(event.taskId, item);
    }
    if (event.type === 'task_started') names.set(event.taskId, event.name);
    const { type, taskId, ...rest } = event;
    await writeText(`${jsonText({ type, id: taskId, name: names.get(taskId) ?? taskId, taskId, ...rest })}\n`);
    // Milestones are queued until then, so that none precedes the start of its task.
    if (event.type === 'task_started' && ++started === ids.length) telling = tellMilestones();
    telling?.catch(() => {}); // the same error ends this loop, which reports it
  }
  milestones.close();
  await telling;
  return Promise.all(ids.map(async (id) => exitCodeOfTask(await client.waitForCompletion(id), await client.get(id))));

  async function tellMilestones(): Promise<void> {
    for await (const event of milestones) {
      if (event.type !== 'milestone') continue;
      const { id, ...milestone } = event;
      await tell(id, milestone);
    }
  }

  async function tell(
    taskId: string,
    milestone: Milestone & { readonly type: 'milestone'; at: number },
  ): Promise<void> {
    if (milestone.offset <= (told.get(taskId) ?? -1)) return;
    told.set(taskId, milestone.offset);
    const { type, at, ...reached } = milestone;
    await writeText(
      `${jsonText({ ...milestoneJson({ type, at, id: taskId, name: names.get(taskId) ?? taskId }, reached), taskId })}\n`,
    );
  }
}
