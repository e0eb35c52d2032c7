import { encodeJson, FrameType, INPUT_BYTES_MAX, SpoolError } from '@spool/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeKeeper } from '../test/fake-keeper.ts';
import { quiet } from '../test/quiet.ts';
import { Client } from './index.ts';

const KiB = 1024;
const pattern = (bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, at) => (at * 31 + (at >> 8) * 7) & 0xff);
const arrived = (keeper: FakeKeeper): Buffer => Buffer.concat(keeper.received.map(({ bytes }) => bytes));

/** Holds answers to input back until the test releases them. */
function heldBack(keeper: FakeKeeper): { confirm: (count?: number) => void; frames: number[] } {
  const held: (() => void)[] = [];
  const frames: number[] = [];
  keeper.answers.input = ({ ask, channel }, peer) => {
    keeper.received.push(ask);
    frames.push(ask.bytes.length);
    held.push(() => peer.send(encodeJson(FrameType.reply, channel, {})));
    return 'silence';
  };
  return { frames, confirm: (count = Infinity) => held.splice(0, count).forEach((answer) => answer()) };
}

test('[IN-1] writes arrive in the order of the calls, of any size, before and after the link is there', async () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 60 * KiB, max: 200 * KiB })), {
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(sizes, fc.boolean(), async (lengths, isOpenBefore) => {
      const keeper = new FakeKeeper();
      keeper.session('aaaaaaaaaa');
      const client = new Client(keeper);
      if (isOpenBefore) await client.open();
      const all = pattern(lengths.reduce((sum, bytes) => sum + bytes, 0));
      let at = 0;
      await Promise.all(lengths.map((bytes) => client.write('aaaaaaaaaa', all.subarray(at, (at += bytes)))));
      client.close();
      expect(arrived(keeper).equals(all)).toBe(true);
      for (const { bytes } of keeper.received) expect(bytes.length).toBeLessThanOrEqual(INPUT_BYTES_MAX);
    }),
    { numRuns: 60 },
  );
});

test('a keystroke is one frame, sent at once, and takes no look-up', async () => {
  const keeper = new FakeKeeper();
  keeper.session('aaaaaaaaaa', '', { name: 'web' });
  const client = new Client(keeper);
  await client.open();
  await Promise.all([...'hello'].map((key) => client.write('web', key)));
  expect(keeper.ops()).toEqual(Array(5).fill('input'));
  expect(arrived(keeper).toString()).toBe('hello');
  client.close();
});

test('[IN-1] a write resolves when its last byte is in, not when it is sent', async () => {
  const keeper = new FakeKeeper();
  keeper.session('aaaaaaaaaa');
  const { confirm, frames } = heldBack(keeper);
  const client = new Client(keeper);
  let isDone = false;
  const write = client.write('aaaaaaaaaa', pattern(150 * KiB)).then(() => (isDone = true));
  for (const sent of [[64 * KiB], [64 * KiB, 64 * KiB], [64 * KiB, 64 * KiB, 22 * KiB]]) {
    await quiet(keeper);
    // Frame by frame: at most one is unconfirmed at a time.
    expect([frames, isDone]).toEqual([sent, false]);
    confirm();
  }
  await write;
  expect(arrived(keeper).equals(pattern(150 * KiB))).toBe(true);
  client.close();
});

test('[IN-1] a long write to a session that does not read holds up those behind it, and nobody else', async () => {
  const keeper = new FakeKeeper();
  keeper.session('aaaaaaaaaa');
  keeper.session('bbbbbbbbbb');
  const client = new Client(keeper);
  await client.get('aaaaaaaaaa');
  keeper.answers.input = ({ ask, channel }, peer) => {
    keeper.received.push(ask);
    if (ask.session === 'bbbbbbbbbb') peer.send(encodeJson(FrameType.reply, channel, {}));
    return 'silence';
  };
  void client.write('aaaaaaaaaa', pattern(100 * KiB)).catch(() => {});
  void client.write('aaaaaaaaaa', 'behind').catch(() => {});
  await client.write('bbbbbbbbbb', 'beside');
  await quiet(keeper);
  expect(keeper.received.map(({ session, bytes }) => [session, bytes.length]).toSorted()).toEqual([
    ['aaaaaaaaaa', 64 * KiB],
    ['bbbbbbbbbb', 6],
  ]);
  client.close();
});

test('a write whose link breaks is not sent again: nobody can know whether it arrived', async () => {
  const keeper = new FakeKeeper();
  keeper.session('aaaaaaaaaa');
  heldBack(keeper);
  const client = new Client(keeper);
  await client.open();
  const writes = ['x', 'y'].map((key) => client.write('aaaaaaaaaa', key).catch((error: unknown) => error));
  await quiet(keeper);
  keeper.hangUp();
  for (const error of await Promise.all(writes))
    expect(error).toMatchObject({ code: 'INPUT_UNCONFIRMED', details: { confirmedBytes: 0 } });
  await client.list();
  expect([arrived(keeper).toString(), keeper.dials]).toEqual(['xy', 2]);
  client.close();
});

test('a write whose link breaks says how much is in for certain', async () => {
  const keeper = new FakeKeeper();
  keeper.session('aaaaaaaaaa');
  const { confirm } = heldBack(keeper);
  const client = new Client(keeper);
  const write = client.write('aaaaaaaaaa', pattern(200 * KiB)).catch((error: unknown) => error);
  for (let frame = 0; frame < 2; frame++) {
    await quiet(keeper);
    confirm();
  }
  await quiet(keeper);
  keeper.hangUp();
  expect(await write).toMatchObject({ code: 'INPUT_UNCONFIRMED', details: { confirmedBytes: 128 * KiB } });
  await quiet(keeper);
  expect(arrived(keeper).equals(pattern(192 * KiB))).toBe(true);
  client.close();
});

test('a write that finds no link waits for one: nothing of it can have arrived', async () => {
  const keeper = new FakeKeeper();
  keeper.session('aaaaaaaaaa');
  const client = new Client(keeper);
  await client.open();
  keeper.fate = (dial) => (dial < 4 ? new SpoolError('CONNECTION_LOST') : {});
  keeper.hangUp();
  await quiet(keeper);
  await Promise.all(['a', 'b', 'c'].map((key) => client.write('aaaaaaaaaa', key)));
  expect(arrived(keeper).toString()).toBe('abc');
  client.close();
});

test.each(['INPUT_QUEUE_FULL', 'SESSION_EXITED', 'INPUT_CLOSED', 'SESSION_UNKNOWN'] as const)(
  '%s is told as it is',
  async (code) => {
    const keeper = new FakeKeeper();
    keeper.answers.input = () => new SpoolError(code);
    const client = new Client(keeper);
    await expect(client.write('aaaaaaaaaa', 'x')).rejects.toMatchObject({ code });
    await quiet(keeper);
    expect(keeper.ops()).toEqual(['input']);
    client.close();
  },
);

test('a full queue refuses a write whole or not at all: a long one that has begun waits its turn', async () => {
  const keeper = new FakeKeeper();
  keeper.session('aaaaaaaaaa');
  let asked = 0;
  keeper.answers.input = ({ ask }) => {
    asked++;
    if (asked >= 3 && asked <= 5) return new SpoolError('INPUT_QUEUE_FULL');
    keeper.received.push(ask);
    return {};
  };
  const client = new Client(keeper);
  await client.write('aaaaaaaaaa', pattern(200 * KiB));
  expect([arrived(keeper).equals(pattern(200 * KiB)), asked]).toEqual([true, 7]);
  asked = 3;
  await expect(client.write('aaaaaaaaaa', pattern(200 * KiB))).rejects.toMatchObject({ code: 'INPUT_QUEUE_FULL' });
  expect(asked).toBe(4);
  client.close();
});

test('a long write by name reaches one session only, and a name too long for a frame is looked up', async () => {
  const keeper = new FakeKeeper();
  const name = '長い名前'.repeat(25);
  keeper.session('aaaaaaaaaa', '', { name });
  keeper.session('bbbbbbbbbb', '', { name: 'web' });
  const client = new Client(keeper);
  await client.write('web', pattern(100 * KiB));
  await client.write(name, 'ls\r');
  expect(keeper.received.map(({ session }) => session)).toEqual(['bbbbbbbbbb', 'bbbbbbbbbb', 'aaaaaaaaaa']);
  client.close();
});

test('[IN-3] text goes as UTF-8, bytes as they are', async () => {
  const keeper = new FakeKeeper();
  keeper.session('aaaaaaaaaa');
  const client = new Client(keeper);
  await client.write('aaaaaaaaaa', 'é🧵\r');
  await client.write('aaaaaaaaaa', Uint8Array.of(0, 0xff, 0xc3, 0x1b));
  await client.write('aaaaaaaaaa', '');
  expect(arrived(keeper).toString('hex')).toBe(`${Buffer.from('é🧵\r').toString('hex')}00ffc31b`);
  client.close();
});
