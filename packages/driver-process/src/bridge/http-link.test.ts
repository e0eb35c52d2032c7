import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { HttpLink } from './http-link.ts';

async function listening(server: Server, port = 0): Promise<number> {
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('[HTTP-41] a call that was cut is not made again: the agent may have it', async () => {
  let calls = 0;
  const port = await listening(
    createServer((request) => {
      calls++;
      request.resume().on('end', () => (request.socket as Socket).destroy());
    }),
  );
  const { status } = await new HttpLink(port, 'p').call('POST /session/s/prompt_async', '{}');
  expect([status, calls]).toEqual([502, 1]);
});

test('[HTTP-41] a call that was refused is made again until the agent listens, and then once', async () => {
  const free = createServer();
  const port = await listening(free);
  await new Promise((resolve) => free.close(resolve));
  const answer = new HttpLink(port, 'p').call('POST /session', '{"a":1}');
  const bodies: string[] = [];
  await listening(
    createServer((request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      request.on('end', () => response.end('{"id":\n"ses"}'));
    }),
    port,
  );
  expect(await answer).toEqual({ status: 200, json: '{"id":"ses"}' });
  expect(bodies).toEqual(['{"a":1}']);
});

test('[HTTP-1] the password goes with each call; a page is not an answer', async () => {
  const seen: (string | undefined)[] = [];
  const port = await listening(
    createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end(request.url === '/none' ? '' : '<html>');
    }),
  );
  const link = new HttpLink(port, 'secret');
  expect(await link.call('GET /none', undefined)).toEqual({ status: 200 });
  expect(await link.call('GET /page', undefined)).toMatchObject({ status: 404 });
  expect(seen).toEqual(Array(2).fill(`Basic ${Buffer.from('opencode:secret').toString('base64')}`));
});

test('[HTTP-2] a call that is not answered within 30 s is given up with 504; one for the end of a turn has no limit', async () => {
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const server = createServer(() => asked[calls++]!.resolve()); // and no answer
  const port = await listening(server);
  const clock = new AbortController();
  const limits: number[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return clock.signal;
  });
  onTestFinished(() => timeout.mockRestore());
  const link = new HttpLink(port, 'p');
  const answer = link.call('GET /session', undefined);
  await asked[0]!.promise;
  expect(limits).toEqual([30_000]);
  clock.abort(new DOMException('over', 'TimeoutError'));
  expect(await answer).toEqual({ status: 504, json: '{"message":"the agent did not answer within 30 s"}' });
  const patient = link.call('POST /session/s/message', '{}', true);
  await asked[1]!.promise;
  expect(limits).toEqual([30_000]);
  server.closeAllConnections();
  expect((await patient).status).toBe(502);
});
