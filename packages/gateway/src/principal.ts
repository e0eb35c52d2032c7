/** Who is at the door: the record of a token, and nothing that the client says about itself. Keeps DOOR-9. */
import type { Role, StoredToken } from '@spool/protocol';
import type { ActionLink } from './notices/action-links.ts';
import 'fastify';

export interface Principal {
  readonly id: string;
  readonly kind: StoredToken['kind'];
  readonly name: string;
  readonly role: Role;
  readonly scope: StoredToken['scope'];
  readonly expiresAt: number | null;
  /** The share link that a browser came by. */
  readonly parent?: string | undefined;
  /** Of whoever comes by the link in a notification: it is for this answer to this question. */
  readonly link?: ActionLink;
}

export function principalOf({ id, kind, name, role, scope, expiresAt, parent }: StoredToken): Principal {
  return { id, kind, name, role, scope, expiresAt, ...(parent !== undefined && { parent }) };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Of every route that needs a token. */
    principal: Principal | null;
  }
}
