/**
 * Carries an agent that speaks HTTP on pipes, as the other agents are: `bridge.mjs COMMAND…` starts the agent's server, prints its
 * events and the answers to calls, one a line, and reads calls, one a line (`calls.ts`). So the agent's wire is in the log of its
 * session, and whatever of the daemon is killed, nothing of it is lost (decision 115).
 *
 * Keeps HTTP-3: the end of its input closes the agent, once its turn has ended. Its own end is the agent's: same code, same
 * signal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Activity } from './activity.ts';
import { AgentServer } from './agent-server.ts';
import { Calls } from './calls.ts';
import { EventStream } from './event-stream.ts';
import { HttpLink } from './http-link.ts';
import { LineSplitter } from './line-splitter.ts';

/** A command of a client has room for 1 MiB. */
const CALL_BYTES_MAX = 16 * 1024 * 1024;
const LOOK_MS = 1000;

process.title = 'spool-bridge';
const command = process.argv.slice(2);
const server = new AgentServer(command, (line) => process.stderr.write(`${redacted(line)}\n`));
const over = new AbortController();
let isClosed = false;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => server.end());
process.stdout.on('error', () => server.end()); // nobody reads any more

void serve().catch((error: Error) => {
  process.stderr.write(`${command[0]}: ${error.message}\n`);
  server.end();
});
const { code, signal } = await server.exited;
over.abort();
if (signal !== null && !isClosed) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await sleep(LOOK_MS);
}
process.exit(isClosed ? 0 : (code ?? 1));

async function serve(): Promise<void> {
  const input: string[] = [];
  let take = (line: string): void => void input.push(line);
  let onEnd = (): void => void (isEnded = true);
  let isEnded = false;
  readInput(
    (line) => take(line),
    () => onEnd(),
  );

  const link = new HttpLink(await server.ready, server.password);
  const activity = new Activity();
  const events = new EventStream({
    link,
    path: '/event',
    onEvent(json) {
      print(json);
      activity.event(json);
    },
    onLost: (why) => print(JSON.stringify({ type: 'bridge.lost', properties: { why } })),
  });
  void events.run(over.signal);
  await events.connected; // what a call brings about is seen from its beginning

  const calls = new Calls({ link, print, onMade: (http, status) => activity.called(http, status) });
  take = (line) => calls.take(line);
  onEnd = () => void close(calls, link, activity);
  for (const line of input.splice(0)) take(line);
  if (isEnded) onEnd();
}

function readInput(take: (line: string) => void, onEnd: () => void): void {
  const lines = new LineSplitter(CALL_BYTES_MAX, (bytes) =>
    print(JSON.stringify({ type: 'bridge.refused', properties: { reason: `a call of ${bytes} bytes` } })),
  );
  const each = (line: string): void => {
    if (line.trim() !== '') take(line);
  };
  process.stdin.on('data', (chunk: Buffer) => {
    for (const line of lines.push(chunk)) each(line);
  });
  process.stdin.on('end', () => {
    for (const line of lines.end()) each(line);
    onEnd();
  });
  process.stdin.on('error', onEnd);
}

/** Waits for the turn that runs. */
async function close(calls: Calls, link: HttpLink, activity: Activity): Promise<void> {
  await calls.settled();
  while (!over.signal.aborted) {
    const { status, json = '{}' } = await link.call('GET /session/status', undefined);
    if (status !== 200 || activity.isIdle(Object.keys(JSON.parse(json) as object))) break;
    await Promise.race([activity.changed, sleep(LOOK_MS)]);
  }
  isClosed = true;
  server.end();
}

function print(line: string): void {
  process.stdout.write(`${redacted(line)}\n`);
}

/** The agent's commands inherit its environment: one that prints it must not put the password into the log. */
function redacted(line: string): string {
  return line.includes(server.password) ? line.replaceAll(server.password, '***') : line;
}
