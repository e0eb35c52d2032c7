/** Reports whether the gateway and its daemon are healthy, for supervisors and for Prometheus. */
import type { Client } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import type { FastifyInstance } from 'fastify';
import type { FaultCounts } from '../connection-faults.ts';
import { isLimited } from '../../auth/guard/scope.ts';
import type { WebSockets } from '../../websocket/websockets.ts';
import { openApi } from './openapi.ts';
import type { Route } from './route.ts';

export interface HealthRouteOptions {
  readonly keeper: Client;
  readonly sockets: () => WebSockets;
  readonly faults: () => FaultCounts;
  readonly routes: readonly Route[];
}

export function healthRoutes({ keeper, sockets, faults, routes }: HealthRouteOptions): (app: FastifyInstance) => void {
  return (app) => {
    app.get('/healthz', () => ({ status: 'ok' }));
    app.get('/api/openapi.json', () => openApi(routes));
    app.route({
      method: 'GET',
      url: '/readyz',
      async handler() {
        const status = await keeper.status().catch(() => null);
        if (status === null) throw new SpoolError('DAEMON_UNREACHABLE');
        return { status: 'ok' };
      },
    });
    app.route({
      method: 'GET',
      url: '/metrics',
      async handler({ principal }, reply) {
        // The answer is about the whole daemon, not about a session.
        if (isLimited(principal!.scope))
          throw new SpoolError('ROLE_TOO_LOW', { what: 'metrics', role: principal!.role });
        const { sessions, keeper: process_, openFiles } = await keeper.status();
        const gauges = {
          spool_sessions_running: sessions.running,
          spool_sessions_ended: sessions.ended,
          spool_keeper_memory_bytes: process_.rssBytes,
          spool_keeper_connections: openFiles?.connections ?? 0,
          spool_gateway_memory_bytes: process.memoryUsage.rss(),
          spool_gateway_websockets: sockets().count,
        };
        const { connections, outside } = faults();
        const counters = {
          spool_gateway_connection_faults_total: connections,
          spool_gateway_other_faults_total: outside,
        };
        const lines = Object.entries({ gauge: gauges, counter: counters }).flatMap(([type, values]) =>
          Object.entries(values).map(([name, value]) => `# TYPE ${name} ${type}\n${name} ${value}\n`),
        );
        return reply.type('text/plain; version=0.0.4; charset=utf-8').send(lines.join(''));
      },
    });
  };
}
