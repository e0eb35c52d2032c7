/**
 * Prints a live feed of an agent's actions, for a status UI: `node examples/status-feed.ts Interviewer`. The agent need not exist
 * yet.
 *
 * Each change is one line of JSON: `{"agent", "status", "activity", "thought", "said"}`. The output is subscribed to as well, so
 * that a UI can show the agent's terminal beside it.
 */
import { connect, type StatusInfo } from '@spool/client/node';

const agent = process.argv[2] ?? '*';
await using client = await connect();

function emitAgentStatusUpdate(name: string, status: string, fields: object): void {
  process.stdout.write(`${JSON.stringify({ agent: name, status, ...fields })}\n`);
}

const names = new Map<string, string>();
const tell = (name: string, { state, activity, thought, said, question }: StatusInfo): void =>
  emitAgentStatusUpdate(name, state, { activity, thought, said: said ?? null, question: question?.text ?? null });

const unsubscribe = client.subscribeWorkerOutput(
  agent,
  (data, ts, name) => emitAgentStatusUpdate(name, 'output', { characters: data.length, ts }),
  { ansi: 'text', onEnd: ({ name, state, exitCode }) => emitAgentStatusUpdate(name, state, { exitCode }) },
);

const events = client.events({ types: ['session-started', 'session-renamed', 'session-status'] });
for (const { id, name, status } of await client.list({ states: ['running'] })) {
  names.set(id, name);
  if (agent === '*' || agent === name) tell(name, status);
}
process.on('SIGINT', () => events.close());
for await (const event of events) {
  if (event.type === 'session-started') names.set(event.session.id, event.session.name);
  else if (event.type === 'session-renamed') names.set(event.id, event.name);
  else if (event.type === 'session-status') {
    const name = names.get(event.id) ?? (await client.get(event.id)).name;
    names.set(event.id, name);
    if (agent === '*' || agent === name) tell(name, event.status);
  }
}
unsubscribe();
