import { encodeJson, FrameType, type SessionInfo, SpoolError, type Waited } from '@spool/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { FakeKeeper, type FakeKeeperSession } from '../test/fake-keeper.ts';
import { quiet } from '../test/quiet.ts';
import { Client, type TaskStreamEvent } from './index.ts';

/** Sets up a keeper whose sessions are all tasks; waits end with them. */
function setUp(): { keeper: FakeKeeper; client: Client } {
  const keeper = new FakeKeeper();
  const client = new Client(keeper);
  const info = (session: FakeKeeperSession): SessionInfo => ({ ...keeper.info(session), isTask: true });
  keeper.answers = {
    list: () => ({ sessions: [...keeper.sessions.values()].map(info), next: null }),
    wait: async ({ ask }) => {
      const session = keeper.find(ask.session);
      while (session.exit === null) await new Promise((resolve) => setImmediate(resolve));
      return { reason: 'exit', offset: session.bytes.length, session: info(session) } satisfies Waited;
    },
    explain: ({ ask }) => ({ id: ask.session, status: {}, history: [] }),
  };
  onTestFinished(() => {
    client.close();
    expect(keeper.clock.pendingTimers).toBe(0);
  });
  return { keeper, client };
}

function tellStarted(keeper: FakeKeeper, taskId: string): void {
  const { channel, connection } = keeper.asked.findLast(
    ({ op, ask }) => op === 'events' && ask.types?.includes('task_started'),
  )!;
  const event = { type: 'task_started', at: 0, taskId, name: taskId, startedAt: 0 };
  for (const peer of keeper.peers)
    if (peer.number === connection) peer.send(encodeJson(FrameType.event, channel, event));
}

/** Formats an event in one line, for comparing. */
function short(event: TaskStreamEvent): string {
  if (event.type === 'task_log') return `${event.taskId} log ${event.chunk}`;
  if (event.type === 'task_blocked') return `${event.taskId} asks ${event.question}`;
  if (event.type === 'task_unblocked') return `${event.taskId} asks null`;
  return event.type === 'task_started' ? `${event.taskId} started` : `${event.taskId} ${event.state}`;
}

async function heard(events: AsyncIterable<TaskStreamEvent>, count = Infinity): Promise<string[]> {
  const all: string[] = [];
  for await (const event of events) {
    all.push(short(event));
    if (all.length === count) break;
  }
  return all;
}

test('all tasks: those that run are told as started, those that were over are not, and one that was quick is', async () => {
  const { keeper, client } = setUp();
  keeper.end(keeper.session('old', 'x'));
  const running = keeper.session('running', 'a');
  const events = client.taskEvents();
  await quiet(keeper);
  keeper.end(keeper.session('later', 'b'), 1);
  tellStarted(keeper, 'later');
  keeper.end(running);
  const all = await heard(events, 6);
  expect(all.filter((line) => line.startsWith('running'))).toEqual([
    'running started',
    'running log a',
    'running success',
  ]);
  expect(all.filter((line) => line.startsWith('later'))).toEqual(['later started', 'later log b', 'later error']);
});

test('a task that was started and over between the first question and its answer is told', async () => {
  const { keeper, client } = setUp();
  const { list } = keeper.answers;
  keeper.answers.list = (asked, peer) => {
    keeper.end(keeper.session('quick', 'q'));
    tellStarted(keeper, 'quick');
    return list!(asked, peer);
  };
  expect(await heard(client.taskEvents(), 3)).toEqual(['quick started', 'quick log q', 'quick success']);
});

test('over a broken link: output goes on where it was, ends are told once, and what began meanwhile is told too', async () => {
  const { keeper, client } = setUp();
  const one = keeper.session('one', 'first ');
  const events = client.taskEvents();
  const listening = heard(events, 7);
  await quiet(keeper);
  keeper.hangUp();
  keeper.end(keeper.session('two', 'unheard of'), 3);
  keeper.print(one, 'second');
  keeper.end(one);
  await keeper.sleep(100);
  const all = await listening;
  expect(all.filter((line) => line.startsWith('one'))).toEqual([
    'one started',
    'one log first ',
    'one log second',
    'one success',
  ]);
  expect(all.filter((line) => line.startsWith('two'))).toEqual(['two started', 'two log unheard of', 'two error']);
});

test('these tasks: they may be named, are told once, and when all have finished it ends', async () => {
  const { keeper, client } = setUp();
  keeper.end(keeper.session('aaaaaaaaaa', 'x', { name: 'web' }));
  const events = client.taskEvents({ tasks: ['web', { taskId: 'aaaaaaaaaa', name: 'web', status: 'started' }] });
  expect(await heard(events)).toEqual(['aaaaaaaaaa started', 'aaaaaaaaaa log x', 'aaaaaaaaaa success']);
  await expect(heard(client.taskEvents({ tasks: ['nobody'] }))).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
});

test('a reader that does not read fills no memory', async () => {
  const { keeper, client } = setUp();
  const bytes = 8 * 1024 * 1024;
  keeper.session('flood', Buffer.alloc(bytes, 'x'));
  const events = client.taskEvents({ tasks: ['flood'] });
  await quiet(keeper);
  const [watcher] = keeper.watchers;
  expect(watcher!.cursor).toBeLessThan(bytes / 4);
  let chars = 0;
  for await (const event of events) {
    if (event.type === 'task_log') chars += event.chunk.length;
    if (chars === bytes) keeper.end(keeper.find('flood'));
  }
  expect(chars).toBe(bytes);
});

test('[TASK-3] an abort ends them with its reason, as it ends other readings; also one that has been', async () => {
  const { keeper, client } = setUp();
  keeper.session('one', 'x');
  const over = new AbortController();
  const events = client.taskEvents({ signal: over.signal });
  expect((await events.next()).value).toMatchObject({ type: 'task_started', name: 'one' });
  expect((await events.next()).value).toMatchObject({ type: 'task_log', chunk: 'x' });
  const next = events.next();
  over.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
  await expect(heard(client.taskEvents({ signal: over.signal }))).rejects.toThrow('enough');
});

test('a task that its time limit has ended is over when none of its processes is left', async () => {
  const { keeper, client } = setUp();
  const session = keeper.session('slow', 'begun\n');
  const ended: SessionInfo = {
    ...keeper.info(session),
    state: 'stopped',
    endedBy: 'timeout',
    signal: 'SIGTERM',
    endedAt: 2345,
  };
  keeper.answers.wait = () => ({ reason: 'exit', offset: 6, session: ended }) satisfies Waited;
  const result = await client.waitForCompletion('slow');
  expect(keeper.asked.find(({ op }) => op === 'wait')!.ask).toMatchObject({ wholeTree: true });
  expect(keeper.ops()).not.toContain('stop'); // a waiting client does not act
  expect(result).toMatchObject({
    state: 'timeout',
    durationMs: 2345,
    reason: 'ended by its time limit after 2.3s, with all its processes',
    lastLines: ['begun'],
  });
});

test('on the spot: one that is over before its input could be closed has its result; a gap is told as a cut', async () => {
  const { keeper, client } = setUp();
  keeper.answers.run = ({ ask }) => {
    const session = keeper.session(ask.id, 'old new', { firstOffset: 4 });
    keeper.end(session, 3);
    return keeper.info(session);
  };
  keeper.answers.closeInput = () => new SpoolError('SESSION_EXITED');
  expect(await client.runShell('exit 3')).toMatchObject({ stdout: 'new', isCut: true, state: 'error', exitCode: 3 });
  keeper.answers.closeInput = () => new SpoolError('INTERNAL');
  await expect(client.runShell('exit 3')).rejects.toMatchObject({ code: 'INTERNAL' });
});

test('the last milestone is the one that was reached in the last moment; without an answer, the one that is known', async () => {
  const { keeper, client } = setUp();
  keeper.end(keeper.session('one', 'x'));
  const milestone = { name: 'npm-install', title: '12 packages installed', offset: 1 };
  keeper.answers.explain = ({ ask }) => ({ id: ask.session, history: [{ type: 'milestone', at: 5, ...milestone }] });
  expect((await client.waitForCompletion('one')).milestone).toEqual(milestone);
  keeper.answers.explain = () => new SpoolError('INTERNAL');
  expect((await client.waitForCompletion('one')).milestone).toBe(null);
});
