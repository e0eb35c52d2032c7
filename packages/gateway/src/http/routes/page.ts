/** Serves the page and its assets. */
import { SpoolError } from '@spool/protocol';
import type { FastifyInstance } from 'fastify';
import type { PageFiles } from '../page-files.ts';

/** The cache header of assets, which have the hash of their content in their name. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

export function pageRoutes(files: PageFiles): (app: FastifyInstance) => void {
  return (app) => {
    app.get('/', (_request, reply) => {
      const { html, policy } = files.page();
      return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);
    });
    app.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
      const file = await files.packed(`assets/${request.params['*']}`, request.headers['accept-encoding']);
      if (!file) throw new SpoolError('NOT_FOUND');
      if (file.encoding !== null) void reply.header('content-encoding', file.encoding);
      return reply.type(file.type).header('cache-control', FOR_GOOD).header('vary', 'accept-encoding').send(file.bytes);
    });
    app.get<{ Params: { file: string } }>('/:file', (request, reply) => {
      const { file: name } = request.params;
      const file = name === 'index.html' ? null : files.read(name);
      if (!file) throw new SpoolError('NOT_FOUND');
      return reply.type(file.type).send(file.bytes);
    });
  };
}
