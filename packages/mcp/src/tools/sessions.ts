/**
 * Tools that start, list and stop sessions. Keeps MCP-7: sessions get the allow-listed environment and the agent's
 * label.
 */
import { sessionEnvironment, type Client, ENDED_STATES, type SessionInfo, type Size } from '@spool/client/node';
import { leftSentences } from '@spool/protocol';
import { z } from 'zod';
import { listNodes } from './node-list.ts';
import { listLine, oneLine, sessionData, wordState } from '../session-words.ts';
import { ACTS, LOOKS, sessionInput, tool } from '../tool.ts';

/** The number of the latest sessions that are listed by default, and with `all`. */
const SHOWN = { running: 50, ended: 5 };
const SHOWN_OF_ALL = { running: 500, ended: 500 };

export const SHELL = '/bin/sh';
/** The size of the terminal: wider than 80 columns, so that fewer lines wrap. */
export const SIZE: Size = { cols: 120, rows: 40 };

/** The input that spool_run and spool_task_run share. */
export const startInput = {
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  name: z.string().optional(),
};

/** Returns the label that shows which agent started a session. */
export const labelsFor = (agent: string): Record<string, string> => ({ mcp: agent });

export const runTool = tool({
  name: 'spool_run',
  description: 'Start a command in a new terminal session that keeps running in the background. Returns its id.',
  input: z.strictObject({
    command: z.union([z.string().min(1), z.array(z.string()).min(1)]).describe('a shell command line (sh -c), or argv'),
    ...startInput,
    cols: z.number().min(1).max(1000).default(SIZE.cols),
    rows: z.number().min(1).max(1000).default(SIZE.rows),
    timeoutSeconds: z.number().min(0.001).optional().describe('stop it after this time'),
  }),
  hints: ACTS,
  async call({ command, cwd, env, name, cols, rows, timeoutSeconds }, call) {
    const { info } = await call.client.run({
      command: typeof command === 'string' ? [SHELL, '-c', command] : command,
      cwd,
      env: call.client.isRemote ? env : sessionEnvironment(call.env, env),
      name,
      labels: labelsFor(call.agent),
      size: { cols: Math.round(cols), rows: Math.round(rows) },
      timeoutMs: timeoutSeconds === undefined ? undefined : Math.ceil(timeoutSeconds * 1000),
    });
    const text = `session ${info.id} (${oneLine(info.name)}) started; read its output from cursor 0`;
    return { text, data: { ...sessionData(info), cursor: 0 } };
  },
});

export const listTool = tool({
  name: 'spool_list',
  description: 'List sessions: id, name, state, command.',
  input: z.strictObject({ all: z.boolean().default(false).describe('include all ended sessions') }),
  hints: LOOKS,
  async call({ all }, { client, hasNodes }) {
    const { sessions, matching } = await newest(client, all);
    const data = { sessions: sessions.map(sessionData), hidden: matching - sessions.length };
    const text = formatSessions(sessions, all, matching);
    if (!hasNodes) return { text, data };
    const nodes = await listNodes(client, all);
    return {
      text: [text, ...nodes.lines].join('\n'),
      data: { ...data, sessions: [...data.sessions, ...nodes.sessions], nodes: nodes.nodes },
    };
  },
});

export const stopTool = tool({
  name: 'spool_stop',
  description: 'Stop a session and all its processes; its output stays readable.',
  input: z.strictObject({
    session: sessionInput,
    graceSeconds: z.number().min(0).max(600).default(5).describe('time before it is killed'),
  }),
  hints: { ...ACTS, idempotentHint: true },
  async call({ session, graceSeconds }, { client }) {
    const info = await client.stop(session, { graceMs: Math.round(graceSeconds * 1000) });
    const text = [`${info.id}: ${wordState(info)}`, ...leftSentences(info.leftRunning)].join('\n');
    return { text, data: sessionData(info) };
  },
});

/** Lists sessions; requests only those that are shown, because there may be thousands of ended ones. */
export async function listed(client: Client, all: boolean): Promise<string> {
  const { sessions, matching } = await newest(client, all);
  return formatSessions(sessions, all, matching);
}

async function newest(
  client: Client,
  all: boolean,
): Promise<{ readonly sessions: readonly SessionInfo[]; readonly matching: number }> {
  const { running: runningMax, ended: endedMax } = all ? SHOWN_OF_ALL : SHOWN;
  const [running, ended] = await Promise.all([
    client.listCounted({ states: ['running'], order: 'newest', limit: runningMax }),
    client.listCounted({ states: ENDED_STATES, order: 'newest', limit: endedMax }),
  ]);
  return { sessions: [...running.sessions, ...ended.sessions], matching: running.matching + ended.matching };
}

/** Returns the list: running sessions first, the newest last. `count` is the total number. */
export function formatSessions(sessions: readonly SessionInfo[], all: boolean, count = sessions.length): string {
  const sorted = [...sessions].sort((one, other) => one.startedAt - other.startedAt);
  const { running: runningMax, ended: endedMax } = all ? SHOWN_OF_ALL : SHOWN;
  const running = sorted.filter(({ state }) => state === 'running').slice(-runningMax);
  const ended = sorted.filter(({ state }) => state !== 'running').slice(-endedMax);
  const lines = [...running, ...ended].map(listLine);
  const hidden = count - lines.length;
  if (hidden > 0) lines.push(`${hidden} older sessions are not listed${all ? '' : '; all: true lists more'}`);
  return lines.length === 0 ? 'there are no sessions' : lines.join('\n');
}
