import { expect, test } from 'vitest';
import type { Keeper } from '../keeper.ts';
import type { ClientConnection } from './connection.ts';
import { handleRequest } from './requests.ts';

const BYTES = Buffer.from('x').toString('base64');

/** Creates a keeper with the agents `a` and `b`, and the shell `c`; `typed` holds the text that reached an input. */
function setUp(driverOf: string | null): { ask(op: string, more: object): Promise<unknown>; typed: string[] } {
  const typed: string[] = [];
  const session = (id: string): object => ({
    id,
    name: id,
    info: { id },
    isHeadless: id !== 'c',
    agent: id === 'c' ? null : { log: { start: 0, end: 0 }, append: () => ({ offset: 0 }) },
    input: { writeOnce: async (key: string) => typed.push(`${id} ${key}`) > 0 },
  });
  const keeper = { isWhole: true, registry: { find: session } } as unknown as Keeper;
  const connection = { driverOf, who: 'eve', mayReadWires: true, watchers: new Map() } as unknown as ClientConnection;
  return {
    typed,
    ask: async (op, more) => handleRequest(keeper, connection, 1, { op, ...more }),
  };
}

test('[EVT-6] no client types raw bytes into the wire of an agent; its driver does, and a shell is typed to', async () => {
  const client = setUp(null);
  const type = { key: 'k', base64: BYTES };
  await expect(client.ask('type', { session: 'a', ...type })).rejects.toMatchObject({ code: 'AGENT_ON_WIRE' });
  expect(client.typed).toEqual([]);
  await client.ask('type', { session: 'c', ...type });
  const driver = setUp('a');
  await driver.ask('type', { session: 'a', ...type });
  expect([...client.typed, ...driver.typed]).toEqual(['c k', 'a k']);
});

test('[EVT-6] a driver asks only about its own session, and only what a driver needs', async () => {
  const { ask, typed } = setUp('a');
  expect(await ask('get', { session: 'a' })).toEqual({ id: 'a' });
  const append = { end: 0, line: '{}', consumed: 0 };
  const refused: [string, object][] = [
    ['get', { session: 'b' }],
    ['get', { session: 'c' }],
    ['type', { session: 'b', key: 'k', base64: BYTES }],
    ['type', { session: 'c', key: 'k', base64: BYTES }],
    ['appendEvents', { session: 'b', ...append }],
    ['watch', { session: 'b', from: 'start', creditBytes: 1 }],
    ['watchEvents', { session: 'b', from: 'start', creditBytes: 1 }],
    ['getCheckpoint', { session: 'b' }],
    ['closeInput', { session: 'b' }],
    ['command', { session: 'a', id: 'x', command: { do: 'interrupt' } }],
    ['list', {}],
    ['run', {}],
    ['stop', { session: 'a' }],
    ['shutdown', {}],
  ];
  for (const [op, more] of refused)
    await expect(ask(op, more), `${op} ${JSON.stringify(more)}`).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  expect(typed).toEqual([]);
});
