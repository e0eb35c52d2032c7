/** `spool.link.v1`: a machine that has dialled this gateway with a token opens streams of HTTP/2, one for each of its clients. */
import type { SubprotocolHandler } from '../websocket/websockets.ts';
import { type NodeServices, serveMachine } from './node-server.ts';
import { duplexOver } from './socket-duplex.ts';

/** The subprotocol of a link on the WebSocket of the gateway. */
export const LINK_DIALECT = 'spool.link.v1';

/** Returns the handler. The rights are those of the token: the socket is closed when it is revoked or expires. */
export function speakLink(services: NodeServices): SubprotocolHandler {
  return (socket, principal) => {
    const machine = { name: principal.name, granted: () => principal };
    serveMachine(duplexOver(socket), machine, services, () => socket.terminate());
  };
}
