import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { MessageDuplex, UNCONFIRMED_BYTES_MAX } from './message-duplex.ts';
import { LinkSecret } from './sealing.ts';

/** Connects two streams by a network that delivers when `deliver` is called. */
function pair() {
  const [one, other] = [new LinkSecret(), new LinkSecret()];
  const near = one.seals(other.public, 'said');
  const far = other.seals(one.public, 'said');
  const wire: { readonly to: () => MessageDuplex; readonly message: Buffer }[] = [];
  const user = new MessageDuplex({
    outgoing: near.up,
    incoming: near.down,
    send: (message) => wire.push({ to: () => node, message }),
  });
  const node: MessageDuplex = new MessageDuplex({
    outgoing: far.down,
    incoming: far.up,
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
  const sent = randomBytes(3 * UNCONFIRMED_BYTES_MAX);
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
  expect(most).toBeGreaterThan(UNCONFIRMED_BYTES_MAX / 2);
  expect(most).toBeLessThanOrEqual(UNCONFIRMED_BYTES_MAX);
  const got: Buffer[] = [];
  node.on('data', (bytes: Buffer) => got.push(bytes));
  for (let round = 0; round < 40; round++) {
    deliver();
    await turns();
    expect(user.unconfirmedBytes).toBeLessThanOrEqual(UNCONFIRMED_BYTES_MAX);
  }
  expect(Buffer.concat(got).equals(sent)).toBe(true);
});
