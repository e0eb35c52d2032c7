/** Attacks of visitors on a gateway, chosen at random: each act is one visit, and each misuses the protocol. */
import { generateKeyPairSync } from 'node:crypto';
import { encodeFrame, FrameType } from '@spool/protocol';
import { type GatewayWorld, KINDS, reset, type Visitor, webSocketFrame } from './gateway-world.ts';

const DIALECTS = ['spool.v1', 'spool.attach.v1', 'spool.events.v1', 'v1.alis'] as const;
const TEXT = 1;
const BINARY = 2;
const PING = 9;
/** The number of tries, one every 10 ms. */
const LOGIN_TRIES_MAX = 300;

/** The end of a token while its visitor is connected. */
type TokenEnd = 'revoked' | 'expired' | 'none';

async function withVisitor(world: GatewayWorld, visit: (visitor: Visitor) => Promise<void>): Promise<void> {
  const { random } = world;
  const end = random.one<TokenEnd>(['revoked', 'expired', 'none']);
  const visitor = await world.visitor(random.one(KINDS), end === 'expired' ? random.between(50, 600) : 60_000);
  await visit(visitor);
  await world.sleep(random.between(0, 300));
  if (end !== 'expired') await world.revoke(visitor);
  else await world.sleep(700);
}

export type GatewayAct = (world: GatewayWorld) => Promise<void>;

export const ACTS: Readonly<Record<string, GatewayAct>> = {
  /** Resets a connection before it is accepted, if the gateway is busy enough: then it has no address any more. */
  async 'connect and reset'(world) {
    await Promise.all(Array.from({ length: 30 }, async () => reset(await world.dialRaw())));
  },

  async 'half a handshake, or garbage'(world) {
    const socket = await world.dialRaw();
    socket.write(Buffer.from(world.random.one(['16030100', '160301020001', '00', '474554202f20', 'ffffffff']), 'hex'));
    await world.sleep(world.random.between(0, 50));
    world.leave(socket);
  },

  'half a request': (world) =>
    withVisitor(world, async (visitor) => {
      const { random } = world;
      const method = random.one(['GET', 'POST']);
      const path = random.one(['/api/sessions', '/api/login', '/api/push', `/api/sessions/${world.session}/prompt`]);
      const length = `Content-Length: ${random.one([10, 1_000_000])}`;
      const text = `${world.head(method, path, visitor, [length, 'Content-Type: application/json'])}{"a":`;
      const socket = await world.dial();
      socket.write(text.slice(0, Math.ceil(random.between(1, text.length))));
      await world.sleep(random.between(0, 100));
      world.leave(socket);
    }),

  'a long poll': (world) =>
    withVisitor(world, async (visitor) => {
      const socket = await world.dial();
      const poll = world.head('GET', `/api/sessions/${world.session}/wait?timeoutMs=20000`, visitor);
      socket.write(poll.repeat(world.random.one([1, 1, 3, 40])));
      await world.sleep(world.random.between(0, 200));
      if (world.random.next() < 0.4) world.leave(socket);
    }),

  'a stream of events': (world) =>
    withVisitor(world, async (visitor) => {
      const socket = await world.dial();
      socket.write(world.head('GET', '/api/events', visitor));
      await world.sleep(world.random.between(0, 200));
      if (world.random.next() < 0.4) world.leave(socket);
    }),

  'a dialect': (world) =>
    withVisitor(world, async (visitor) => {
      const { random } = world;
      const socket = await world.dial();
      socket.write(world.upgrade(visitor, random.one(DIALECTS)));
      await world.sleep(random.between(0, 100));
      for (let count = random.between(0, 6); count > 0; count--) socket.write(randomMessage(world));
      await world.sleep(random.between(0, 200));
      if (random.next() < 0.4) world.leave(socket);
    }),

  'unfinished messages': (world) =>
    withVisitor(world, async (visitor) => {
      const count = Math.ceil(world.random.between(1, 40));
      await Promise.all(
        Array.from({ length: count }, async () => {
          const socket = await world.dial();
          socket.write(world.upgrade(visitor, world.random.one(DIALECTS)));
          const bytes = Buffer.alloc(Math.floor(world.random.between(1, 1_000_000)));
          socket.write(webSocketFrame(BINARY, bytes, { claims: 1_040_000 }));
        }),
      );
    }),

  'a flood of requests': (world) =>
    withVisitor(world, async (visitor) => {
      const socket = await world.dial();
      const paths = ['/api/sessions', '/metrics', `/api/sessions/${world.session}/screen`, '/nowhere', '/'];
      const requests = Array.from({ length: 200 }, () => world.head('GET', world.random.one(paths), visitor));
      socket.write(requests.join(''));
      await world.sleep(world.random.between(0, 150));
      world.leave(socket);
    }),

  async 'log in, open, log out'(world) {
    const { token: code } = await world.client.doors.createToken({ kind: 'code', role: 'owner' });
    const scheme = world.isTls ? 'https' : 'http';
    const origin = [`Origin: ${scheme}://127.0.0.1:${world.port}`];
    const body = JSON.stringify({ code, key: deviceKey() });
    const json = [...origin, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const login = await world.dial();
    let answer = '';
    login.resume().on('data', (bytes: Buffer) => (answer += bytes.toString()));
    login.write(world.head('POST', '/api/login', { token: '' }, json) + body);
    const pass = (): string | undefined => /"pass":"([\w-]+)"/.exec(answer)?.[1];
    for (let tries = 0; tries < LOGIN_TRIES_MAX && pass() === undefined && !/^HTTP\S+ [45]/.test(answer); tries++)
      await world.sleep(10);
    login.destroy();
    const token = pass();
    if (token === undefined) return void world.leave(login); // there are too many unauthenticated clients at this moment
    world.logins++;
    const poll = await world.dial();
    poll.write(world.head('GET', `/api/sessions/${world.session}/wait?timeoutMs=20000`, { token }, origin));
    await world.sleep(world.random.between(0, 100));
    const logout = await world.dial();
    logout.write(world.head('POST', '/api/logout', { token }, [...origin, 'Content-Length: 0']));
    await world.sleep(100);
    world.leave(poll);
    world.leave(logout);
  },
};

/** Returns the public key of a new browser. */
function deviceKey(): string {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url');
}

function randomMessage({ random, session }: GatewayWorld): Buffer {
  const request = (op: string, more: object): Buffer =>
    webSocketFrame(
      BINARY,
      encodeFrame(FrameType.request, Math.ceil(random.between(1, 9)), Buffer.from(JSON.stringify({ op, ...more }))),
    );
  const json = (message: object): Buffer => webSocketFrame(TEXT, Buffer.from(JSON.stringify(message)));
  const hello = encodeFrame(FrameType.hello, 0, Buffer.from('{"protocol":1,"version":"x"}'));
  return random.one([
    () => Buffer.concat([webSocketFrame(BINARY, hello), request('wait', { session, until: ['exit'] })]),
    () => request('attach', { session, creditBytes: 100_000, typing: 'abcdefgh' }),
    () => request('watch', { session, from: 'start', creditBytes: 1_000_000 }),
    () => request('events', {}),
    () => json({ type: 'SUBSCRIBE_WORKER_OUTPUT', payload: { agent: 'busy' } }),
    () => json({ type: 'input', data: 'x' }),
    () => json({ type: 'resize', cols: 100, rows: 30 }),
    () => json({ type: 'nonsense' }),
    () => webSocketFrame(TEXT, Buffer.from('{')),
    () => webSocketFrame(PING, Buffer.alloc(100)),
    () => webSocketFrame(BINARY, Buffer.alloc(100, 0xff)),
    () => webSocketFrame(BINARY, Buffer.alloc(1000), { claims: 500_000 }),
    () => webSocketFrame(BINARY, hello, { isFinal: false }),
  ])();
}
