import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AgentEventStream } from './event-stream.ts';
import { HttpLink } from './http-link.ts';

const CONNECTED = '{"type":"server.connected","properties":{}}';

test('[HTTP-2] a stream that falls silent or ends is opened again; heartbeats are signs of life, and no events', async () => {
  let opened = 0;
  const server = createServer((_, response: ServerResponse) => {
    opened++;
    response.write(`data: ${CONNECTED}\n\n`);
    response.write('data: {"type":"server.heartbeat","properties":{}}\n\n');
    if (opened === 2) response.end(); // the first stream is silent from here on
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const over = new AbortController();
  onTestFinished(() => {
    over.abort();
    server.closeAllConnections();
    server.close();
  });
  const events: string[] = [];
  const lost: string[] = [];
  const third = Promise.withResolvers<void>();
  const stream = new AgentEventStream({
    link: new HttpLink(port, 'p'),
    path: '/event',
    silentMsMax: 200,
    onEvent: (json) => events.push(json),
    onLost(why) {
      lost.push(why);
      if (lost.length === 3) third.resolve();
    },
  });
  void stream.run(over.signal);
  await stream.connected;
  await third.promise;
  expect(lost[0]).toBe('it fell silent');
  expect(lost[1]).toBe('it ended');
  expect(events.every((event) => event === CONNECTED)).toBe(true);
  expect(events.length).toBeGreaterThanOrEqual(3);
});

test('[HTTP-2] an agent that takes the connection and never answers is asked again after 20 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const over = new AbortController();
  const opened: AbortSignal[] = [];
  const again = Promise.withResolvers<void>();
  const link = {
    open: (_method: string, _path: string, { signal }: { signal: AbortSignal }) => {
      opened.push(signal);
      if (opened.length === 2) again.resolve();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    },
  } as unknown as HttpLink;
  const running = new AgentEventStream({ link, path: '/event', onEvent() {}, onLost() {} }).run(over.signal);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(opened.map(({ aborted }) => aborted)).toEqual([false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(opened[0]!.aborted).toBe(true);
  await again.promise;
  over.abort();
  await running;
});
