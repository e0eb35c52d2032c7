/**
 * Lets a machine become a node of this one, with an invite. The keeper ends the invite before the node is added, so it works once,
 * however many machines use it at the same time. Keeps NODE-4 and NODE-23.
 */
import type { Client } from '@spool/client';
import { NODE_NAME, SpoolError } from '@spool/protocol';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Authenticator, bearerOf } from '../../auth/authenticator.ts';
import { type invitation, inviteText, NODES_ROUTE } from '../../nodes/invite.ts';
import { ownName } from '../../nodes/joined-machines.ts';
import { isSignedBy, type MachineKey, PUBLIC_KEY_CHARS } from '../../nodes/machine-key.ts';
import type { NodeRegistry } from '../../nodes/registry.ts';

const newNode = z.strictObject({
  name: z.string().regex(NODE_NAME),
  publicKey: z.string().length(PUBLIC_KEY_CHARS),
  signature: z.string().max(200),
});

export interface NodeRouteOptions {
  readonly authenticator: Authenticator;
  readonly keeper: Client;
  readonly registry: NodeRegistry;
  readonly key: MachineKey;
}

export function nodeRoutes({ authenticator, keeper, registry, key }: NodeRouteOptions): (app: FastifyInstance) => void {
  return (app) => {
    app.post(NODES_ROUTE, async (request, reply) => {
      const invite = authenticator.identifyInvite(request.raw);
      const asked = newNode.safeParse(request.body);
      if (!asked.success)
        throw new SpoolError('REQUEST_INVALID', {
          reason: 'expected {"name": "…", "publicKey": "…", "signature": "…"}',
        });
      const { name, publicKey, signature } = asked.data;
      // Without the proof, a machine could register the key of another one and take its place.
      const code = bearerOf(request.raw.headers) ?? '';
      if (!isSignedBy(publicKey, inviteText(code, name), signature))
        throw new SpoolError('NOT_ALLOWED', { reason: 'the machine does not prove its key' });
      registry.checkName(name);
      try {
        await keeper.doors.revokeToken(invite.id);
      } catch (error) {
        throw SpoolError.is(error, 'TOKEN_UNKNOWN') ? new SpoolError('INVITE_REFUSED') : error;
      }
      registry.add({ name, publicKey, role: invite.role, road: 'join', addedAt: Date.now() });
      authenticator.auditor.record(null, 'node joined', { address: authenticator.addressOf(request.raw), note: name });
      const answer: z.infer<typeof invitation> = { name: ownName(), publicKey: key.publicKey, role: invite.role };
      return reply.send(answer);
    });
  };
}
