/**
 * A server whose handlers fail in every requested way, with the guard of a gateway and the same listeners for uncaught errors.
 * Prints its port, then each fault as a line.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { ConnectionFaults } from '../connection-faults.ts';

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const faults = new ConnectionFaults({
  say: (line) => print({ said: line.split('\n')[0] }),
  onEndless: () => process.exit(9),
});
process.on('uncaughtException', (error) => faults.take(error));
process.on('unhandledRejection', (error) => faults.take(error));

const server = createServer();
faults.guard(server);

function fail(): never {
  throw new Error('on purpose');
}

const WAYS: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  handler: fail,
  promise: () => void Promise.reject(new Error('on purpose')),
  later: () => void new Promise((resolve) => setTimeout(resolve, 1)).then(fail),
  timer: () => void setTimeout(fail, 1),
  tick: () => process.nextTick(fail),
  body: (request) => void request.on('data', fail),
  left: (_request, response) => void response.on('close', fail),
  socket: (request) => void request.socket.on('close', fail),
  stream: (request) => request.destroy(new Error('on purpose')),
  abort() {
    const aborting = new AbortController();
    aborting.signal.addEventListener('abort', fail);
    setTimeout(() => aborting.abort(), 1);
  },
  inner(request) {
    connect((request.socket.address() as AddressInfo).port, '127.0.0.1', fail).on('error', () => {});
  },
};

server.on('upgrade', (_request, socket) => {
  socket.on('error', () => {});
  socket.on('data', fail);
});
server.on('request', (request, response) => {
  const way = request.url!.slice(1);
  if (way === 'well') response.end('well');
  else WAYS[way]!(request, response);
});
server.on('close', () => process.exit(0));
server.listen(0, '127.0.0.1', () => print({ port: (server.address() as AddressInfo).port, ways: Object.keys(WAYS) }));
