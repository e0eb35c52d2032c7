/**
 * Sends the nodes and their sessions to a client, as lines of JSON: `/ws?follow=nodes`. Each role sees what it may see of a
 * session. Keeps NODE-43.
 */
import { OUTPUT_BYTES_MAX } from '@spool/protocol';
import type { WebSocket } from 'ws';
import { mayKnowAll, redacted } from '../auth/guard/redaction.ts';
import type { Principal } from '../auth/principal.ts';
import { NodeFeed } from '../nodes/node-feed.ts';
import { mayUseNodes } from '../nodes/node-frames.ts';
import type { NodeRegistry } from '../nodes/registry.ts';

/** Our own close code for a client that sends something, as in `websockets.ts`. */
const CLOSE_INVALID = 4003;

/** A token that is limited to some sessions has no nodes; it gets an empty list that ends, so its page does not ask again. */
export function sendNodeNews(socket: WebSocket, principal: Principal, registry: NodeRegistry): void {
  socket.on('message', () => socket.close(CLOSE_INVALID, 'nothing is read here'));
  if (!mayUseNodes(principal)) return socket.send(Buffer.from(`${JSON.stringify({ listed: true })}\n`));
  const { role } = principal;
  const feed: NodeFeed = new NodeFeed(
    registry,
    (news) => {
      socket.send(Buffer.from(`${JSON.stringify(news)}\n`), () => {
        if (socket.bufferedAmount <= OUTPUT_BYTES_MAX) setImmediate(() => feed.resume());
      });
      return socket.bufferedAmount <= OUTPUT_BYTES_MAX;
    },
    mayKnowAll(role) ? {} : { redact: (session) => redacted(session, role) },
  );
  socket.once('close', () => feed.close());
}
