import {
  CONTROL_BYTES_MAX,
  encodeFrame,
  encodeJson,
  FrameType,
  PROTOCOL_VERSION,
  SpoolError,
  VERSION,
} from '@spool/protocol';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { type ReceivedRequest, FakeKeeper, type Peer } from '../test/fake-keeper.ts';
import { quiet, tick } from '../test/quiet.ts';
import { Client, type ClientOptions, type EventItem } from './index.ts';

function setUp(options: ClientOptions = {}): { keeper: FakeKeeper; client: Client } {
  const keeper = new FakeKeeper();
  const client = new Client(keeper, options);
  onTestFinished(() => {
    client.close();
    expect(keeper.clock.pendingTimers).toBe(0);
  });
  return { keeper, client };
}

const asks = (keeper: FakeKeeper, op: ReceivedRequest['op']): unknown[] =>
  keeper.asked.filter((asked) => asked.op === op).map(({ ask }) => ask);

/** Breaks the link instead of answering, for the first calls. */
function breaksFirst(
  keeper: FakeKeeper,
  op:
    | 'run'
    | 'wait'
    | 'stop'
    | 'kill'
    | 'get'
    | 'list'
    | 'status'
    | 'remove'
    | 'resize'
    | 'signal'
    | 'shutdown'
    | 'closeInput',
  times: number,
  then?: (asked: ReceivedRequest) => unknown,
): void {
  let left = times;
  const usual = then ?? (({ ask }: ReceivedRequest) => keeper.info(keeper.find(ask.session)));
  keeper.answers[op] = (asked, peer) => {
    if (left-- <= 0) return usual(asked);
    peer.close();
    return 'silence';
  };
}

test('nothing is dialled before it is needed, and one connection serves all', async () => {
  const { keeper, client } = setUp();
  await quiet(keeper);
  expect(keeper.dials).toBe(0);
  await Promise.all([client.list(), client.list(), client.run({ command: ['sh'] }), client.status()]);
  await client.get('');
  expect(keeper.dials).toBe(1);
});

test('the hello tells the version of the house', async () => {
  expect(VERSION).toBe(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
});

test('requests that go out together go out in the order of the calls, each on a channel of its own', async () => {
  const { keeper, client } = setUp();
  keeper.session('s');
  await Promise.all([client.list(), client.get('s'), client.status(), client.list()]);
  await Promise.all([client.get('s'), client.list()]);
  expect(keeper.ops()).toEqual(['list', 'get', 'status', 'list', 'get', 'list']);
  expect(new Set(keeper.asked.map(({ channel }) => channel)).size).toBe(6);
});

test('answers find their request in whichever order they come', async () => {
  const { keeper, client } = setUp();
  const held: (() => void)[] = [];
  keeper.answers.get = ({ ask, channel }, peer) => {
    held.push(() => peer.send(encodeJson(FrameType.reply, channel, { id: ask.session })));
    return 'silence';
  };
  const answers = Promise.all(['a', 'b', 'c'].map((session) => client.get(session)));
  await quiet(keeper);
  for (const answer of held.reverse()) answer();
  expect((await answers).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test('run: what was not told comes from the surroundings, and null is pipes', async () => {
  const { keeper, client } = setUp();
  Object.assign(keeper, { runDefaults: () => ({ cwd: '/here', env: { A: '1' }, umask: 0o22, nofileSoft: 1024 }) });
  const session = await client.run({ command: ['sh'] });
  await client.run({
    command: ['sh'],
    cwd: '/there',
    env: {},
    name: 'web',
    labels: { a: 'b' },
    size: null,
    umask: 0,
    id: 'abcdefgh99',
    timeoutMs: 5,
  });
  expect(asks(keeper, 'run')).toEqual([
    {
      id: session.id,
      command: ['sh'],
      cwd: '/here',
      env: { A: '1' },
      size: { cols: 80, rows: 24 },
      umask: 0o22,
      nofileSoft: 1024,
    },
    {
      id: 'abcdefgh99',
      command: ['sh'],
      cwd: '/there',
      env: {},
      name: 'web',
      labels: { a: 'b' },
      umask: 0,
      nofileSoft: 1024,
      timeoutMs: 5,
    },
  ]);
});

test('[RUN-4] a daemon of an older version, which knows only some of the limits, is told only these', async () => {
  const { keeper, client } = setUp();
  Object.assign(keeper, {
    runDefaults: () => ({ cwd: '/', env: {}, nofileSoft: 99, limits: { cpu: [1, null] }, nice: 3 }),
  });
  keeper.answers.run = ({ ask }) =>
    'limits' in ask ? new SpoolError('REQUEST_UNKNOWN') : keeper.info(keeper.session(ask.id));
  const session = await client.run({ command: ['sh'] });
  expect(asks(keeper, 'run')).toMatchObject([
    { id: session.id, nofileSoft: 99, limits: { cpu: [1, null] }, nice: 3 },
    { id: session.id, nofileSoft: 99 },
  ]);
  expect(asks(keeper, 'run')[1]).not.toHaveProperty('nice');
});

test('a run whose link breaks is sent once more, with the same id: nothing starts twice', async () => {
  const { keeper, client } = setUp();
  breaksFirst(keeper, 'run', 1, ({ ask }) => keeper.info(keeper.session(ask.id)));
  const session = await client.run({ command: ['sh'] });
  expect(asks(keeper, 'run').map((ask) => (ask as { id: string }).id)).toEqual([session.id, session.id]);
  expect([keeper.sessions.size, keeper.dials]).toEqual([1, 2]);
});

test('a handle knows its session, and needs no look-up', async () => {
  const { keeper, client } = setUp();
  const session = await client.run({ command: ['sh'], name: 'web' });
  keeper.answers.wait = ({ ask }) => keeper.waited(keeper.find(ask.session));
  keeper.answers.stop =
    keeper.answers.kill =
    keeper.answers.resize =
    keeper.answers.signal =
      ({ ask }) => keeper.info(keeper.find(ask.session));
  await session.resize({ cols: 10, rows: 5 });
  await session.write('ls\r');
  await session.signal('SIGINT');
  await session.wait();
  await session.stop({ graceMs: 1 });
  await session.kill();
  await session.closeInput();
  expect((await session.get()).id).toBe(session.id);
  expect(keeper.ops()).toEqual(['run', 'resize', 'input', 'signal', 'wait', 'stop', 'kill', 'closeInput', 'get']);
  expect(keeper.asked.slice(1).map(({ ask }) => ask.session)).toEqual(Array(8).fill(session.id));
});

test('list puts the pages together', async () => {
  const { keeper, client } = setUp();
  const ids = ['a', 'b', 'c', 'd', 'e'];
  keeper.answers.list = ({ ask }) => {
    const from = ask.after === undefined ? 0 : ids.indexOf(ask.after) + 1;
    const page = ids.slice(from, from + 2);
    return { sessions: page.map((id) => ({ id })), next: from + 2 < ids.length ? page.at(-1) : null };
  };
  expect((await client.list()).map(({ id }) => id)).toEqual(ids);
  expect(asks(keeper, 'list')).toEqual([{}, { after: 'b' }, { after: 'd' }]);
});

test('a page that begins again, because the session before it was removed, lists none twice', async () => {
  const { keeper, client } = setUp();
  const pages = [
    { sessions: [{ id: 'a' }, { id: 'b' }], next: 'b' },
    { sessions: [{ id: 'a' }, { id: 'c' }], next: null },
  ];
  keeper.answers.list = () => pages.shift()!;
  expect((await client.list()).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test.each(['wait', 'stop', 'kill', 'resize', 'status', 'list', 'get'] as const)(
  '%s is asked again after each break',
  async (op) => {
    const { keeper, client } = setUp();
    keeper.session('abcdefgh01', '', { name: 'web' });
    await client.get('web');
    const call = {
      wait: () => client.wait('abcdefgh01'),
      stop: () => client.stop('abcdefgh01', { graceMs: 7 }),
      kill: () => client.kill('abcdefgh01'),
      resize: () => client.resize('abcdefgh01', { cols: 3, rows: 2 }),
      status: () => client.status(),
      list: () => client.list(),
      get: () => client.get('web'),
    }[op];
    breaksFirst(keeper, op, 3, () =>
      op === 'list'
        ? { sessions: [], next: null }
        : op === 'wait'
          ? keeper.waited(keeper.find('web'))
          : { id: 'abcdefgh01' },
    );
    await call();
    const found = asks(keeper, op).slice(op === 'get' ? 1 : 0);
    expect(found).toHaveLength(4);
    expect(new Set(found.map((ask) => JSON.stringify(ask))).size).toBe(1);
  },
);

test.each(['wait', 'stop', 'kill'] as const)(
  '%s by name means one session, also when the name has moved on during a break',
  async (op) => {
    const { keeper, client } = setUp();
    keeper.session('aaaaaaaaaa', '', { name: 'web' });
    let isFirst = true;
    keeper.answers[op] = ({ ask }, peer) => {
      const found = keeper.find(ask.session);
      if (!isFirst) return op === 'wait' ? keeper.waited(found) : keeper.info(found);
      isFirst = false;
      keeper.session('bbbbbbbbbb', '', { name: 'web' });
      peer.close();
      return 'silence';
    };
    expect((await client[op]('web')).id).toBe('aaaaaaaaaa');
    expect(asks(keeper, op)).toMatchObject([{ session: 'aaaaaaaaaa' }, { session: 'aaaaaaaaaa' }]);
  },
);

test('"the latest" is looked up once, too', async () => {
  const { keeper, client } = setUp();
  keeper.session('aaaaaaaaaa');
  keeper.answers.resize = ({ ask }) => keeper.info(keeper.find(ask.session));
  expect((await client.resize('', { cols: 80, rows: 24 })).id).toBe('aaaaaaaaaa');
  expect(asks(keeper, 'resize')).toMatchObject([{ session: 'aaaaaaaaaa' }]);
});

test('[RUN-20] what ends or deletes a session never means "the latest"', async () => {
  const { keeper, client } = setUp();
  keeper.session('aaaaaaaaaa');
  for (const act of [
    () => client.stop(''),
    () => client.kill(''),
    () => client.signal('', 'SIGINT'),
    () => client.remove(''),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'ARGUMENT_INVALID', details: { argument: 'session' } });
  expect(keeper.asked).toEqual([]);
});

test('a session that a broken `remove` has removed reads as removed', async () => {
  const { keeper, client } = setUp();
  keeper.session('aaaaaaaaaa', 'xyz');
  keeper.answers.remove = ({ ask }, peer) => {
    const session = keeper.find(ask.session); // throws SESSION_UNKNOWN the second time
    keeper.sessions.delete(session.id);
    peer.close();
    return 'silence';
  };
  expect(await client.remove('aaaaaaaaaa')).toMatchObject({ id: 'aaaaaaaaaa', offset: 3 });
  await expect(client.remove('aaaaaaaaaa')).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
});

test('an input that a broken `closeInput` has closed reads as closed', async () => {
  const { keeper, client } = setUp();
  keeper.session('aaaaaaaaaa');
  breaksFirst(keeper, 'closeInput', 1, () => new SpoolError('INPUT_CLOSED'));
  await client.closeInput('aaaaaaaaaa');
  await expect(client.closeInput('aaaaaaaaaa')).rejects.toMatchObject({ code: 'INPUT_CLOSED' });
});

test.each(['signal', 'shutdown'] as const)('%s is never done twice: a break is told', async (op) => {
  const { keeper, client } = setUp();
  keeper.session('s');
  breaksFirst(keeper, op, 1);
  const call = op === 'signal' ? client.signal('s', 'SIGINT') : client.shutdown();
  await expect(call).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  await quiet(keeper);
  expect([asks(keeper, op).length, keeper.dials]).toEqual([1, 1]);
});

test.each([
  'SESSION_UNKNOWN',
  'SESSION_RUNNING',
  'NAME_TAKEN',
  'REQUEST_INVALID',
  'INTERNAL',
  'CONNECTION_LOST',
] as const)('an answer is final, whatever it says: %s is not tried again', async (code) => {
  const { keeper, client } = setUp();
  keeper.answers.get = () => new SpoolError(code, { session: 'x' });
  await expect(client.get('x')).rejects.toMatchObject({ name: 'SpoolError', code, details: { session: 'x' } });
  await quiet(keeper);
  expect([keeper.ops(), keeper.dials]).toEqual([['get'], 1]);
});

test('wait resolves with the end; with a timeout it resolves with a session that still runs', async () => {
  const { keeper, client } = setUp();
  const session = keeper.session('aaaaaaaaaa');
  keeper.answers.wait = () => 'silence';
  expect(await client.wait('aaaaaaaaaa', { timeoutMs: 5000 })).toMatchObject({ id: 'aaaaaaaaaa', state: 'running' });
  expect(keeper.clock.now()).toBeGreaterThanOrEqual(5000);
  const [waited] = keeper.asked.filter(({ op }) => op === 'wait');
  expect(asks(keeper, 'unwatch')).toEqual([{ channel: waited!.channel }]); // the daemon need not keep our request
  session.exit = { exitCode: 0, signal: null };
  keeper.answers.wait = () => keeper.waited(session);
  expect(await client.wait('aaaaaaaaaa', { timeoutMs: 5000 })).toMatchObject({ state: 'exited' });
});

test('a wait may be given up, also while there is no link', async () => {
  const { keeper, client } = setUp();
  keeper.session('aaaaaaaaaa');
  keeper.answers.wait = () => 'silence';
  const controller = new AbortController();
  const waits = [
    client.wait('aaaaaaaaaa', { signal: controller.signal }),
    client.wait('aaaaaaaaaa', { signal: controller.signal, timeoutMs: 1e9 }),
  ];
  await quiet(keeper);
  keeper.fate = () => new SpoolError('CONNECTION_LOST');
  keeper.hangUp();
  await tick();
  const reason = new Error('enough');
  controller.abort(reason);
  for (const wait of waits) await expect(wait).rejects.toBe(reason);
  for (const timeoutMs of [undefined, 1e9]) {
    await expect(client.wait('aaaaaaaaaa', { signal: controller.signal, timeoutMs })).rejects.toBe(reason);
  }
});

test('a broken link is dialled at once, then ever more slowly, and given up after its time', async () => {
  const { keeper, client } = setUp();
  await client.list();
  await keeper.sleep(5000);
  keeper.answers.list = () => 'silence';
  const pending = client.list();
  await quiet(keeper);
  keeper.fate = () => new SpoolError('CONNECTION_LOST');
  keeper.hangUp();
  const brokenAt = keeper.now();
  await expect(pending).rejects.toMatchObject({ code: 'CONNECTION_LOST', details: { triedMs: 15_000 } });
  const [, ...dials] = keeper.dialledAt;
  expect(dials[0]).toBe(brokenAt);
  const pauses = dials.slice(1).map((at, index) => at - dials[index]!);
  for (const [index, pause] of pauses.entries()) {
    const isFresh = dials[index]! - brokenAt < 5000;
    const most = Math.min(isFresh ? 250 : 800, 20 * 2 ** index);
    expect(pause).toBeGreaterThanOrEqual(most / 2);
    expect(pause).toBeLessThanOrEqual(most);
  }
  expect(keeper.now() - brokenAt).toBeGreaterThanOrEqual(15_000);
  expect(keeper.now() - brokenAt).toBeLessThanOrEqual(16_000);
  expect(dials.length).toBeLessThan(65);
});

test('after a connection that was well, the next attempt is immediate again', async () => {
  const { keeper, client } = setUp();
  await client.list();
  for (let round = 0; round < 5; round++) {
    await keeper.sleep(1000);
    keeper.hangUp();
    await quiet(keeper);
    const brokenAt = keeper.now();
    await client.open();
    expect(keeper.dialledAt.at(-1)).toBe(brokenAt);
  }
});

test('what comes after a link was given up is tried afresh', async () => {
  const { keeper, client } = setUp({ reconnectMs: 500 });
  await client.list();
  keeper.fate = () => new SpoolError('CONNECTION_LOST');
  keeper.hangUp();
  await quiet(keeper);
  await expect(client.list()).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  keeper.fate = () => ({});
  expect(await client.list()).toEqual([]);
});

test('a daemon that greets and falls, again and again, is not dialled in a hurry for ever', async () => {
  const { keeper, client } = setUp();
  keeper.answers.list = (_asked, peer) => {
    peer.close();
    return 'silence';
  };
  await expect(client.list()).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  expect(keeper.dials).toBeLessThan(65);
  expect(keeper.now()).toBeLessThan(17_000);
});

test('a link that breaks often but gets on is not given up', async () => {
  const { keeper, client } = setUp();
  keeper.session('s');
  for (let round = 0; round < 50; round++) {
    let isFirst = true;
    keeper.answers.get = (_asked, peer) => {
      if (!isFirst) return keeper.info(keeper.find('s'));
      isFirst = false;
      peer.close();
      return 'silence';
    };
    await client.get('s');
  }
  expect(keeper.dials).toBe(51);
});

test('an idle client lets a stopped daemon rest', async () => {
  const { keeper, client } = setUp();
  await client.list();
  keeper.hangUp();
  await quiet(keeper);
  await keeper.sleep(60_000);
  expect(keeper.dials).toBe(1);
  await client.list();
  expect(keeper.dials).toBe(2);
});

test('a link that broke unused is no trouble of a request that comes much later', async () => {
  const { keeper, client } = setUp();
  await client.open();
  keeper.hangUp();
  await quiet(keeper);
  await keeper.sleep(60_000);
  expect(await client.list()).toEqual([]);
  expect(keeper.now()).toBe(60_000);
});

test.each([
  ['another version', { protocol: PROTOCOL_VERSION + 1, version: '9' }, 'VERSION_UNSUPPORTED'],
  ['a hello without a version', {}, 'VERSION_UNSUPPORTED'],
  ['null', null, 'VERSION_UNSUPPORTED'],
])('a daemon that greets with %s is not spoken to', async (_what, hello, code) => {
  const { keeper, client } = setUp();
  keeper.hello = hello;
  await expect(client.list()).rejects.toMatchObject({ code });
  expect([keeper.dials, keeper.asked]).toEqual([1, []]);
});

test('a daemon that refuses our hello says why, and is believed', async () => {
  const { keeper, client } = setUp();
  keeper.hello = 'silence';
  const list = client.list();
  await quiet(keeper);
  for (const peer of keeper.peers)
    peer.send(encodeJson(FrameType.error, 0, { code: 'VERSION_UNSUPPORTED', details: { daemon: 9 } }));
  await expect(list).rejects.toMatchObject({ code: 'VERSION_UNSUPPORTED', details: { daemon: 9 } });
  expect(keeper.dials).toBe(1);
});

test('a daemon that greets and closes in one breath is believed, too', async () => {
  const { keeper, client } = setUp();
  keeper.hello = 'silence';
  const list = client.list();
  await quiet(keeper);
  const hello = encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: '0' });
  const error = encodeJson(FrameType.error, 0, { code: 'DAEMON_STOPPING', details: {} });
  for (const peer of keeper.peers) peer.send(Buffer.concat([hello, error]));
  await expect(list).rejects.toMatchObject({ code: 'DAEMON_STOPPING' });
  keeper.hello = { protocol: PROTOCOL_VERSION, version: '0' };
  expect(await client.list()).toEqual([]);
});

test('something else that answers on the socket is found out', async () => {
  const { keeper, client } = setUp();
  keeper.hello = 'silence';
  const list = client.list();
  await quiet(keeper);
  for (const peer of keeper.peers) peer.send(encodeFrame(FrameType.output, 1, Buffer.from('hi')));
  await expect(list).rejects.toMatchObject({ code: 'HELLO_EXPECTED' });
});

test('a daemon that says nothing is given up after its time', async () => {
  const { keeper, client } = setUp();
  keeper.hello = 'silence';
  await expect(client.list()).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  expect(keeper.now()).toBe(15_000);
  await quiet(keeper);
  expect(keeper.peers.size).toBe(0);
});

test.each(['FOLDER_REFUSED', 'DAEMON_START_FAILED', 'DAEMON_UNREACHABLE'] as const)(
  '%s at the first dial is told at once',
  async (code) => {
    const { keeper, client } = setUp();
    keeper.fate = () => new SpoolError(code, { folder: '/x' });
    await expect(client.open()).rejects.toMatchObject({ code, details: { folder: '/x' } });
    expect([keeper.dials, keeper.now()]).toEqual([1, 0]);
  },
);

test('a daemon that was there and cannot be reached for a moment is waited for', async () => {
  const { keeper, client } = setUp();
  await client.list();
  keeper.fate = (dial) => (dial < 5 ? new SpoolError('DAEMON_UNREACHABLE') : {});
  keeper.hangUp();
  await quiet(keeper);
  expect(await client.list()).toEqual([]);
  expect(keeper.dials).toBe(5);
});

test('a daemon that says it stops fails what is under way, and is not started again for it', async () => {
  const { keeper, client } = setUp();
  keeper.session('aaaaaaaaaa');
  keeper.answers.wait = () => 'silence';
  const wait = client.wait('aaaaaaaaaa');
  await quiet(keeper);
  for (const peer of keeper.peers) peer.send(encodeJson(FrameType.error, 0, { code: 'DAEMON_STOPPING', details: {} }));
  await expect(wait).rejects.toMatchObject({ code: 'DAEMON_STOPPING' });
  await quiet(keeper);
  expect(keeper.dials).toBe(1);
});

test.each([
  ['not JSON', (peer: Peer, channel: number) => peer.send(encodeFrame(FrameType.reply, channel, Buffer.from('{')))],
  ['an error without a code', (peer: Peer, channel: number) => peer.send(encodeJson(FrameType.error, channel, {}))],
  ['output', (peer: Peer, channel: number) => peer.send(encodeFrame(FrameType.output, channel, Buffer.from('x')))],
  ['noise', (peer: Peer) => peer.send(new Uint8Array(50).fill(0xaa))],
])(
  'an answer that is %s breaks the connection and is final; the next request finds a new one',
  async (_what, wrong) => {
    const { keeper, client } = setUp();
    let isFirst = true;
    keeper.answers.list = ({ channel }, peer) => {
      if (!isFirst) return { sessions: [], next: null };
      isFirst = false;
      wrong(peer, channel);
      return 'silence';
    };
    await expect(client.list()).rejects.toMatchObject({ code: expect.stringMatching(/^FRAME_/) });
    expect([keeper.ops(), keeper.dials]).toEqual([['list'], 1]);
    expect(await client.list()).toEqual([]);
    expect(keeper.dials).toBe(2);
  },
);

test('a request too large for a frame is refused here, and nobody else is disturbed', async () => {
  const { keeper, client } = setUp();
  await client.list();
  const run = client.run({ command: ['sh', 'x'.repeat(CONTROL_BYTES_MAX)] });
  await expect(run).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE', details: { op: 'run' } });
  await client.list();
  expect([keeper.dials, keeper.ops()]).toEqual([1, ['list', 'list']]);
});

test('closing rejects what is under way, dials no more, and may be done twice', async () => {
  const { keeper, client } = setUp();
  keeper.session('aaaaaaaaaa');
  keeper.answers.wait = () => 'silence';
  const pending = [client.wait('aaaaaaaaaa'), client.wait('aaaaaaaaaa', { timeoutMs: 1e9 })].map((wait) =>
    wait.catch((error: unknown) => error),
  );
  await quiet(keeper);
  client.close();
  client.close();
  for (const error of await Promise.all(pending))
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', details: { reason: 'the client was closed' } });
  await expect(client.list()).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  await expect(client.write('aaaaaaaaaa', 'x')).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  await quiet(keeper);
  expect([keeper.dials, keeper.peers.size]).toEqual([1, 0]);
});

test('closing while it dials leaves no connection behind', async () => {
  const { keeper, client } = setUp();
  const list = client.list();
  client.close();
  await expect(list).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  await quiet(keeper);
  expect(keeper.peers.size).toBe(0);
});

test('a client is disposed of with its block', async () => {
  const { keeper } = setUp();
  {
    await using client = new Client(keeper);
    await client.list();
  }
  await quiet(keeper);
  expect(keeper.peers.size).toBe(0);
});

const started = (id: string): EventItem => ({ type: 'session-started', at: 1, session: { id } }) as EventItem;

function tellAll(keeper: FakeKeeper, event: EventItem): void {
  const latest = Math.max(...keeper.asked.map(({ connection }) => connection));
  for (const { op, connection, channel } of keeper.asked) {
    if (op !== 'events' || connection !== latest) continue;
    for (const peer of keeper.peers)
      if (peer.number === connection) peer.send(encodeJson(FrameType.event, channel, event));
  }
}

test('events arrive in order; after a break it is told that some may be missing', async () => {
  const { keeper, client } = setUp();
  const events = client.events();
  await quiet(keeper);
  tellAll(keeper, started('a'));
  tellAll(keeper, started('b'));
  expect([(await events.next()).value, (await events.next()).value]).toEqual([started('a'), started('b')]);
  keeper.hangUp();
  await quiet(keeper);
  await keeper.sleep(100);
  tellAll(keeper, started('c'));
  expect((await events.next()).value).toMatchObject({ type: 'events-missed', reason: 'link-broken' });
  expect((await events.next()).value).toEqual(started('c'));
  events.close();
  await quiet(keeper);
  expect(asks(keeper, 'unwatch')).toHaveLength(1);
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test('events are asked for before what is asked after them', async () => {
  const { keeper, client } = setUp();
  const events = client.events();
  await client.run({ command: ['sh'] });
  expect(keeper.ops()).toEqual(['events', 'run']);
  events.close();
});

test('events that nobody reads are bounded, and it is told that some were missed', async () => {
  const { keeper, client } = setUp();
  const events = client.events();
  await quiet(keeper);
  for (let at = 0; at < 5000; at++) tellAll(keeper, started(`s${at}`));
  await quiet(keeper);
  const found: EventItem[] = [];
  tellAll(keeper, started('last'));
  await quiet(keeper);
  for await (const event of events) {
    found.push(event);
    if (event.type === 'session-started' && event.session.id === 'last') break;
  }
  expect(found.length).toBeLessThan(1100);
  expect(found[0]).toMatchObject({ type: 'events-missed', reason: 'slow-reader' });
  expect(found.slice(-3, -1)).toEqual([started('s4998'), started('s4999')]);
});

test('events end with the client, and with their signal', async () => {
  const { keeper, client } = setUp();
  const controller = new AbortController();
  const aborted = client.events({ signal: controller.signal });
  const closed = client.events();
  await quiet(keeper);
  controller.abort(new Error('enough'));
  await expect(aborted.next()).rejects.toThrow('enough');
  client.close();
  expect(await closed.next()).toEqual({ done: true, value: undefined });
});
