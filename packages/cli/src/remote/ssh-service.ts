/**
 * `spool node serve`, the end of an ssh link on the node: connects the other machine with the gateway here, and only copies bytes.
 */
import { Socket } from 'node:net';
import type { RequestClient } from '@spool/client/requests';
import { type NodeRoadOptions, serveNode } from '@spool/client/nodes';
import { SSH_MARK } from '@spool/client/ssh';
import { type Role, toWireError } from '@spool/protocol';

/**
 * Serves over stdin and stdout until either ends. `token` identifies the rights of that machine; without a token, rights with
 * `role` are created.
 */
export async function serveStdio(
  name: string,
  token: string | undefined,
  role: Role = 'viewer',
  road: NodeRoadOptions,
): Promise<number> {
  // Not process.stdout: on a pipe it would block this process while the other machine does not read.
  const to = new Socket({ fd: 1, readable: false, writable: true });
  const say = (answer: object): boolean => to.write(`${SSH_MARK}${JSON.stringify(answer)}\n`);
  try {
    await serveNode(token === undefined ? { name, role } : { name, token }, { from: process.stdin, to }, say, road);
    return 0;
  } catch (error) {
    say({ error: toWireError(error) });
    await new Promise<void>((resolve) => to.end(() => resolve()));
    return 1;
  }
}

/** Ends the rights of a machine that was served by ssh. */
export async function endService(name: string, client: RequestClient): Promise<number> {
  for (const token of await client.doors.tokens())
    if (token.kind === 'peer' && token.name === name) await client.doors.revokeToken(token.id);
  return 0;
}
