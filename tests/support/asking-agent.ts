/** An agent that a test lets ask for a permission, and that notes each answer. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect as dial } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Client } from '@spool/client';
import { type TestDaemon, until } from '@spool/testkit';

const AGENT = fileURLToPath(new URL('../../packages/testkit/programs/puppet-agent.mjs', import.meta.url));
const env = { PATH: process.env.PATH! };
const SEE_MS = 60_000;

interface AskingAgent {
  readonly name: string;
  readonly request: string;
  /** Returns the answers that it has received. */
  answers(): readonly string[];
}

/** Starts an agent and lets it ask for a permission. */
export async function askingAgent(daemon: TestDaemon, client: Client, at: number): Promise<AskingAgent> {
  const [name, request] = [`agent-${at}`, `r${at}`];
  const [received, path] = [`${daemon.home}/${name}.ndjson`, `${daemon.home}/${name}.sock`];
  const lines = (): string[] => (existsSync(received) ? readFileSync(received, 'utf8').split('\n') : []);
  await client.agent('claude', { program: [process.execPath, AGENT, received, path], prompt: 'go', name, env });
  await until(`${name} was told to go`, () => lines().some((line) => line.includes('"go"')), SEE_MS);
  const socket = dial(path);
  await once(socket, 'connect');
  const asked = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: `t${at}`, input: { command: 'make' } };
  socket.end(`${JSON.stringify({ type: 'control_request', request_id: request, request: asked })}\n`);
  const waiting = async (): Promise<boolean> =>
    ((await client.get(name)).status.requests ?? []).some((each) => each.request === request);
  await until(`${name} waits`, waiting, SEE_MS);
  const answered = (line: string): boolean => line.includes('"control_response"') && line.includes(`"${request}"`);
  return {
    name,
    request,
    answers: () =>
      lines()
        .filter(answered)
        .map(() => request),
  };
}
