/** Tests events over HTTP (SSE): they continue by id, gaps are reported, and clients without the permission get none. */
import type { DaemonStatus } from '@spool/protocol';
import { TestDaemon, until } from '@spool/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestEvents, TestGateway } from './support/gateway.ts';

let daemon: TestDaemon;
let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  daemon = new TestDaemon();
  gateway = await TestGateway.start(daemon);
  token = (await gateway.token('operator')).token;
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

/** Starts a session, and waits until its end was reported to `stream`. */
async function runToEnd(stream: TestEvents, labels: Record<string, string> = {}): Promise<string> {
  const client = await daemon.client();
  const session = await client.run({ command: ['sh', '-c', 'exit 0 # hunter2'], labels });
  await session.wait();
  await until('its end is told', () => ends(stream).includes(session.id));
  return session.id;
}

const of = (stream: TestEvents, type: string): string[] =>
  stream.events.filter((event) => event.type === type).map(({ data }) => (data['session'] as { id: string }).id);
const ends = (stream: TestEvents): string[] => of(stream, 'session-exited');

test('[API-2] a stream is continued after the last id: no event is lost or doubled', async () => {
  const whole = await gateway.events(token);
  const first = await gateway.events(token);
  await until('both have begun', () => whole.lastId !== '' && first.lastId !== '');
  first.close();
  // Lost before the first event, then in the middle, then after the last.
  const parts: TestEvents[] = [first];
  let lastId = first.lastId;
  for (let round = 0; round < 3; round++) {
    await runToEnd(whole);
    const part = await gateway.events(token, '', lastId);
    const last = whole.events.at(-1)!.id;
    await until('it has caught up', () => part.events.some(({ id }) => id === last));
    part.close();
    const cut = part.events.slice(0, round === 1 ? 1 : undefined);
    lastId = cut.at(-1)!.id;
    parts.push({ events: cut } as TestEvents);
  }
  const got = parts.flatMap(({ events }) => events);
  await until('the whole has them too', () => whole.events.length >= got.length);
  expect(got).toEqual(whole.events.slice(0, got.length));
  expect([whole.types.includes('missed'), got.length > 5]).toEqual([false, true]);
  whole.close();
});

test('[API-2] `session` and `types` select, and what does not exist is refused', async () => {
  const client = await daemon.client();
  const kept = await client.run({ command: ['cat'], name: 'selected' });
  const all = await gateway.events(token);
  const selected = await gateway.events(token, '?session=selected&types=session-exited,session-renamed');
  await runToEnd(all);
  await client.update('selected', { name: 'renamed' });
  await client.resize('renamed', { cols: 90, rows: 30 });
  await kept.kill();
  await until('its end is told', () => ends(selected).includes(kept.id));
  expect(selected.types).toEqual(['session-renamed', 'session-exited']);
  await expect(gateway.events(token, '?session=nothing')).rejects.toThrow('refused with 404');
  await expect(gateway.events(token, '?types=nothing')).rejects.toThrow('refused with 400');
  all.close();
  selected.close();
});

test('[DOOR-14, DOOR-15] a limited token is told of its own sessions only, also of what was before; a viewer not how they were started', async () => {
  const limited = (await gateway.token('viewer', '--label', 'team=web')).token;
  const all = await gateway.events(token);
  const own = await gateway.events(limited);
  await until('they have begun', () => own.lastId !== '' && all.lastId !== '');
  const before = own.lastId;
  const strange = await runToEnd(all, { team: 'other' });
  const inside = await runToEnd(all, { team: 'web' });
  await (await daemon.client()).remove(inside);
  const again = await gateway.events(limited, '', before);
  for (const stream of [own, again]) {
    await until('the removal is told', () => stream.types.includes('session-removed'));
    const told = JSON.stringify(stream.events);
    expect([told.includes(inside), told.includes(strange), told.includes('hunter2')]).toEqual([true, false, false]);
    stream.close();
  }
  expect(JSON.stringify(all.events)).toContain('hunter2');
  await expect(gateway.events(limited, `?session=${strange}`)).rejects.toThrow('refused with 404');
  all.close();
});

test('[DOOR-12] a stream ends when its token is revoked', async () => {
  const other = await gateway.token('viewer');
  const stream = await gateway.events(other.token);
  await daemon.json('token', 'revoke', other.id);
  await stream.closed;
  await expect(gateway.events(other.token, '', stream.lastId)).rejects.toThrow(/refused with (401|429)/);
});

test('[API-2] after the death of the keeper or the gateway, a client is told that it missed something', async () => {
  const status = async (): Promise<DaemonStatus> => await daemon.json('daemon', 'status');
  const stream = await gateway.events(token, '?types=session-started');
  await until('it has begun', () => stream.lastId !== '');
  process.kill((await status()).keeper.pid, 'SIGKILL');
  await until('it is told', () => stream.types.includes('missed'));
  expect(stream.events[0]!.data).toMatchObject({ type: 'missed', reason: 'link-broken' });
  const { pid } = (await status()).gateway!;
  process.kill(pid, 'SIGKILL');
  await stream.closed;
  await until('there is another gateway', async () => ![undefined, pid].includes((await status()).gateway?.pid));
  const again = await gateway.events(token, '', stream.lastId);
  await until('it is told', () => again.events.length > 0);
  expect(again.events[0]).toMatchObject({ type: 'missed', data: { type: 'missed', reason: 'unknown-id' } });
  await runToEnd(again);
  const last = again.lastId;
  again.close();
  const third = await gateway.events(token, '', last);
  await until('it has begun', () => third.lastId !== '');
  expect(third.types).not.toContain('missed');
  third.close();
});
