/** Tools for tasks: a short task returns its result at once; a long one can be awaited repeatedly. Keeps MCP-5. */
import { sessionEnvironment, type SessionInfo, type TaskResult } from '@spool/client/node';
import { longDuration } from '@spool/protocol/duration';
import { z } from 'zod';
import { readTail } from '../reading.ts';
import { oneLine, sessionData, wordState } from '../session-words.ts';
import { ACTS, type Call, LOOKS, sessionInput, tool, type ToolData, WAIT_SECONDS, waitSecondsInput } from '../tool.ts';
import { labelsFor, SHELL, SIZE, startInput } from './sessions.ts';

const TASK_SECONDS = 300;
const FIRST_WAIT_SECONDS = 10;
/** The size of the output's end that a success includes. A failure includes its last lines. */
const OUTPUT_BYTES = 4 * 1024;
const MILESTONES_SHOWN = 5;

/** Variables that disable pagers: a task has a terminal, but no user who operates a pager. */
const NO_PAGER = { PAGER: 'cat', GIT_PAGER: 'cat' };

export const taskRunTool = tool({
  name: 'spool_task_run',
  description:
    'Run a shell command as a task. Returns exit code and output if it ends soon; otherwise wait with spool_task_await.',
  input: z.strictObject({
    command: z.string().min(1),
    ...startInput,
    timeoutSeconds: z.number().min(0.001).default(TASK_SECONDS).describe('time limit of the task'),
    waitSeconds: waitSecondsInput(FIRST_WAIT_SECONDS),
  }),
  hints: ACTS,
  async call({ command, cwd, env, name, timeoutSeconds, waitSeconds }, call) {
    const { id } = await call.client.run({
      command: [SHELL, '-c', command],
      cwd,
      env: call.client.isRemote ? { ...NO_PAGER, ...env } : sessionEnvironment(call.env, { ...NO_PAGER, ...env }),
      name,
      labels: labelsFor(call.agent),
      size: SIZE,
      timeoutMs: Math.ceil(timeoutSeconds * 1000),
      isTask: true,
    });
    return await resultText(call, id, waitSeconds);
  },
});

export const taskAwaitTool = tool({
  name: 'spool_task_await',
  description: 'Wait for the result of a task: exit code, the end of its output, milestones.',
  input: z.strictObject({ task: sessionInput, timeoutSeconds: waitSecondsInput(WAIT_SECONDS) }),
  hints: LOOKS,
  call: ({ task, timeoutSeconds }, call) => resultText(call, task, timeoutSeconds),
});

async function resultText({ client, signal }: Call, task: string, seconds: number): Promise<ToolData> {
  const { id } = await client.get(task);
  const timeoutMs = Math.max(1, Math.round(seconds * 1000));
  const result = await client.waitForCompletion(id, { timeoutMs, signal });
  const session = await client.get(id);
  const head = [`task ${id}: ${headOf(result, session)}`, ...(await milestonesOf(client, id))];
  const { state, reason, durationMs, exitCode } = result;
  const output =
    state === 'running'
      ? []
      : state === 'success'
        ? await outputOf(client, session)
        : result.lastLines.map((line) => line.trimEnd());
  if (state === 'running') head.push('wait for it with spool_task_await; spool_read shows its output so far');
  const data = { ...sessionData(session), state, reason, durationMs, ...(exitCode !== null && { exitCode }) };
  return { text: [...head, ...output].join('\n'), data: { ...data, output: output.join('\n') } };
}

function headOf({ state, reason, durationMs }: TaskResult, session: SessionInfo): string {
  if (state === 'running') return `still ${wordState(session)}`;
  return `${state}, ${reason}, ${longDuration(durationMs)}`;
}

async function milestonesOf(client: Call['client'], id: string): Promise<readonly string[]> {
  const { history } = await client.explain(id);
  const titles = history.flatMap((item) => (item.type === 'milestone' ? [oneLine(item.title)] : []));
  return titles.length === 0 ? [] : [`milestones: ${titles.slice(-MILESTONES_SHOWN).join('; ')}`];
}

async function outputOf(client: Call['client'], session: SessionInfo): Promise<readonly string[]> {
  const { text, from } = await readTail(client, session, { textBytesMax: OUTPUT_BYTES });
  const before = from > 0 ? [`[${from} earlier bytes omitted: use spool_read with cursor 0]`] : [];
  return [...before, text.trimEnd()];
}
