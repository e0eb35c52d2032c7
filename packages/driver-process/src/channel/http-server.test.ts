import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connectHttp } from './http-server.ts';
import { ServerRefusal } from './server-refusal.ts';

const PASSWORD = 'a-password';
/** The name that OpenCode expects if only a password is set. */
const AUTHORIZATION = `Basic ${Buffer.from(`opencode:${PASSWORD}`).toString('base64')}`;

/** Serves two events to a client with the password. */
async function serve(): Promise<number> {
  const server: Server = createServer((request, response) => {
    if (request.headers.authorization !== AUTHORIZATION) return void response.writeHead(401).end();
    response.write('data: {"type":"server.connected","properties":{}}\n\n');
    response.write(`data: {"type":"x","properties":{"output":"it is ${PASSWORD}"}}\n\n`);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('[CHAN-32] the server gets the name and the password that it expects, and no line has the password', async () => {
  const lines: string[] = [];
  const peer = { onMessage: (text: string) => void lines.push(text), onClosed() {} };
  const link = await connectHttp(await serve(), PASSWORD, peer);
  await vi.waitFor(() => expect(lines).toHaveLength(2), 10_000);
  link.close();
  expect(lines[1]).toBe('{"type":"x","properties":{"output":"it is ***"}}');
});

test('[CHAN-9] a server that does not accept the password is not tried again', async () => {
  const peer = { onMessage() {}, onClosed() {} };
  await expect(connectHttp(await serve(), 'another', peer)).rejects.toThrow(ServerRefusal);
});
