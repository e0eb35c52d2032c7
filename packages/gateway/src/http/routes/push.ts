/** Registers a browser for web push notifications. Keeps NOTE-2. */
import { type PushSubscriptions, SpoolError } from '@spool/protocol';
import { PUSH_STATE, PUSH_SUBSCRIPTION } from '@spool/protocol/schemas/page';
import { z } from 'zod';
import type { PushTarget, PushTargets } from '../../push/push-targets.ts';
import { isPublicKey } from '../../push/push-message.ts';
import { isPushService } from '../../push/push-services.ts';
import { nothing } from './answers.ts';
import { type Route, route } from './route.ts';

const AUTH_BYTES = 16;

/** The body, as `PushSubscription.toJSON()` creates it. */
const subscribe = z.strictObject({
  endpoint: z.string().max(2000),
  expirationTime: z.number().nullable().optional(),
  keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
});

/** `services`: push services that the user allows besides those of browsers. */
export function pushRoutes(pushTargets: PushTargets, services: () => readonly string[]): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/push',
      summary: 'The public key for web push (applicationServerKey), and the subscriptions of this token',
      answer: PUSH_STATE,
      async run({ request }) {
        const own = pushTargets.of(request.principal!.id);
        return { publicKey: pushTargets.key.publicKey, subscriptions: own.map(describeTarget) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/push',
      summary: 'Subscribe this browser to notifications; the body is PushSubscription.toJSON()',
      body: subscribe,
      answer: PUSH_SUBSCRIPTION,
      async run({ request, body: { endpoint, keys } }) {
        if (!isPushService(endpoint, services()))
          throw new SpoolError('REQUEST_INVALID', { field: 'endpoint', reason: 'this is not a known push service' });
        const [p256dh, auth] = [keys.p256dh, keys.auth].map((key) => Buffer.from(key, 'base64url')) as [Buffer, Buffer];
        if (!isPublicKey(p256dh) || auth.length !== AUTH_BYTES)
          throw new SpoolError('REQUEST_INVALID', {
            field: 'keys',
            reason: 'these are not the keys of a subscription',
          });
        const encoded = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
        const { id: token, parent: link } = request.principal!;
        return describeTarget(pushTargets.add(token, { endpoint, keys: encoded, link }));
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/push/:id',
      summary: 'End a subscription of this token',
      answer: nothing,
      async run({ request, id }) {
        const isFound = pushTargets.remove((one) => one.id === id && one.token === request.principal!.id);
        if (!isFound) throw new SpoolError('NOT_FOUND');
        return {};
      },
    }),
  ];
}

function describeTarget({ id, endpoint, createdAt }: PushTarget): PushSubscriptions['subscriptions'][number] {
  return { id, service: new URL(endpoint).origin, createdAt };
}
