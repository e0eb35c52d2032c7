/**
 * A client for the sessions of all machines. A method that gets a session as `NODE/ID` calls the client of that node, and the
 * sessions that it returns have such ids too. Therefore a view need not know where a session runs. Keeps NODE-45, and NODE-47 with
 * `watch`.
 */
import type { ListOptions, NodeSession, SessionInfo } from '@spool/protocol';
import type { Client } from '../client.ts';
import type { EventItem, EventsOptions } from '../streams/events.ts';
import { pageId, placeOf } from './session-place.ts';

/** The methods whose first argument names a session. */
const BY_SESSION = [
  'answer',
  'attach',
  'closeInput',
  'command',
  'explain',
  'get',
  'keys',
  'kill',
  'marks',
  'modes',
  'offsetAt',
  'openAgent',
  'paste',
  'prompt',
  'remove',
  'resize',
  'resumeAgent',
  'screen',
  'signal',
  'stop',
  'tail',
  'update',
  'wait',
  'waitUntil',
  'watch',
  'watchEvents',
  'watchRecords',
  'watchText',
  'write',
  'writeOnce',
] as const satisfies readonly (keyof Client)[];

/** The methods that return a session. */
const RETURN_SESSION: ReadonlySet<string> = new Set(['get', 'kill', 'remove', 'resize', 'stop', 'update']);

const ROUTED: ReadonlySet<string | symbol> = new Set(BY_SESSION);

/** Returns the client for all machines; `own` is the client of the gateway's machine, and `at` returns that of a node. */
export function fleetClient(own: Client, at: (node: string) => Client): Client {
  return new Proxy(own, {
    get(target, name) {
      if (name === 'grids') return (tiles: Parameters<Client['grids']>[0]) => gridsOfAll(target, at, tiles);
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (!ROUTED.has(name)) return value.bind(target) as unknown;
      return (reference: string, ...more: unknown[]): unknown => {
        const { node, id } = placeOf(reference);
        const client = (node === null ? target : at(node)) as unknown as Record<
          string | symbol,
          (...words: unknown[]) => unknown
        >;
        const result = client[name]!(id, ...more);
        if (node === null || !RETURN_SESSION.has(String(name))) return result;
        return (result as Promise<SessionInfo>).then((session) => ({
          ...session,
          node,
          id: pageId(node, session.id),
        }));
      };
    },
  });
}

/** Asks each machine for its screens. A machine that does not answer must not hide the screens of the others. */
async function gridsOfAll(
  own: Client,
  at: (node: string) => Client,
  tiles: Parameters<Client['grids']>[0],
): ReturnType<Client['grids']> {
  const byNode = Map.groupBy(tiles, ({ session }) => placeOf(session).node);
  const asked = [...byNode].map(async ([node, some]) => {
    if (node === null) return await own.grids(some);
    const theirs = some.map((tile) => ({ ...tile, session: placeOf(tile.session).id }));
    const grids = await at(node)
      .grids(theirs)
      .catch(() => []);
    return grids.map((grid) => ({ ...grid, id: pageId(node, grid.id) }));
  });
  return (await Promise.all(asked)).flat();
}

/** Returns a client whose list and events are those of all machines; sessions of nodes have names that begin with `NODE/`. */
export function everywhere(own: Client): Client {
  const open = new Map<string, Client>();
  const at = (node: string): Client => {
    const client = open.get(node) ?? own.node(node);
    open.set(node, client);
    return client;
  };
  return new Proxy(fleetClient(own, at), {
    get(target, name) {
      if (name === 'list') return (options?: ListOptions) => listAll(own, options);
      if (name === 'events') return (options?: EventsOptions) => eventsOfAll(own, options);
      return Reflect.get(target, name, target) as unknown;
    },
  });
}

/** Lists the sessions of all machines; without a gateway, those of this one. */
async function listAll(own: Client, options: ListOptions = {}): Promise<readonly SessionInfo[]> {
  const sessions = await own.nodes.sessions(options).catch(() => own.list(options));
  return sessions.map(shownSession);
}

function shownSession(session: NodeSession): SessionInfo {
  const { node, nodeAwaySince, ...own } = session;
  if (node === undefined) return session;
  const trouble = nodeAwaySince === undefined ? own.trouble : `${node} is away`;
  return { ...own, id: pageId(node, own.id), name: `${node}/${own.name}`, trouble };
}

/** A node that comes or leaves changes many sessions, so the list must be fetched again. */
const NODE_CHANGES: readonly string[] = ['node-online', 'node-away', 'node-removed'];

async function* eventsOfAll(client: Client, options: EventsOptions = {}): AsyncGenerator<EventItem, void> {
  const types = options.types && [...options.types, ...NODE_CHANGES];
  for await (const event of client.nodes.events({ ...options, types })) {
    if (event.type === 'node-online' || event.type === 'node-away' || event.type === 'node-removed') {
      yield { type: 'events-missed', at: event.at, reason: 'link-broken' };
      continue;
    }
    const { node, ...own } = event;
    if (node === undefined) yield own as EventItem;
    else if ('session' in own) yield { ...own, session: shownSession({ ...own.session, node }) } as EventItem;
    else if ('id' in own) yield { ...own, id: pageId(node, own.id) } as EventItem;
    else yield own as EventItem;
  }
}
