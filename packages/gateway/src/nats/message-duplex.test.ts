import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { MessageDuplex } from './message-duplex.ts';
import { LinkSecret } from './sealing.ts';
import { CONNECTION_BYTES_MAX, FIRST_WINDOW_BYTES, LINK_BYTES_MAX, WindowPool } from './window-pool.ts';

/** Connects two streams by a network that delivers when `deliver` is called. */
function pair(windows = new WindowPool()) {
  const [one, other] = [new LinkSecret(), new LinkSecret()];
  const near = one.seals(other.public, 'said');
  const far = other.seals(one.public, 'said');
  const wire: { readonly to: () => MessageDuplex; readonly message: Buffer }[] = [];
  const user = new MessageDuplex({
    outgoing: near.up,
    incoming: near.down,
    windows: new WindowPool(),
    send: (message) => wire.push({ to: () => node, message }),
  });
  const node: MessageDuplex = new MessageDuplex({
    outgoing: far.down,
    incoming: far.up,
    windows,
    send: (message) => wire.push({ to: () => user, message }),
  });
  const deliver = (): void => {
    for (const { to, message } of wire.splice(0)) to().receive(message);
  };
  return { user, node, wire, deliver };
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('[NODE-51] bytes arrive once and in order; a message that is lost, doubled, changed or reordered ends the stream', async () => {
  const sent = randomBytes(300_000);
  for (const fault of ['none', 'lost', 'doubled', 'changed', 'reordered'] as const) {
    const { user, node, wire, deliver } = pair();
    const got: Buffer[] = [];
    node.on('data', (bytes: Buffer) => got.push(bytes));
    user.write(sent.subarray(0, 100_000));
    for (let round = 0; round < 2; round++) {
      deliver(); // the first window, and its confirmation
      await turns();
    }
    expect(wire.length).toBeGreaterThanOrEqual(3);
    if (fault === 'lost') wire.splice(1, 1);
    if (fault === 'doubled') wire.splice(1, 0, wire[1]!);
    if (fault === 'changed') wire[1]!.message[40]! ^= 1;
    if (fault === 'reordered') wire.splice(1, 2, wire[2]!, wire[1]!);
    user.write(sent.subarray(100_000));
    for (let round = 0; round < 20; round++) {
      deliver();
      await turns();
    }
    const all = Buffer.concat(got);
    expect([fault, sent.subarray(0, all.length).equals(all)]).toEqual([fault, true]);
    expect([fault, node.destroyed, user.destroyed]).toEqual([fault, fault !== 'none', fault !== 'none']);
    if (fault === 'none') expect(all.length).toBe(sent.length);
  }
});

test('[NODE-52] a reader that stands still is sent the limit and no more; it gets every byte when it goes on', async () => {
  const { user, node, deliver } = pair();
  const sent = randomBytes(3 * LINK_BYTES_MAX);
  let most = 0;
  for (let at = 0; at < sent.length; at += 10_000) {
    user.write(sent.subarray(at, at + 10_000));
    most = Math.max(most, user.unconfirmedBytes);
  }
  for (let round = 0; round < 5; round++) {
    deliver();
    await turns();
  }
  most = Math.max(most, user.unconfirmedBytes);
  expect(most).toBeGreaterThan(LINK_BYTES_MAX / 2);
  expect(most).toBeLessThanOrEqual(LINK_BYTES_MAX);
  const got: Buffer[] = [];
  node.on('data', (bytes: Buffer) => got.push(bytes));
  for (let round = 0; round < 40; round++) {
    deliver();
    await turns();
    expect(user.unconfirmedBytes).toBeLessThanOrEqual(LINK_BYTES_MAX);
  }
  expect(Buffer.concat(got).equals(sent)).toBe(true);
});

test('[NODE-52] many links on one connection share its limit: all go on, and one that sends alone gets the whole window again', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const windows = new WindowPool();
  const links = Array.from({ length: 40 }, () => pair(windows));
  const unconfirmed = (): number => links.reduce((sum, { user }) => sum + user.unconfirmedBytes, 0);
  let most = 0;
  const got = links.map(() => 0);
  for (const [at, { user, node }] of links.entries()) {
    node.on('data', (bytes: Buffer) => (got[at]! += bytes.length));
    user.write(randomBytes(100_000));
  }
  while (got.some((bytes) => bytes < 100_000)) {
    for (const { deliver } of links) {
      deliver();
      most = Math.max(most, unconfirmed());
    }
    await turns();
    now += 10;
  }
  expect(most).toBeLessThanOrEqual(CONNECTION_BYTES_MAX);
  expect(most).toBeGreaterThan(80 * FIRST_WINDOW_BYTES);

  now += 60_000;
  const [{ user, deliver }] = links as [(typeof links)[number]];
  user.write(randomBytes(3 * LINK_BYTES_MAX));
  expect(user.unconfirmedBytes).toBeLessThanOrEqual(2 * FIRST_WINDOW_BYTES); // the last grant has expired
  let alone = 0;
  for (let round = 0; round < 40; round++) {
    deliver();
    alone = Math.max(alone, user.unconfirmedBytes);
    await new Promise((resolve) => setTimeout(resolve, 5)); // few bytes are confirmed a moment later
  }
  expect(alone).toBe(LINK_BYTES_MAX);
  clock.mockRestore();
});
