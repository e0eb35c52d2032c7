/**
 * Recorded runs of agents in their terminals: the lines of the side channel, the answers of clients, and what the agent has recorded
 * about itself. `tests/support/record-terminals.ts` makes them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { AgentEvent, Command } from '@spool/protocol/agent';
import { CHANNEL_DIALECTS } from '../dialects.ts';
import { Driver } from '../driver.ts';

export type TerminalAgentName = keyof typeof CHANNEL_DIALECTS;

export interface TerminalRun {
  readonly version: string;
  readonly answers: readonly (Command & { readonly request: string })[];
  readonly lines: readonly string[];
  /** The lines of the agent's own files by file, or its messages by session. */
  readonly record: Readonly<Record<string, readonly unknown[]>>;
}

/** Returns the runs by name: `AGENT-SCENE`. */
export function terminalRuns(): ReadonlyMap<string, TerminalRun> {
  const packed = readFileSync(join(import.meta.dirname, 'fixtures/terminal-runs.json.br'));
  const runs = JSON.parse(brotliDecompressSync(packed).toString()) as Record<string, TerminalRun>;
  return new Map(Object.entries(runs));
}

/** Returns the events of a run: each request is answered as it was then, at once. */
export function eventsOfRun(agent: TerminalAgentName, { lines, answers }: TerminalRun): AgentEvent[] {
  const driver = new Driver(CHANNEL_DIALECTS[agent]!, 'session', { cwd: '/home/user/project' });
  const events: AgentEvent[] = [];
  let at = startOf(lines);
  let commands = 0;
  const take = (input: Parameters<Driver['take']>[0]): void => {
    const { events: made } = driver.take(input);
    events.push(...made);
    for (const event of made) {
      if (event.kind !== 'permission.requested' && event.kind !== 'question.asked') continue;
      const answer = answers.find(({ request }) => request === event.request);
      if (answer === undefined) continue;
      const { digest } = event;
      const command = { ...answer, ...(digest !== undefined && { digest }) };
      take({ type: 'command', command, id: `c${++commands}`, by: 'ann', at });
    }
  };
  take({ type: 'started', at });
  let offset = 0;
  for (const text of lines) {
    take({ type: 'line', stream: 'stdout', text, offset, length: text.length + 1, at: ++at });
    offset += text.length + 1;
  }
  return events;
}

/** Returns the time when the run began: the name of a connection has it. */
function startOf(lines: readonly string[]): number {
  const [, time] = /"relay":"\w+\.(\w+)\./.exec(lines.find((line) => line.includes('"relay"')) ?? '') ?? [];
  return time === undefined ? 1 : Number.parseInt(time, 36);
}
