import { encodeJson, FrameType, PROTOCOL_OLDEST, PROTOCOL_VERSION } from '@spool/protocol';
import { expect, test } from 'vitest';
import { FakeKeeper } from '../../test/fake-keeper.ts';
import { Connection, freeChannel } from './connection.ts';

test('channel numbers start again after the last one, and pass over those still in use and zero', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s');
  keeper.answers.wait = () => 'silence';
  const connection = new Connection(await keeper.dial(), { firstChannel: 0xffff_fffe });
  await connection.opened;
  connection.request('wait', { session: 's' }).catch(() => {}); // …fffe, in use to the end
  for (let at = 0; at < 4; at++) await connection.request('get', { session: 's' });
  expect(keeper.asked.map(({ channel }) => channel)).toEqual([0xffff_fffe, 0xffff_ffff, 1, 2, 3]);
  connection.close();
});

test.each([
  ['the first', 1, [], 1],
  ['zero belongs to the connection', 0, [], 1],
  ['the last', 0xffff_ffff, [], 0xffff_ffff],
  ['after the last', 0x1_0000_0000, [], 1],
  ['one in use', 5, [5], 6],
  ['several in use', 5, [5, 6, 7, 9], 8],
  ['in use around the end', 0xffff_fffe, [0xffff_fffe, 0xffff_ffff, 1, 2], 3],
])('a free channel: %s', (_what, next, used, expected) => {
  expect(freeChannel(next, (channel) => (used as number[]).includes(channel))).toBe(expected);
});

test('what is answered, refused, left or aborted is forgotten', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s');
  keeper.answers.wait = () => 'silence';
  const connection = new Connection(await keeper.dial());
  await connection.opened;
  await connection.request('get', { session: 's' });
  await connection.input('s', new Uint8Array(1));
  await expect(connection.request('get', { session: 'x' })).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
  connection.leave(
    connection.open('watch', { session: 's', from: 0, creditBytes: 1 }, { onFrame() {}, onBroken() {} }),
  );
  const controller = new AbortController();
  const wait = connection.request('wait', { session: 's' }, controller.signal);
  expect(connection.openChannels).toBe(1);
  controller.abort();
  await expect(wait).rejects.toMatchObject({ name: 'AbortError' });
  expect(connection.openChannels).toBe(0);
  connection.close();
});

test('answers for a channel that was left are ignored, whatever they hold', async () => {
  const keeper = new FakeKeeper();
  keeper.session('s');
  const connection = new Connection(await keeper.dial());
  await connection.opened;
  for (const peer of keeper.peers) peer.send(encodeJson(FrameType.event, 77, { type: 'exit' }));
  expect(await connection.request('get', { session: 's' })).toMatchObject({ id: 's' });
  connection.close();
});

test('our hello is the first frame', async () => {
  const sent: Uint8Array[] = [];
  new Connection({
    send: (bytes) => sent.push(bytes),
    bufferedBytes: 0,
    drained: async () => {},
    close() {},
    onData() {},
    onClose() {},
  });
  expect(Buffer.from(sent[0]!.subarray(20)).toString()).toMatch(
    new RegExp(`^{"protocol":${PROTOCOL_VERSION},"oldest":${PROTOCOL_OLDEST},"version":"[\\d.]+"}$`),
  );
});
