/**
 * Tells when a request is over: answered, or its client has left. A response that waits behind another one of its connection
 * (pipelining) is not told by Node that the connection is closed, and would be worked on for nobody.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One listener for each connection, however many requests it carries. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls back once. */
export function whenOver({ socket }: IncomingMessage, response: ServerResponse, over: () => void): void {
  const all = waiting.get(socket) ?? watched(socket);
  const once = (): void => {
    if (all.delete(once)) over();
  };
  all.add(once);
  response.once('close', once);
  if (socket.destroyed) once();
}

function watched(socket: Socket): Set<() => void> {
  const all = new Set<() => void>();
  waiting.set(socket, all);
  socket.once('close', () => {
    for (const one of all) one();
  });
  return all;
}
