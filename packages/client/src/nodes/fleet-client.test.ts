import type { Client } from '../client.ts';
import { expect, test, vi } from 'vitest';
import { everywhere, fleetClient } from './fleet-client.ts';

function fake(): { get: ReturnType<typeof vi.fn>; grids: ReturnType<typeof vi.fn>; status: ReturnType<typeof vi.fn> } {
  return {
    get: vi.fn(async (id: string) => ({ id, name: `name of ${id}` })),
    grids: vi.fn(async (tiles: readonly { session: string }[]) => tiles.map(({ session }) => ({ id: session }))),
    status: vi.fn(async () => 'status'),
  };
}

test('[NODE-45] a session of a node is asked for on its node, and known to the page by its node', async () => {
  const [own, node] = [fake(), fake()];
  const client = fleetClient(own as unknown as Client, (name) => {
    expect(name).toBe('build1');
    return node as unknown as Client;
  });
  expect(await client.get('build1/abc')).toEqual({ id: 'build1/abc', node: 'build1', name: 'name of abc' });
  expect(await client.get('abc')).toEqual({ id: 'abc', name: 'name of abc' });
  expect([own.get.mock.calls, node.get.mock.calls]).toEqual([[['abc']], [['abc']]]);
  expect(await client.grids([{ session: 'a' }, { session: 'build1/b' }])).toEqual([{ id: 'a' }, { id: 'build1/b' }]);
  expect(await client.status()).toBe('status');
  node.grids.mockRejectedValue(new Error('away'));
  expect(await client.grids([{ session: 'a' }, { session: 'build1/b' }])).toEqual([{ id: 'a' }]);
});

test('[NODE-47] the list and the events of all machines have the node in ids and names', async () => {
  const session = { id: 'abc', name: 'api', trouble: null };
  const own = {
    nodes: {
      sessions: async () => [session, { ...session, node: 'build1' }, { ...session, node: 'build2', nodeAwaySince: 1 }],
      async *events() {
        yield { type: 'session-started', at: 1, session, node: 'build1' };
        yield { type: 'session-removed', at: 2, id: 'abc', node: 'build1' };
        yield { type: 'session-removed', at: 3, id: 'abc' };
        yield { type: 'node-away', at: 4, node: 'build1' };
      },
    },
  } as unknown as Client;
  const all = everywhere(own);
  expect((await all.list()).map(({ id, name, trouble }) => [id, name, trouble])).toEqual([
    ['abc', 'api', null],
    ['build1/abc', 'build1/api', null],
    ['build2/abc', 'build2/api', 'build2 is away'],
  ]);
  const events: unknown[] = [];
  for await (const event of all.events()) events.push(event);
  expect(events).toEqual([
    { type: 'session-started', at: 1, session: { id: 'build1/abc', name: 'build1/api', trouble: null } },
    { type: 'session-removed', at: 2, id: 'build1/abc' },
    { type: 'session-removed', at: 3, id: 'abc' },
    { type: 'events-missed', at: 4, reason: 'link-broken' },
  ]);
});
