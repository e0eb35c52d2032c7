/** Passes requests about the folder of a session on to its node, which answers them by its own rules. Keeps NODE-44. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { nodeUserOf } from '../../nodes/node-frames.ts';
import type { NodeRegistry } from '../../nodes/registry.ts';
import type { Route } from './route.ts';

/** Returns these routes as they are below `/api/nodes/:node`, for the description of the API. */
export function onNodes(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({
    ...route,
    path: route.path.replace('/api/', '/api/nodes/:node/'),
    summary: `${route.summary}; on a node`,
  }));
}

/** Adds the routes that `onNodes` has created. */
export function nodeToolRoutes(registry: NodeRegistry, routes: readonly Route[]): (app: FastifyInstance) => void {
  return (app) => {
    for (const { method, path, bodyBytesMax } of routes)
      app.route<{ Params: { node: string } }>({
        method,
        url: path,
        ...(bodyBytesMax !== undefined && { bodyLimit: bodyBytesMax }),
        async handler(request, reply) {
          const { node } = request.params;
          const answer = await registry.ask(node, nodeUserOf(request.principal!), {
            method,
            path: pathOnNode(request, node),
            body: request.body === undefined || request.body === null ? '' : JSON.stringify(request.body),
          });
          const type = answer.status < 400 ? 'application/json' : 'application/problem+json';
          return reply.status(answer.status).type(type).send(answer.text);
        },
      });
  };
}

/** Returns the path as the node has it, with the query. */
function pathOnNode({ url }: FastifyRequest, node: string): string {
  const marker = `/api/nodes/${encodeURIComponent(node)}/`;
  return `/api/${url.slice(url.indexOf(marker) + marker.length)}`;
}
