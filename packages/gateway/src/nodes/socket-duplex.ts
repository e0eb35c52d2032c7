/** A WebSocket between two machines as a stream of bytes, for HTTP/2. */
import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket } from 'ws';

export function duplexOver(socket: WebSocket): Duplex {
  const duplex = createWebSocketStream(socket);
  duplex.on('error', () => {}); // `close` follows
  // The stream of `ws` alone would wait forever for the end of a write that was pending when the socket closed.
  socket.once('close', () => duplex.destroy());
  return duplex;
}
