import { CONTROL_BYTES_MAX, encodeFrame, encodeJson, FrameType } from '@spool/protocol';
import { expect, test } from 'vitest';
import { FakeKeeper } from '../../test/fake-keeper.ts';
import { Link } from './link.ts';
import { Requester } from './requests.ts';

test('the ids that are remembered are bounded; the oldest goes first, and is looked up again', async () => {
  const keeper = new FakeKeeper();
  keeper.session('id0');
  const link = new Link(keeper);
  const requester = new Requester(link);
  for (let at = 0; at < 5000; at++) requester.remember(`id${at}`);
  const known = Array.from({ length: 5000 }, (_, at) => requester.isId(`id${at}`));
  expect([known.filter(Boolean).length, known[903], known[904], known[4999]]).toEqual([4096, false, true, true]);
  expect([await requester.id('id4999'), await requester.id('id0')]).toEqual(['id4999', 'id0']);
  expect(keeper.ops()).toEqual(['get']);
  link.close();
});

const TOO_LARGE = encodeFrame(FrameType.reply, 1, new Uint8Array(CONTROL_BYTES_MAX));
new DataView(TOO_LARGE.buffer).setUint32(0, CONTROL_BYTES_MAX + 1);

test.each([
  ['is too large', 'FRAME_TOO_LARGE', TOO_LARGE],
  ['says that the request cannot be read', 'FRAME_INVALID', encodeJson(FrameType.error, 0, { code: 'FRAME_INVALID' })],
])('an answer that %s is final for what is open, and asked for once', async (_what, code, answer) => {
  const keeper = new FakeKeeper();
  keeper.answers.wait = () => 'silence';
  keeper.answers.list = (_asked, peer) => {
    peer.send(answer);
    return 'silence';
  };
  const link = new Link(keeper);
  const requester = new Requester(link);
  const open = [requester.again('list', {}), requester.again('wait', { session: 's' })];
  expect(await Promise.allSettled(open)).toMatchObject([{ reason: { code } }, { reason: { code } }]);
  expect([keeper.ops().toSorted(), keeper.dials]).toEqual([['list', 'wait'], 1]);
  expect(await requester.again('status', {})).toEqual({}); // a new connection starts from a known state
  link.close();
});
