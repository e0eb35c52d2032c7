/**
 * Connects an agent that speaks HTTP to pipes: `bridge.mjs COMMAND…` starts the agent's server, prints its events and the answers
 * to calls, one per line, and reads calls, one per line (`calls.ts`). So the agent's wire is in the log of its session, and no part
 * of it is lost when processes of the daemon are killed (decision 115).
 *
 * Keeps HTTP-3: the end of its input closes the agent, once its turn has ended. The bridge ends like the agent: same code, same
 * signal.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LOAD_CHECK } from '@spool/protocol';
import { type FramedLine, LineFraming } from '@spool/protocol/line-framing';
import { PromptActivity } from './activity.ts';
import { AgentServer } from './agent-server.ts';
import { Calls } from './calls.ts';
import { AgentEventStream } from './event-stream.ts';
import { HttpLink } from './http-link.ts';

/** The limit of a call; a client's command may have 1 MiB. */
const CALL_BYTES_MAX = 16 * 1024 * 1024;
const LOOK_MS = 1000;

if (process.argv[2] === LOAD_CHECK.argument && process.argv.length === 3) {
  process.stdout.write(LOAD_CHECK.answer);
  process.exit(0);
}

process.title = 'spool-bridge';
const command = process.argv.slice(2);
const server = new AgentServer(command, (line) => process.stderr.write(`${redacted(line)}\n`));
const over = new AbortController();
let isClosed = false;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => server.end());
process.stdout.on('error', () => server.end()); // the reader is gone

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
  const activity = new PromptActivity();
  const events = new AgentEventStream({
    link,
    path: '/event',
    onEvent(json) {
      print(json);
      activity.event(json);
    },
    onLost: (why) => print(JSON.stringify({ type: 'bridge.lost', properties: { why } })),
  });
  void events.run(over.signal);
  await events.connected; // subscribes to events before the first call, so that none is missed

  const calls = new Calls({ link, print, onMade: (http, status) => activity.called(http, status) });
  take = (line) => calls.take(line);
  onEnd = () => void close(calls, link, activity);
  for (const line of input.splice(0)) take(line);
  if (isEnded) onEnd();
}

function readInput(take: (line: string) => void, onEnd: () => void): void {
  const lines = new LineFraming({ bytesMax: CALL_BYTES_MAX });
  const each = ({ text, length, isDropped }: FramedLine): void => {
    if (isDropped)
      print(JSON.stringify({ type: 'bridge.refused', properties: { reason: `a call of ${length} bytes` } }));
    else if (text.trim() !== '') take(text);
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

/** Waits for the end of the running turn, then closes the agent. */
async function close(calls: Calls, link: HttpLink, activity: PromptActivity): Promise<void> {
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

/** Removes the password from a line: the agent's commands inherit its environment and may print it. */
function redacted(line: string): string {
  return line.includes(server.password) ? line.replaceAll(server.password, '***') : line;
}
