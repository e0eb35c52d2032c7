/** Logs a browser in: a code that works once becomes a cookie that scripts cannot read. Keeps DOOR-1. */
import type { Client } from '@spool/client';
import { SpoolError } from '@spool/protocol';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Guardian } from '../guardian.ts';
import { principalOf } from '../principal.ts';

const login = z.strictObject({ code: z.string().max(200), name: z.string().min(1).max(100).optional() });

const COOKIE_SECONDS = 90 * 24 * 3600;

export interface LoginOptions {
  readonly guardian: Guardian;
  readonly keeper: Client;
  readonly basePath: string;
  readonly place: { readonly port: number };
  /** Whether this request came over TLS: then its cookie is for TLS only. */
  isSecure(request: IncomingMessage): boolean;
}

export function loginRoutes({
  guardian,
  keeper,
  basePath,
  place,
  isSecure,
}: LoginOptions): (app: FastifyInstance) => void {
  const cookie = (request: FastifyRequest, value: string, seconds: number): string =>
    `${guardian.cookieName}=${value}; Path=${basePath || '/'}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(request.raw) ? '; Secure' : ''}`;
  return (app) => {
    app.post('/api/login', async (request, reply) => {
      const asked = login.safeParse(request.body);
      if (!asked.success) throw new SpoolError('REQUEST_INVALID', { reason: 'expected {"code": "…"}' });
      const { code, name = deviceName(request.headers['user-agent']) } = asked.data;
      const address = guardian.addressOf(request.raw);
      if (!guardian.isCode(code)) throw guardian.refused(address, new SpoolError('CODE_REFUSED'));
      const { token, info } = await keeper.doors.redeem({ token: code, name, port: place.port });
      guardian.auditor.record(principalOf({ ...info, hash: '' }), 'login', { address });
      return reply.header('set-cookie', cookie(request, token, COOKIE_SECONDS)).send(meOf(info));
    });
    app.post('/api/logout', async (request, reply) => {
      if (request.principal!.kind === 'device') await keeper.doors.revokeToken(request.principal!.id);
      return reply.header('set-cookie', cookie(request, '', 0)).send({});
    });
    app.get('/api/me', (request) => meOf(request.principal!));
  };
}

function meOf({
  id,
  name,
  role,
  expiresAt,
}: {
  id: string;
  name: string;
  role: string;
  expiresAt: number | null;
}): object {
  return { id, name, role, expiresAt };
}

/** `Firefox on Linux`: what a user recognises in a list of devices. */
export function deviceName(agent = ''): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(agent)?.[1] ?? 'a browser';
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser;
  return system ? `${name} on ${system === 'Mac OS X' ? 'macOS' : system}` : name;
}
