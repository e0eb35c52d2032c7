/** Tests that one open request is read from one record, whatever else the log contains. */
import type { OpenRequest } from '@spool/protocol';
import { expect, test } from 'vitest';
import type { Client } from '../client.ts';
import type { RecordItem } from '../streams/record-watch.ts';
import { readRequest, reportedStatus } from './read-request.ts';

const OPEN: OpenRequest = {
  request: 'r2',
  type: 'permission',
  tool: 'Bash',
  digest: '2-abc',
  bytes: 10,
  options: [],
  offset: 5_000_000,
};

function asked(request: string): unknown {
  return { kind: 'permission.requested', request, options: [], seq: 0, at: 0, session: 's' };
}

function batchAt(offset: number, ...events: unknown[]): RecordItem {
  const record = { type: 'batch', at: 0, driver: 'd', inputs: [], written: 0, events };
  return { type: 'record', offset, end: offset + 1, record } as RecordItem;
}

/** Creates a client whose log has these records. `from` is the requested start, `read` the number of records that were read. */
function logOf(items: readonly RecordItem[]): { client: Client; asked: { from?: unknown; read: number } } {
  const noted: { from?: unknown; read: number } = { read: 0 };
  const client = {
    watchRecords: (_: string, { from }: { from: unknown }) => {
      noted.from = from;
      const iterator = items[Symbol.iterator]();
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            noted.read++;
            return Promise.resolve(iterator.next());
          },
        }),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      };
    },
  } as unknown as Client;
  return { client, asked: noted };
}

test('[REQ-6] a request is read from the record that the status names, and nothing else is read', async () => {
  const log = logOf([batchAt(OPEN.offset, asked('r1'), asked('r2')), batchAt(OPEN.offset + 1, asked('r2'))]);
  expect(await readRequest(log.client, 's', OPEN)).toMatchObject({ request: 'r2' });
  expect(log.asked).toEqual({ from: OPEN.offset, read: 1 });
});

test('[REQ-6] a record that is no longer stored has no request', async () => {
  const gap = { type: 'gap', from: OPEN.offset, to: OPEN.offset + 9 } as RecordItem;
  expect(await readRequest(logOf([gap, batchAt(OPEN.offset + 9, asked('r2'))]).client, 's', OPEN)).toBeNull();
  expect(await readRequest(logOf([batchAt(OPEN.offset, asked('r1'))]).client, 's', OPEN)).toBeNull();
});

test('[REQ-6] a keeper that does not know the status of an agent yet is asked again', async () => {
  const states = ['starting', 'starting', 'blocked'];
  let slept = 0;
  const client = {
    get: () => Promise.resolve({ state: 'running', status: { state: states.shift() } }),
    sleep: (ms: number) => Promise.resolve(void (slept += ms)),
  } as unknown as Client;
  expect(await reportedStatus(client, 's')).toEqual({ state: 'blocked' });
  expect(slept).toBe(100);
});
