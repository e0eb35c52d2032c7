/** Output as text for clients of any kind: the messages of the wire, as they are on it. */
import { connect as connectSocket } from 'node:net';
import {
  decodeJson,
  encodeFrame,
  encodeJson,
  FrameReader,
  FrameType,
  PROTOCOL_VERSION,
  VERSION,
} from '@spool/protocol';
import { outputOf, TestDaemon, until } from '@spool/testkit';
import { expect, test } from 'vitest';

const env = { PATH: process.env.PATH! };

interface Told {
  readonly type: string;
  readonly agent?: string;
  readonly data?: string;
  readonly ts?: number;
  readonly offset?: number;
  readonly end?: number;
  readonly stream?: string;
}

/** Somebody who knows nothing but frames and JSON. */
async function bareClient(socketPath: string): Promise<{
  ask(channel: number, request: object): void;
  readonly told: (Told & { channel: number; frame: number })[];
  close(): void;
}> {
  const socket = connectSocket(socketPath);
  const reader = new FrameReader();
  const told: (Told & { channel: number; frame: number })[] = [];
  socket.on('data', (chunk: Buffer) =>
    reader.push(chunk, (frame) => {
      if (frame.type === FrameType.event || frame.type === FrameType.reply || frame.type === FrameType.error)
        told.push({ ...(decodeJson(frame.payload) as Told), channel: frame.channel, frame: frame.type });
    }),
  );
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: VERSION }));
  return {
    told,
    ask: (channel, request) =>
      void socket.write(encodeFrame(FrameType.request, channel, Buffer.from(JSON.stringify(request)))),
    close: () => socket.destroy(),
  };
}

test('[OUT-5] SUBSCRIBE_WORKER_OUTPUT, WORKER_OUTPUT with agent, data, ts and our offset, UNSUBSCRIBE_WORKER_OUTPUT', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = [
    'sh',
    '-c',
    "read -r x; printf 'grün \\360\\237\\230'; sleep 0.2; printf '\\200 fertig\\n'; read -r y",
  ];
  const { id } = await client.run({ command, name: 'worker', size: { cols: 80, rows: 24 }, env });
  const { socket } = await client.status();
  const bare = await bareClient(socket);
  bare.ask(7, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: 'worker' });
  await until('it is subscribed', () =>
    bare.told.some(({ channel, frame }) => channel === 7 && frame === FrameType.reply),
  );
  expect((await client.get(id)).watchers).toBe(1);
  await client.write(id, 'go\r');
  const outputs = (): Told[] => bare.told.filter(({ type }) => type === 'WORKER_OUTPUT');
  await until('all of it came', () =>
    outputs()
      .map(({ data }) => data)
      .join('')
      .includes('fertig'),
  );
  const joined = outputs()
    .map(({ data }) => data)
    .join('');
  expect(joined).toContain('grün 😀 fertig');
  expect(joined).not.toContain('\ufffd');
  const [first] = outputs();
  expect(first).toMatchObject({ agent: 'worker', ts: expect.any(Number), offset: expect.any(Number) });
  // They lie end to end.
  outputs().reduce(
    (end, each) => {
      if (end !== undefined) expect(each.offset).toBe(end);
      return each.end;
    },
    undefined as number | undefined,
  );

  bare.ask(8, { op: 'UNSUBSCRIBE_WORKER_OUTPUT', channel: 7 });
  await until('nobody watches', async () => (await client.get(id)).watchers === 0);
  const heard = outputs().length;
  await client.write(id, 'end\r');
  await client.wait(id);
  bare.ask(9, { op: 'status' });
  await until('a later answer came', () => bare.told.some(({ channel }) => channel === 9));
  expect(outputs()).toHaveLength(heard);

  bare.ask(10, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id, from: 0, chunking: 'line', ansi: 'strip' });
  await until('the past came, and its end', () =>
    bare.told.some(({ channel, type }) => channel === 10 && type === 'end'),
  );
  const past = bare.told.filter(({ channel, type }) => channel === 10 && type === 'WORKER_OUTPUT');
  expect(past.map(({ data }) => data).join('')).toBe((await outputOf(client, id)).toString().replaceAll('\r\n', '\n'));
  bare.close();
});

test('[OUT-2] [OUT-5] on pipes each stream has its own text: no character is broken by the other, and stderr is named', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  // Halves of é (stdout) and € (stderr) in turn.
  const halves = String.raw`printf 'x\303'; read -r _; printf 'e\342' >&2; read -r _; printf '\251y\n'; read -r _; printf '\202\254\n' >&2`;
  const { id } = await client.run({ command: ['sh', '-c', halves], size: null, env });
  await until('the first half is stored', async () => (await client.get(id)).offset === 2);
  for (const end of [4, 7]) {
    await client.write(id, 'go\n');
    await until('the next half is stored', async () => (await client.get(id)).offset === end);
  }
  await client.write(id, 'go\n');
  await client.wait(id);
  const bare = await bareClient((await client.status()).socket);
  bare.ask(5, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id, from: 0 });
  await until('its end came', () => bare.told.some(({ type }) => type === 'end'));
  const told = bare.told.filter(({ type }) => type === 'WORKER_OUTPUT');
  expect(told.map(({ stream, data }) => [stream, data])).toEqual([
    [undefined, 'x'],
    ['stderr', 'e'],
    [undefined, 'éy\n'],
    ['stderr', '€\n'],
  ]);
  bare.close();
});

test('[OUT-6] of a line its end is waited for, after a pause too', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const command = ['sh', '-c', "read -r _; printf 'half '; read -r _; printf 'line\\nrest'; exec cat"];
  const { id } = await client.run({ command, size: null, env });
  const bare = await bareClient((await client.status()).socket);
  bare.ask(5, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id, chunking: 'line', flushMs: 60_000 });
  bare.ask(6, { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id, chunking: 'line', flushMs: 1 });
  await until('both are subscribed', async () => (await client.get(id)).watchers === 2);
  const told = (by: number): (string | undefined)[] =>
    bare.told.filter(({ type, channel }) => type === 'WORKER_OUTPUT' && channel === by).map(({ data }) => data);
  await client.write(id, 'go\n');
  await until('who waits for nothing has the half', () => told(6).length === 1);
  await client.write(id, 'go\n');
  await until('who waits has the line', () => told(5).length === 1);
  await until('who waits for nothing has the rest', () => told(6).join('') === 'half line\nrest');
  expect(told(5)).toEqual(['half line\n']);
  await client.stop(id);
  bare.close();
});

test('[OUT-5] [SLOW-1] a subscriber that does not read slows nobody, and costs a bounded amount', async () => {
  await using daemon = new TestDaemon();
  const client = await daemon.client();
  const { socket } = await client.status();
  const flood = async (watch: (id: string) => Promise<void>): Promise<number> => {
    const { id } = await client.run({
      command: ['sh', '-c', 'read -r x; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo END'],
      size: { cols: 80, rows: 24 },
      env,
    });
    await watch(id);
    await client.write(id, 'go\r');
    expect((await client.wait(id, { timeoutMs: 60_000 })).state).toBe('exited');
    return (await client.status()).keeper.rssBytes;
  };
  await flood(async () => {});
  const alone = await flood(async () => {});
  const stuck = connectSocket(socket);
  await new Promise((resolve) => stuck.once('connect', resolve));
  const together = await flood(async (id) => {
    stuck.write(encodeJson(FrameType.hello, 0, { protocol: PROTOCOL_VERSION, version: VERSION }));
    const request = { op: 'SUBSCRIBE_WORKER_OUTPUT', agent: id };
    stuck.write(encodeFrame(FrameType.request, 1, Buffer.from(JSON.stringify(request))));
    stuck.pause();
    await until('it is subscribed', async () => (await client.get(id)).watchers === 1);
  });
  expect(together - alone).toBeLessThan(24 * 1024 * 1024);
  stuck.destroy();
});
