import { once } from 'node:events';
import { performServerHandshake } from 'node:http2';
import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { NodeLink } from './node-link.ts';

test('[NODE-7] a node that does not answer a stream is given up for this stream, and the link stays', async () => {
  const [near, far] = duplexPair();
  const node = performServerHandshake(far);
  let answers = false;
  node.on('stream', (stream) => {
    stream.on('error', () => {});
    if (answers) stream.respond({ ':status': 200 });
  });
  const link = new NodeLink(near, '0.1.0', () => {});
  const user = { name: 'alice', role: 'owner' } as const;
  await expect(link.open(user, 50)).rejects.toMatchObject({ code: 'NODE_AWAY' });
  answers = true;
  const stream = await link.open(user);
  expect([link.isOpen, stream.destroyed]).toEqual([true, false]);
  link.close();
  await once(near, 'close');
  node.destroy();
});

test('[NODE-7] an answer of a node without an end is cut off, and the link stays', async () => {
  const [near, far] = duplexPair();
  const node = performServerHandshake(far);
  const cut = Promise.withResolvers<void>();
  const PIECE = Buffer.alloc(1024 * 1024);
  node.on('stream', (stream) => {
    stream.on('error', () => {});
    stream.once('close', cut.resolve);
    stream.respond({ ':status': 200 });
    const more = (): void => void (stream.destroyed || stream.write(PIECE, more));
    more();
  });
  const link = new NodeLink(near, '0.1.0', () => {});
  const request = { method: 'GET', path: '/api/sessions/1/files', body: '' };
  const asked = link.ask({ name: 'alice', role: 'owner' }, request);
  await expect(asked).rejects.toMatchObject({ code: 'FRAME_TOO_LARGE' });
  await cut.promise;
  expect(link.isOpen).toBe(true);
  link.close();
  node.destroy();
});
