/** The identity of a client: the record of its token, and no statement of the client about itself. Keeps DOOR-9. */
import type { Role, StoredToken } from '@spool/protocol';
import type { ActionLink } from '../push/action-links.ts';
import 'fastify';

export interface Principal {
  readonly id: string;
  readonly kind: StoredToken['kind'];
  readonly name: string;
  readonly role: Role;
  readonly scope: StoredToken['scope'];
  readonly expiresAt: number | null;
  /** The share link by which a browser logged in. */
  readonly parent?: string | undefined;
  /** The link in a notification by which the client came: it allows this answer to this question. */
  readonly link?: ActionLink;
}

export function principalOf({ id, kind, name, role, scope, expiresAt, parent }: StoredToken): Principal {
  return { id, kind, name, role, scope, expiresAt, ...(parent !== undefined && { parent }) };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The identity on every route that needs a token. */
    principal: Principal | null;
  }
}
