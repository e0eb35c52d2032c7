/**
 * Logs a browser in: a code that works once registers its public key. With the key, the browser signs challenges for passes.
 * Keeps DOOR-1 and DOOR-58.
 */
import type { Client } from '@spool/client';
import { type ClientIdentity, type IssuedPass, SpoolError } from '@spool/protocol';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Authenticator } from '../../auth/authenticator.ts';
import { isDeviceKey, PASS_MS } from '../../auth/passes.ts';
import { principalOf } from '../../auth/principal.ts';

const login = z.strictObject({
  code: z.string().max(200),
  key: z.string().max(200).refine(isDeviceKey),
  name: z.string().min(1).max(100).optional(),
});

const answered = z.strictObject({
  device: z.string().max(20),
  challenge: z.string().max(200),
  signature: z.string().max(200),
});

export interface LoginOptions {
  readonly authenticator: Authenticator;
  readonly keeper: Client;
  readonly place: { readonly port: number };
}

export function loginRoutes({ authenticator, keeper, place }: LoginOptions): (app: FastifyInstance) => void {
  return (app) => {
    app.post('/api/login', async (request, reply) => {
      const asked = login.safeParse(request.body);
      if (!asked.success)
        throw new SpoolError('REQUEST_INVALID', { reason: 'expected {"code": "…", "key": "…"}, a key of P-256' });
      const { code, key: publicKey, name = deviceName(request.headers['user-agent']) } = asked.data;
      const address = authenticator.addressOf(request.raw);
      if (!authenticator.isCode(code)) throw authenticator.refused(address, new SpoolError('CODE_REFUSED'));
      const { info } = await keeper.doors.redeem({ token: code, name, port: place.port, publicKey });
      authenticator.auditor.record(principalOf({ ...info, hash: '' }), 'login', { address });
      const pass: IssuedPass = { pass: authenticator.passes.issue(info.id), passMs: PASS_MS };
      return reply.send({ ...meOf(info), ...pass });
    });
    app.post('/api/challenge', () => ({ challenge: authenticator.passes.challenge() }));
    app.post('/api/pass', (request): IssuedPass => {
      const asked = answered.safeParse(request.body);
      if (!asked.success)
        throw new SpoolError('REQUEST_INVALID', { reason: 'expected {device, challenge, signature}' });
      // The origin check has compared it with our own pages.
      const { origin } = request.headers;
      if (origin === undefined) throw new SpoolError('ORIGIN_REFUSED');
      return { pass: authenticator.admit(request.raw, { ...asked.data, origin }), passMs: PASS_MS };
    });
    app.post('/api/logout', async (request, reply) => {
      if (request.principal!.kind === 'device') await keeper.doors.revokeToken(request.principal!.id);
      return reply.send({});
    });
    app.get('/api/me', (request) => meOf(request.principal!));
  };
}

const meOf = ({ id, name, role, expiresAt }: ClientIdentity): ClientIdentity => ({ id, name, role, expiresAt });

/** Returns a name such as `Firefox on Linux`, which a user recognizes in a list of devices. */
function deviceName(agent = ''): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(agent)?.[1] ?? 'a browser';
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1];
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser;
  return system ? `${name} on ${system === 'Mac OS X' ? 'macOS' : system}` : name;
}
