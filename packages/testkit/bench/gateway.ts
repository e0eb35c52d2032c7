/**
 * Measures the cost of the gateway: an echo through it, many WebSocket clients, wrong tokens by the hundred, and a network that
 * breaks. `npm run bench -- doors`. The clients are in this process, so on a busy machine the figures are those of both ends.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Client } from '@spool/client';
import { connect } from '@spool/client/node';
import { gatewayAddress, remoteRuntime } from '@spool/client/remote';
import { encodeFrame, encodeJson, FrameReader, FrameType, PROTOCOL_VERSION } from '@spool/protocol';
import { FlakyProxy, program, TestDaemon, until, VerifiedStream } from '@spool/testkit';
import { WebSocket } from 'ws';
import type { Figure } from './figure.ts';

const PTY = { cols: 80, rows: 24 };
const env = { PATH: process.env.PATH! };

interface World extends AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly client: Client;
  readonly port: number;
  readonly token: string;
  readonly gateway: number;
  readonly keeper: number;
}

async function world(): Promise<World> {
  const daemon = new TestDaemon();
  const client = await daemon.client();
  const { port } = await daemon.json<{ port: number }>('web', '--no-open', '--port', daemon.gatewayPort);
  const { token } = await daemon.json<{ token: string }>('token', 'create', '--role', 'owner');
  const [gateway, keeper] = [(await client.doors.status())!.pid, (await client.status()).keeper.pid];
  return { daemon, client, port, token, gateway, keeper, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
}

/** Measures a key and its echo, by turns over the unix socket and through the gateway. */
async function echo(): Promise<Figure[]> {
  const rounds = 500;
  await using here = await world();
  await using far = await connect({ url: `http://127.0.0.1:${here.port}`, token: here.token });
  const { id } = await here.client.run({ command: [program('limit'), 'mirror'], size: PTY, env });
  const times = { unix: [] as number[], gateway: [] as number[] };
  const ways = { unix: here.client, gateway: far };
  for (let part = 0; part < 8; part++)
    for (const way of ['unix', 'gateway'] as const) {
      const watch = ways[way].watch(id, { from: 'end' });
      const output = async (): Promise<void> => {
        for (;;) if ((await watch.next()).value?.type === 'output') return;
      };
      for (;;) if ((await watch.next()).value?.type === 'synced') break;
      for (let round = 0; round < rounds; round++) {
        const sentAt = performance.now();
        void ways[way].write(id, 'x');
        await output();
        times[way].push(performance.now() - sentAt);
      }
      watch.close();
    }
  const [a, b] = [median(times.gateway), median(times.unix)];
  return [
    {
      what: `an echo through the gateway, p50, beyond that over the unix socket (${(b * 1000).toFixed(0)} µs)`,
      ours: `${((a - b) * 1000).toFixed(0)} µs`,
      limit: '500 µs',
      ratio: (a - b) / 0.5,
      goal: ['≤', 1],
    },
  ];
}

const ON_ONE = 500;
const IDLE = 2000;
const STUCK = 20;
const FAN_ROUNDS = 100;

/** Measures watchers of one session, then idle clients, and the cost of each in gateway and keeper. */
async function manyClients(): Promise<Figure[]> {
  await using here = await world();
  const { id } = await here.client.run({ command: [program('limit'), 'mirror'], size: PTY, env });
  const readers: Socket[] = [];
  const before = costOf(here);
  for (let at = 0; at < ON_ONE; at += 50)
    readers.push(...(await Promise.all(Array.from({ length: 50 }, () => open(here)))));
  await Promise.all(readers.map((reader) => reader.watch(id)));
  const withReaders = costOf(here);
  const alone = await fanOut(here.client, id, readers);
  for (const reader of readers.slice(0, STUCK)) reader.socket.pause();
  const beside = await fanOut(here.client, id, readers.slice(STUCK));
  for (const reader of readers) reader.socket.terminate();
  await until('they are gone', async () => costOf(here).gateway.fds <= before.gateway.fds + 5, 60_000);

  const base = costOf(here);
  const askedIdle = await askTimes(here, 200);
  const idle: Socket[] = [];
  for (let at = 0; at < IDLE; at += 50) idle.push(...(await Promise.all(Array.from({ length: 50 }, () => open(here)))));
  const withIdle = costOf(here);
  const restSince = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 5000));
  const rested = costOf(here);
  const share = ((rested.gateway.cpuMs - withIdle.gateway.cpuMs) / (performance.now() - restSince)) * 100;
  const askedBeside = await askTimes(here, 200);
  for (const one of idle) one.socket.terminate();
  const each = (now: Cost, then: Cost, count: number): string =>
    `${Math.round((now.kib - then.kib) / count)} KiB and ${((now.fds - then.fds) / count).toFixed(1)} fds`;
  const kib = (now: Costs, then: Costs, count: number): number =>
    (now.gateway.kib - then.gateway.kib + now.keeper.kib - then.keeper.kib) / count;
  return [
    atMost(
      `each of ${ON_ONE} clients on one session: gateway ${each(withReaders.gateway, before.gateway, ON_ONE)}, keeper ${each(withReaders.keeper, before.keeper, ON_ONE)}; memory of both`,
      kib(withReaders, before, ON_ONE),
      256,
      'KiB',
    ),
    {
      what: `a byte reaches the last of ${ON_ONE - STUCK}, p50, beside ${STUCK} that do not read, against the last of ${ON_ONE}`,
      ours: `${median(beside).toFixed(1)} ms`,
      limit: `${median(alone).toFixed(1)} ms`,
      ratio: median(beside) / median(alone),
      goal: ['≤', 1.2],
    },
    atMost(
      `each of ${IDLE} idle clients: gateway ${each(withIdle.gateway, base.gateway, IDLE)}, keeper ${each(withIdle.keeper, base.keeper, IDLE)}; memory of both`,
      kib(withIdle, base, IDLE),
      128,
      'KiB',
    ),
    atMost('the same: CPU of the gateway while nothing happens', share, 2, '% of a core'),
    {
      what: 'the same: `GET /api/sessions` of another client, p95, against without them',
      ours: `${p95(askedBeside).toFixed(1)} ms`,
      limit: `${p95(askedIdle).toFixed(1)} ms`,
      ratio: p95(askedBeside) / p95(askedIdle),
      goal: ['≤', 2],
    },
  ];
}

const WRONG_PER_SECOND = 200;

/** Measures the requests of a client with a right token, by turns with and without an attacker who guesses tokens. */
async function wrongTokens(): Promise<Figure[]> {
  await using here = await world();
  const [calm, besides]: [number[], number[]] = [[], []];
  let cpuMs = 0;
  let sent = 0;
  for (let part = 0; part < 4; part++) {
    calm.push(...(await askTimes(here, 300)));
    const cpuBefore = costOf(here).gateway.cpuMs;
    const startedAt = performance.now();
    const over = new AbortController();
    const guessing = (async () => {
      const asked: Promise<unknown>[] = [];
      for (let at = 0; !over.signal.aborted; at++) {
        asked.push(ask(here.port, `spool_0123456789_${'a'.repeat(43)}`, null).catch(() => {}));
        sent++;
        const dueMs = startedAt + (at * 1000) / WRONG_PER_SECOND - performance.now();
        if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
      }
      await Promise.all(asked);
    })();
    besides.push(...(await askTimes(here, 300, 10)));
    over.abort();
    await guessing;
    cpuMs += costOf(here).gateway.cpuMs - cpuBefore;
  }
  return [
    {
      what: `a right client beside ${WRONG_PER_SECOND} wrong tokens a second (${sent} in all, ${(cpuMs / sent).toFixed(1)} ms of CPU each with those of the right client), p95, against without`,
      ours: `${p95(besides).toFixed(1)} ms`,
      limit: `${p95(calm).toFixed(1)} ms`,
      ratio: p95(besides) / p95(calm),
      goal: ['≤', 2],
    },
  ];
}

/** Times for an unreliable network, so that the benchmark does not wait 15 s for each silent failure. */
const SILENCE = { askAfterMs: 400, cutAfterMs: 400 };
const CUT_ROUNDS = 20;

/** Measures the time until the client continues to read, from the moment when the network works again. */
async function cuts(): Promise<Figure[]> {
  await using here = await world();
  await using proxy = await new FlakyProxy(here.port).start();
  const runtime = remoteRuntime(gatewayAddress(`http://127.0.0.1:${proxy.port}`), here.token);
  await using client = new Client({ ...runtime, silence: SILENCE }, { reconnectMs: 100_000 });
  const source = 'i=0; while :; do printf "%015d\\n" $i; i=$((i+1)); sleep 0.02; done';
  const { id } = await here.client.run({ command: ['sh', '-c', `stty -opost; ${source}`], size: PTY, env });
  const stream = new VerifiedStream();
  let reconnects = 0;
  await client.open();
  const reading = (async () => {
    for await (const item of client.watch(id, { from: 0 }))
      if (item.type === 'output') stream.push(item.offset, item.bytes);
      else if (item.type === 'reconnected') reconnects++;
  })();
  const more = async (): Promise<void> => {
    const from = stream.offset;
    await until('bytes come', () => stream.offset > from, 100_000);
  };
  const away = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.random() * ms));
  const answers = (): Promise<void> =>
    until('the gateway serves', () => ask(here.port, here.token, null).then(isOk, () => false), 100_000);
  /** Kinds of failures; each resolves when the network works again. */
  const kinds: Readonly<Record<string, () => Promise<void>>> = {
    'the socket is closed': async () => proxy.closeAll(),
    'the network dies silently (counted from when that is noticed)': async () => {
      proxy.forgetAll();
      await new Promise((resolve) => setTimeout(resolve, SILENCE.askAfterMs + SILENCE.cutAfterMs));
    },
    'the proxy is away for up to 2 s': async () => {
      proxy.kill();
      await away(2000);
      await proxy.start();
    },
    'the gateway is killed (counted from when another one serves)': async () => {
      process.kill((await here.client.doors.status())!.pid, 'SIGKILL');
      await answers();
    },
    'the keeper is killed (counted from when another one serves)': async () => {
      process.kill((await here.client.status()).keeper.pid, 'SIGKILL');
      await here.client.status();
    },
  };
  await more();
  const back: Record<string, number[]> = {};
  for (let round = 0; round < CUT_ROUNDS; round++)
    for (const [kind, cut] of Object.entries(kinds)) {
      const before = reconnects;
      await cut();
      const healedAt = performance.now();
      await until(`it is back: ${kind}`, () => reconnects > before, 100_000);
      (back[kind] ??= []).push(performance.now() - healedAt);
      await more();
    }
  await here.client.kill(id);
  await reading;
  const all = Object.values(back).flat();
  return [
    atMost(`back after ${all.length} cuts of five kinds, p95 (p50 ${median(all).toFixed(0)} ms)`, p95(all), 1000, 'ms'),
    ...Object.entries(back).map(([kind, ms]) =>
      atMost(`of them: ${kind}, p95 (p50 ${median(ms).toFixed(0)} ms)`, p95(ms), 1000, 'ms'),
    ),
  ];
}

/** `npm run bench -- doors`. */
export const DOORS: readonly (() => Promise<Figure[]>)[] = [echo, manyClients, wrongTokens, cuts];

/** A minimal WebSocket. */
class Socket {
  readonly socket: WebSocket;
  bytes = 0;
  #onFrame: (type: number) => void = () => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    const reader = new FrameReader();
    socket.on('message', (data: Buffer) =>
      reader.push(data, ({ type, payload }) => {
        if (type === FrameType.output) this.bytes += payload.length;
        this.#onFrame(type);
      }),
    );
  }

  answer(type: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onFrame = (one) => (one === type ? resolve() : undefined);
    });
  }

  async watch(session: string): Promise<void> {
    const answered = this.answer(FrameType.reply);
    this.socket.send(encodeJson(FrameType.request, 1, { op: 'watch', session, from: 'end', creditBytes: 1024 * 1024 }));
    await answered;
  }
}

async function open({ port, token }: World): Promise<Socket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } });
  socket.on('error', () => {});
  const opened = new Socket(socket);
  await new Promise<void>((resolve, reject) =>
    socket.once('open', resolve).once('close', () => reject(new Error('refused'))),
  );
  const greeted = opened.answer(FrameType.hello);
  socket.send(
    encodeFrame(FrameType.hello, 0, Buffer.from(JSON.stringify({ protocol: PROTOCOL_VERSION, version: 'x' }))),
  );
  await greeted;
  return opened;
}

/** Returns the milliseconds until the last reader has a byte that was typed. */
async function fanOut(client: Client, id: string, readers: readonly Socket[]): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < FAN_ROUNDS; round++) {
    const wanted = readers.map(({ bytes }) => bytes + 1);
    const sentAt = performance.now();
    await client.write(id, 'x');
    while (readers.some(({ bytes }, at) => bytes < wanted[at]!)) await new Promise((resolve) => setImmediate(resolve));
    times.push(performance.now() - sentAt);
  }
  return times;
}

const isOk = (status: number): boolean => status === 200;

function ask(port: number, token: string, agent: Agent | null): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/api/sessions', agent: agent ?? false } as const;
    request({ ...options, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    })
      .on('error', reject)
      .end();
  });
}

async function askTimes({ port, token }: World, count: number, pauseMs = 0): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const askedAt = performance.now();
    if (!isOk(await ask(port, token, agent))) throw new Error('a right token was refused');
    times.push(performance.now() - askedAt);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  agent.destroy();
  return times;
}

interface Cost {
  readonly kib: number;
  readonly fds: number;
  readonly cpuMs: number;
}
type Costs = { readonly gateway: Cost; readonly keeper: Cost };

function costOf({ gateway, keeper }: Pick<World, 'gateway' | 'keeper'>): Costs {
  return { gateway: cost(gateway), keeper: cost(keeper) };
}

function cost(pid: number): Cost {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
  return {
    kib: Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]),
    fds: readdirSync(`/proc/${pid}/fd`).length,
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
  };
}

function atMost(what: string, value: number, most: number, unit: string): Figure {
  return { what, ours: `${value.toFixed(1)} ${unit}`, limit: `${most} ${unit}`, ratio: value / most, goal: ['≤', 1] };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)]!;
}
