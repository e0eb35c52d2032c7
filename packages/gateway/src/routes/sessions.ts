/** Sessions, for scripts. Each request goes to the keeper through the guard, as that of a WebSocket does. */
import { SpoolError } from '@spool/protocol';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Guardian } from '../guardian.ts';
import { guardedClient } from '../guarded-client.ts';

const input = z.strictObject({ text: z.string().max(64 * 1024) });

interface WithId {
  Params: { id: string };
}

export function sessionRoutes(guardian: Guardian): (app: FastifyInstance) => void {
  return (app) => {
    app.route({
      method: 'GET',
      url: '/api/sessions',
      async handler(request) {
        await using client = guardedClient(guardian, request.principal!);
        return await client.list();
      },
    });
    app.route<WithId>({
      method: 'GET',
      url: '/api/sessions/:id',
      async handler(request) {
        await using client = guardedClient(guardian, request.principal!);
        return await client.get(request.params.id);
      },
    });
    app.route<WithId>({
      method: 'POST',
      url: '/api/sessions/:id/input',
      async handler(request) {
        const asked = input.safeParse(request.body);
        if (!asked.success) throw new SpoolError('REQUEST_INVALID', { reason: 'expected {"text": "…"}' });
        await using client = guardedClient(guardian, request.principal!);
        await client.write(request.params.id, asked.data.text);
        return {};
      },
    });
  };
}
