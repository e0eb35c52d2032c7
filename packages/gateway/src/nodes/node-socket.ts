/**
 * The socket on which clients of this machine reach nodes: a line with a request, a line with the answer, and after `open` the
 * frames of the node, unchanged. The socket is in the same folders as the daemon's own, and refuses other users, as the daemon does
 * (DOOR-8).
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import type { Client } from '@spool/client';
import { native } from '@spool/native';
import {
  type ListOptions,
  NODE_ASK_BYTES_MAX,
  NODE_NAME,
  type NodeAnswer,
  type NodeOp,
  type NodeRequests,
  ROLES,
  SpoolError,
  toWireError,
} from '@spool/protocol';
import { FLEET_NAME } from '@spool/protocol/fleets';
import { REQUEST_SCHEMAS } from '@spool/protocol/schemas';
import { z } from 'zod';
import { type Principal, principalOf } from '../auth/principal.ts';
import type { Fleets } from '../nats/fleets.ts';
import type { DialledNodes } from './dialled-nodes.ts';
import type { JoinedMachines } from './joined-machines.ts';
import { NodeFeed } from './node-feed.ts';
import { type NodeServices, serveMachine } from './node-server.ts';
import { PATH_CHARS_MAX } from './records.ts';
import type { NodeRegistry } from './registry.ts';

/** The time limit of a client's request. */
const ASK_WITHIN_MS = 10_000;

export interface NodeSocketOptions {
  readonly registry: NodeRegistry;
  readonly joined: JoinedMachines;
  readonly dialled: DialledNodes;
  readonly fleets: Fleets;
  readonly services: NodeServices;
  readonly keeper: Client;
}

const name = z.string().regex(NODE_NAME, 'must have letters, digits, dots, dashes and underscores');

const listed = REQUEST_SCHEMAS.list as z.ZodType<ListOptions>;

const path = z.string().max(PATH_CHARS_MAX).optional();

const fleetPlace = {
  url: z.string().max(2000),
  fleet: z.string().regex(FLEET_NAME, 'the name of a fleet has letters, digits, dashes and underscores'),
  seedFile: path,
  ca: path,
};

const ASKS: { readonly [K in NodeOp]: z.ZodType<NodeRequests[K]['ask']> } = {
  open: z.object({ node: z.string().max(100) }),
  follow: z.object({}),
  list: z.object({}),
  sessions: z.object({ running: listed.nullable(), ended: listed.nullable(), asSeen: z.boolean().optional() }),
  join: z.object({ url: z.string().max(2000), code: z.string().max(200), name, role: z.enum(ROLES).optional() }),
  joins: z.object({}),
  leave: z.object({ name: z.string().max(2000) }),
  add: z.object({
    url: z.string().max(2000),
    name,
    token: z.string().max(200).optional(),
    role: z.enum(ROLES).optional(),
    agent: path,
    ca: path,
  }),
  natsKey: z.object({ seedFile: path }),
  joinFleet: z.object({ ...fleetPlace, name, role: z.enum(ROLES).optional() }),
  addFleet: z.object({ ...fleetPlace, role: z.enum(ROLES).optional() }),
  removeFleet: z.object({ fleet: z.string().max(100) }),
  serve: z.union([z.object({ name, token: z.string().max(20) }), z.object({ name, role: z.enum(ROLES) })]),
  remove: z.object({ name: z.string().max(100) }),
};

const isOp = (word: unknown): word is NodeOp => typeof word === 'string' && Object.hasOwn(ASKS, word);

/** Listens in each of these places: one of them may disappear at the last logout. */
export function listenForClients(paths: readonly string[], options: NodeSocketOptions): void {
  for (const path of paths) {
    const server = createServer({ pauseOnConnect: false }, (socket) => serveClient(socket, options));
    server.on('error', (error) => process.stderr.write(`gateway: no socket for nodes: ${error.message}\n`));
    rmSync(path, { force: true }); // the last gateway has left it
    server.listen(path, () => chmodSync(path, 0o600));
  }
}

function serveClient(socket: Socket, options: NodeSocketOptions): void {
  socket.on('error', () => {}); // `close` follows
  if (native.peerUid(fdOf(socket)) !== process.getuid!()) return void socket.destroy();
  const late = setTimeout(() => socket.destroy(), ASK_WITHIN_MS);
  socket.once('close', () => clearTimeout(late));
  let line = Buffer.alloc(0);
  socket.on('data', function read(chunk: Buffer) {
    line = Buffer.concat([line, chunk]);
    const end = line.indexOf('\n');
    if (end === -1 && line.length <= NODE_ASK_BYTES_MAX) return;
    socket.off('data', read);
    socket.pause();
    clearTimeout(late);
    if (end === -1) return void socket.destroy();
    const rest = line.subarray(end + 1);
    if (rest.length > 0) socket.unshift(rest);
    void answerClient(socket, line.subarray(0, end).toString(), options);
  });
}

async function answerClient(socket: Socket, line: string, options: NodeSocketOptions): Promise<void> {
  const say = (answer: NodeAnswer): boolean => socket.write(`${JSON.stringify(answer)}\n`);
  try {
    const given = Object(JSON.parse(line)) as { readonly ask?: unknown };
    if (!isOp(given.ask)) throw new SpoolError('REQUEST_INVALID', { reason: 'an unknown request about nodes' });
    const parsed = ASKS[given.ask].safeParse(given);
    if (!parsed.success)
      throw new SpoolError('REQUEST_INVALID', { reason: z.prettifyError(parsed.error).slice(0, 200) });
    if (given.ask === 'serve') return await serveCaller(socket, parsed.data as NodeRequests['serve']['ask'], options);
    if (given.ask === 'follow') {
      say({ ok: {} });
      return followNodes(socket, options.registry);
    }
    if (given.ask !== 'open') {
      say({ ok: await answer(given.ask, parsed.data as never, options) });
      return void socket.end();
    }
    const { node } = parsed.data as NodeRequests['open']['ask'];
    const stream = await options.registry.open(node, { name: userInfo().username, role: 'owner' });
    if (socket.destroyed) return void stream.destroy();
    say({ ok: {} });
    stream.once('close', () => socket.destroy());
    socket.once('close', () => stream.destroy());
    stream.pipe(socket);
    socket.pipe(stream);
  } catch (error) {
    say({ error: toWireError(error) });
    socket.end();
  }
}

/** Serves the machine at the other end. The caller is this user, so a role is only a limit that the user has chosen. */
async function serveCaller(
  socket: Socket,
  ask: NodeRequests['serve']['ask'],
  { keeper, services }: NodeSocketOptions,
): Promise<void> {
  const { authenticator } = services;
  const token =
    'token' in ask
      ? ask.token
      : (await keeper.doors.createToken({ kind: 'peer', role: ask.role, name: ask.name })).info.id;
  const granted = (): Principal | null => {
    const found = authenticator.peer(token);
    return found && principalOf(found);
  };
  const principal = granted();
  if (principal === null) throw new SpoolError('TOKEN_REFUSED');
  const over = authenticator.activeRequests.open(principal, 'socket', () => socket.destroy());
  socket.once('close', over);
  socket.write(`${JSON.stringify({ ok: { token } })}\n`);
  serveMachine(socket, { name: ask.name, granted }, services, () => socket.destroy());
}

function followNodes(socket: Socket, registry: NodeRegistry): void {
  const feed = new NodeFeed(registry, (news) => socket.write(`${JSON.stringify(news)}\n`));
  socket.on('drain', () => feed.resume());
  socket.once('close', () => feed.close());
  socket.resume(); // needed to detect the end
}

async function answer<K extends Exclude<NodeOp, 'open' | 'follow' | 'serve'>>(
  op: K,
  ask: NodeRequests[K]['ask'],
  { registry, joined, dialled, fleets }: NodeSocketOptions,
): Promise<NodeRequests[Exclude<NodeOp, 'open' | 'serve'>]['answer']> {
  switch (op) {
    case 'list':
      return { nodes: await registry.list() };
    case 'sessions': {
      const { running, ended, asSeen } = ask as NodeRequests['sessions']['ask'];
      return { nodes: await registry.sessions(running, ended, { asSeen }) };
    }
    case 'join':
      return await joined.join(ask as NodeRequests['join']['ask']);
    case 'joins':
      return { machines: [...joined.list(), ...fleets.list()] };
    case 'leave':
      return (
        (await fleets.leave((ask as NodeRequests['leave']['ask']).name)) ??
        (await joined.leave((ask as NodeRequests['leave']['ask']).name))
      );
    case 'natsKey':
      return fleets.key(ask as NodeRequests['natsKey']['ask']);
    case 'joinFleet':
      return await fleets.join(ask as NodeRequests['joinFleet']['ask']);
    case 'addFleet':
      return await fleets.add(ask as NodeRequests['addFleet']['ask']);
    case 'removeFleet':
      fleets.remove((ask as NodeRequests['removeFleet']['ask']).fleet);
      return ask as NodeRequests['removeFleet']['ask'];
    case 'add':
      return await dialled.add(ask as NodeRequests['add']['ask']);
    default: {
      const { name: removed } = ask as NodeRequests['remove']['ask'];
      registry.remove(removed);
      return { name: removed };
    }
  }
}

/** Returns the fd of a socket, for which Node has no public name. */
function fdOf(socket: Socket): number {
  return (socket as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
}
