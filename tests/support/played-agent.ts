/** An agent without a terminal that says the messages of a test, as Claude writes them. */
import { writeFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { TestDaemon } from '@spool/testkit';

const AGENT = fileURLToPath(new URL('../../packages/testkit/programs/scripted-agent.mjs', import.meta.url));

export type WireMessage = Readonly<Record<string, unknown>>;

export async function startAgent(daemon: TestDaemon, name: string, prompt: string): Promise<string> {
  const program = `${execPath} ${AGENT} ${daemon.home}/${name}.ndjson`;
  const flags = ['--agent', 'claude', '-d', '--name', name, '--program', program];
  const { id } = await daemon.json<{ id: string }>('run', ...flags, '--', prompt);
  return id;
}

/** Writes messages into a file, and returns the prompt with which the agent says them. */
function playing(daemon: TestDaemon, name: string, messages: readonly WireMessage[]): string {
  const file = `${daemon.home}/${name}.play`;
  writeFileSync(file, messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  return `play ${file}`;
}

/** Starts an agent that says these messages, one list in each turn, and waits for the end of the last turn. */
export async function play(
  daemon: TestDaemon,
  name: string,
  ...turns: readonly (readonly WireMessage[])[]
): Promise<string> {
  const prompts = turns.map((messages, turn) => playing(daemon, `${name}-${turn}`, messages));
  const id = await startAgent(daemon, name, prompts[0]!);
  await takeTurns(daemon, id, 1, prompts.slice(1));
  return id;
}

/** Sends prompts, each after the end of the turn before it, and waits for the end of the last turn. `running` turns were begun before. */
export async function takeTurns(
  daemon: TestDaemon,
  id: string,
  running: number,
  prompts: readonly string[],
): Promise<void> {
  const client = await daemon.client();
  const agent = await client.openAgent(id);
  await using events = client.watchEvents(id);
  let done = 0;
  for await (const item of events) {
    if (item.type !== 'event' || item.event.kind !== 'turn.ended') continue;
    done++;
    if (done < running) continue;
    if (done === running + prompts.length) break;
    await agent.prompt(prompts[done - running]!);
  }
}

export const said = (id: string, content: object, parent: string | null = null): WireMessage => ({
  type: 'assistant',
  parent_tool_use_id: parent,
  message: { id, role: 'assistant', content: [content] },
});

export const text = (id: string, words: string): WireMessage => said(id, { type: 'text', text: words });

export const use = (id: string, name: string, input: object, parent: string | null = null): WireMessage =>
  said(`m-${id}`, { type: 'tool_use', id, name, input }, parent);

export const got = (id: string, content: string, more: object = {}, parent: string | null = null): WireMessage => ({
  type: 'user',
  parent_tool_use_id: parent,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
});
